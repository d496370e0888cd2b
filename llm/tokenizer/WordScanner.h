//===- WordScanner.h - regular expressions of pre-tokenizers, as scanners ---------------------===//
//
// A scanner is asked where the word that begins at a position ends, or that none begins there.
// What follows the piece is out of its sight, as in the stages of a staged regular expression.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace relax::llm {

/// A piece of text, character by character.
class Piece {
public:
  enum class Class { End, Letter, Mark, Number, Space, Symbol };
  struct Character {
    Class kind;
    uint32_t value; ///< 0xFFFD where the bytes are no UTF-8.
    size_t bytes;   ///< 0 at the end.
  };

  explicit Piece(std::string_view text) : text(text) {}

  [[nodiscard]] size_t size() const { return text.size(); }
  [[nodiscard]] std::string_view view() const { return text; }
  [[nodiscard]] Character at(size_t position) const;
  /// Where the run of characters that `accepts` takes ends.
  template <typename Accepts> size_t runEnd(size_t position, const Accepts &accepts) const {
    for (Character c = at(position); c.bytes > 0 && accepts(c); c = at(position))
      position += c.bytes;
    return position;
  }

private:
  std::string_view text;
};

/// The end of the word at `position`, which is before the piece's end; always past it. The numbers
/// are those of PreTokenizer.h's expressions.
size_t gpt2WordEnd(const Piece &piece, size_t position);

struct Llama3Rules {
  size_t maxDigits; ///< Of \p{N}{1,maxDigits}.
  bool marksAreLetters;
};
size_t llama3WordEnd(const Piece &piece, size_t position, const Llama3Rules &rules);

} // namespace relax::llm
