//===- Cursor.cpp - reads a damaged file's numbers and strings safely -------------------------===//
#include "compiler/importers/gguf/Cursor.h"

#include "runtime/support/Text.h"

#include <bit>
#include <cstring>
#include <type_traits>

namespace relax::gguf {

static_assert(std::endian::native == std::endian::little,
              "numbers of the file are copied; a big-endian machine must swap them");

Status Cursor::error(uint64_t at, const std::string &problem) const {
  return {StatusCode::InvalidFile, text(fileName, ": byte ", at, ", ", section, ": ", problem)};
}

Status Cursor::truncated(const char *field, uint64_t needed) const {
  return error(position, text("the file ends inside ", field, ": found ", byteText(remaining()),
                              " up to the end, expected ", byteText(needed),
                              ". The file is truncated or damaged; copy or download it again"));
}

/// No real header comes near this; it bounds the memory that its strings can take.
static constexpr uint64_t maxHeaderBytes = uint64_t(256) << 20;

template <typename T> Status Cursor::readNumber(const char *field, T &value) {
  static_assert(std::is_arithmetic_v<T>);
  if (remaining() < sizeof(T))
    return truncated(field, sizeof(T));
  std::memcpy(&value, bytes.data() + position, sizeof(T));
  position += sizeof(T);
  return {};
}
template Status Cursor::readNumber(const char *, uint8_t &);
template Status Cursor::readNumber(const char *, int8_t &);
template Status Cursor::readNumber(const char *, uint16_t &);
template Status Cursor::readNumber(const char *, int16_t &);
template Status Cursor::readNumber(const char *, uint32_t &);
template Status Cursor::readNumber(const char *, int32_t &);
template Status Cursor::readNumber(const char *, uint64_t &);
template Status Cursor::readNumber(const char *, int64_t &);
template Status Cursor::readNumber(const char *, float &);
template Status Cursor::readNumber(const char *, double &);

Status Cursor::read(const char *field, std::string_view &value) {
  uint64_t at = position;
  uint64_t length = 0;
  RELAX_RETURN_IF_ERROR(read(field, length));
  if (length > remaining())
    return error(at, text("found ", length, " as the length of ", field, ", expected at most ",
                          remaining(),
                          ", the bytes that follow. The file is truncated or "
                          "damaged; copy or download it again"));
  if (length > maxHeaderBytes || position > maxHeaderBytes - length)
    return error(at, text("the header takes more than ", byteText(maxHeaderBytes),
                          " up to the end of ", field, ", expected less"));
  value = {reinterpret_cast<const char *>(bytes.data()) + position, length};
  position += length;
  return {};
}

Status Cursor::checkCount(const char *what, uint64_t at, uint64_t count, uint64_t itemBytes) const {
  if (count <= remaining() / itemBytes)
    return {};
  return error(at, text("found ", count, " as the number of ", what, ", expected at most ",
                        remaining() / itemBytes, ": each takes at least ", byteText(itemBytes),
                        " and only ", byteText(remaining()),
                        " follow. The file is truncated or damaged; copy or download it again"));
}

bool isUtf8(std::string_view bytes) {
  size_t i = 0;
  while (i < bytes.size()) {
    auto lead = static_cast<unsigned char>(bytes[i]);
    size_t length = lead < 0x80                   ? 1
                    : lead >= 0xc2 && lead < 0xe0 ? 2
                    : lead >= 0xe0 && lead < 0xf0 ? 3
                    : lead >= 0xf0 && lead < 0xf5 ? 4
                                                  : 0;
    if (length == 0 || bytes.size() - i < length)
      return false;
    uint32_t code = length == 1 ? lead : lead & (0x7fu >> length);
    for (size_t k = 1; k < length; ++k) {
      auto next = static_cast<unsigned char>(bytes[i + k]);
      if ((next & 0xc0) != 0x80)
        return false;
      code = code << 6 | (next & 0x3f);
    }
    bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
    bool surrogate = code >= 0xd800 && code < 0xe000;
    if (overlong || surrogate || code > 0x10ffff)
      return false;
    i += length;
  }
  return true;
}

std::string nameText(std::string_view name) {
  if (isUtf8(name))
    return inQuotes(name);
  static constexpr char digits[] = "0123456789abcdef";
  std::string escaped;
  for (char c : name.substr(0, 40)) {
    auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80)
      escaped += c;
    else
      escaped += text("\\x", digits[byte >> 4], digits[byte & 15]);
  }
  return inQuotes(escaped);
}

} // namespace relax::gguf
