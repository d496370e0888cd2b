//===- PreTokenizer.h - cuts text into the words inside which byte pairs merge ----------------===//
//
// A byte-level BPE never merges across the words of its pre-tokenizer. Model files name it. Its
// definition is one regular expression or several, each of which cuts the pieces that the one
// before it left: what matches is a piece, and what lies between matches too. Here the expressions
// are scanners written by hand, which give the same words in time linear in the text and with no
// stack to speak of, where a backtracking engine needs a limit on both for 50,000 spaces.
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
  /// First each \p{N} alone; then Gpt2. Also StarCoder's, Refact's and Command R's.
  SmolLm,
  /// (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|
  /// \s*[\r\n]+|\s+(?!\S)|\s+
  Llama3,
  /// The same with \p{N} in place of \p{N}{1,3}.
  Qwen2,
  /// Qwen2 with marks, \p{M}, as letters.
  Qwen35,
  /// First runs of punctuation and $+<=>^~|`; then Gpt2; then groups of three digits 0 to 9.
  Falcon,
  /// [\r\n]; \s?\p{L}+; \s?\p{P}+; [一-龥ࠀ-一가-퟿]+; \p{N}
  DeepSeekCoder,
  /// [\r\n]; \s? and cased letters; \s? and punctuation of ASCII, full width and the like; \s+$;
  /// [一-龥ࠀ-一가-퟿]+; \p{N}+
  DeepSeekLlm,
};

/// The pre-tokenizer that a model file calls `name` (`tokenizer.ggml.pre`).
Expected<PreTokenizer> preTokenizerByName(std::string_view name);

/// Is a word that is a token as a whole taken as that token, whatever merges would make of it?
bool takesWholeWords(PreTokenizer preTokenizer);

/// The words of `text`, in order; they point into it, and together they are all of it. A byte that
/// is no UTF-8 counts as a symbol of its own.
std::vector<std::string_view> splitWords(PreTokenizer preTokenizer, std::string_view text);

} // namespace relax::llm
