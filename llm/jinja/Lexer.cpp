#include "llm/jinja/Lexer.h"

#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace relax::llm::jinja {
namespace {

bool isNameStart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool isDigit(char c) { return c >= '0' && c <= '9'; }
bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\v' || c == '\f'; }

std::string normalizeNewlines(std::string_view source) {
  std::string out;
  out.reserve(source.size());
  for (size_t i = 0; i < source.size(); ++i) {
    if (source[i] == '\r') {
      out += '\n';
      if (i + 1 < source.size() && source[i + 1] == '\n')
        ++i;
    } else {
      out += source[i];
    }
  }
  if (!out.empty() && out.back() == '\n')
    out.pop_back();
  return out;
}

class Lexer {
public:
  explicit Lexer(std::string_view text) : source(text) {}

  Expected<std::vector<Token>> run() {
    while (position < source.size())
      RELAX_RETURN_IF_ERROR(lexText());
    add(Token::End);
    return std::move(tokens);
  }

private:
  [[nodiscard]] std::string_view rest() const { return source.substr(position); }
  [[nodiscard]] bool startsWith(std::string_view prefix) const {
    return rest().substr(0, prefix.size()) == prefix;
  }

  void advance(size_t count) {
    line += static_cast<uint32_t>(
        std::count(source.begin() + static_cast<std::ptrdiff_t>(position),
                   source.begin() + static_cast<std::ptrdiff_t>(position + count), '\n'));
    position += count;
  }

  Token &add(Token::Kind kind, std::string_view text = {}) {
    Token token;
    token.kind = kind;
    token.line = line;
    token.text = text;
    tokens.push_back(std::move(token));
    return tokens.back();
  }

  /// Where the next "{{", "{%" or "{#" is, from the current position.
  [[nodiscard]] size_t nextTag() const {
    for (size_t i = source.find('{', position);
         i != std::string_view::npos && i + 1 < source.size(); i = source.find('{', i + 1))
      if (source[i + 1] == '{' || source[i + 1] == '%' || source[i + 1] == '#')
        return i;
    return source.size();
  }

  /// Literal text up to the next tag, then that tag.
  Status lexText() {
    const size_t tag = nextTag();
    std::string_view text = source.substr(position, tag - position);
    const bool atTag = tag < source.size();
    const char kind = atTag ? source[tag + 1] : '\0';
    const char sign = tag + 2 < source.size() ? source[tag + 2] : '\0';
    const bool afterLineStart = position == 0 || lineStart;
    if (stripFollowing) {
      const size_t first = std::min(text.find_first_not_of(" \t\n\v\f"), text.size());
      advance(first);
      text.remove_prefix(first);
    }
    std::string_view kept = text;
    if (atTag && sign == '-')
      kept = kept.substr(0, kept.find_last_not_of(" \t\n\v\f") + 1);
    else if (atTag && kind != '{' && sign != '+')
      kept = withoutIndent(kept, afterLineStart);
    if (!kept.empty())
      add(Token::Text, kept);
    stripFollowing = lineStart = false;
    advance(text.size());
    if (!atTag)
      return {};
    if (kind == '#')
      return lexComment();
    return kind == '{' ? lexVariable() : lexBlock();
  }

  /// Drops the spaces and tabs at the end of `text` if nothing else is on their line.
  static std::string_view withoutIndent(std::string_view text, bool startsLine) {
    const size_t last = text.find_last_not_of(" \t");
    if (last == std::string_view::npos)
      return startsLine ? std::string_view() : text;
    return text[last] == '\n' ? text.substr(0, last + 1) : text;
  }

  /// Steps over a tag's end at the current position, and notes what it does to the text behind it.
  void leaveTag(size_t length, char sign, bool trimsNewline) {
    advance(length);
    stripFollowing = sign == '-';
    if (trimsNewline && sign == '\0' && startsWith("\n")) {
      advance(1);
      lineStart = true;
    }
  }

  Status lexComment() {
    const size_t end = source.find("#}", position + 2);
    if (end == std::string_view::npos)
      return templateError(line, "a comment '{#' is not closed by '#}'");
    const char before = end > position + 2 ? source[end - 1] : '\0';
    const char sign = before == '-' || before == '+' ? before : '\0';
    advance(end - position);
    leaveTag(2, sign, true);
    return {};
  }

