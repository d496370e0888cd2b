// Makes one tensor program of each group that relax-group-kernels has made.
//
// Before:  %y = relax.call @decode_matmul_group(%p, %x) : …
//          func.func private @decode_matmul_group(…) attributes {relax.group, …} { two calls }
//
// After:   %y = relax.call_kernel @decode_matmul(%p, %x) {symbols = [#relax.expr<n>]} : …
//          func.func private @decode_matmul(…) attributes {relax.kernel, relax.kernel_symbols = …}
//
// A function with the attribute relax.group may also be written by hand: whatever it holds is one
// kernel then, if a strategy takes it; what fusion would decide isn't asked. Its graph ops have
// become calls by now. Anything but calls of programs and reshapes is an error.
//
// How programs become one is in MergePrograms.h. Programs that nothing calls any more are gone.
// Tests: tests/ir/transforms/fuse-*.mlir, tests/ir/paper/5-decode-matmul.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/MergePrograms.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

class GroupMerger {
public:
  explicit GroupMerger(ModuleOp module) : module(module), table(module) {}

  LogicalResult run() {
    for (auto function : module.getOps<func::FuncOp>())
      if (function->hasAttr(groupAttr) && failed(check(function)))
        return failure();
    SmallVector<ir::CallOp> calls;
    module.walk([&](ir::CallOp call) {
      auto callee = table.lookup<func::FuncOp>(call.getCallee());
      if (callee && callee->hasAttr(groupAttr))
        calls.push_back(call);
    });
    for (ir::CallOp call : calls)
      merge(call);
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function->hasAttr(groupAttr))
        table.erase(function);
    eraseUnusedKernels();
    return success();
  }

private:
  /// Whether a group, perhaps written by hand, can be one program.
  LogicalResult check(func::FuncOp group) {
    if (group.isDeclaration() || !group.isPrivate() || !group.getBody().hasOneBlock() ||
        llvm::hasSingleElement(group.getBody().front()))
      return group.emitError(
          "a relax.group function is private and holds what shall be one kernel");
    for (Operation &op : group.getBody().front().without_terminator()) {
      auto call = dyn_cast<ir::CallKernelOp>(op);
      auto program = call ? table.lookup<func::FuncOp>(call.getCallee()) : func::FuncOp();
      auto reshape = dyn_cast<ir::ReshapeOp>(op);
      if ((program && !program.isDeclaration()) || (reshape && isFusibleReshape(reshape)))
        continue;
      InFlightDiagnostic error =
          op.emitError("a relax.group function holds tensor programs, and reshapes that split or "
                       "join dimensions; this can't be a part of one kernel");
      error.attachNote(group.getLoc()) << "in this group";
      return error;
    }
    for (Value result : group.getBody().front().getTerminator()->getOperands())
      if (!result.getDefiningOp())
        return group.emitError("a relax.group function returns what it computes");
    return success();
  }

  void merge(ir::CallOp call) {
    auto callee = table.lookup<func::FuncOp>(call.getCallee());
    auto [it, inserted] = merged.try_emplace(callee);
    if (inserted)
      it->second = mergeBody(callee);
    const MergedProgram &program = it->second;
    // The group's symbols are the caller's, but for a group that was written by hand.
    ir::Bindings bindings = bind(callee, call);
    SmallVector<Attribute> symbols;
    for (Attribute symbol : program.symbols)
      symbols.push_back(ir::ExprAttr::get(
          call.getContext(), symbolic::substitute(cast<ir::ExprAttr>(symbol).getExpr(), bindings)));
    SmallVector<Value> inputs;
    for (Value input : program.inputs)
      inputs.push_back(call.getInputs()[cast<BlockArgument>(input).getArgNumber()]);
    OpBuilder b(call);
    auto kernel = ir::CallKernelOp::create(b, call.getLoc(), call->getResultTypes(),
                                           func::FuncOp(program.program).getName(), inputs,
                                           b.getArrayAttr(symbols), ArrayAttr(), program.donates);
    SmallVector<Operation *> shapes;
    for (Value input : call.getInputs())
      if (isa_and_nonnull<ir::ShapeOp>(input.getDefiningOp()))
        shapes.push_back(input.getDefiningOp());
    call->replaceAllUsesWith(kernel);
    call.erase();
    for (Operation *shape : shapes)
      if (shape->use_empty())
        shape->erase();
  }

  MergedProgram mergeBody(func::FuncOp callee) {
    KernelGroup group;
    Block &body = callee.getBody().front();
    for (Operation &op : body.without_terminator())
      group.ops.push_back(&op);
    group.results.assign(body.getTerminator()->operand_begin(),
                         body.getTerminator()->operand_end());
    MergedProgram result = mergePrograms(group, table);
    table.insert(result.program, Block::iterator(callee));
    return result;
  }

  /// The values of the group's symbols, from the dimensions that bind them.
  static ir::Bindings bind(func::FuncOp callee, ir::CallOp call) {
    ir::Bindings bindings;
    auto bindDims = [&](ArrayRef<Expr> dims, ArrayRef<Expr> values) {
      for (auto [dim, value] : llvm::zip(dims, values))
        if (dim && dim.isSymbol() && value)
          bindings.try_emplace(std::string(dim.symbolName()), value);
    };
    for (auto [parameter, input] :
         llvm::zip_equal(callee.getArgumentTypes(), call.getInputs().getTypes())) {
      if (auto tensor = dyn_cast<RankedTensorType>(parameter))
        bindDims(ir::shapeOf(tensor), ir::shapeOf(cast<RankedTensorType>(input)));
      else if (auto shape = dyn_cast<ir::ShapeType>(parameter))
        bindDims(shape.getDims(), cast<ir::ShapeType>(input).getDims());
    }
    return bindings;
  }

  void eraseUnusedKernels() {
    llvm::DenseSet<StringAttr> used;
    module.walk([&](ir::CallKernelOp call) { used.insert(call.getCalleeAttr().getAttr()); });
    for (auto function : llvm::make_early_inc_range(module.getOps<func::FuncOp>()))
      if (function.isPrivate() && function->hasAttr(ir::RelaxDialect::kernelAttr) &&
          !used.contains(function.getSymNameAttr()))
        function.erase();
  }

  ModuleOp module;
  SymbolTable table;
  llvm::DenseMap<Operation *, MergedProgram> merged;
};

struct MergeGroups : PassWrapper<MergeGroups, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MergeGroups)
  StringRef getArgument() const override { return "relax-merge-groups"; }
  StringRef getDescription() const override {
    return "Make one tensor program of each group of calls";
  }
  void runOnOperation() override {
    if (failed(GroupMerger(getOperation()).run()))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createMergeGroupsPass() { return std::make_unique<MergeGroups>(); }

} // namespace relax::transforms
