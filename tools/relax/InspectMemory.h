//===- InspectMemory.h - how much memory a model needs, and whether it fits -------------------===//
#pragma once

#include "tools/relax/Inspect.h"

#include <map>

namespace relax::tool {

struct MemoryQuery {
  std::map<std::string, int64_t> symbols; ///< Values that functions are asked at.
  uint64_t limit = 0;                     ///< Bytes that there are; 0: not asked.
  int64_t context = 0;                    ///< Tokens of a sequence; 0: the model's own limit.
  int64_t batch = 1;                      ///< Sequences at once.
};

/// What a compiled module needs. {"weights": {…}, "functions": [{"name", "formula", "bytes" or
/// null, "maximum" or null, "at": {symbol: value}, …}], "model": {…} of a language model, "total",
/// "limit", "fits", …}.
Expected<Json> memoryOf(const artifact::Module &module, const MemoryQuery &query);

std::string memoryText(const Json &document);

/// The same of a file: .rlx, or .gguf and .mlir, which are compiled first.
Expected<Json> inspectMemory(const std::string &path, const MemoryQuery &query);

} // namespace relax::tool
