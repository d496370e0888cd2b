//===- Text.cpp -------------------------------------------------------------------------------===//
#include "runtime/support/Text.h"

#include <cmath>
#include <iterator>

namespace relax {

static constexpr char hexDigits[] = "0123456789abcdef";

std::string inQuotes(std::string_view name) {
  constexpr size_t limit = 80;
  std::string out = "\"";
  for (char c : name.substr(0, limit)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7f)
      out += text("\\x", hexDigits[byte >> 4], hexDigits[byte & 15]);
    else
      out += c;
  }
  out += name.size() > limit ? "…\"" : "\"";
  return out;
}

std::string hexadecimal(uint64_t value) {
  std::string out = "0x";
  for (int shift = 60; shift >= 0; shift -= 4)
    out += hexDigits[(value >> shift) & 15];
  return out;
}

std::string byteText(uint64_t bytes) {
  static constexpr const char *units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024)
    return text(bytes, bytes == 1 ? " byte" : " bytes");
  double value = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(units); ++unit)
    value /= 1024;
  auto tenths = static_cast<uint64_t>(std::llround(value * 10));
  return text(tenths / 10, '.', tenths % 10, ' ', units[unit]);
}

} // namespace relax
