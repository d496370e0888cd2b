//===- CompileModel.h - from a model's file to an artifact ------------------------------------===//
#pragma once

#include "compiler/driver/ApplicationLimit.h"
#include "compiler/libraries/Passes.h"
#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace relax::driver {

struct CompileOptions {
  std::string input;                 ///< A .gguf or .mlir file.
  std::string target = "native";     ///< See targets/cpu/CpuTarget.h.
  std::string activations = "int8";  ///< int8, int16 or float32.
  std::string cacheType = "f32";     ///< f32, f16 or q8_0.
  int64_t context = 0;               ///< Tokens of a sequence at most; 0: the model's own limit.
  std::vector<std::string> disabled; ///< Optimisations to leave out, by name; see Pipeline.h.
  bool quickCode = false;  ///< Code that is made soon rather than fast (CompileKernels.h).
  bool verifyEach = false; ///< Check the rules and annotations after each pass (Pipeline.h).
  bool passesOnly = false; ///< Stop after the passes: no artifact, an empty result.
  /// Which libraries may be called. Without names: for programs those that were measured on this
  /// machine (`relax tune-dispatch`); none for models, whose results shall not depend on the batch.
  libraries::ClaimOptions libraries;
  bool timing = false;
  std::string dumpFolder;                  ///< The module's text after each pass goes here.
  std::vector<std::string> fusionPatterns; ///< Files; see Pipeline.h.
  std::vector<std::string> plugins;        ///< Libraries with passes of others (PassPlugins.h).
  std::vector<std::string> inserted;       ///< Their passes that run; see Pipeline.h.
  std::vector<std::string> blockFormats;   ///< Files of weight formats; see dialect/BlockFormat.h.
  ApplicationLimit limit;
};

/// How a compilation talks to its caller; each may be empty.
struct CompileObserver {
  std::function<void(const std::string &stage, double fraction)> progress;
  std::function<void(const std::string &line)> message;
  std::function<bool()> cancelled;
  /// The module before and after each step of the pipeline; the first "after" is named "import".
  std::function<void(const std::string &step, mlir::ModuleOp module)> before, after;
};

/// The bytes of the artifact. An error names the input, the place in it, and what to do.
Expected<std::vector<uint8_t>> compileModel(const CompileOptions &options,
                                            const CompileObserver &observer);

/// A model as its importer made it.
struct ImportedModel {
  mlir::OwningOpRef<mlir::ModuleOp> module;
  Metadata metadata;
  std::vector<artifact::WeightsFile> files;
};
Expected<ImportedModel> importModel(mlir::MLIRContext *context, const CompileOptions &options,
                                    const CompileObserver &observer);
/// Compiles it, which changes its module.
Expected<std::vector<uint8_t>> compileImported(ImportedModel &model, const CompileOptions &options,
                                               const CompileObserver &observer);

/// The same of a module in the caller's context, which it changes. `options.input` is its name.
Expected<std::vector<uint8_t>> compileModule(mlir::ModuleOp module, const CompileOptions &options,
                                             const CompileObserver &observer);

/// What relax_inspect returns: the functions, kernels and constants of a .mlir file, as JSON. With
/// `guards` also what each function assumes, and who checks it (InspectGuards.h).
Expected<std::string> inspectModule(const std::string &path, bool guards);

/// Name, version and that of LLVM.
const char *compilerVersion();

} // namespace relax::driver
