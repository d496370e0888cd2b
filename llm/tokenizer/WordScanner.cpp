#include "llm/tokenizer/WordScanner.h"

#include "llm/tokenizer/Unicode.h"

#include <algorithm>

namespace relax::llm {

using Class = Piece::Class;
using Character = Piece::Character;

Character Piece::at(size_t position) const {
  if (position >= text.size())
    return {Class::End, 0, 0};
  const auto codePoint = decodeUtf8(text, position);
  if (!codePoint)
    return {Class::Symbol, 0xFFFD, 1};
  const uint32_t value = codePoint->value;
  const Class kind = isWhitespace(value) ? Class::Space
                     : isLetter(value)   ? Class::Letter
                     : isNumber(value)   ? Class::Number
                     : isMark(value)     ? Class::Mark
                                         : Class::Symbol;
  return {kind, value, codePoint->bytes};
}

namespace {

bool isSymbol(const Character &c) { return c.kind == Class::Symbol || c.kind == Class::Mark; }
bool isNewline(const Character &c) { return c.value == '\n' || c.value == '\r'; }

/// The length of 's 't 're 've 'm 'll 'd at `position`, or 0.
size_t contraction(std::string_view text, size_t position, bool anyCase) {
  if (text[position] != '\'')
    return 0;
  for (std::string_view suffix : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"}) {
    const std::string_view found = text.substr(position, suffix.size());
    if (std::ranges::equal(found, suffix, [&](char a, char b) {
          return a == b || (anyCase && b >= 'a' && b <= 'z' && a == b - 'a' + 'A');
        }))
      return suffix.size();
  }
  return 0;
}

/// \s+(?!\S)|\s+ : a run of spaces leaves its last one to the word that follows, if one does.
size_t spacesEnd(const Piece &piece, size_t position) {
  size_t last = position, end = position;
  for (Character c = piece.at(end); c.kind == Class::Space; c = piece.at(end)) {
    last = end;
    end += c.bytes;
  }
  return end == piece.size() || last == position ? end : last;
}

} // namespace

size_t gpt2WordEnd(const Piece &piece, size_t position) {
  if (const size_t length = contraction(piece.view(), position, /*anyCase=*/false))
    return position + length;
  const size_t start = piece.view()[position] == ' ' ? position + 1 : position;
  const Character first = piece.at(start);
  switch (first.kind) {
  case Class::Letter:
  case Class::Number:
    return piece.runEnd(start, [&](const Character &c) { return c.kind == first.kind; });
  case Class::Symbol:
  case Class::Mark:
    return piece.runEnd(start, isSymbol);
  default:
    return spacesEnd(piece, position);
  }
}

size_t llama3WordEnd(const Piece &piece, size_t position, const Llama3Rules &rules) {
  const auto isLetterHere = [&](const Character &c) {
    return c.kind == Class::Letter || (rules.marksAreLetters && c.kind == Class::Mark);
  };
  const auto isSymbolHere = [&](const Character &c) {
    return c.kind == Class::Symbol || (!rules.marksAreLetters && c.kind == Class::Mark);
  };
  if (const size_t length = contraction(piece.view(), position, /*anyCase=*/true))
    return position + length;
  const Character first = piece.at(position);
  // [^\r\n\p{L}\p{N}]?\p{L}+, where a mark may be both the one and the other.
  const bool leads =
      first.kind != Class::Letter && first.kind != Class::Number && !isNewline(first);
  if (leads) {
    const size_t end = piece.runEnd(position + first.bytes, isLetterHere);
    if (end > position + first.bytes)
      return end;
  }
  if (isLetterHere(first))
    return piece.runEnd(position, isLetterHere);
  if (first.kind == Class::Number) {
    size_t left = rules.maxDigits;
    return piece.runEnd(position,
                        [&](const Character &c) { return c.kind == Class::Number && left-- > 0; });
  }
  const size_t start = first.value == ' ' ? position + 1 : position;
  if (const size_t end = piece.runEnd(start, isSymbolHere); end > start)
    return piece.runEnd(end, isNewline);
  // \s*[\r\n]+ takes the run of spaces up to its last newline.
  size_t afterNewline = 0;
  for (size_t i = position;;) {
    const Character c = piece.at(i);
    if (c.kind != Class::Space)
      break;
    i += c.bytes;
    if (isNewline(c))
      afterNewline = i;
  }
  return afterNewline > 0 ? afterNewline : spacesEnd(piece, position);
}

} // namespace relax::llm
