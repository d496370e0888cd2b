//===- Parse.cpp - expressions from text ------------------------------------------------------===//
//
//   sum     = product (('+' | '-') product)*
//   product = factor ('*' factor)*
//   factor  = '-' factor | integer | symbol | function '(' sum (',' sum)* ')' | '(' sum ')'
//
// A minus directly before digits belongs to the integer, so that -9223372036854775808 can be read.
// Nesting and length are limited, so that no text can exhaust the stack or the memory.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

#include <charconv>

namespace relax::symbolic {
using namespace detail;

static constexpr int maxDepth = 200;
static constexpr size_t maxTokens = 4096;

// Not those of <cctype>, whose answers depend on the locale.
static bool isDigit(char c) { return c >= '0' && c <= '9'; }
static bool isNameStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
static bool isNamePart(char c) { return isNameStart(c) || isDigit(c) || c == '.' || c == '$'; }

static std::optional<Kind> functionKind(std::string_view name) {
  if (name == "floordiv")
    return Kind::FloorDiv;
  if (name == "ceildiv")
    return Kind::CeilDiv;
  if (name == "mod")
    return Kind::Mod;
  if (name == "min")
    return Kind::Min;
  if (name == "max")
    return Kind::Max;
  return std::nullopt;
}

bool Context::isSymbolName(std::string_view name) {
  if (name.empty() || !isNameStart(name[0]) || functionKind(name))
    return false;
  for (char c : name)
    if (!isNamePart(c))
      return false;
  return true;
}

namespace {

/// A null Expr means that `message` is set, and that everyone up to the start gives up.
class Parser {
public:
  Parser(Context &context, std::string_view text) : context(context), text(text) { advance(); }

  Expr parse() {
    Expr expr = parseSum();
    if (expr && !token.empty())
      return fail("expected '+', '-', '*' or end of text");
    return expr;
  }
  [[nodiscard]] const std::string &error() const { return message; }

private:
  /// Moves to the next token; empty at the end.
  void advance() {
    position += token.size();
    while (position < text.size() && (text[position] == ' ' || text[position] == '\t' ||
                                      text[position] == '\n' || text[position] == '\r'))
      ++position;
    size_t length = position < text.size() ? 1 : 0;
    if (length && isNameStart(text[position]))
      while (position + length < text.size() && isNamePart(text[position + length]))
        ++length;
    else if (length && isDigit(text[position]))
      while (position + length < text.size() && isDigit(text[position + length]))
        ++length;
    token = text.substr(position, length);
    ++tokens;
  }

  bool accept(std::string_view expected) {
    if (token != expected)
      return false;
    advance();
    return true;
  }

  Expr fail(const std::string &expected) {
    if (!message.empty())
      return Expr();
    std::string found = "end of text";
    if (!token.empty())
      found = "'" + std::string(token.substr(0, 40)) + (token.size() > 40 ? "...'" : "'");
    return failPlainly(expected + ", found " + found);
  }
  Expr failPlainly(const std::string &what) {
    if (message.empty())
      message = "column " + std::to_string(position + 1) + ": " + what;
    return Expr();
  }

  Expr parseSum() {
    Expr sum = parseProduct();
    while (sum && (token == "+" || token == "-")) {
      bool minus = token == "-";
      advance();
      Expr operand = parseProduct();
      if (!operand)
        return Expr();
      sum = minus ? context.sub(sum, operand) : context.add(sum, operand);
    }
    return sum;
  }

  Expr parseProduct() {
    Expr product = parseFactor();
    while (product && accept("*")) {
      Expr operand = parseFactor();
      product = operand ? context.mul(product, operand) : Expr();
    }
    return product;
  }

  Expr parseFactor() {
    if (depth >= maxDepth)
      return failPlainly("nested deeper than " + std::to_string(maxDepth) + " levels");
    if (tokens > maxTokens)
      return failPlainly("longer than " + std::to_string(maxTokens) + " symbols and operators");
    ++depth;
    Expr factor = parseFactorInside();
    --depth;
    return factor;
  }

  Expr parseFactorInside() {
    if (token == "-") {
      size_t minus = position;
      advance();
      if (!token.empty() && isDigit(token[0]) && position == minus + 1)
        return parseInteger(true);
      Expr operand = parseFactor();
      return operand ? context.mul(context.constant(-1), operand) : Expr();
    }
    if (!token.empty() && isDigit(token[0]))
      return parseInteger(false);
    if (!token.empty() && isNameStart(token[0]))
      return parseName();
    if (!accept("("))
      return fail("expected an integer, a symbol, a function or '('");
    Expr inner = parseSum();
    if (inner && !accept(")"))
      return fail("expected ')'");
    return inner;
  }

  Expr parseInteger(bool negative) {
    std::string digits = (negative ? "-" : "") + std::string(token);
    int64_t value = 0;
    auto result = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (result.ec != std::errc())
      return fail("expected an integer of 64 bits");
    advance();
    return context.constant(value);
  }

  Expr parseName() {
    std::string_view name = token;
    std::optional<Kind> kind = functionKind(name);
    advance();
    if (!kind)
      return context.symbol(name);
    if (!accept("("))
      return fail("expected '(' after " + std::string(name));
    bool isDivision = kind != Kind::Min && kind != Kind::Max;
    std::vector<Expr> arguments;
    do {
      if (isDivision && arguments.size() == 2)
        return failPlainly(std::string(name) + " takes 2 arguments, found more");
      arguments.push_back(parseSum());
      if (!arguments.back())
        return Expr();
    } while (accept(","));
    if (token != ")")
      return fail("expected ',' or ')'");
    if (arguments.size() < 2)
      return failPlainly(std::string(name) + " takes 2 arguments" + (isDivision ? "" : " or more") +
                         ", found 1");
    advance();
    return rebuild(context, *kind, arguments);
  }

  Context &context;
  std::string_view text, token;
  size_t position = 0, tokens = 0;
  int depth = 0;
  std::string message;
};

} // namespace

Expr Context::parse(std::string_view text, std::string *error) {
  Parser parser(*this, text);
  Expr expr = parser.parse();
  if (!expr && error)
    *error = parser.error();
  return expr;
}

} // namespace relax::symbolic
