#include "llm/tokenizer/Unicode.h"

#include <utf8proc.h>

#include <algorithm>
#include <cstdlib>

namespace relax::llm {
namespace {

bool isContinuation(unsigned char byte) { return (byte & 0xC0) == 0x80; }

/// The length that a first byte announces; 0 if it can be no first byte.
uint32_t announcedLength(unsigned char first) {
  if (first < 0x80)
    return 1;
  if (first >= 0xC2 && first <= 0xDF)
    return 2;
  if (first >= 0xE0 && first <= 0xEF)
    return 3;
  return first >= 0xF0 && first <= 0xF4 ? 4 : 0;
}

bool isSurrogate(uint32_t value) { return value >= 0xD800 && value <= 0xDFFF; }

} // namespace

std::optional<CodePoint> decodeUtf8(std::string_view text, size_t offset) {
  const unsigned char first = static_cast<unsigned char>(text[offset]);
  const uint32_t length = announcedLength(first);
  if (length == 1)
    return CodePoint{first, 1};
  if (length == 0 || text.size() - offset < length)
    return std::nullopt;
  uint32_t value = first & (0xFFu >> (length + 1));
  for (uint32_t i = 1; i < length; ++i) {
    const unsigned char byte = static_cast<unsigned char>(text[offset + i]);
    if (!isContinuation(byte))
      return std::nullopt;
    value = value << 6 | (byte & 0x3Fu);
  }
  // Overlong forms of two bytes are excluded by their first byte.
  if ((length == 3 && value < 0x800) || (length == 4 && value < 0x10000) || value > 0x10FFFF)
    return std::nullopt;
  return CodePoint{value, length};
}

std::optional<size_t> findInvalidUtf8(std::string_view text) {
  for (size_t i = 0; i < text.size();) {
    const auto codePoint = decodeUtf8(text, i);
    if (!codePoint || isSurrogate(codePoint->value))
      return i;
    i += codePoint->bytes;
  }
  return std::nullopt;
}

std::string replaceInvalidUtf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t i = 0; i < text.size();) {
    if (const auto codePoint = decodeUtf8(text, i)) {
      out.append(text.substr(i, codePoint->bytes));
      i += codePoint->bytes;
    } else {
      out.append(replacementCharacter);
      ++i;
    }
  }
  return out;
}

size_t incompleteSuffix(std::string_view text) {
  const size_t most = text.size() < 3 ? text.size() : 3;
  for (size_t back = 1; back <= most; ++back) {
    const unsigned char byte = static_cast<unsigned char>(text[text.size() - back]);
    if (isContinuation(byte))
      continue;
    if (announcedLength(byte) <= back)
      return 0;
    // The second byte alone can already rule a character out: E0 80, F0 80, F4 90.
    if (back >= 2) {
      const unsigned char second = static_cast<unsigned char>(text[text.size() - back + 1]);
      if ((byte == 0xE0 && second < 0xA0) || (byte == 0xF0 && second < 0x90) ||
          (byte == 0xF4 && second > 0x8F))
        return 0;
    }
    return back;
  }
  return 0;
}

void appendUtf8(std::string &out, uint32_t value) {
  if (value < 0x80) {
    out += static_cast<char>(value);
  } else if (value < 0x800) {
    out += static_cast<char>(0xC0 | value >> 6);
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else if (value < 0x10000) {
    out += static_cast<char>(0xE0 | value >> 12);
    out += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | value >> 18);
    out += static_cast<char>(0x80 | (value >> 12 & 0x3F));
    out += static_cast<char>(0x80 | (value >> 6 & 0x3F));
    out += static_cast<char>(0x80 | (value & 0x3F));
  }
}

size_t displayWidth(uint32_t codePoint) {
  return static_cast<size_t>(
      std::max(0, utf8proc_charwidth(static_cast<utf8proc_int32_t>(codePoint))));
}

bool isLetter(uint32_t codePoint) {
  if (codePoint < 0x80)
    return (codePoint | 0x20) >= 'a' && (codePoint | 0x20) <= 'z';
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
  return category >= UTF8PROC_CATEGORY_LU && category <= UTF8PROC_CATEGORY_LO;
}

bool isNumber(uint32_t codePoint) {
  if (codePoint < 0x80)
    return codePoint >= '0' && codePoint <= '9';
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
  return category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

bool isMark(uint32_t codePoint) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
  return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME;
}

bool isPunctuation(uint32_t codePoint) {
  const utf8proc_category_t category = utf8proc_category(static_cast<utf8proc_int32_t>(codePoint));
  return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

std::string composed(std::string_view text) {
  if (std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; }))
    return std::string(text);
  std::string out;
  for (size_t begin = 0; begin < text.size();) {
    const size_t length = findInvalidUtf8(text.substr(begin)).value_or(text.size() - begin);
    utf8proc_uint8_t *result = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t *>(text.data() + begin),
                     static_cast<utf8proc_ssize_t>(length), &result,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    if (size >= 0)
      out.append(reinterpret_cast<const char *>(result), static_cast<size_t>(size));
    else
      out.append(text.substr(begin, length));
    std::free(result);
    begin += length;
    if (begin < text.size())
      out += text[begin++];
  }
  return out;
}

bool isWhitespace(uint32_t codePoint) {
  return (codePoint >= 0x09 && codePoint <= 0x0D) || codePoint == 0x20 || codePoint == 0x85 ||
         codePoint == 0xA0 || codePoint == 0x1680 || (codePoint >= 0x2000 && codePoint <= 0x200A) ||
         codePoint == 0x2028 || codePoint == 0x2029 || codePoint == 0x202F || codePoint == 0x205F ||
         codePoint == 0x3000;
}

} // namespace relax::llm
