//===- GgufBuilder.h - the bytes of GGUF files, right and wrong, for tests --------------------===//
//
// Appends exactly what it is told, valid or not, and remembers where each section begins.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace relax::gguf::test {

class GgufBuilder {
public:
  std::vector<uint8_t> bytes;
  /// Offsets at which a section or item begins, in order; the file's end is not among them.
  std::vector<size_t> boundaries;

  template <typename T> GgufBuilder &number(T value) {
    const auto *data = reinterpret_cast<const uint8_t *>(&value);
    bytes.insert(bytes.end(), data, data + sizeof(T));
    return *this;
  }
  GgufBuilder &string(std::string_view text) {
    number<uint64_t>(text.size());
    bytes.insert(bytes.end(), text.begin(), text.end());
    return *this;
  }
  GgufBuilder &mark() {
    boundaries.push_back(bytes.size());
    return *this;
  }

  GgufBuilder &header(uint64_t tensors, uint64_t entries, uint32_t version = 3) {
    mark();
    bytes.insert(bytes.end(), {'G', 'G', 'U', 'F'});
    return number<uint32_t>(version).number<uint64_t>(tensors).number<uint64_t>(entries);
  }
  GgufBuilder &key(std::string_view name, uint32_t type) {
    return mark().string(name).number<uint32_t>(type);
  }
  GgufBuilder &u32(std::string_view name, uint32_t value) {
    return key(name, 4).number<uint32_t>(value);
  }
  GgufBuilder &f32(std::string_view name, float value) { return key(name, 6).number<float>(value); }
  GgufBuilder &text(std::string_view name, std::string_view value) {
    return key(name, 8).string(value);
  }
  GgufBuilder &strings(std::string_view name, const std::vector<std::string> &values) {
    key(name, 9).number<uint32_t>(8).number<uint64_t>(values.size());
    for (const std::string &value : values)
      string(value);
    return *this;
  }
  GgufBuilder &floats(std::string_view name, const std::vector<float> &values) {
    key(name, 9).number<uint32_t>(6).number<uint64_t>(values.size());
    for (float value : values)
      number<float>(value);
    return *this;
  }
  /// Dimensions as in the file: innermost first.
  GgufBuilder &tensor(std::string_view name, const std::vector<uint64_t> &dims, uint32_t format,
                      uint64_t offset) {
    mark().string(name).number<uint32_t>(static_cast<uint32_t>(dims.size()));
    for (uint64_t extent : dims)
      number<uint64_t>(extent);
    return number<uint32_t>(format).number<uint64_t>(offset);
  }
  GgufBuilder &pad(size_t alignment = 32) {
    while (bytes.size() % alignment != 0)
      bytes.push_back(0);
    return *this;
  }
  GgufBuilder &data(size_t size) {
    pad().mark();
    for (size_t i = 0; i < size; ++i)
      bytes.push_back(static_cast<uint8_t>(i));
    return *this;
  }
};

} // namespace relax::gguf::test
