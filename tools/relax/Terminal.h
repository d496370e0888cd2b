//===- Terminal.h - words for the person in front of the screen -------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <string_view>

namespace relax::tool {

bool inputIsTerminal();
bool outputIsTerminal();
bool errorsAreTerminal();

/// The text in a colour, if the stream that it goes to is a terminal that shows colours (NO_COLOR
/// and TERM=dumb say no).
enum class Colour { Red, Green, Yellow, Blue, Dim, Bold };
std::string colouredForOutput(Colour colour, std::string_view text);
std::string colouredForErrors(Colour colour, std::string_view text);

/// "relax: error: MESSAGE" and "relax: note: MESSAGE" on the standard error.
void reportError(std::string_view message);
void reportNote(std::string_view message);

/// Writes to the standard output and makes it visible at once. A reader that went away or a full
/// disk is an error.
Status writeOutput(std::string_view text);

/// A line on the standard error that rewrites itself; nothing at all if that is no terminal.
class ProgressLine {
public:
  ProgressLine() = default;
  ProgressLine(const ProgressLine &) = delete;
  ProgressLine &operator=(const ProgressLine &) = delete;
  ~ProgressLine() { clear(); }
  void show(std::string_view text);
  void clear();

private:
  bool shown = false;
};

} // namespace relax::tool
