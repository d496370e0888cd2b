// Checks the invariants of a module that no single op can check.
//
// Before and after: the same module; an error names the rule that is broken. The pass runs after
// every other one in tests and debug builds. Rules marked (op) are checked by the verifiers of the
// ops and attributes themselves, wherever MLIR verifies; they are listed so that the numbers are in
// one place. docs/ir.md explains them to users.
//
//   [R1]  (op) relax.symbols is on functions; names are unique, no range is empty, divisors >= 1.
//   [R2]  A graph function uses only symbols that have a value there: that relax.symbols declares
//         and a parameter binds, or that an op introduces which dominates the use.
//   [R3]  A tensor program uses only symbols that its relax.kernel_symbols lists, each once.
//         So a symbol that appears only inside expressions is passed by every caller.
//   [R4]  (op) A call_kernel's callee is a tensor program with as many symbols as the call gives;
//         under them its signature is exactly the types of the call's operands and results,
//         signless.
//   [R5]  (op) The operand types of call and call_indirect unify with the callee's parameters; the
//         result types follow. A call is `impure` exactly if its callee is; function values are
//         pure.
//   [R6]  A value whose storage an op takes over (update_slots' pages, an operand that a program
//         or a function is donated) isn't used after that op, and no op takes it over twice.
//   [R7]  (op) donates has an entry for each result: -1, or an operand of the result's type.
//   [R8]  (op) storage has an entry for each result.
//   [R9]  (op) relax.values is on arguments of i32 tensors.
//   [R10] (op) relax.ragged names two rank-1 i32 arguments, and two expressions.
//   [R11] A dataflow block holds only ops without side effects, and no control flow.
//   [R12] A tensor program is one block of linalg, arith, math, tensor and scf ops,
//         relax.symbol_value, and relax ops with a kernel strategy of their own.
//   [R13] (op) What the branches of an if yield is provably of its result types.
//         And these are the joins of it, without the symbols that only a branch knows.
//   [R14] (op) What a while starts from and yields is provably of the types that it carries.
//   [R15] A symbol is introduced at one place of a function, and not where it has a value already.
//   [R16] Each symbol that a match_cast introduces is a dimension of its own, or can be solved for.
//   [R17] A function with ops that have effects is relax.impure.
//   [R18] What an op needs of its sizes isn't refuted by what is known of the symbols, nor are the
//         callee's declared ranges by what a call gives. (In branches and loops: when it runs.)
//   [R19] Each symbol of a signature is a dimension of its own in some parameter.
//   [R20] In a tensor program the annotations agree: the extents that one loop of a linalg op
//         runs over and its indices, the sizes of tensor.empty, both sides of tensor.cast.
//   [R21] A graph function is one block; its control flow is relax.if and relax.while.
//
// Test: tests/ir/dialect/verify.mlir, control-flow-invalid.mlir, calls-invalid.mlir,
// checks-invalid.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/VerifyPrograms.h"
#include "compiler/transforms/VerifySymbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

LogicalResult verifyDataflow(ir::DataflowOp dataflow) {
  for (Operation &op : dataflow.getBody().front()) {
    if (isa<RegionBranchOpInterface, ir::IfOp, ir::WhileOp>(op))
      return op.emitError("[R11] a dataflow block cannot hold control flow");
    if (hasEffects(&op))
      return op.emitError("[R11] a dataflow block cannot hold an op with side effects");
  }
  return success();
}

/// The operands whose storage `op` takes over.
SmallVector<OpOperand *> takenOver(Operation *op, SymbolTableCollection &tables) {
  SmallVector<OpOperand *> taken;
  if (auto update = dyn_cast<ir::UpdateSlotsOp>(op))
    taken.push_back(&update.getPagesMutable());
  auto call = dyn_cast<ir::CallKernelOp>(op);
  if (std::optional<ArrayRef<int64_t>> donates = call ? call.getDonates() : std::nullopt)
    for (int64_t index : *donates)
      if (index >= 0)
        taken.push_back(&call.getInputsMutable()[index]);
  if (auto call = dyn_cast<ir::CallOp>(op))
    if (auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(op, call.getCalleeAttr()))
      for (OpOperand &operand : op->getOpOperands())
        if (callee.getArgAttr(operand.getOperandNumber(), ir::RelaxDialect::donatedAttr))
          taken.push_back(&operand);
  return taken;
}

LogicalResult verifyTakenOver(Operation *op, SymbolTableCollection &tables) {
  for (OpOperand *operand : takenOver(op, tables))
    for (OpOperand &use : operand->get().getUses()) {
      if (&use == operand)
        continue;
      // A use in another block is seen through the op of this block that holds it.
      Operation *user = op->getBlock()->findAncestorOpInBlock(*use.getOwner());
      if (user && user != op && user->isBeforeInBlock(op))
        continue;
      InFlightDiagnostic error = op->emitError("[R6] takes over the storage of operand ")
                                 << operand->getOperandNumber() << ", which is used later";
      error.attachNote(use.getOwner()->getLoc()) << "used here";
      return error;
    }
  return success();
}

LogicalResult verifyFunction(func::FuncOp function, SymbolTableCollection &tables) {
  if (function->hasAttr("relax.scheduled_kernel") || function->hasAttr("relax.kernel_part"))
    return success();
  if (function->hasAttr(ir::RelaxDialect::kernelAttr))
    return verifyProgram(function);
  if (!function.isDeclaration() && !function.getBody().hasOneBlock())
    return function.emitError(
        "[R21] a graph function is one block; relax.if and relax.while branch");
  if (failed(verifyGraphSymbols(function, tables)))
    return failure();
  bool impure = function->hasAttr(ir::RelaxDialect::impureAttr);
  WalkResult walked = function.walk([&](Operation *op) -> WalkResult {
    if (!impure && op != function && isa<ir::RelaxDialect>(op->getDialect()) && hasEffects(op)) {
      InFlightDiagnostic error = function.emitError("[R17] has effects and must be relax.impure");
      error.attachNote(op->getLoc()) << "this op has effects";
      return error;
    }
    if (auto dataflow = dyn_cast<ir::DataflowOp>(op); dataflow && failed(verifyDataflow(dataflow)))
      return failure();
    return verifyTakenOver(op, tables);
  });
  return failure(walked.wasInterrupted());
}

struct Verify : PassWrapper<Verify, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Verify)
  StringRef getArgument() const override { return "relax-verify"; }
  StringRef getDescription() const override { return "Check the numbered rules of the IR"; }
  void runOnOperation() override {
    // All functions are looked at, so that one run shows the errors of all.
    bool allRight = true;
    SymbolTableCollection tables;
    for (auto function : getOperation().getOps<func::FuncOp>())
      allRight &= succeeded(verifyFunction(function, tables));
    if (!allRight)
      return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createVerifyPass() { return std::make_unique<Verify>(); }

} // namespace relax::transforms
