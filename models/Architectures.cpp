#include "models/Architectures.h"

namespace relax::models {

static constexpr Architecture architectures[] = {
    {"llama", describeLlama}, {"qwen2", describeQwen2},   {"qwen3", describeQwen3},
    {"gemma", describeGemma}, {"gemma2", describeGemma2}, {"gemma3", describeGemma3},
    {"phi3", describePhi3},   {"gpt2", describeGpt2},     {"gptneox", describeGptNeoX},
};

const Architecture *findArchitecture(std::string_view name) {
  for (const Architecture &architecture : architectures)
    if (architecture.name == name)
      return &architecture;
  return nullptr;
}

std::string architectureNames() {
  std::string names;
  for (const Architecture &architecture : architectures)
    names += (names.empty() ? "" : ", ") + std::string(architecture.name);
  return names;
}

} // namespace relax::models
