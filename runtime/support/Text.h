//===- Text.h - put messages together ---------------------------------------------------------===//
//
// What the runtime needs of a formatting library, which it does without: `text("found ", 3)`. Names
// that come from files are quoted, cut and freed of control characters before a terminal sees them.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <charconv>
#include <concepts>
#include <cstdint>
#include <string>
#include <string_view>

namespace relax {

namespace detail {
inline void appendText(std::string &out, std::string_view part) { out += part; }
inline void appendText(std::string &out, char part) { out += part; }
template <std::integral T> void appendText(std::string &out, T part) {
  char digits[24];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
}
inline void appendText(std::string &out, double part) {
  char digits[40];
  out.append(digits, std::to_chars(digits, digits + sizeof digits, part).ptr);
}
} // namespace detail

/// The parts, one after the other; numbers in decimal.
template <typename... Parts> std::string text(const Parts &...parts) {
  std::string out;
  (detail::appendText(out, parts), ...);
  return out;
}

/// `name` in double quotes, at most 80 bytes of it, with control characters as `\xNN`.
std::string inQuotes(std::string_view name);

/// "0x" and 16 digits.
std::string hexadecimal(uint64_t value);

/// "12 bytes", "3.4 KiB", "1.2 GiB": for messages and tables.
std::string byteText(uint64_t bytes);

} // namespace relax
