//===- Model.h - the MODEL of the command line ------------------------------------------------===//
#pragma once

#include "llm/Engine.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include <CLI/CLI.hpp>

#include <string>

namespace relax::tool {

/// The flags of every command that runs a model.
struct ModelFlags {
  std::string model;
  std::string activations = "int8";
  std::string cacheType;             ///< Empty: that of defaultCacheType().
  int64_t threads = 0;               ///< 0: one for each core.
  int64_t context = 0;               ///< 0: the model's own limit.
  uint64_t memoryLimit = 0;          ///< In bytes; 0: none.
  std::string target = "native";     ///< Of a .rlx: which of its code; "native": the best.
  std::vector<std::string> disabled; ///< Optimisations to leave out.
  bool activationsGiven = false, cacheTypeGiven = false;
  bool keepPacked = false; ///< Keep packed weights in the cache folder.

  /// Describes MODEL, and with `running` the flags too.
  void describe(CLI::App &command, bool running = true);
};

/// What a model's file is, by its first bytes.
enum class FileKind { Gguf, Artifact, Other };
Expected<FileKind> fileKind(const std::string &path);

/// The metadata of a .gguf or .rlx; nothing is compiled.
Expected<Metadata> readMetadata(const std::string &path);

struct LoadedModel {
  llm::Engine engine;
  double compileSeconds = 0; ///< 0: it was compiled already.
  double loadSeconds = 0;
};

/// The model, ready to run; a .gguf is compiled if the cache doesn't have it. `sequences`: how many
/// the cache of keys and values is to hold at once.
Expected<LoadedModel> loadModel(const ModelFlags &flags, int64_t sequences = 1);

} // namespace relax::tool
