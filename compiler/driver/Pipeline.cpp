#include "compiler/driver/Pipeline.h"

#include "compiler/kernels/Passes.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace relax::driver {

std::string stepName(const Pass &pass) {
  StringRef name = pass.getArgument();
  name.consume_front("relax-");
  return name.str();
}

std::vector<PipelineStep> pipelineSteps(const PipelineOptions &options) {
  std::vector<PipelineStep> steps;
  // A pass without a reason is an optimisation: `--disable-pass` leaves it out, and the program
  // computes the same.
  auto add = [&](std::unique_ptr<Pass> pass, const char *requiredBecause = "") {
    std::string name = stepName(*pass);
    steps.push_back({std::move(pass), std::move(name), requiredBecause});
  };
  // Nothing is dropped before what it assumes is an op of its own: the checks are that come next,
  // in the function itself, between the ops that need them.
  add(transforms::createInlineDataflowPass(), "checks can't stand inside dataflow blocks");
  // What works element by element needs no rank: it runs on a flat view, with one size to name.
  add(transforms::createFlattenUnknownRanksPass(), "a kernel needs to know the rank");
  // Shapes that were computed become symbolic first: what has a name then needs no new one.
  add(transforms::createFoldShapesPass());
  // Every size that a kernel or a buffer needs has to be an expression.
  add(transforms::createNameUnknownDimsPass(), "a kernel needs a name for every size");
  // Assumptions are collected while the ops that make them are still there, and proved as long as
  // all types are: kernels only see sizes.
  add(transforms::createMaterializeGuardsPass(), "what a program assumes would go unchecked");
  add(transforms::createProveGuardsPass());
  // From here on an op whose result nothing reads may go.
  add(createCanonicalizerPass());
  add(transforms::createSimplifyGraphPass());
  // What the user wants as one kernel comes first: it is left alone by all that follows.
  add(transforms::createFusePatternsPass(options.fusionPatterns));
  // Attention that is written as products is recognised before libraries take these.
  add(transforms::createRaiseAttentionPass());
  // Libraries get what they do faster while it is still graph ops, with sizes that have names; what
  // is left is optimised as if they weren't there.
  add(libraries::createClaimLibraryPass(options.libraries));
  // Contractions with stored weights are recognised while they are still graph ops: fusion would
  // bury the decoding inside the contraction.
  add(transforms::createClaimContractionsPass(options.activations));
  // Projections that read one tensor share its quantised form.
  add(createCSEPass());
  // Whatever depends on weights alone runs once, at load.
  add(transforms::createLiftInitializationPass());
  // From here on there are calls of tensor programs instead of graph ops.
  add(kernels::createLegalizePass(), "a graph op runs as a tensor program");
  // What turned out to be no work needs no state.
  add(transforms::createSimplifyStatesPass(), "@initialize must have a plan");
  // Loops of users become structured ops where they are nothing else, and then fuse.
  add(transforms::createRaiseLoopsPass());
  add(transforms::createClassifyKernelsPass());
  // First which calls become one, in functions that can be looked at; then one program of each.
  add(transforms::createGroupKernelsPass());
  add(transforms::createMergeGroupsPass(), "groups are no functions to be called");
  add(transforms::createDeduplicateKernelsPass());
  // What is left says how much it computes and moves.
  add(transforms::createAnalyzeKernelsPass());
  // What is done with the sums is part of the program by now, and goes where the parts are added.
  add(kernels::createSplitContractionsPass());
  // What kernels need beside their operands and results is part of their callers' storage.
  add(kernels::createLiftWorkspacePass(), "a kernel can't allocate");
  // When everything has been fused, and kernels have their last signature, a library call's
  // alternative that is one kernel is called directly.
  add(libraries::createInlineAlternativesPass());
  // What general functions do between branches and calls can be planned, too.
  add(transforms::createOutlineRegionsPass());
  // Storage, before scheduling: the plan needs sizes and lifetimes, not loops.
  add(transforms::createPlanMemoryPass());
  add(transforms::createCompletePlanPass(), "every tensor needs a place in memory");
  if (options.verifyEach)
    add(transforms::createCheckMemoryPlanPass());
  // Who has a plan, and whom it calls, is settled: what they launch can be kept.
  add(transforms::createCaptureLaunchesPass());
  add(kernels::createScheduleKernelsPass(), "code is generated from loops on memory");
  return steps;
}

