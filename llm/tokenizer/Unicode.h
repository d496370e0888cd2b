//===- Unicode.h - UTF-8, and the classes of character that tokenizers ask about --------===//
//
// Text comes from users and may be any bytes. Two readings of it are needed: a strict one, to tell
// a user where a text is wrong, and a lenient one that always ends, for tokenizing and showing.
// Classes follow the Unicode tables of utf8proc.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace relax::llm {

/// The bytes of U+FFFD, which stand for what is no character.
inline constexpr std::string_view replacementCharacter = "\xef\xbf\xbd";

struct CodePoint {
  uint32_t value; ///< At most 0x10FFFF. Surrogates occur: see decodeUtf8.
  uint32_t bytes; ///< Length of its encoding, 1 to 4.
};

/// The character that starts at `text[offset]`, or nothing if none does: a stray continuation byte,
/// a truncated or overlong sequence, a value above U+10FFFF. Surrogates are accepted, as the
/// reference tokenizers accept them. `offset` must be inside the text.
std::optional<CodePoint> decodeUtf8(std::string_view text, size_t offset);

/// The offset of the first byte that is not part of valid UTF-8 (RFC 3629: no surrogates), or
/// nothing if the whole text is valid.
std::optional<size_t> findInvalidUtf8(std::string_view text);

/// The text with each byte that starts no character replaced by U+FFFD.
std::string replaceInvalidUtf8(std::string_view text);

/// How many bytes at the end of `text` are the beginning of a character that more bytes could
/// complete: 0 to 3.
size_t incompleteSuffix(std::string_view text);

/// The text in Unicode's normalization form C. Invalid UTF-8 in it stays as it is, and so does a
/// text that is in this form already.
std::string composed(std::string_view text);

/// Appends the encoding of `value`, which is at most 0x10FFFF.
void appendUtf8(std::string &out, uint32_t value);

/// Columns that a terminal shows the character in: 0, 1 or 2.
size_t displayWidth(uint32_t codePoint);

bool isLetter(uint32_t codePoint);      ///< \p{L}
bool isNumber(uint32_t codePoint);      ///< \p{N}
bool isMark(uint32_t codePoint);        ///< \p{M}
bool isPunctuation(uint32_t codePoint); ///< \p{P}
bool isWhitespace(uint32_t codePoint);  ///< \s: the property White_Space

} // namespace relax::llm
