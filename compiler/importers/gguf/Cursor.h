//===- Cursor.h - reads a damaged file's numbers and strings safely ---------------------------===//
//
// A position in the bytes of a file. Each read checks first that the bytes are there; if not, the
// error says where (byte offset, section, item, field), what was found and what was expected.
// Numbers are little-endian, at any alignment.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace relax::gguf {

class Cursor {
public:
  Cursor(std::string_view fileName, std::span<const uint8_t> bytes)
      : fileName(fileName), bytes(bytes) {}

  [[nodiscard]] uint64_t offset() const { return position; }
  [[nodiscard]] uint64_t size() const { return bytes.size(); }
  [[nodiscard]] uint64_t remaining() const { return bytes.size() - position; }

  /// What is being read, for messages: "header", "metadata entry 3 ("general.name")".
  void enter(std::string sectionName) { section = std::move(sectionName); }

  /// An error at `at`: "FILE: byte AT, SECTION: PROBLEM".
  [[nodiscard]] Status error(uint64_t at, const std::string &problem) const;

  // Reads one little-endian number. `field` names it for messages.
  [[nodiscard]] Status read(const char *field, uint8_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, int8_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, uint16_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, int16_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, uint32_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, int32_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, uint64_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, int64_t &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, float &value) { return readNumber(field, value); }
  [[nodiscard]] Status read(const char *field, double &value) { return readNumber(field, value); }

  /// Reads a length of 64 bits and that many bytes, of which `value` is a view.
  [[nodiscard]] Status read(const char *field, std::string_view &value);

  /// Checks that `count` items of at least `itemBytes` bytes each can be in what is left.
  [[nodiscard]] Status checkCount(const char *what, uint64_t at, uint64_t count,
                                  uint64_t itemBytes) const;

private:
  template <typename T> Status readNumber(const char *field, T &value);
  [[nodiscard]] Status truncated(const char *field, uint64_t needed) const;

  std::string_view fileName;
  std::span<const uint8_t> bytes;
  uint64_t position = 0;
  std::string section = "header";
};

/// Whether the bytes are well-formed UTF-8 (no overlong forms, no surrogates, at most U+10FFFF).
bool isUtf8(std::string_view bytes);

/// A name that a file gave, for messages: quoted, cut, what is not printable ASCII as `\xNN`
/// unless the whole is UTF-8.
std::string nameText(std::string_view name);

} // namespace relax::gguf
