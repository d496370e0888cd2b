//===- MessageReader.h - what the user says, of one line or several ---------------------------===//
//
// A message is a line. A line that ends with a backslash goes on in the next; one that begins with
// """ begins a message that ends at the next """, whatever lines are between.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "tools/relax/LineEditor.h"

#include <string>

namespace relax::tool {

class MessageReader {
public:
  /// `interactive`: the standard input and output are a person's; they get prompts.
  explicit MessageReader(bool interactive)
      : interactive(interactive), edits(interactive && LineEditor::isPossible()) {}

  enum class Input { Message, Command, End, Interrupted, TooLong };
  /// The next message of the standard input, or a line that begins with "/". At the end of the
  /// input one that is not finished is a message too; an interruption drops it.
  Expected<Input> read(std::string &message);

private:
  /// One line, without its newline; TooLong if it has more than `room` bytes. `continues`: it is
  /// not a message's first.
  Expected<Input> readLine(std::string &line, size_t room, bool continues);

  static Input readPlain(std::string &line, size_t room);

  bool interactive;
  bool edits; ///< By `editor`, else as the terminal itself does.
  LineEditor editor;
};

} // namespace relax::tool
