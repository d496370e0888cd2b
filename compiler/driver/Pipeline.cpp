#include "compiler/driver/Pipeline.h"

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace relax::driver {

void buildPipeline(OpPassManager &pm, const PipelineOptions &options) {
  auto add = [&](std::unique_ptr<Pass> pass) {
    pm.addPass(std::move(pass));
    if (options.verifyEach)
      pm.addPass(transforms::createVerifyPass());
  };
  // What comes in may be written by anybody; the passes keep the rules that hold then.
  if (!options.verifyEach)
    pm.addPass(transforms::createVerifyPass());
  // Shapes are deduced by the importer; what it wrote twice becomes one.
  add(createCanonicalizerPass());
  // The checks that come next are ops of the function itself, between those that need them.
  add(transforms::createInlineDataflowPass());
  // Shapes that were computed become symbolic first: what has a name then needs no new one.
  add(transforms::createFoldShapesPass());
  // Every size that a kernel or a buffer needs has to be an expression.
  add(transforms::createNameUnknownDimsPass());
  // Assumptions are collected while the ops that make them are still there, and proved as long as
  // all types are: kernels only see sizes.
  add(transforms::createMaterializeGuardsPass());
  add(transforms::createProveGuardsPass());
  // Contractions with stored weights are recognised while they are still graph ops: fusion would
  // bury the decoding inside the contraction.
  add(transforms::createClaimContractionsPass(options.activations));
  // Projections that read one tensor share its quantised form.
  add(createCSEPass());
  // Whatever depends on weights alone runs once, at load.
  add(transforms::createLiftInitializationPass());
  // From here on there are calls of tensor programs instead of graph ops.
  add(kernels::createLegalizePass());
  add(transforms::createClassifyKernelsPass());
  add(transforms::createFuseKernelsPass());
  add(transforms::createDeduplicateKernelsPass());
  // Storage, before scheduling: the plan needs sizes and lifetimes, not loops.
  add(transforms::createPlanMemoryPass());
  add(kernels::createScheduleKernelsPass());
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> activations{*this, "activations", llvm::cl::desc("int8, int16 or float32"),
                                  llvm::cl::init("int8")};
  Option<bool> verifyEach{*this, "verify-each-rule",
                          llvm::cl::desc("check the numbered rules after each pass"),
                          llvm::cl::init(true)};
};
} // namespace

void registerPipeline() {
  PassPipelineRegistration<TextOptions>(
      "relax-pipeline", "Everything from a graph to scheduled kernels and planned functions",
      [](OpPassManager &pm, const TextOptions &options) {
        PipelineOptions pipeline;
        pipeline.activations = options.activations;
        pipeline.verifyEach = options.verifyEach;
        buildPipeline(pm, pipeline);
      });
}

} // namespace relax::driver
