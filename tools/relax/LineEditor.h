//===- LineEditor.h - a line of input that can be edited --------------------------------------===//
//
// What a person expects at a prompt: arrow keys, Home and End, earlier lines with the arrow keys up
// and down, Ctrl-A E K U W L, and text of several lines that is pasted as a whole (bracketed paste)
// without being taken for several answers. Lines may be longer than the terminal is wide, and
// longer than the 4,096 bytes that the system's own editing allows. Between lines the terminal is
// as it was.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace relax::tool {

class LineEditor {
public:
  /// Whether the standard input and output are a terminal that can move its cursor.
  static bool isPossible();

  enum class Input { Line, End, Interrupted, TooLong };
  /// Shows `prompt` (in colour) and reads a line of at most `most` bytes, without its newline; what
  /// is pasted may have newlines inside.
  Expected<Input> read(std::string_view prompt, std::string &line, size_t most);

private:
  class RawMode;

  Expected<Input> edit(size_t most);
  /// The next byte; negative: -1 the input ended, -2 a signal came.
  static int nextByte();
  void escape();
  void paste();
  void insert(std::string_view text);
  void erase(size_t from, size_t to);
  void recall(bool older);
  [[nodiscard]] size_t before(size_t position) const;
  [[nodiscard]] size_t after(size_t position) const;
  [[nodiscard]] size_t wordBefore(size_t position) const;
  [[nodiscard]] size_t wordAfter(size_t position) const;
  Status refresh();
  Status finish();

  std::string shownPrompt, text;
  size_t cursor = 0;    ///< A byte of `text`, where a character begins.
  size_t cursorRow = 0; ///< Where the terminal's cursor is, from the prompt's row.
  std::vector<std::string> history;
  size_t recalled = 0; ///< Index into `history`; its size: the line that is being written.
  std::string draft;   ///< That line, while an earlier one is shown.
};

} // namespace relax::tool
