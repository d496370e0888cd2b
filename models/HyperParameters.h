//===- HyperParameters.h - the numbers that describe a model of the llama family --------------===//
#pragma once

#include "compiler/importers/gguf/File.h"
#include "models/LanguageModel.h"

#include <string>
#include <vector>

namespace relax::models {

struct HyperParameters {
  int64_t layers, width, hidden, heads, kvHeads, headDim, vocabulary, context, ropeDims;
  double epsilon, ropeBase;
  std::vector<std::string> warnings; ///< About keys that are missing and have a default.

  /// Reads and checks the keys of the file's architecture.
  static Expected<HyperParameters> read(const gguf::File &file, const ModelOptions &options);
};

} // namespace relax::models
