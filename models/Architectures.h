//===- Architectures.h - the families that can be built ---------------------------------------===//
//
// A family is a function that says how it differs from the defaults of HyperParameters; it has a
// file of its own, named after it. Decoder.h builds the graph from what it says.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "models/HyperParameters.h"

#include <string>
#include <string_view>

namespace relax::models {

void describeLlama(Keys &keys, HyperParameters &p);
void describeQwen2(Keys &keys, HyperParameters &p);
void describeQwen3(Keys &keys, HyperParameters &p);
void describeGemma(Keys &keys, HyperParameters &p);
void describeGemma2(Keys &keys, HyperParameters &p);
void describeGemma3(Keys &keys, HyperParameters &p);
void describePhi3(Keys &keys, HyperParameters &p);
void describeGpt2(Keys &keys, HyperParameters &p);
void describeGptNeoX(Keys &keys, HyperParameters &p);

struct Architecture {
  std::string_view name; ///< general.architecture.
  void (*describe)(Keys &keys, HyperParameters &p);
};

/// Null if there is none of that name.
const Architecture *findArchitecture(std::string_view name);
/// "llama, qwen2, …", for messages.
std::string architectureNames();

} // namespace relax::models
