#include "tools/relax/LineEditor.h"

#include "llm/tokenizer/Unicode.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace relax::tool {
namespace {

constexpr int ended = -1, interrupted = -2;
/// Before each further row of a text of several lines.
constexpr std::string_view continuation = ". ";
constexpr std::string_view pasteEnd = "\x1b[201~";

size_t terminalColumns() {
  winsize size{};
  return ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 4 ? size.ws_col : 80;
}

bool isWordByte(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || std::isalnum(static_cast<unsigned char>(c)) != 0;
}

/// Where text goes on a screen so many columns wide.
struct Place {
  size_t columns, row = 0, column = 0;

  /// Goes behind what takes `width` columns; returns what to print after it.
  std::string_view pass(size_t width) {
    column += width;
    if (column < columns)
      return {};
    ++row;
    column = 0;
    return "\r\n";
  }
};

} // namespace

/// Keys come at once and unechoed while it lives; signals still do what they do.
class LineEditor::RawMode {
public:
  RawMode() {
    isSet = tcgetattr(STDIN_FILENO, &before) == 0;
    if (!isSet)
      return;
    termios raw = before;
    raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
    // Ctrl-C is a key here: as a signal it could come just before read() begins, which then waits.
    raw.c_cc[VINTR] = _POSIX_VDISABLE;
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    isSet = tcsetattr(STDIN_FILENO, TCSADRAIN, &raw) == 0;
    (void)writeOutput("\x1b[?2004h");
  }
  RawMode(const RawMode &) = delete;
  RawMode &operator=(const RawMode &) = delete;
  ~RawMode() {
    (void)writeOutput("\x1b[?2004l");
    if (isSet)
      tcsetattr(STDIN_FILENO, TCSADRAIN, &before);
  }

private:
  termios before{};
  bool isSet;
};

bool LineEditor::isPossible() {
  const char *terminal = std::getenv("TERM");
  return inputIsTerminal() && outputIsTerminal() && terminal && *terminal &&
         std::strcmp(terminal, "dumb") != 0;
}

int LineEditor::nextByte() {
  unsigned char byte = 0;
  const ssize_t count = ::read(STDIN_FILENO, &byte, 1);
  if (count == 1)
    return byte;
  return count < 0 && errno == EINTR ? interrupted : ended;
}

Expected<LineEditor::Input> LineEditor::read(std::string_view prompt, std::string &line,
                                             size_t most) {
  shownPrompt = prompt;
  text.clear();
  draft.clear();
  cursor = cursorRow = 0;
  recalled = history.size();
  RawMode raw;
  RELAX_RETURN_IF_ERROR(refresh());
  auto input = edit(most);
  if (!input)
    return input;
  RELAX_RETURN_IF_ERROR(finish());
  if (*input == Input::Line && !text.empty() && (history.empty() || history.back() != text))
    history.push_back(text);
  line = text;
  return input;
}

Expected<LineEditor::Input> LineEditor::edit(size_t most) {
  constexpr auto control = [](char letter) { return letter & 0x1f; };
  for (;;) {
    const int byte = nextByte();
    if (byte == interrupted || byte == control('C'))
      return Input::Interrupted;
    if (byte == ended || (byte == control('D') && text.empty()))
      return Input::End;
    if (byte == '\n' || byte == '\r')
      return Input::Line;
    if (byte == '\x1b')
      escape();
    else if (byte == control('A'))
      cursor = 0;
    else if (byte == control('E'))
      cursor = text.size();
    else if (byte == control('B'))
      cursor = before(cursor);
    else if (byte == control('F'))
      cursor = after(cursor);
    else if (byte == control('P') || byte == control('N'))
      recall(byte == control('P'));
    else if (byte == control('D'))
      erase(cursor, after(cursor));
    else if (byte == control('H') || byte == 0x7f)
      erase(before(cursor), cursor);
    else if (byte == control('K'))
      erase(cursor, text.size());
    else if (byte == control('U'))
      erase(0, cursor);
    else if (byte == control('W'))
      erase(wordBefore(cursor), cursor);
    else if (byte == control('L')) {
      RELAX_RETURN_IF_ERROR(writeOutput("\x1b[H\x1b[2J"));
      cursorRow = 0;
    } else if (byte >= ' ' || byte == '\t') {
      // The rest of a character comes with it.
      std::string character(1, static_cast<char>(byte));
      for (int left = byte >= 0xf0 ? 3 : byte >= 0xe0 ? 2 : byte >= 0xc0 ? 1 : 0; left > 0; --left)
        if (const int more = nextByte(); more >= 0)
          character += static_cast<char>(more);
      insert(character);
    }
    if (text.size() > most)
      return Input::TooLong;
    RELAX_RETURN_IF_ERROR(refresh());
  }
}

