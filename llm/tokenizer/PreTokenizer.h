//===- PreTokenizer.h - cuts text into the words inside which byte pairs merge ----------------===//
//
// A byte-level BPE never merges across the words of its pre-tokenizer. Model files name it. Its
// definition is a regular expression; here it is a scanner written by hand that gives the same
// words in time linear in the text and with no stack to speak of, where a backtracking engine needs
// a limit on both for 50,000 spaces.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string_view>
#include <vector>

namespace relax::llm {

enum class PreTokenizer {
  /// 's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
  Gpt2,
  /// First each \p{N} alone; then Gpt2 on each of the pieces between them.
  SmolLm,
};

/// The pre-tokenizer that a model file calls `name` (`tokenizer.ggml.pre`).
Expected<PreTokenizer> preTokenizerByName(std::string_view name);

/// The words of `text`, in order; they point into it, and together they are all of it. A byte that
/// is no UTF-8 counts as a symbol of its own.
std::vector<std::string_view> splitWords(PreTokenizer preTokenizer, std::string_view text);

} // namespace relax::llm
