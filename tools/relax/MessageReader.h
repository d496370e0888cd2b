//===- MessageReader.h - what the user says, of one line or several ---------------------------===//
//
// A message is a line. A line that ends with a backslash goes on in the next; one that begins with
// """ begins a message that ends at the next """, whatever lines are between.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace relax::tool {

class MessageReader {
public:
  /// `interactive`: the standard input and output are a person's; they get prompts.
  explicit MessageReader(bool interactive) : interactive(interactive) {}

  enum class Input { Message, Command, End, Interrupted, TooLong };
  /// The next message of the standard input, or a line that begins with "/". At the end of the
  /// input one that is not finished is a message too; an interruption drops it.
  Expected<Input> read(std::string &message);

private:
  Input readLine(std::string &line, size_t room);
  Status prompt(bool continues) const;

  bool interactive;
};

} // namespace relax::tool
