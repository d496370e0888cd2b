#include "tools/relax/RunInput.h"

#include "tools/relax/Numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cstring>

namespace relax::tool {

using artifact::DType;
using runtime::Value;

Value valueOf(Array array) {
  auto owner = std::make_shared<Array>(std::move(array));
  return Value::tensor({owner->data.data(), owner->dtype, owner->dims}, owner);
}

Array arrayOf(const Value &value) {
  const runtime::TensorView view = value.asTensor();
  Array array;
  array.dtype = view.dtype;
  array.dims.assign(view.dims.begin(), view.dims.end());
  array.data.resize(*elementCount(array.dims, array.dtype) * artifact::byteSize(view.dtype));
  if (!array.data.empty())
    std::memcpy(array.data.data(), view.data, array.data.size());
  return array;
}

Expected<Array> randomArray(DType dtype, std::vector<int64_t> dims, int64_t limit,
                            llm::Random &random) {
  auto array = makeArray(dtype, std::move(dims));
  if (!array)
    return array;
  const size_t count = array->count();
  for (size_t i = 0; i < count; ++i)
    if (isFloat(dtype))
      setElement(*array, i, 2 * random.uniform() - 1);
    else
      setInteger(*array, i,
                 static_cast<int64_t>(random.next() %
                                      static_cast<uint64_t>(dtype == DType::Bool ? 2 : limit)));
  return array;
}

void InputReader::skipSpaces() {
  while (at < text.size() && text[at] == ' ')
    ++at;
}

char InputReader::peek() {
  skipSpaces();
  return at < text.size() ? text[at] : '\0';
}

bool InputReader::take(char c) {
  if (peek() != c || at == text.size())
    return false;
  ++at;
  return true;
}

/// Everything up to a character that ends a number or a name.
std::string_view InputReader::word() {
  skipSpaces();
  const size_t end = std::min(text.find_first_of(",()[] ", at), text.size());
  const std::string_view result = text.substr(at, end - at);
  at = end;
  return result;
}

Status InputReader::expected(std::string_view expectation) const {
  return Status(StatusCode::InvalidArgument,
                fmt::format("{}: character {}: found {}, expected {}", what, at + 1,
                            at < text.size() ? fmt::format("'{}'", text.substr(at, 20))
                                             : std::string("the end"),
                            expectation));
}

Expected<Value> InputReader::read(const std::string &name, std::string_view source,
                                  std::optional<DType> dtype, uint64_t seed) {
  what = name;
  text = source;
  at = 0;
  parameterType = dtype;
  random = llm::Random(seed);
  inTuple = false;
  auto result = value();
  if (result && peek() != '\0')
    return expected("nothing more");
  return result;
}

Expected<Value> InputReader::value() {
  const char first = peek();
  if (first == '(')
    return tuple();
  if (first == '\0')
    return expected("a NumPy file, random:[…], zeros:[…], ones:[…], arange:[…], a number, a list");
  const std::string_view rest = text.substr(at);
  for (const std::string_view maker : {"random:", "zeros:", "ones:", "arange:", "shape:"})
    if (rest.starts_with(maker)) {
      at += maker.size();
      return made(maker);
    }
  if (rest.starts_with("function:")) {
    at += std::string_view("function:").size();
    auto function = module.function(std::string(word()));
    if (!function)
      return std::move(function.takeStatus()).withContext(what);
    return function->value();
  }
  // A path may hold anything; inside a tuple it ends at a comma or parenthesis.
  const size_t end = inTuple ? std::min(rest.find_first_of(",)"), rest.size()) : rest.size();
  if (rest.substr(0, end).ends_with(".npy")) {
    at += end;
    auto array = readNpy(std::string(rest.substr(0, end)));
    if (!array)
      return array.takeStatus();
    return valueOf(std::move(*array));
  }
  return literal();
}

Expected<Value> InputReader::tuple() {
  take('(');
  const auto outerType = std::exchange(parameterType, std::nullopt);
  const bool outer = std::exchange(inTuple, true);
  std::vector<Value> fields;
  while (!take(')')) {
    auto field = value();
    if (!field)
      return field;
    fields.push_back(std::move(*field));
    if (!take(',') && peek() != ')')
      return expected("',' or ')'");
  }
  parameterType = outerType;
  inTuple = outer;
  return Value::tuple(std::move(fields));
}

Expected<std::vector<int64_t>> InputReader::sizes() {
  std::vector<int64_t> dims;
  if (!take('['))
    return expected("'[' and sizes, such as [3,4]");
  while (!take(']')) {
    const size_t start = (skipSpaces(), at);
    const std::string_view size = word();
    int64_t value = 0;
    const auto number = std::from_chars(size.data(), size.data() + size.size(), value);
    if (number.ec != std::errc() || number.ptr != size.data() + size.size() || value < 0) {
      const auto symbol = symbols.find(std::string(size));
      at = start;
      if (symbol == symbols.end() || symbol->second < 0)
        return expected("a size that is not negative, or a symbol that --symbol gives a value");
      at += size.size();
      value = symbol->second;
    }
    dims.push_back(value);
    if (!take(',') && peek() != ']')
      return expected("',' or ']'");
  }
  return dims;
}

Expected<DType> InputReader::dtypeOr(DType otherwise) {
  const size_t start = at;
  const std::string_view name = word();
  if (name.empty())
    return parameterType.value_or(otherwise);
  if (const auto dtype = dtypeNamed(name))
    return *dtype;
  at = start;
  return expected("an element type: f32, f16, bf16, f64, i8, i16, i32, i64, ui8, bool");
}

Expected<Value> InputReader::made(std::string_view maker) {
  auto dims = sizes();
  if (!dims)
    return dims.takeStatus();
  if (maker == "shape:")
    return Value::shape(*dims);
  if (dims->size() > artifact::maxRank)
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: found {} dimensions, expected at most {}", what, dims->size(),
                              artifact::maxRank));
  auto dtype = dtypeOr(DType::F32);
  if (!dtype)
    return dtype.takeStatus();
  auto array = maker == "random:" ? randomArray(*dtype, std::move(*dims), 10, random)
                                  : makeArray(*dtype, std::move(*dims));
  if (!array)
    return std::move(array.takeStatus()).withContext(what);
  if (maker == "ones:" || maker == "arange:")
    for (size_t i = 0, count = array->count(); i < count; ++i)
      setInteger(*array, i, maker == "ones:" ? 1 : static_cast<int64_t>(i));
  return valueOf(std::move(*array));
}

