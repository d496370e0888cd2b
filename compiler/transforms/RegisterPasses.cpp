#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace relax::transforms {

void registerTransformPasses() {
  mlir::registerPass([] { return createClaimContractionsPass(); });
  mlir::registerPass([] { return createLiftInitializationPass(); });
  mlir::registerPass([] { return createInlineDataflowPass(); });
  mlir::registerPass([] { return createFoldShapesPass(); });
  mlir::registerPass([] { return createFlattenUnknownRanksPass(); });
  mlir::registerPass([] { return createNameUnknownDimsPass(); });
  mlir::registerPass([] { return createMaterializeGuardsPass(); });
  mlir::registerPass([] { return createProveGuardsPass(); });
  mlir::registerPass([] { return createClassifyKernelsPass(); });
  mlir::registerPass([] { return createFuseKernelsPass(); });
  mlir::registerPass([] { return createDeduplicateKernelsPass(); });
  mlir::registerPass([] { return createPlanMemoryPass(); });
  mlir::registerPass([] { return createDeducePass(); });
  mlir::registerPass([] { return createVerifyPass(); });
}

} // namespace relax::transforms
