//===- StopText.h - texts at which an answer ends ---------------------------------------------===//
//
// An answer comes in pieces, and a stop may begin in one and end in another. So text that could be
// the beginning of a stop is held back until it is known not to be one: nothing of a stop is ever
// given out, and what was held back in vain is given out at the end.
//
// The stop whose last byte comes first decides; of several that end there, the longest. Each byte
// costs one step for each stop, whatever the texts are (Knuth, Morris and Pratt).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace relax::llm {

class StopText {
public:
  /// No stop may be empty.
  explicit StopText(const std::vector<std::string> &stops);

  /// Takes the next piece; returns what is certain to be no part of a stop. After a stop, nothing.
  [[nodiscard]] std::string push(std::string_view piece);
  /// The end: returns what was held back.
  [[nodiscard]] std::string finish();
  /// Whether a stop was found.
  [[nodiscard]] bool stopped() const { return found; }

private:
  struct Stop {
    std::string text;
    std::vector<size_t> borders; ///< Of each prefix: its longest proper border.
    size_t matched = 0;          ///< Bytes of `text` that the text so far ends with.
    void advance(char byte);
  };

  std::vector<Stop> stops;
  std::string held;
  bool found = false;
};

} // namespace relax::llm
