#include "llm/tokenizer/PreTokenizer.h"

#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

namespace relax::llm {
namespace {

enum class Class { End, Letter, Number, Space, Symbol };

struct Character {
  Class kind;
  size_t bytes;
};

/// Walks one piece of text; what follows the piece is out of its sight, as in the second stage of a
/// two-stage regular expression.
class WordScanner {
public:
  WordScanner(std::string_view piece, std::vector<std::string_view> &words)
      : text(piece), words(words) {}

  void run() {
    for (size_t position = 0; position < text.size();) {
      const size_t end = wordEnd(position);
      words.push_back(text.substr(position, end - position));
      position = end;
    }
  }

private:
  Character at(size_t position) const {
    if (position >= text.size())
      return {Class::End, 0};
    const auto codePoint = decodeUtf8(text, position);
    if (!codePoint)
      return {Class::Symbol, 1};
    const uint32_t value = codePoint->value;
    const Class kind = isWhitespace(value) ? Class::Space
                       : isLetter(value)   ? Class::Letter
                       : isNumber(value)   ? Class::Number
                                           : Class::Symbol;
    return {kind, codePoint->bytes};
  }

  /// The length of 's 't 're 've 'm 'll 'd at `position`, or 0.
  size_t contraction(size_t position) const {
    for (std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
      if (text.substr(position, suffix.size()) == suffix)
        return suffix.size();
    return 0;
  }

  size_t wordEnd(size_t position) const {
    if (const size_t length = contraction(position))
      return position + length;
    const size_t start = text[position] == ' ' ? position + 1 : position;
    const Class kind = at(start).kind;
    if (kind != Class::End && kind != Class::Space)
      return runEnd(start, kind);
    return spacesEnd(position);
  }

  size_t runEnd(size_t position, Class kind) const {
    for (Character c = at(position); c.kind == kind; c = at(position))
      position += c.bytes;
    return position;
  }

  /// \s+(?!\S)|\s+ : a run of spaces leaves its last one to the word that follows, if one does.
  size_t spacesEnd(size_t position) const {
    size_t last = position, end = position;
    for (Character c = at(end); c.kind == Class::Space; c = at(end)) {
      last = end;
      end += c.bytes;
    }
    return end == text.size() || last == position ? end : last;
  }

  std::string_view text;
  std::vector<std::string_view> &words;
};

/// Each number is a word; WordScanner sees the pieces between numbers one at a time.
void splitAroundNumbers(std::string_view text, std::vector<std::string_view> &words) {
  size_t pieceStart = 0, position = 0;
  while (position < text.size()) {
    const auto codePoint = decodeUtf8(text, position);
    const size_t length = codePoint ? codePoint->bytes : 1;
    if (codePoint && isNumber(codePoint->value)) {
      WordScanner(text.substr(pieceStart, position - pieceStart), words).run();
      words.push_back(text.substr(position, length));
      pieceStart = position + length;
    }
    position += length;
  }
  WordScanner(text.substr(pieceStart), words).run();
}

} // namespace

Expected<PreTokenizer> preTokenizerByName(std::string_view name) {
  if (name == "smollm")
    return PreTokenizer::SmolLm;
  if (name == "gpt-2" || name == "default")
    return PreTokenizer::Gpt2;
  return Status(StatusCode::Unsupported,
                fmt::format("tokenizer.ggml.pre: found the pre-tokenizer '{}', expected one of "
                            "smollm, gpt-2",
                            name));
}

std::vector<std::string_view> splitWords(PreTokenizer preTokenizer, std::string_view text) {
  std::vector<std::string_view> words;
  words.reserve(text.size() / 4 + 1);
  if (preTokenizer == PreTokenizer::SmolLm)
    splitAroundNumbers(text, words);
  else
    WordScanner(text, words).run();
  return words;
}

} // namespace relax::llm
