// Lowers scheduled kernels with their entry points to the LLVM dialect. The order of the steps, and
// why:
//
//   1. math: exp, tanh, … become polynomials (kernels::createExpandMathPass); none calls a library.
//      Before anything is folded: MLIR folds math ops of constants by the host's library, to other
//      bits than ours, and atan2(0, 0) to NaN
//   2. canonicalise, so that what follows sees constants
//   3. 16-bit floats: arithmetic on them goes through float32, and conversions for which the target
//      has no instruction become integer code
//   4. vector transfers and linalg leftovers become loops, loops become branches
//   5. each dialect becomes LLVM; casts that met in the middle disappear

#include "compiler/kernels/Passes.h"
#include "compiler/targets/cpu/CompileKernels.h"
#include "compiler/targets/cpu/ExpandHalf.h"

#include "mlir/Conversion/Passes.h"
#include "mlir/Dialect/Affine/Transforms/Passes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Arith/Transforms/Passes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Linalg/Passes.h"
#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Dialect/MemRef/Transforms/Passes.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace relax::targets {

namespace {

/// IEEE's minimum and maximum, to which -0 is below 0, as LLVM's: MLIR's own expansion takes either
/// zero.
struct LowerMinMaxPass : PassWrapper<LowerMinMaxPass, OperationPass<>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LowerMinMaxPass)
  StringRef getArgument() const override { return "relax-lower-min-max"; }
  StringRef getDescription() const override { return "Lower minima and maxima of floats to LLVM"; }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<LLVM::LLVMDialect>();
  }
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::MinimumFOp>(op))
        replace<LLVM::MinimumOp>(op);
      else if (isa<arith::MaximumFOp>(op))
        replace<LLVM::MaximumOp>(op);
    });
  }

private:
  template <typename Op> static void replace(Operation *op) {
    OpBuilder b(op);
    op->replaceAllUsesWith(Op::create(b, op->getLoc(), op->getOperand(0), op->getOperand(1)));
    op->erase();
  }
};

} // namespace

/// The steps, on a module.
static void addSteps(OpPassManager &pm, ir::TargetAttr target) {
  // Unreachable blocks and unused block arguments are LLVM's to find, which does it faster.
  GreedyRewriteConfig canonical;
  canonical.setRegionSimplificationLevel(GreedySimplifyRegionLevel::Disabled);
  pm.addPass(createCSEPass());
  pm.addPass(kernels::createExpandMathPass(target.hasFeature("fma")));
  pm.addPass(createCanonicalizerPass(canonical));
  pm.addPass(createCSEPass());
  arith::ArithEmulateUnsupportedFloatsOptions floatOptions;
  floatOptions.sourceTypeStrs = {"f16", "bf16"};
  floatOptions.targetTypeStr = "f32";
  pm.addPass(arith::createArithEmulateUnsupportedFloats(floatOptions));
  pm.addPass(createExpandHalfPass(target.hasFeature("f16c")));
  pm.addPass(createConvertLinalgToLoopsPass());
  pm.addPass(createConvertVectorToSCFPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(createLoopInvariantCodeMotionPass());
  pm.addPass(createSCFToControlFlowPass());
  pm.addPass(memref::createExpandStridedMetadataPass());
  pm.addPass(createLowerAffinePass());
  pm.addPass(std::make_unique<LowerMinMaxPass>());
  arith::ArithExpandOpsPassOptions arithOptions;
  arithOptions.includeBf16 = true;
  pm.addPass(arith::createArithExpandOpsPass(arithOptions));
  pm.addPass(createConvertVectorToLLVMPass());
  pm.addPass(createFinalizeMemRefToLLVMConversionPass());
  pm.addPass(createConvertMathToLLVMPass());
  pm.addPass(createConvertIndexToLLVMPass());
  pm.addPass(createArithToLLVMConversionPass());
  pm.addPass(createConvertControlFlowToLLVMPass());
  pm.addPass(createConvertFuncToLLVMPass());
  pm.addPass(createReconcileUnrealizedCastsPass());
  pm.addPass(createBfloatAsBitsPass());
  pm.addPass(createCanonicalizerPass(canonical));
  pm.addPass(createCSEPass());
}

LogicalResult lowerToLlvm(ModuleOp module, ir::TargetAttr target) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
  pm.enableVerifier(false);
  addSteps(pm, target);
  return pm.run(module);
}

LogicalResult lowerPartsToLlvm(ModuleOp module, ir::TargetAttr target) {
  PassManager pm(module.getContext(), ModuleOp::getOperationName(), PassManager::Nesting::Implicit);
  pm.enableVerifier(false);
  addSteps(pm.nest<ModuleOp>(), target);
  return pm.run(module);
}

} // namespace relax::targets
