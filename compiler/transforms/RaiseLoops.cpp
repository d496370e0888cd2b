// Writes nests of loops that compute each element of a tensor on its own as structured ops, so that
// they are fused and vectorised like any other.
//
// Before:  %w = scf.for %k = 0 to 128 iter_args(%a = %e) { scf.for %j = 0 to 256 iter_args(%b = %a)
// {
//            %q = tensor.extract %packed[%k / 2, %j] … tensor.insert %v into %b[%k, %j] } }
//
// After:   %w = linalg.generic {iterator_types = ["parallel", "parallel"]} outs(%e) {
//            %k = linalg.index 0  %j = linalg.index 1  %q = tensor.extract %packed[%k / 2, %j] … }
//
// What counts as such a nest is in LoopNest.h. Loops that reduce, or that read what they make,
// stay: they say in which order they compute. Test: tests/ir/transforms/raise-loops.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/LoopNest.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct RaiseLoops : PassWrapper<RaiseLoops, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseLoops)
  StringRef getArgument() const override { return "relax-raise-loops"; }
  StringRef getDescription() const override {
    return "Write loops that compute each element on its own as structured ops";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<linalg::LinalgDialect>();
  }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!function->hasAttr(ir::RelaxDialect::kernelAttr) || function.isDeclaration() ||
          !function.getBody().hasOneBlock())
        continue;
      bool changed = false;
      Block &body = function.getBody().front();
      for (auto loop : llvm::make_early_inc_range(body.getOps<scf::ForOp>()))
        changed |= static_cast<bool>(raiseLoops(loop));
      if (!changed)
        continue;
      for (Operation &op : llvm::make_early_inc_range(llvm::reverse(body)))
        if (isOpTriviallyDead(&op))
          op.erase();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createRaiseLoopsPass() { return std::make_unique<RaiseLoops>(); }

} // namespace relax::transforms
