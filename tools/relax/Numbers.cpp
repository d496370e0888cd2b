#include "tools/relax/Numbers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <new>
#include <stdexcept>

namespace relax::tool {
namespace {

using artifact::DType;

constexpr DType allDTypes[] = {DType::F32, DType::F16, DType::BF16, DType::F64, DType::I8,
                               DType::U8,  DType::I16, DType::I32,  DType::I64, DType::Bool};

/// A 16-bit float of that many bits of exponent and mantissa, rounded to nearest even.
uint16_t encode16(double value, int exponentBits, int mantissaBits) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const int bias = (1 << (exponentBits - 1)) - 1;
  const auto infinity = static_cast<uint16_t>(((1 << exponentBits) - 1) << mantissaBits);
  if (std::isnan(value))
    return static_cast<uint16_t>(sign | infinity | 1 << (mantissaBits - 1));
  if (std::isinf(value))
    return sign | infinity;
  if (value == 0)
    return sign;
  // The mantissa as an integer at the exponent's unit; subnormals share the least exponent.
  const int exponent = std::max(std::ilogb(value), 1 - bias);
  const double units = std::nearbyint(std::ldexp(std::fabs(value), mantissaBits - exponent));
  const auto bits =
      static_cast<uint32_t>(units) + (static_cast<uint32_t>(exponent + bias - 1) << mantissaBits);
  return static_cast<uint16_t>(sign | std::min<uint32_t>(bits, infinity));
}

double decode16(uint16_t bits, int exponentBits, int mantissaBits) {
  const int bias = (1 << (exponentBits - 1)) - 1, mask = (1 << mantissaBits) - 1;
  const int exponent = bits >> mantissaBits & ((1 << exponentBits) - 1), mantissa = bits & mask;
  double value = 0;
  if (exponent == (1 << exponentBits) - 1)
    value = mantissa ? std::nan("") : HUGE_VAL;
  else
    value = std::ldexp(exponent ? mantissa + mask + 1 : mantissa,
                       std::max(exponent, 1) - bias - mantissaBits);
  return bits & 0x8000 ? -value : value;
}

template <typename T> T load(const Array &array, size_t index) {
  T value;
  std::memcpy(&value, &array.data[index * sizeof(T)], sizeof(T));
  return value;
}

template <typename T> void store(Array &array, size_t index, T value) {
  std::memcpy(&array.data[index * sizeof(T)], &value, sizeof(T));
}

/// The least and greatest value of an integer dtype.
std::pair<int64_t, int64_t> rangeOf(DType dtype) {
  if (dtype == DType::Bool)
    return {0, 1};
  if (dtype == DType::U8)
    return {0, 255};
  const int bits = static_cast<int>(8 * artifact::byteSize(dtype));
  const auto most = static_cast<int64_t>((uint64_t(1) << (bits - 1)) - 1);
  return {-most - 1, most};
}

/// How many elements at each end of a dimension are shown.
constexpr int64_t edge = 3;

void appendText(const Array &array, size_t axis, size_t first, size_t indent, std::string &out) {
  if (axis == array.dims.size()) {
    out += elementText(array, first);
    return;
  }
  const int64_t size = array.dims[axis];
  size_t stride = 1;
  for (size_t i = axis + 1; i < array.dims.size(); ++i)
    stride *= static_cast<size_t>(array.dims[i]);
  const bool last = axis + 1 == array.dims.size();
  // The last dimension may show more: it is one line.
  const int64_t most = last ? 10 : 2 * edge, shown = last ? 5 : edge;
  out += '[';
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0)
      out += last ? ", " : ",\n" + std::string(indent + axis + 1, ' ');
    if (size > most && i == shown) {
      out += last ? "…" : "…,\n" + std::string(indent + axis + 1, ' ');
      if (last)
        out += ", ";
      i = size - shown;
    }
    appendText(array, axis + 1, first + static_cast<size_t>(i) * stride, indent, out);
  }
  out += ']';
}

nlohmann::ordered_json elementJson(const Array &array, size_t index) {
  if (array.dtype == DType::Bool)
    return integerAt(array, index) != 0;
  if (!isFloat(array.dtype))
    return integerAt(array, index);
  const double value = elementAt(array, index);
  if (!std::isfinite(value))
    return elementText(array, index);
  return value;
}

nlohmann::ordered_json subarrayJson(const Array &array, size_t axis, size_t first) {
  if (axis == array.dims.size())
    return elementJson(array, first);
  size_t stride = 1;
  for (size_t i = axis + 1; i < array.dims.size(); ++i)
    stride *= static_cast<size_t>(array.dims[i]);
  auto list = nlohmann::ordered_json::array();
  for (size_t i = 0; i < static_cast<size_t>(array.dims[axis]); ++i)
    list.push_back(subarrayJson(array, axis + 1, first + i * stride));
  return list;
}

} // namespace

