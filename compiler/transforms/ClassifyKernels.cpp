// Marks each tensor program with its kind.
//
// Before:  func.func private @relu(%x: tensor<?xf32, …>) -> … attributes {relax.kernel, …}
// After:   the same with relax.kind = "elementwise"
//
// KernelKind.h defines the kinds and how they are derived. Test:
// tests/ir/transforms/classify-kernels.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/KernelKind.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

struct ClassifyKernels : PassWrapper<ClassifyKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ClassifyKernels)
  StringRef getArgument() const override { return "relax-classify-kernels"; }
  StringRef getDescription() const override { return "Mark each tensor program with its kind"; }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr(ir::RelaxDialect::kernelAttr))
        function->setAttr(ir::RelaxDialect::kindAttr,
                          StringAttr::get(&getContext(), kindName(classify(function))));
  }
};

} // namespace

std::unique_ptr<Pass> createClassifyKernelsPass() { return std::make_unique<ClassifyKernels>(); }

} // namespace relax::transforms
