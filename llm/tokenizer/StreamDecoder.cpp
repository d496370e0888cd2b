#include "llm/tokenizer/StreamDecoder.h"

#include "llm/tokenizer/Unicode.h"

namespace relax::llm {
namespace {

/// Valid UTF-8 for `bytes`: one U+FFFD for each longest beginning of a character that goes no
/// further, and for each byte that begins none.
std::string toValid(std::string_view bytes) {
  std::string out;
  for (size_t i = 0; i < bytes.size();) {
    const auto codePoint = decodeUtf8(bytes, i);
    const bool surrogate = codePoint && codePoint->value >= 0xD800 && codePoint->value <= 0xDFFF;
    if (codePoint && !surrogate) {
      out.append(bytes.substr(i, codePoint->bytes));
      i += codePoint->bytes;
      continue;
    }
    out.append(replacementCharacter);
    size_t length = 1;
    for (size_t more = 2; !surrogate && more <= 3 && i + more <= bytes.size(); ++more)
      if (incompleteSuffix(bytes.substr(i, more)) == more)
        length = more;
    i += length;
  }
  return out;
}

} // namespace

std::string StreamDecoder::push(std::string_view bytes) {
  held.append(bytes);
  const size_t whole = held.size() - incompleteSuffix(held);
  std::string text = toValid(std::string_view(held).substr(0, whole));
  held.erase(0, whole);
  return text;
}

std::string StreamDecoder::finish() {
  std::string text = toValid(held);
  held.clear();
  return text;
}

} // namespace relax::llm
