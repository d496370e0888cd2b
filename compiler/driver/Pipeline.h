//===- Pipeline.h - the ordered list of passes ------------------------------------------------===//
//
// From a model's graph to scheduled kernels and planned functions. The order is fixed; Pipeline.cpp
// says why each step stands where it does. relax-opt --relax-pipeline runs the same list on text.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/libraries/Passes.h"
#include "runtime/support/Status.h"

#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>
#include <string>
#include <vector>

namespace relax::driver {

struct PipelineOptions {
  /// How contractions with stored weights compute: "int8", "int16" or "float32".
  std::string activations = "int8";
  /// Check the numbered rules of docs/ir.md after each pass; on in debug builds.
#ifdef NDEBUG
  bool verifyEach = false;
#else
  bool verifyEach = true;
#endif
  /// Files of patterns of what shall be one kernel (transforms/FusePatterns.cpp).
  std::vector<std::string> fusionPatterns;
  /// Which libraries do what, from which sizes on.
  libraries::ClaimOptions libraries;
  /// Optimisations that are left out, by name ("fuse-kernels"); every pass of that name is.
  std::vector<std::string> disabled;
  /// Passes of others that run as well (PassPlugins.h), each as "NAME" at the end of the graph
  /// level, before legalise, or "STEP:NAME" after the first step of that name.
  std::vector<std::string> inserted;
};

/// One pass of the list.
struct PipelineStep {
  std::unique_ptr<mlir::Pass> pass;
  /// The name for --disable-pass: the pass's argument without "relax-".
  std::string name;
  /// Why nothing works without it; empty for an optimisation, which can be left out.
  std::string requiredBecause;
};

/// The name of a pass for --disable-pass; empty where it has none.
std::string stepName(const mlir::Pass &pass);

/// The whole list in order, whatever `options.disabled` says.
std::vector<PipelineStep> pipelineSteps(const PipelineOptions &options);

/// An error that names what can't be left out and why, or isn't in the list.
Status checkDisabled(const std::vector<std::string> &disabled);

/// An error that names an inserted pass that isn't registered, or a step that isn't in the list.
Status checkInserted(const std::vector<std::string> &inserted);

/// Adds the steps that aren't disabled. `options.disabled` has passed checkDisabled.
void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers the pipeline under the name "relax-pipeline".
void registerPipeline();

} // namespace relax::driver
