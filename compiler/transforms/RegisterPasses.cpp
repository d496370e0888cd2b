#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace relax::transforms {

void registerTransformPasses() {
  mlir::registerPass([] { return createClaimContractionsPass(); });
  mlir::registerPass([] { return createLiftInitializationPass(); });
  mlir::registerPass([] { return createSimplifyStatesPass(); });
  mlir::registerPass([] { return createInlineDataflowPass(); });
  mlir::registerPass([] { return createFoldShapesPass(); });
  mlir::registerPass([] { return createFlattenUnknownRanksPass(); });
  mlir::registerPass([] { return createNameUnknownDimsPass(); });
  mlir::registerPass([] { return createMaterializeGuardsPass(); });
  mlir::registerPass([] { return createProveGuardsPass(); });
  mlir::registerPass([] { return createClassifyKernelsPass(); });
  mlir::registerPass([] { return createSimplifyGraphPass(); });
  mlir::registerPass([] { return createRaiseAttentionPass(); });
  mlir::registerPass([] { return createRaiseLoopsPass(); });
  mlir::registerPass([] { return createFusePatternsPass(); });
  mlir::registerPass([] { return createGroupKernelsPass(); });
  mlir::registerPass([] { return createMergeGroupsPass(); });
  mlir::registerPass([] { return createFuseKernelsPass(); });
  mlir::registerPass([] { return createDeduplicateKernelsPass(); });
  mlir::registerPass([] { return createAnalyzeKernelsPass(); });
  mlir::registerPass([] { return createOutlineRegionsPass(); });
  mlir::registerPass([] { return createPlanMemoryPass(); });
  mlir::registerPass([] { return createCompletePlanPass(); });
  mlir::registerPass([] { return createCaptureLaunchesPass(); });
  mlir::registerPass([] { return createCheckMemoryPlanPass(); });
  mlir::registerPass([] { return createDeducePass(); });
  mlir::registerPass([] { return createVerifyPass(); });
}

} // namespace relax::transforms