/// The numbers of a list, and the sizes that its nesting makes.
Status InputReader::elements(std::vector<std::string_view> &texts, std::vector<int64_t> &dims,
                             size_t depth) {
  if (peek() != '[') {
    if (depth != dims.size())
      return expected("'[': the other parts are lists here");
    const std::string_view number = word();
    if (number.empty())
      return expected("a number");
    texts.push_back(number);
    return {};
  }
  if (depth == artifact::maxRank)
    return expected(fmt::format("at most {} dimensions", artifact::maxRank));
  take('[');
  // The first list of each depth says how long the others are.
  const bool first = depth == dims.size();
  if (first) {
    if (!texts.empty())
      return expected("a number: the other parts are numbers here");
    dims.push_back(-1);
  }
  int64_t count = 0;
  while (!take(']')) {
    RELAX_RETURN_IF_ERROR(elements(texts, dims, depth + 1));
    ++count;
    if (!take(',') && peek() != ']')
      return expected("',' or ']'");
  }
  if (dims[depth] >= 0 && dims[depth] != count)
    return expected(fmt::format("a list of {} before this, like the others", dims[depth]));
  dims[depth] = count;
  return {};
}

Expected<Value> InputReader::literal() {
  std::vector<std::string_view> texts;
  std::vector<int64_t> dims;
  const bool list = peek() == '[';
  const size_t start = at;
  RELAX_RETURN_IF_ERROR(elements(texts, dims, 0));
  if (std::ranges::find(dims, -1) != dims.end())
    return expected("numbers");
  std::optional<DType> named;
  if (!list)
    // "5i64": the element type is the end of the word.
    for (size_t length = 2; length <= 4 && length < texts[0].size(); ++length)
      if (const auto dtype = dtypeNamed(texts[0].substr(texts[0].size() - length))) {
        named = dtype;
        texts[0].remove_suffix(length);
        break;
      }
  DType otherwise = DType::I64;
  for (const std::string_view number : texts) {
    if (number == "true" || number == "false")
      otherwise = DType::Bool;
    else if (number.find_first_of(".eEn") != std::string_view::npos)
      otherwise = DType::F32;
  }
  auto dtype = named  ? Expected<DType>(*named)
               : list ? dtypeOr(otherwise)
                      : Expected<DType>(parameterType.value_or(otherwise));
  if (!dtype)
    return dtype.takeStatus();
  auto array = makeArray(*dtype, dims);
  if (!array)
    return std::move(array.takeStatus()).withContext(what);
  for (size_t i = 0; i < texts.size(); ++i)
    if (!setElement(*array, i, texts[i])) {
      at = list ? static_cast<size_t>(texts[i].data() - text.data()) : start;
      return expected(fmt::format("a number of type {}", artifact::name(*dtype)));
    }
  return valueOf(std::move(*array));
}

} // namespace relax::tool