std::optional<DType> dtypeNamed(std::string_view name) {
  for (const DType dtype : allDTypes)
    if (name == artifact::name(dtype))
      return dtype;
  if (name == "ui8" || name == "u8")
    return DType::U8;
  if (name == "i1" || name == "bool")
    return DType::Bool;
  return std::nullopt;
}

bool isFloat(DType dtype) {
  return dtype == DType::F32 || dtype == DType::F16 || dtype == DType::BF16 || dtype == DType::F64;
}

int64_t integerAt(const Array &array, size_t index) {
  switch (array.dtype) {
  case DType::I8:
    return load<int8_t>(array, index);
  case DType::I16:
    return load<int16_t>(array, index);
  case DType::I32:
    return load<int32_t>(array, index);
  case DType::I64:
    return load<int64_t>(array, index);
  default:
    return load<uint8_t>(array, index);
  }
}

double elementAt(const Array &array, size_t index) {
  switch (array.dtype) {
  case DType::F64:
    return load<double>(array, index);
  case DType::F32:
    return load<float>(array, index);
  case DType::F16:
    return decode16(load<uint16_t>(array, index), 5, 10);
  case DType::BF16:
    return decode16(load<uint16_t>(array, index), 8, 7);
  default:
    return static_cast<double>(integerAt(array, index));
  }
}

void setInteger(Array &array, size_t index, int64_t value) {
  switch (array.dtype) {
  case DType::I8:
  case DType::U8:
    return store(array, index, static_cast<uint8_t>(value));
  case DType::Bool:
    return store(array, index, static_cast<uint8_t>(value != 0));
  case DType::I16:
    return store(array, index, static_cast<uint16_t>(value));
  case DType::I32:
    return store(array, index, static_cast<uint32_t>(value));
  case DType::I64:
    return store(array, index, value);
  default:
    return setElement(array, index, static_cast<double>(value));
  }
}

void setElement(Array &array, size_t index, double value) {
  switch (array.dtype) {
  case DType::F64:
    return store(array, index, value);
  case DType::F32:
    return store(array, index, static_cast<float>(value));
  case DType::F16:
    return store(array, index, encode16(value, 5, 10));
  case DType::BF16:
    return store(array, index, encode16(value, 8, 7));
  default:
    return setInteger(array, index, static_cast<int64_t>(value));
  }
}

bool setElement(Array &array, size_t index, std::string_view text) {
  const char *begin = text.data() + (text.starts_with('+') ? 1 : 0);
  const char *end = text.data() + text.size();
  if (begin == end)
    return false;
  if (isFloat(array.dtype)) {
    double value = 0;
    const auto read = std::from_chars(begin, end, value);
    if (read.ec != std::errc() || read.ptr != end)
      return false;
    setElement(array, index, value);
    return true;
  }
  int64_t value = text == "true";
  if (array.dtype != DType::Bool || (text != "true" && text != "false")) {
    const auto read = std::from_chars(begin, end, value);
    const auto [least, most] = rangeOf(array.dtype);
    if (read.ec != std::errc() || read.ptr != end || value < least || value > most)
      return false;
  }
  setInteger(array, index, value);
  return true;
}

Expected<Array> makeArray(DType dtype, std::vector<int64_t> dims) {
  const auto count = elementCount(dims, dtype);
  Array array;
  array.dtype = dtype;
  array.dims = std::move(dims);
  const auto noMemory = [&] {
    return Status(StatusCode::ResourceExhausted,
                  fmt::format("there is no memory for {}[{}]", artifact::name(dtype),
                              fmt::join(array.dims, ", ")));
  };
  if (!count)
    return noMemory();
  try {
    array.data.resize(*count * artifact::byteSize(dtype));
  } catch (const std::bad_alloc &) {
    return noMemory();
  } catch (const std::length_error &) {
    return noMemory();
  }
  return array;
}

std::string elementText(const Array &array, size_t index) {
  if (array.dtype == DType::Bool)
    return integerAt(array, index) ? "true" : "false";
  if (!isFloat(array.dtype))
    return fmt::format("{}", integerAt(array, index));
  const double value = elementAt(array, index);
  if (array.dtype == DType::F64)
    return fmt::format("{}", value);
  // As few digits as tell 16-bit floats apart.
  if (array.dtype != DType::F32 && std::isfinite(value))
    return fmt::format("{:.{}g}", value, array.dtype == DType::F16 ? 5 : 4);
  return fmt::format("{}", static_cast<float>(value));
}

std::string arrayText(const Array &array) {
  std::string text = "  ";
  appendText(array, 0, 0, 2, text);
  return text;
}

nlohmann::ordered_json arrayJson(const Array &array) { return subarrayJson(array, 0, 0); }

} // namespace relax::tool
