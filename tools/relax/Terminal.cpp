#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <unistd.h>

namespace relax::tool {
namespace {

bool showsColours(bool isTerminal) {
  const char *noColour = std::getenv("NO_COLOR"), *terminal = std::getenv("TERM");
  const bool dumb = terminal && std::strcmp(terminal, "dumb") == 0;
  return isTerminal && !(noColour && *noColour) && !dumb;
}

std::string coloured(Colour colour, std::string_view text) {
  static constexpr const char *codes[] = {"31", "32", "33", "34", "2", "1"};
  return fmt::format("\x1b[{}m{}\x1b[0m", codes[static_cast<int>(colour)], text);
}

} // namespace

bool inputIsTerminal() { return isatty(STDIN_FILENO) != 0; }
bool outputIsTerminal() { return isatty(STDOUT_FILENO) != 0; }
bool errorsAreTerminal() { return isatty(STDERR_FILENO) != 0; }

std::string colouredForOutput(Colour colour, std::string_view text) {
  static const bool shown = showsColours(outputIsTerminal());
  return shown ? coloured(colour, text) : std::string(text);
}

std::string colouredForErrors(Colour colour, std::string_view text) {
  static const bool shown = showsColours(errorsAreTerminal());
  return shown ? coloured(colour, text) : std::string(text);
}

void reportError(std::string_view message) {
  fmt::print(stderr, "{} {}\n", colouredForErrors(Colour::Red, "relax: error:"), message);
}

void reportNote(std::string_view message) {
  fmt::print(stderr, "{} {}\n", colouredForErrors(Colour::Yellow, "relax: note:"), message);
}

Status writeOutput(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0)
    return {};
  return Status(StatusCode::Io,
                fmt::format("cannot write to the standard output: {}", std::strerror(errno)));
}

void ProgressLine::show(std::string_view text) {
  if (!errorsAreTerminal())
    return;
  fmt::print(stderr, "\r\x1b[K{}", text);
  std::fflush(stderr);
  shown = true;
}

void ProgressLine::clear() {
  if (shown)
    fmt::print(stderr, "\r\x1b[K");
  shown = false;
}

} // namespace relax::tool
