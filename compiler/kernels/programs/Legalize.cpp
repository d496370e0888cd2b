// Replaces each graph op by a call of a tensor program.
//
// Before:  %y = relax.silu %x : (tensor<?x1536xf32, #relax.shape<[t, 1536]>>) -> …
//
// After:   %y = relax.call_kernel @silu(%x) {symbols = [#relax.expr<t>]} : …
//          func.func private @silu(%arg0: tensor<?x1536xf32, #relax.shape<[s0, 1536]>>) -> …
//              attributes {relax.kernel, relax.kernel_symbols = ["s0"]} { linalg.generic … }
//
// A program's symbols are named s0, s1, … in the order in which the types of its operands and
// results name them, so that equal programs have equal texts. Ops with a strategy of their own
// (ir::isStructuredKernelOp) stay as they are inside their program. What has no computation stays
// in the graph: constants, states, reshapes, casts of annotations, calls. Test:
// tests/ir/transforms/legalize.mlir

#include "compiler/kernels/programs/Passes.h"
#include "compiler/kernels/programs/Programs.h"
#include "compiler/transforms/KernelSymbols.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassRegistry.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// Symbols of the types of operands and results, in the order in which dimensions name them.
LogicalResult collectSymbols(Operation *op, transforms::SymbolNames &names) {
  SmallVector<Type> types(op->getOperandTypes());
  llvm::append_range(types, op->getResultTypes());
  for (Type type : types) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      return op->emitError("has an operand or result of type ")
             << type << "; only tensors can be compiled here";
    for (symbolic::Expr dim : ir::shapeOf(tensor)) {
      if (!dim)
        return op->emitError("has an operand or result of type ")
               << type << ", with a dimension whose size isn't known; give it a symbol by "
               << "relax.match_cast";
      transforms::appendSymbols(dim, names);
    }
  }
  return success();
}

class Legalizer {
public:
  explicit Legalizer(ModuleOp module) : module(module), table(module) {}

  LogicalResult legalize(Operation *op) {
    transforms::SymbolNames names;
    if (failed(collectSymbols(op, names)))
      return failure();
    transforms::KernelSymbols symbols = transforms::nameKernelSymbols(op->getContext(), names);
    OpBuilder b(op);
    func::FuncOp program = buildProgram(op, symbols.renaming);
    program->setAttr(ir::RelaxDialect::kernelSymbolsAttr, symbols.own);
    // The pages of a cache are updated where they are.
    DenseI64ArrayAttr donates;
    if (isa<ir::UpdateSlotsOp>(op))
      donates = b.getDenseI64ArrayAttr({0});
    auto call = ir::CallKernelOp::create(b, op->getLoc(), op->getResultTypes(), program.getName(),
                                         op->getOperands(), symbols.values, ArrayAttr(), donates);
    op->replaceAllUsesWith(call);
    op->erase();
    return success();
  }

private:
  func::FuncOp buildProgram(Operation *op, const std::map<std::string, symbolic::Expr> &renaming) {
    OpBuilder b = OpBuilder::atBlockEnd(module.getBody());
    auto rename = [&](TypeRange types) {
      return llvm::map_to_vector(types, [&](Type type) { return ir::substitute(type, renaming); });
    };
    SmallVector<Type> inputs = rename(op->getOperandTypes()),
                      results = rename(op->getResultTypes());
    auto program = func::FuncOp::create(b, op->getLoc(), op->getName().stripDialect(),
                                        b.getFunctionType(inputs, results));
    program.setPrivate();
    program->setAttr(ir::RelaxDialect::kernelAttr, b.getUnitAttr());
    table.insert(program);
    Block *body = program.addEntryBlock();
    b.setInsertionPointToEnd(body);
    SmallVector<Value> values;
    if (ir::isStructuredKernelOp(op)) {
      OperationState state(op->getLoc(), op->getName(), body->getArguments(), results,
                           op->getAttrs());
      llvm::append_range(values, b.create(state)->getResults());
    } else {
      SmallVector<RankedTensorType> types =
          llvm::map_to_vector(results, [](Type type) { return cast<RankedTensorType>(type); });
      ProgramBuilder builder{b, op->getLoc(), op, body->getArguments(), types};
      values = programFor(op)(builder);
    }
    func::ReturnOp::create(b, op->getLoc(), values);
    return program;
  }

  ModuleOp module;
  SymbolTable table;
};

struct Legalize : PassWrapper<Legalize, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Legalize)
  StringRef getArgument() const override { return "relax-legalize"; }
  StringRef getDescription() const override {
    return "Replace each graph op by a call of a tensor program";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect,
                    math::MathDialect, tensor::TensorDialect>();
  }
  void runOnOperation() override {
    SmallVector<Operation *> ops;
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function->hasAttr(ir::RelaxDialect::kernelAttr))
        continue;
      function.walk([&](Operation *op) {
        if (programFor(op) || ir::isStructuredKernelOp(op))
          ops.push_back(op);
      });
    }
    Legalizer legalizer(getOperation());
    for (Operation *op : ops)
      if (failed(legalizer.legalize(op)))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createLegalizePass() { return std::make_unique<Legalize>(); }

void registerProgramsPasses() {
  registerPass([] { return createLegalizePass(); });
}

} // namespace relax::kernels
