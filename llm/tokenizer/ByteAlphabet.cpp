#include "llm/tokenizer/ByteAlphabet.h"

#include "llm/tokenizer/Unicode.h"

#include <array>

namespace relax::llm {
namespace {

constexpr size_t alphabetEnd = 0x100 + 68;

struct Alphabet {
  std::array<std::string, 256> characters;
  std::array<int16_t, alphabetEnd> bytes; ///< By code point; -1 where it stands for none.

  Alphabet() {
    bytes.fill(-1);
    uint32_t next = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte) {
      const bool printable = (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte <= 0xAC) ||
                             (byte >= 0xAE && byte <= 0xFF);
      const uint32_t codePoint = printable ? byte : next++;
      appendUtf8(characters[byte], codePoint);
      bytes[codePoint] = static_cast<int16_t>(byte);
    }
  }
};

const Alphabet &alphabet() {
  static const Alphabet instance;
  return instance;
}

} // namespace

std::string_view byteToAlphabet(uint8_t byte) { return alphabet().characters[byte]; }

std::optional<std::string> alphabetToBytes(std::string_view text) {
  const Alphabet &table = alphabet();
  std::string out;
  for (size_t i = 0; i < text.size();) {
    const auto codePoint = decodeUtf8(text, i);
    if (!codePoint || codePoint->value >= alphabetEnd || table.bytes[codePoint->value] < 0)
      return std::nullopt;
    out += static_cast<char>(table.bytes[codePoint->value]);
    i += codePoint->bytes;
  }
  return out;
}

} // namespace relax::llm