/// A key of several bytes: ESC [ numbers letter, ESC O letter, or ESC and a letter.
void LineEditor::escape() {
  int byte = nextByte();
  if (byte == 'b' || byte == 'f') {
    cursor = byte == 'b' ? wordBefore(cursor) : wordAfter(cursor);
    return;
  }
  if (byte != '[' && byte != 'O')
    return;
  std::string numbers;
  while ((byte = nextByte()) == ';' || (byte >= '0' && byte <= '9'))
    numbers += static_cast<char>(byte);
  const bool byWord = numbers.ends_with(";5") || numbers.ends_with(";3");
  if (byte == 'A' || byte == 'B')
    recall(byte == 'A');
  else if (byte == 'C')
    cursor = byWord ? wordAfter(cursor) : after(cursor);
  else if (byte == 'D')
    cursor = byWord ? wordBefore(cursor) : before(cursor);
  else if (byte == 'H' || (byte == '~' && (numbers == "1" || numbers == "7")))
    cursor = 0;
  else if (byte == 'F' || (byte == '~' && (numbers == "4" || numbers == "8")))
    cursor = text.size();
  else if (byte == '~' && numbers == "3")
    erase(cursor, after(cursor));
  else if (byte == '~' && numbers == "200")
    paste();
}

void LineEditor::paste() {
  std::string pasted;
  while (!pasted.ends_with(pasteEnd)) {
    const int byte = nextByte();
    if (byte < 0)
      return;
    pasted += static_cast<char>(byte == '\r' ? '\n' : byte);
  }
  pasted.resize(pasted.size() - pasteEnd.size());
  // Other control characters would move the terminal's cursor.
  std::erase_if(pasted, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && byte != '\n' && byte != '\t') || byte == 0x7f;
  });
  insert(pasted);
}

void LineEditor::insert(std::string_view more) {
  text.insert(cursor, more);
  cursor += more.size();
}

void LineEditor::erase(size_t from, size_t to) {
  text.erase(from, to - from);
  cursor = from;
}

void LineEditor::recall(bool older) {
  if (older ? recalled == 0 : recalled == history.size())
    return;
  if (recalled == history.size())
    draft = text;
  recalled += older ? size_t(-1) : 1;
  text = recalled == history.size() ? draft : history[recalled];
  cursor = text.size();
}

size_t LineEditor::before(size_t position) const {
  if (position > 0)
    --position;
  while (position > 0 && (static_cast<unsigned char>(text[position]) & 0xc0) == 0x80)
    --position;
  return position;
}

size_t LineEditor::after(size_t position) const {
  if (position < text.size())
    ++position;
  while (position < text.size() && (static_cast<unsigned char>(text[position]) & 0xc0) == 0x80)
    ++position;
  return position;
}

size_t LineEditor::wordBefore(size_t position) const {
  while (position > 0 && !isWordByte(text[position - 1]))
    --position;
  while (position > 0 && isWordByte(text[position - 1]))
    --position;
  return position;
}

size_t LineEditor::wordAfter(size_t position) const {
  while (position < text.size() && !isWordByte(text[position]))
    ++position;
  while (position < text.size() && isWordByte(text[position]))
    ++position;
  return position;
}

/// Writes prompt and text anew, and puts the terminal's cursor in its place.
Status LineEditor::refresh() {
  std::string out = cursorRow > 0 ? fmt::format("\x1b[{}A", cursorRow) : "";
  out += "\r\x1b[J" + colouredForOutput(Colour::Green, shownPrompt);
  Place place{terminalColumns()};
  (void)place.pass(shownPrompt.size());
  Place target = place;
  for (size_t i = 0; i < text.size();) {
    if (i == cursor)
      target = place;
    if (text[i] == '\n') {
      out += "\r\n" + colouredForOutput(Colour::Green, continuation);
      ++place.row;
      place.column = continuation.size();
      ++i;
      continue;
    }
    const auto decoded = llm::decodeUtf8(text, i);
    const size_t bytes = decoded ? decoded->bytes : 1;
    // A tab is shown as a space, and what is no character as a question mark.
    const std::string_view shown = text[i] == '\t' ? std::string_view(" ")
                                   : decoded       ? std::string_view(text).substr(i, bytes)
                                                   : std::string_view("?");
    const size_t width = decoded ? llm::displayWidth(decoded->value) : 1;
    // A wide character that doesn't fit goes to the next row.
    if (place.column + width > place.columns)
      out += place.pass(place.columns - place.column);
    out += shown;
    out += place.pass(width);
    i += bytes;
  }
  if (cursor == text.size())
    target = place;
  if (place.row > target.row)
    out += fmt::format("\x1b[{}A", place.row - target.row);
  out += "\r";
  if (target.column > 0)
    out += fmt::format("\x1b[{}C", target.column);
  cursorRow = target.row;
  return writeOutput(out);
}

/// Leaves the text as it is, and goes to the row below it.
Status LineEditor::finish() {
  cursor = text.size();
  RELAX_RETURN_IF_ERROR(refresh());
  return writeOutput("\r\n");
}

} // namespace relax::tool
