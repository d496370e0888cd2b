//===- StreamDecoder.h - the text of tokens, while they come ----------------------------------===//
//
// A token may end in the middle of a character. The decoder gives out text as soon as it is whole,
// holds back at most three bytes, and gives them out at the end. What it gives is always valid
// UTF-8: bytes that can be part of no character come out as U+FFFD.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>

namespace relax::llm {

class StreamDecoder {
public:
  /// Takes the bytes of the next token; returns the text that is now certain, maybe none.
  [[nodiscard]] std::string push(std::string_view bytes);

  /// The end: returns what was held back, and is ready for another stream.
  [[nodiscard]] std::string finish();

private:
  std::string held;
};

} // namespace relax::llm