Status checkDisabled(const std::vector<std::string> &disabled) {
  if (disabled.empty())
    return {};
  std::vector<PipelineStep> steps = pipelineSteps({});
  for (const std::string &name : disabled) {
    auto step = llvm::find_if(steps, [&](const PipelineStep &s) { return s.name == name; });
    if (step == steps.end()) {
      llvm::SmallVector<StringRef> names;
      for (const PipelineStep &s : steps)
        if (s.requiredBecause.empty() && !llvm::is_contained(names, s.name))
          names.push_back(s.name);
      return Status(StatusCode::InvalidArgument, "there is no pass '" + name +
                                                     "' to disable; those that can be are " +
                                                     llvm::join(names, ", "));
    }
    if (!step->requiredBecause.empty())
      return Status(StatusCode::InvalidArgument,
                    "the pass '" + name + "' can't be disabled: " + step->requiredBecause);
  }
  return {};
}

/// "STEP:NAME" in its two parts; the step is "lift-initialization", the last on the graph level,
/// where none is given.
static std::pair<StringRef, StringRef> splitInserted(StringRef text) {
  if (!text.contains(':'))
    return {"lift-initialization", text};
  return text.split(':');
}

Status checkInserted(const std::vector<std::string> &inserted) {
  if (inserted.empty())
    return {};
  std::vector<PipelineStep> steps = pipelineSteps({});
  for (const std::string &text : inserted) {
    auto [after, name] = splitInserted(text);
    if (!PassInfo::lookup(name))
      return Status(StatusCode::InvalidArgument, "no plugin registers a pass '" + name.str() + "'");
    if (llvm::none_of(steps, [&](const PipelineStep &s) { return s.name == after; }))
      return Status(StatusCode::InvalidArgument,
                    "there is no pass '" + after.str() + "' to insert '" + name.str() + "' after");
  }
  return {};
}

/// Adds the passes of `inserted` that follow the step `after`, once each.
static void insertAfter(OpPassManager &pm, StringRef after, std::vector<std::string> &inserted) {
  std::vector<std::string> later;
  for (const std::string &text : inserted) {
    auto [step, name] = splitInserted(text);
    if (step != after)
      later.push_back(text);
    else if (const PassInfo *info = PassInfo::lookup(name))
      (void)info->addToPipeline(pm, "", [](const Twine &) { return failure(); });
  }
  inserted = std::move(later);
}

void buildPipeline(OpPassManager &pm, const PipelineOptions &options) {
  // What comes in may be written by anybody; the passes keep the rules that hold then.
  if (!options.verifyEach)
    pm.addPass(transforms::createVerifyPass());
  std::vector<std::string> inserted = options.inserted;
  for (PipelineStep &step : pipelineSteps(options)) {
    if (!llvm::is_contained(options.disabled, step.name)) {
      pm.addPass(std::move(step.pass));
      if (options.verifyEach)
        pm.addPass(transforms::createVerifyPass());
    }
    insertAfter(pm, step.name, inserted);
  }
}

namespace {
struct TextOptions : PassPipelineOptions<TextOptions> {
  Option<std::string> activations{*this, "activations", llvm::cl::desc("int8, int16 or float32"),
                                  llvm::cl::init("int8")};
  Option<bool> verifyEach{*this, "verify-each-rule",
                          llvm::cl::desc("check the numbered rules after each pass"),
                          llvm::cl::init(true)};
  ListOption<std::string> libraries{*this, "libraries",
                                    llvm::cl::desc("which libraries may be called")};
  ListOption<std::string> libraryPatterns{*this, "library-patterns",
                                          llvm::cl::desc("files of patterns, PDL or PDLL")};
  ListOption<std::string> fusionPatterns{*this, "fusion-patterns",
                                         llvm::cl::desc("files of patterns, PDL or PDLL")};
  ListOption<std::string> disabled{*this, "disable",
                                   llvm::cl::desc("optimisations to leave out, by name")};
};
} // namespace

void registerPipeline() {
  registerPassPipeline(
      "relax-pipeline", "Everything from a graph to scheduled kernels and planned functions",
      [](OpPassManager &pm, StringRef text,
         function_ref<LogicalResult(const Twine &)> report) -> LogicalResult {
        TextOptions options;
        if (failed(options.parseFromString(text)))
          return failure();
        PipelineOptions pipeline;
        pipeline.activations = options.activations;
        pipeline.verifyEach = options.verifyEach;
        for (const std::string &name : options.libraries)
          pipeline.libraries.libraries.push_back(name);
        for (const std::string &path : options.libraryPatterns)
          pipeline.libraries.patterns.push_back(path);
        for (const std::string &path : options.fusionPatterns)
          pipeline.fusionPatterns.push_back(path);
        for (const std::string &name : options.disabled)
          pipeline.disabled.push_back(name);
        if (Status status = checkDisabled(pipeline.disabled); !status.ok())
          return report(status.message());
        buildPipeline(pm, pipeline);
        return success();
      },
      [](function_ref<void(const detail::PassOptions &)> show) { show(TextOptions()); });
}

} // namespace relax::driver
