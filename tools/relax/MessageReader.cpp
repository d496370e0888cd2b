#include "tools/relax/MessageReader.h"

#include "tools/relax/Lists.h"
#include "tools/relax/Terminal.h"

#include <cerrno>
#include <cstdio>

namespace relax::tool {
namespace {

constexpr std::string_view quotes = "\"\"\"";

} // namespace

/// One line, without its newline; TooLong if it has more than `room` bytes.
MessageReader::Input MessageReader::readLine(std::string &line, size_t room) {
  line.clear();
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

Status MessageReader::prompt(bool continues) const {
  if (!interactive)
    return {};
  return writeOutput(colouredForOutput(Colour::Green, continues ? ". " : "> "));
}

Expected<MessageReader::Input> MessageReader::read(std::string &message) {
  message.clear();
  std::string line;
  bool quoted = false;
  for (bool first = true;; first = false) {
    RELAX_RETURN_IF_ERROR(prompt(!first));
    const Input input = readLine(line, maxTextBytes - message.size());
    if (input == Input::End && !first) {
      if (message.ends_with('\n'))
        message.pop_back();
      return Input::Message;
    }
    if (input != Input::Message)
      return input;
    if (first && line.starts_with('/')) {
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
