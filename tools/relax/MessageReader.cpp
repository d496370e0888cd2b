#include "tools/relax/MessageReader.h"

#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <cerrno>
#include <cstdio>

namespace relax::tool {
namespace {

constexpr std::string_view quotes = "\"\"\"";

} // namespace

Expected<MessageReader::Input> MessageReader::readLine(std::string &line, size_t room,
                                                       bool continues) {
  const char *prompt = continues ? ". " : "> ";
  line.clear();
  if (edits) {
    auto input = editor.read(prompt, line, room);
    if (!input)
      return input.takeStatus();
    switch (*input) {
    case LineEditor::Input::Line:
      return Input::Message;
    case LineEditor::Input::End:
      return Input::End;
    case LineEditor::Input::Interrupted:
      return Input::Interrupted;
    case LineEditor::Input::TooLong:
      return Input::TooLong;
    }
  }
  if (interactive)
    RELAX_RETURN_IF_ERROR(writeOutput(colouredForOutput(Colour::Green, prompt)));
  const Input input = readPlain(line, room);
  // The terminal shows no end of such a line.
  if (interactive && (input == Input::End || input == Input::Interrupted))
    RELAX_RETURN_IF_ERROR(writeOutput("\n"));
  return input;
}

/// As the terminal, or whatever the standard input is, gives lines.
MessageReader::Input MessageReader::readPlain(std::string &line, size_t room) {
  for (;;) {
    errno = 0;
    const int c = std::getchar();
    if (c == EOF && errno == EINTR) {
      std::clearerr(stdin);
      return Input::Interrupted;
    }
    if (c == EOF)
      return line.empty() ? Input::End : Input::Message;
    if (c == '\n')
      return Input::Message;
    if (line.size() == room)
      return Input::TooLong;
    line += static_cast<char>(c);
  }
}

Expected<MessageReader::Input> MessageReader::read(std::string &message) {
  message.clear();
  std::string line;
  bool quoted = false;
  for (bool first = true;; first = false) {
    auto input = readLine(line, maxTextBytes - message.size(), !first);
    if (!input)
      return input;
    if (*input == Input::End && !first) {
      if (message.ends_with('\n'))
        message.pop_back();
      return Input::Message;
    }
    if (*input != Input::Message)
      return input;
    // What is pasted may have lines; then it is no command.
    if (first && line.starts_with('/') && line.find('\n') == std::string::npos) {
      message = line;
      return Input::Command;
    }
    if (first && line.starts_with(quotes)) {
      quoted = true;
      line.erase(0, quotes.size());
    }
    if (quoted) {
      if (const size_t end = line.find(quotes); end != std::string::npos) {
        message += line.substr(0, end);
        if (end == 0 && message.ends_with('\n'))
          message.pop_back();
        return Input::Message;
      }
      // Nothing stands behind the opening quotes as a rule: then the text begins in the next line.
      if (!first || !line.empty())
        message += line + "\n";
    } else if (line.ends_with('\\')) {
      line.back() = '\n';
      message += line;
    } else {
      message += line;
      return Input::Message;
    }
  }
}

} // namespace relax::tool
