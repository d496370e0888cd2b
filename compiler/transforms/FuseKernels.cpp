// Merges calls of tensor programs whose values pass element by element, and the programs with them:
// relax-group-kernels and relax-merge-groups in one.
//
// Before:  %a = relax.call_kernel @add(%x, %y) {symbols = [#relax.expr<2 * n>]} : …
//          %b = relax.call_kernel @relu(%a) {symbols = [#relax.expr<2 * n>]} : …
//
// After:   %b = relax.call_kernel @add_relu(%x, %y) {symbols = [#relax.expr<n>]} : …
//          func.func private @add_relu(%x: tensor<?xf32, #relax.shape<[2 * s0]>>, …)
//
// What merges is in FusionRules.h, which calls become one in FusionGroups.h. Tests:
// tests/ir/transforms/fuse-*.mlir

#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct FuseKernels : PassWrapper<FuseKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FuseKernels)
  StringRef getArgument() const override { return "relax-fuse-kernels"; }
  StringRef getDescription() const override {
    return "Merge calls of tensor programs, and the programs, where values pass elementwise";
  }
  void runOnOperation() override {
    OpPassManager both(ModuleOp::getOperationName());
    both.addPass(createGroupKernelsPass());
    both.addPass(createMergeGroupsPass());
    if (failed(runPipeline(both, getOperation())))
      signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createFuseKernelsPass() { return std::make_unique<FuseKernels>(); }

} // namespace relax::transforms
