#include "tools/relax/NpyFile.h"

#include "runtime/support/AtomicFile.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

namespace relax::tool {
namespace {

using artifact::DType;

constexpr std::string_view magic = "\x93NUMPY";
/// NumPy itself refuses headers beyond 10,000 bytes.
constexpr size_t maxHeader = size_t(1) << 16;

struct Code {
  char kind;
  uint8_t size;
  DType dtype;
};
constexpr Code codes[] = {{'f', 8, DType::F64},  {'f', 4, DType::F32}, {'f', 2, DType::F16},
                          {'V', 2, DType::BF16}, {'i', 1, DType::I8},  {'i', 2, DType::I16},
                          {'i', 4, DType::I32},  {'i', 8, DType::I64}, {'u', 1, DType::U8},
                          {'b', 1, DType::Bool}};

/// What the header says.
struct Header {
  std::string descr;
  bool fortran = false;
  std::vector<int64_t> dims;
};

/// Reads the text of the dictionary; errors name the byte of the file.
class HeaderReader {
public:
  HeaderReader(std::string_view text, size_t offset, const std::string &name)
      : text(text), offset(offset), name(name) {}

  Expected<Header> read() {
    Header header;
    bool hasDescr = false, hasOrder = false, hasShape = false;
    if (!take('{'))
      return expected("'{'");
    while (!take('}')) {
      std::string key;
      if (!quoted(key))
        return expected("a key in quotes, or '}'");
      if (!take(':'))
        return expected("':' after the key");
      bool *has = nullptr, right = false;
      if (key == "descr") {
        has = &hasDescr;
        right = quoted(header.descr);
      } else if (key == "fortran_order") {
        has = &hasOrder;
        header.fortran = word("True");
        right = header.fortran || word("False");
      } else if (key == "shape") {
        has = &hasShape;
        right = shape(header.dims);
      } else {
        return fail(fmt::format("found the key {}, expected 'descr', 'fortran_order' or 'shape'",
                                inQuotes(key)));
      }
      if (!right)
        return expected(key == "descr"   ? "a simple element type, such as '<f4'"
                        : key == "shape" ? fmt::format("a tuple of at most {} sizes that are not "
                                                       "negative",
                                                       artifact::maxRank)
                                         : std::string("True or False"));
      if (std::exchange(*has, true))
        return fail(fmt::format("the key '{}' is there twice", key));
      if (!take(',') && peek() != '}')
        return expected("',' or '}'");
    }
    if (peek() != '\0')
      return expected("nothing but spaces after '}'");
    if (!hasDescr || !hasOrder || !hasShape)
      return fail(fmt::format("the header has no key '{}'", !hasDescr   ? "descr"
                                                            : !hasOrder ? "fortran_order"
                                                                        : "shape"));
    return header;
  }

private:
  void skipSpaces() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t'))
      ++at;
  }
  char peek() {
    skipSpaces();
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c || at >= text.size())
      return false;
    ++at;
    return true;
  }
  bool word(std::string_view word) {
    skipSpaces();
    if (!text.substr(at).starts_with(word))
      return false;
    at += word.size();
    return true;
  }
  bool quoted(std::string &out) {
    const char quote = peek();
    if (quote != '\'' && quote != '"')
      return false;
    const size_t end = text.find(quote, at + 1);
    if (end == std::string_view::npos)
      return false;
    out = text.substr(at + 1, end - at - 1);
    at = end + 1;
    return true;
  }
  bool shape(std::vector<int64_t> &dims) {
    if (!take('('))
      return false;
    while (!take(')')) {
      skipSpaces();
      int64_t value = 0;
      const char *begin = text.data() + at;
      const auto result = std::from_chars(begin, text.data() + text.size(), value);
      if (result.ec != std::errc() || value < 0 || dims.size() == artifact::maxRank)
        return false;
      at += static_cast<size_t>(result.ptr - begin);
      take('L'); // Python 2 wrote long integers so.
      dims.push_back(value);
      if (!take(',') && peek() != ')')
        return false;
    }
    return true;
  }
  Status fail(const std::string &what) const {
    return Status(StatusCode::InvalidFile, fmt::format("{}: byte {}: {}", name, offset + at, what));
  }
  Status expected(const std::string &what) {
    const char c = peek();
    return fail(fmt::format("found {}, expected {}",
                            at < text.size() ? inQuotes(std::string_view(&c, 1))
                                             : std::string("the end of the header"),
                            what));
  }

  std::string_view text;
  size_t offset, at = 0;
  const std::string &name;
};

/// The element type of "<f4"; `swap` becomes true for big-endian elements of more than a byte.
std::optional<DType> dtypeOf(std::string_view descr, bool &swap) {
  if (descr == "?")
    return DType::Bool;
  if (descr.size() != 3 || std::string_view("<>|=").find(descr[0]) == std::string_view::npos)
    return std::nullopt;
  for (const Code &code : codes)
    if (descr[1] == code.kind && descr[2] == '0' + code.size) {
      swap = descr[0] == '>' && code.size > 1;
      return code.dtype;
    }
  return std::nullopt;
}

std::string descrOf(DType dtype) {
  for (const Code &code : codes)
    if (code.dtype == dtype)
      return fmt::format("{}{}{}", code.size == 1 || code.kind == 'V' ? '|' : '<', code.kind,
                         code.size);
  return "";
}

void swapBytes(std::span<uint8_t> data, size_t size) {
  for (size_t i = 0; i + size <= data.size(); i += size)
    std::reverse(data.begin() + static_cast<ptrdiff_t>(i),
                 data.begin() + static_cast<ptrdiff_t>(i + size));
}