  void enterTag(Token::Kind kind) {
    add(kind);
    advance(2);
    if (startsWith("-") || startsWith("+"))
      advance(1);
  }

  Status lexVariable() {
    enterTag(Token::VariableBegin);
    RELAX_RETURN_IF_ERROR(lexExpression("}}"));
    const char sign = startsWith("-") ? '-' : '\0';
    add(Token::VariableEnd);
    leaveTag(sign ? 3 : 2, sign, false);
    return {};
  }

  Status lexBlock() {
    const uint32_t blockLine = line;
    enterTag(Token::BlockBegin);
    const size_t begin = tokens.size();
    RELAX_RETURN_IF_ERROR(lexExpression("%}"));
    const char sign = startsWith("-") || startsWith("+") ? rest()[0] : '\0';
    const bool isRaw = tokens.size() == begin + 1 && tokens[begin].kind == Token::Name &&
                       tokens[begin].text == "raw";
    if (!isRaw)
      add(Token::BlockEnd);
    leaveTag(sign ? 3 : 2, sign, true);
    if (!isRaw)
      return {};
    tokens.resize(begin - 1);
    return lexRaw(blockLine);
  }

  /// The text up to {% endraw %}, as it stands but for the rules on white space.
  Status lexRaw(uint32_t blockLine) {
    for (size_t at = source.find("{%", position); at != std::string_view::npos;
         at = source.find("{%", at + 2)) {
      size_t i = at + 2;
      const char opening = i < source.size() ? source[i] : '\0';
      if (opening == '-' || opening == '+')
        ++i;
      while (i < source.size() && isBlank(source[i]))
        ++i;
      if (source.substr(i, 6) != "endraw")
        continue;
      i += 6;
      while (i < source.size() && isBlank(source[i]))
        ++i;
      const char closing = i < source.size() ? source[i] : '\0';
      const char sign = closing == '-' || closing == '+' ? closing : '\0';
      i += sign ? 1 : 0;
      if (source.substr(i, 2) != "%}")
        continue;
      addRawText(source.substr(position, at - position), opening);
      advance(i - position);
      leaveTag(2, sign, true);
      return {};
    }
    return templateError(blockLine, "'{% raw %}' is not closed by '{% endraw %}'");
  }

  void addRawText(std::string_view text, char opening) {
    if (stripFollowing)
      text.remove_prefix(std::min(text.find_first_not_of(" \t\n\v\f"), text.size()));
    if (opening == '-')
      text = text.substr(0, text.find_last_not_of(" \t\n\v\f") + 1);
    else if (opening != '+')
      text = withoutIndent(text, lineStart);
    if (!text.empty())
      add(Token::Text, text);
  }

  /// Tokens up to `end`, perhaps with a sign before it, at which the position stays.
  Status lexExpression(std::string_view end) {
    const uint32_t begin = line;
    std::vector<char> open;
    while (position < source.size()) {
      if (isBlank(source[position])) {
        advance(1);
        continue;
      }
      const bool signedEnd =
          (startsWith("-") || (startsWith("+") && end == "%}")) && rest().substr(1, 2) == end;
      if (open.empty() && (signedEnd || startsWith(end)))
        return {};
      RELAX_RETURN_IF_ERROR(lexToken(open));
    }
    return templateError(begin, fmt::format("a tag is not closed by '{}'", end));
  }

  Status lexToken(std::vector<char> &open) {
    const char c = source[position];
    if (isNameStart(c))
      return lexName();
    if (isDigit(c))
      return lexNumber();
    if (c == '\'' || c == '"')
      return lexString();
    return lexOperator(open);
  }

  Status lexName() {
    size_t length = 1;
    while (length < rest().size() && (isNameStart(rest()[length]) || isDigit(rest()[length])))
      ++length;
    add(Token::Name, rest().substr(0, length));
    advance(length);
    return {};
  }

