#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace relax::transforms {

void registerTransformPasses() {
  mlir::registerPass([] { return createClaimContractionsPass(); });
  mlir::registerPass([] { return createLiftInitializationPass(); });
  mlir::registerPass([] { return createInlineDataflowPass(); });
  mlir::registerPass([] { return createClassifyKernelsPass(); });
  mlir::registerPass([] { return createFuseKernelsPass(); });
  mlir::registerPass([] { return createDeduplicateKernelsPass(); });
  mlir::registerPass([] { return createPlanMemoryPass(); });
  mlir::registerPass([] { return createVerifyPass(); });
}

} // namespace relax::transforms