/// From Fortran order, first dimension fastest, to C order.
std::vector<uint8_t> rowMajor(std::span<const uint8_t> data, const std::vector<int64_t> &dims,
                              size_t size) {
  std::vector<uint8_t> result(data.size());
  std::vector<size_t> strides(dims.size()), index(dims.size());
  size_t stride = 1;
  for (size_t i = 0; i < dims.size(); ++i) {
    strides[i] = stride;
    stride *= static_cast<size_t>(dims[i]);
  }
  size_t from = 0;
  for (size_t to = 0; to < data.size(); to += size) {
    std::memcpy(&result[to], &data[from * size], size);
    for (size_t axis = dims.size(); axis-- > 0;) {
      from += strides[axis];
      if (++index[axis] < static_cast<size_t>(dims[axis]))
        break;
      from -= strides[axis] * index[axis];
      index[axis] = 0;
    }
  }
  return result;
}

} // namespace

std::optional<uint64_t> elementCount(std::span<const int64_t> dims, artifact::DType dtype) {
  uint64_t count = 1;
  bool empty = false;
  for (const int64_t dim : dims) {
    if (dim < 0)
      return std::nullopt;
    empty |= dim == 0;
  }
  if (empty)
    return 0;
  const uint64_t most = (uint64_t(1) << 62) / artifact::byteSize(dtype);
  for (const int64_t dim : dims) {
    if (static_cast<uint64_t>(dim) > most / count)
      return std::nullopt;
    count *= static_cast<uint64_t>(dim);
  }
  return count;
}

Expected<Array> parseNpy(std::span<const uint8_t> bytes, const std::string &name) {
  const auto fail = [&](const std::string &what) {
    return Status(StatusCode::InvalidFile, name + ": " + what);
  };
  if (bytes.size() < 10 || std::memcmp(bytes.data(), magic.data(), magic.size()) != 0)
    return fail("is not a NumPy file: it does not begin with \\x93NUMPY");
  const uint8_t major = bytes[6];
  if (major < 1 || major > 3)
    return fail(fmt::format("byte 6: found version {}, expected 1, 2 or 3", major));
  const size_t lengthBytes = major == 1 ? 2 : 4, start = 8 + lengthBytes;
  if (bytes.size() < start)
    return fail(fmt::format("found {} bytes, expected at least {}", bytes.size(), start));
  size_t length = 0;
  for (size_t i = 0; i < lengthBytes; ++i)
    length |= size_t(bytes[8 + i]) << (8 * i);
  if (length > maxHeader || length > bytes.size() - start)
    return fail(fmt::format("byte 8: found a header of {} bytes, expected at most {}", length,
                            std::min(maxHeader, bytes.size() - start)));
  auto header =
      HeaderReader({reinterpret_cast<const char *>(bytes.data()) + start, length}, start, name)
          .read();
  if (!header)
    return header.takeStatus();
  bool swap = false;
  const auto dtype = dtypeOf(header->descr, swap);
  if (!dtype)
    return fail(fmt::format("found elements of type {}, expected one of f8, f4, f2, i1, i2, i4, "
                            "i8, u1, b1, V2 (bfloat16)",
                            inQuotes(header->descr)));
  const auto count = elementCount(header->dims, *dtype);
  const size_t available = bytes.size() - start - length, size = artifact::byteSize(*dtype);
  if (!count || *count != available / size || available % size != 0)
    return fail(fmt::format("found {} bytes of elements, expected {} for {}[{}]", available,
                            count ? fmt::format("{}", *count * size) : "more than fit in memory",
                            artifact::name(*dtype), fmt::join(header->dims, ", ")));
  Array array;
  array.dtype = *dtype;
  array.dims = header->dims;
  const auto elements = bytes.subspan(start + length);
  array.data = header->fortran && header->dims.size() > 1
                   ? rowMajor(elements, header->dims, size)
                   : std::vector<uint8_t>(elements.begin(), elements.end());
  if (swap)
    swapBytes(array.data, size);
  if (*dtype == DType::Bool)
    if (auto wrong = std::ranges::find_if(array.data, [](uint8_t b) { return b > 1; });
        wrong != array.data.end())
      return fail(fmt::format("found a bool element of value {}, expected 0 or 1", *wrong));
  return array;
}

Expected<Array> readNpy(const std::string &path) {
  auto file = MappedFile::open(path);
  if (!file)
    return file.takeStatus();
  return parseNpy(file->bytes(), path);
}

std::vector<uint8_t> npyBytes(const Array &array) {
  std::string shape;
  for (const int64_t dim : array.dims)
    shape += fmt::format("{}, ", dim);
  if (array.dims.size() > 1)
    shape.resize(shape.size() - 2);
  else if (array.dims.size() == 1)
    shape.pop_back();
  std::string header = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}), }}",
                                   descrOf(array.dtype), shape);
  // Elements begin at a multiple of 64, and the header ends in a newline.
  const size_t start = (10 + header.size() + 1 + 63) / 64 * 64;
  header.resize(start - 11, ' ');
  header += '\n';
  const char version[] = {1, 0, static_cast<char>(header.size() & 255),
                          static_cast<char>(header.size() >> 8)};
  header = std::string(magic) + std::string(version, sizeof version) + header;
  std::vector<uint8_t> bytes(header.size() + array.data.size());
  std::ranges::copy(header, bytes.begin());
  std::ranges::copy(array.data, bytes.begin() + static_cast<ptrdiff_t>(header.size()));
  return bytes;
}

Status writeNpy(const std::string &path, const Array &array) {
  return writeFileAtomically(path, npyBytes(array));
}

} // namespace relax::tool