  Status lexNumber() {
    const std::string_view text = rest();
    size_t length = 0;
    const auto digits = [&] {
      while (length < text.size() && (isDigit(text[length]) || text[length] == '_'))
        ++length;
    };
    digits();
    bool isFloat = false;
    if (length + 1 < text.size() && text[length] == '.' && isDigit(text[length + 1])) {
      isFloat = true;
      ++length;
      digits();
    }
    if (length < text.size() && (text[length] == 'e' || text[length] == 'E')) {
      size_t exponent = length + 1;
      if (exponent < text.size() && (text[exponent] == '+' || text[exponent] == '-'))
        ++exponent;
      if (exponent < text.size() && isDigit(text[exponent])) {
        isFloat = true;
        length = exponent;
        digits();
      }
    }
    std::string plain(text.substr(0, length));
    std::erase(plain, '_');
    Token &token = add(isFloat ? Token::Float : Token::Integer, text.substr(0, length));
    const char *first = plain.data(), *last = plain.data() + plain.size();
    const auto result = isFloat ? std::from_chars(first, last, token.number)
                                : std::from_chars(first, last, token.integer);
    if (result.ec != std::errc() || result.ptr != last)
      return templateError(line, fmt::format("the number {} is out of range", token.text));
    advance(length);
    return {};
  }

  Status lexString() {
    const char quote = source[position];
    std::string value;
    size_t i = position + 1;
    for (; i < source.size() && source[i] != quote; ++i) {
      if (source[i] != '\\' || i + 1 == source.size()) {
        value += source[i];
        continue;
      }
      RELAX_RETURN_IF_ERROR(lexEscape(++i, value));
    }
    if (i >= source.size())
      return templateError(line, fmt::format("a string is not closed by {}", quote));
    add(Token::String).text = std::move(value);
    advance(i + 1 - position);
    return {};
  }

  /// An escape sequence whose letter is at `i`; leaves `i` at its last character.
  Status lexEscape(size_t &i, std::string &value) {
    switch (source[i]) {
    case 'n':
      value += '\n';
      return {};
    case 't':
      value += '\t';
      return {};
    case 'r':
      value += '\r';
      return {};
    case 'b':
      value += '\b';
      return {};
    case 'f':
      value += '\f';
      return {};
    case 'v':
      value += '\v';
      return {};
    case 'a':
      value += '\a';
      return {};
    case '0':
      value += '\0';
      return {};
    case '\n':
      return {};
    case '\\':
    case '\'':
    case '"':
      value += source[i];
      return {};
    case 'x':
    case 'u':
    case 'U':
      break;
    default:
      (value += '\\') += source[i];
      return {};
    }
    const size_t digits = source[i] == 'x' ? 2 : source[i] == 'u' ? 4 : 8;
    const std::string_view hex = source.substr(i + 1, digits);
    uint32_t codePoint = 0;
    const auto result = std::from_chars(hex.data(), hex.data() + hex.size(), codePoint, 16);
    if (hex.size() != digits || result.ec != std::errc() || result.ptr != hex.data() + hex.size() ||
        codePoint > 0x10FFFF)
      return templateError(line, fmt::format("\\{}: expected {} hexadecimal digits of a character, "
                                             "found '{}'",
                                             source[i], digits, hex));
    appendUtf8(value, codePoint);
    i += digits;
    return {};
  }

  Status lexOperator(std::vector<char> &open) {
    for (std::string_view two : {"==", "!=", "<=", ">=", "//", "**"})
      if (startsWith(two)) {
        add(Token::Operator, two);
        advance(2);
        return {};
      }
    const char c = source[position];
    if (std::string_view("+-*/%~<>=.,:|()[]{}").find(c) == std::string_view::npos)
      return templateError(line, fmt::format("unexpected character '{}'", printable(c)));
    if (c == '(' || c == '[' || c == '{')
      open.push_back(c == '(' ? ')' : c == '[' ? ']' : '}');
    if (c == ')' || c == ']' || c == '}') {
      if (open.empty() || open.back() != c)
        return templateError(line, fmt::format("unexpected '{}'", c));
      open.pop_back();
    }
    add(Token::Operator, rest().substr(0, 1));
    advance(1);
    return {};
  }

  static std::string printable(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7f ? std::string(1, c) : fmt::format("\\x{:02x}", byte);
  }

  std::string_view source;
  size_t position = 0;
  uint32_t line = 1;
  bool stripFollowing = false; ///< The last tag ended with '-'.
  bool lineStart = false;      ///< A newline was just trimmed, so that a line starts here.
  std::vector<Token> tokens;
};

} // namespace

Status templateError(uint32_t line, std::string_view message) {
  return Status(StatusCode::InvalidArgument,
                fmt::format("chat template, line {}: {}", line, message));
}

Expected<std::vector<Token>> tokenize(std::string_view source) {
  const std::string text = normalizeNewlines(source);
  return Lexer(text).run();
}

} // namespace relax::llm::jinja
