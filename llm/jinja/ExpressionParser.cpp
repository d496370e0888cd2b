#include "llm/jinja/ExpressionParser.h"

#include "llm/jinja/Parser.h"

#include <fmt/format.h>

#include <algorithm>

namespace relax::llm::jinja {
namespace {

ExpressionPtr make(Expression::Kind kind, uint32_t line, std::string name = {}) {
  auto expression = std::make_unique<Expression>();
  expression->kind = kind;
  expression->line = line;
  expression->name = std::move(name);
  return expression;
}

ExpressionPtr makeConstant(uint32_t line, Value value) {
  auto expression = make(Expression::Constant, line);
  expression->constant = std::move(value);
  return expression;
}

std::string describe(const Token &token) {
  switch (token.kind) {
  case Token::Text:
    return "text";
  case Token::BlockBegin:
    return "'{%'";
  case Token::BlockEnd:
    return "'%}'";
  case Token::VariableBegin:
    return "'{{'";
  case Token::VariableEnd:
    return "'}}'";
  case Token::String:
    return "a string";
  case Token::End:
    return "the end of the template";
  default:
    return fmt::format("'{}'", token.text);
  }
}

/// Counts how deep the parser is in itself.
class Nested {
public:
  explicit Nested(unsigned &depth) : depth(depth) { ++depth; }
  ~Nested() { --depth; }
  Nested(const Nested &) = delete;
  Nested &operator=(const Nested &) = delete;

private:
  unsigned &depth;
};

} // namespace

bool ExpressionParser::acceptOperator(std::string_view text) {
  if (!atOperator(text))
    return false;
  next();
  return true;
}

bool ExpressionParser::acceptName(std::string_view text) {
  if (!atName(text))
    return false;
  next();
  return true;
}

Status ExpressionParser::expectOperator(std::string_view text) {
  return acceptOperator(text) ? Status() : unexpected(fmt::format("'{}'", text));
}

Expected<std::string> ExpressionParser::expectName(std::string_view purpose) {
  if (peek().kind != Token::Name)
    return unexpected(purpose);
  return next().text;
}

Status ExpressionParser::unexpected(std::string_view expected) const {
  return templateError(peek().line,
                       fmt::format("found {}, expected {}", describe(peek()), expected));
}

Status ExpressionParser::enter() {
  if (nesting <= maxNesting)
    return {};
  return templateError(peek().line,
                       fmt::format("expressions nest deeper than {} levels", maxNesting));
}

Expected<ExpressionPtr> ExpressionParser::parseTuple() {
  const uint32_t line = peek().line;
  JINJA_TRY(first, parseExpression());
  if (!atOperator(","))
    return std::move(first);
  auto list = make(Expression::ListOf, line);
  list->operands.push_back(std::move(first));
  while (acceptOperator(",")) {
    if (peek().kind == Token::BlockEnd || peek().kind == Token::VariableEnd || atOperator(")"))
      break;
    JINJA_TRY(element, parseExpression());
    list->operands.push_back(std::move(element));
  }
  return list;
}

Expected<ExpressionPtr> ExpressionParser::parseTernary() {
  const Nested nested(nesting);
  RELAX_RETURN_IF_ERROR(enter());
  JINJA_TRY(value, parseOr());
  while (atName("if")) {
    auto ternary = make(Expression::Ternary, next().line);
    JINJA_TRY(condition, parseOr());
    ternary->operands.push_back(std::move(condition));
    ternary->operands.push_back(std::move(value));
    ternary->operands.push_back(nullptr);
    if (acceptName("else")) {
      JINJA_TRY(otherwise, parseTernary());
      ternary->operands[2] = std::move(otherwise);
    }
    value = std::move(ternary);
  }
  return std::move(value);
}

/// A chain of operators of one precedence that group to the left.
Expected<ExpressionPtr> ExpressionParser::parseLeft(Parse operand,
                                                    std::span<const std::string_view> operators) {
  JINJA_TRY(left, (this->*operand)());
  unsigned length = 0;
  while ((peek().kind == Token::Operator || peek().kind == Token::Name) &&
         std::ranges::find(operators, peek().text) != operators.end()) {
    // The tree leans to the left, as deep as the chain is long.
    if (++length > maxNesting)
      return templateError(peek().line, fmt::format("more than {} operators in a row", maxNesting));
    auto binary = make(Expression::Binary, peek().line, peek().text);
    next();
    JINJA_TRY(right, (this->*operand)());
    binary->operands.push_back(std::move(left));
    binary->operands.push_back(std::move(right));
    left = std::move(binary);
  }
  return std::move(left);
}

Expected<ExpressionPtr> ExpressionParser::parseOr() {
  static constexpr std::string_view operators[] = {"or"};
  return parseLeft(&ExpressionParser::parseAnd, operators);
}

Expected<ExpressionPtr> ExpressionParser::parseAnd() {
  static constexpr std::string_view operators[] = {"and"};
  return parseLeft(&ExpressionParser::parseNot, operators);
}

Expected<ExpressionPtr> ExpressionParser::parseNot() {
  const Nested nested(nesting);
  RELAX_RETURN_IF_ERROR(enter());
  if (!atName("not"))
    return parseCompare();
  auto negation = make(Expression::Unary, next().line, "not");
  JINJA_TRY(operand, parseNot());
  negation->operands.push_back(std::move(operand));
  return negation;
}

/// The comparison operator at the current token, stepped over; empty if there is none.
std::string ExpressionParser::comparisonHere() {
  if (peek().kind == Token::Operator) {
    static constexpr std::string_view operators[] = {"==", "!=", "<", "<=", ">", ">="};
    const bool found = std::ranges::find(operators, peek().text) != std::end(operators);
    return found ? next().text : std::string();
  }
  if (acceptName("in"))
    return "in";
  if (atName("not") && peek(1).kind == Token::Name && peek(1).text == "in") {
    next();
    next();
    return "not in";
  }
  return {};
}

Expected<ExpressionPtr> ExpressionParser::parseCompare() {
  const uint32_t line = peek().line;
  JINJA_TRY(first, parseSum());
  std::string comparison = comparisonHere();
  if (comparison.empty())
    return std::move(first);
  auto compare = make(Expression::Compare, line);
  compare->operands.push_back(std::move(first));
  for (; !comparison.empty(); comparison = comparisonHere()) {
    JINJA_TRY(operand, parseSum());
    compare->comparisons.push_back(std::move(comparison));
    compare->operands.push_back(std::move(operand));
  }
  return compare;
}

Expected<ExpressionPtr> ExpressionParser::parseSum() {
  static constexpr std::string_view operators[] = {"+", "-"};
  return parseLeft(&ExpressionParser::parseConcat, operators);
}

Expected<ExpressionPtr> ExpressionParser::parseConcat() {
  static constexpr std::string_view operators[] = {"~"};
  return parseLeft(&ExpressionParser::parseProduct, operators);
}

Expected<ExpressionPtr> ExpressionParser::parseProduct() {
  static constexpr std::string_view operators[] = {"*", "/", "//", "%"};
  return parseLeft(&ExpressionParser::parsePower, operators);
}

Expected<ExpressionPtr> ExpressionParser::parsePower() {
  static constexpr std::string_view operators[] = {"**"};
  return parseLeft(&ExpressionParser::parseUnary, operators);
}

Expected<ExpressionPtr> ExpressionParser::parseUnary(bool withFilters) {
  const Nested nested(nesting);
  RELAX_RETURN_IF_ERROR(enter());
  ExpressionPtr expression;
  if (atOperator("-") || atOperator("+")) {
    expression = make(Expression::Unary, peek().line, peek().text);
    next();
    JINJA_TRY(operand, parseUnary(false));
    expression->operands.push_back(std::move(operand));
  } else {
    JINJA_TRY(primary, parsePrimary());
    expression = std::move(primary);
  }
  JINJA_TRY(postfix, parsePostfix(std::move(expression)));
  return withFilters ? parseFilters(std::move(postfix)) : std::move(postfix);
}

Expected<ExpressionPtr> ExpressionParser::parsePrimary() {
  const Token &token = peek();
  const uint32_t line = token.line;
  if (token.kind == Token::Name) {
    const std::string name = next().text;
    if (name == "true" || name == "True" || name == "false" || name == "False")
      return makeConstant(line, Value::boolean(name[0] == 't' || name[0] == 'T'));
    if (name == "none" || name == "None")
      return makeConstant(line, Value::none());
    return make(Expression::Name, line, name);
  }
  if (token.kind == Token::String) {
    std::string text;
    while (peek().kind == Token::String)
      text += next().text;
    return makeConstant(line, Value::string(std::move(text)));
  }
  if (token.kind == Token::Integer)
    return makeConstant(line, Value::integer(next().integer));
  if (token.kind == Token::Float)
    return makeConstant(line, Value::number(next().number));
  if (atOperator("("))
    return parseParenthesis();
  if (atOperator("["))
    return parseList();
  if (atOperator("{"))
    return parseDict();
  return unexpected("an expression");
}

Expected<ExpressionPtr> ExpressionParser::parseParenthesis() {
  const uint32_t line = next().line;
  if (acceptOperator(")"))
    return make(Expression::ListOf, line);
  JINJA_TRY(inner, parseTuple());
  RELAX_RETURN_IF_ERROR(expectOperator(")"));
  return std::move(inner);
}

Expected<ExpressionPtr> ExpressionParser::parseList() {
  auto list = make(Expression::ListOf, next().line);
  while (!acceptOperator("]")) {
    if (!list->operands.empty()) {
      RELAX_RETURN_IF_ERROR(expectOperator(","));
      if (acceptOperator("]"))
        break;
    }
    JINJA_TRY(element, parseExpression());
    list->operands.push_back(std::move(element));
  }
  return list;
}

Expected<ExpressionPtr> ExpressionParser::parseDict() {
  auto dict = make(Expression::DictOf, next().line);
  while (!acceptOperator("}")) {
    if (!dict->operands.empty()) {
      RELAX_RETURN_IF_ERROR(expectOperator(","));
      if (acceptOperator("}"))
        break;
    }
    JINJA_TRY(key, parseExpression());
    RELAX_RETURN_IF_ERROR(expectOperator(":"));
    JINJA_TRY(value, parseExpression());
    dict->operands.push_back(std::move(key));
    dict->operands.push_back(std::move(value));
  }
  return dict;
}

Expected<std::vector<Argument>> ExpressionParser::parseArguments() {
  std::vector<Argument> arguments;
  while (!acceptOperator(")")) {
    if (!arguments.empty()) {
      RELAX_RETURN_IF_ERROR(expectOperator(","));
      if (acceptOperator(")"))
        break;
    }
    Argument argument;
    if (peek().kind == Token::Name && peek(1).kind == Token::Operator && peek(1).text == "=") {
      argument.name = next().text;
      next();
    } else if (!arguments.empty() && !arguments.back().name.empty()) {
      return unexpected("an argument with a name, as the one before it");
    }
    JINJA_TRY(value, parseExpression());
    argument.value = std::move(value);
    arguments.push_back(std::move(argument));
  }
  return arguments;
}

Expected<ExpressionPtr> ExpressionParser::parsePostfix(ExpressionPtr operand) {
  for (unsigned length = 0; atOperator(".") || atOperator("[") || atOperator("("); ++length) {
    if (length == maxNesting)
      return templateError(peek().line, fmt::format("more than {} accesses in a row", maxNesting));
    const uint32_t line = peek().line;
    if (acceptOperator(".")) {
      if (peek().kind == Token::Integer) {
        auto item = make(Expression::Item, line);
        item->operands.push_back(std::move(operand));
        item->operands.push_back(makeConstant(line, Value::integer(next().integer)));
        operand = std::move(item);
        continue;
      }
      JINJA_TRY(name, expectName("a name after '.'"));
      auto attribute = make(Expression::Attribute, line, name);
      attribute->operands.push_back(std::move(operand));
      operand = std::move(attribute);
    } else if (acceptOperator("[")) {
      JINJA_TRY(subscript, parseSubscript(std::move(operand)));
      operand = std::move(subscript);
    } else {
      next();
      auto call = make(Expression::Call, line);
      call->operands.push_back(std::move(operand));
      JINJA_TRY(arguments, parseArguments());
      call->arguments = std::move(arguments);
      operand = std::move(call);
    }
  }
  return operand;
}

/// "[" has been read: an item or a slice, up to and with "]".
Expected<ExpressionPtr> ExpressionParser::parseSubscript(ExpressionPtr operand) {
  const uint32_t line = peek().line;
  std::vector<ExpressionPtr> parts;
  bool isSlice = false;
  parts.push_back(nullptr);
  while (!atOperator("]")) {
    if (acceptOperator(":")) {
      isSlice = true;
      parts.push_back(nullptr);
      continue;
    }
    if (parts.back() || parts.size() > 3)
      return unexpected("']'");
    JINJA_TRY(part, parseExpression());
    parts.back() = std::move(part);
  }
  if (parts.size() > 3 || (!isSlice && !parts[0]))
    return unexpected(isSlice ? "a slice with at most two ':'" : "an index");
  next();
  auto subscript = make(isSlice ? Expression::Slice : Expression::Item, line);
  subscript->operands.push_back(std::move(operand));
  for (ExpressionPtr &part : parts)
    subscript->operands.push_back(std::move(part));
  if (isSlice)
    subscript->operands.resize(4);
  return subscript;
}

Expected<ExpressionPtr> ExpressionParser::parseFilters(ExpressionPtr operand) {
  for (unsigned length = 0;; ++length) {
    if (length == maxNesting)
      return templateError(peek().line, fmt::format("more than {} filters in a row", maxNesting));
    if (atOperator("|")) {
      auto filter = make(Expression::Filter, next().line);
      JINJA_TRY(name, expectName("the name of a filter"));
      filter->name = std::move(name);
      filter->operands.push_back(std::move(operand));
      if (acceptOperator("(")) {
        JINJA_TRY(arguments, parseArguments());
        filter->arguments = std::move(arguments);
      }
      operand = std::move(filter);
    } else if (atName("is")) {
      JINJA_TRY(test, parseTest(std::move(operand)));
      operand = std::move(test);
    } else if (atOperator("(")) {
      JINJA_TRY(call, parsePostfix(std::move(operand)));
      operand = std::move(call);
    } else {
      return operand;
    }
  }
}

/// `is [not] name`, with arguments in parentheses or one argument without.
Expected<ExpressionPtr> ExpressionParser::parseTest(ExpressionPtr operand) {
  auto test = make(Expression::Test, next().line);
  const bool negated = acceptName("not");
  JINJA_TRY(name, expectName("the name of a test"));
  test->name = std::move(name);
  test->operands.push_back(std::move(operand));
  const Token &following = peek();
  const bool isKeyword = atName("else") || atName("or") || atName("and") || atName("is") ||
                         atName("if") || atName("in") || atName("not");
  const bool startsOperand = following.kind == Token::String || following.kind == Token::Integer ||
                             following.kind == Token::Float || atOperator("[") || atOperator("{") ||
                             (following.kind == Token::Name && !isKeyword);
  if (acceptOperator("(")) {
    JINJA_TRY(arguments, parseArguments());
    test->arguments = std::move(arguments);
  } else if (startsOperand) {
    JINJA_TRY(primary, parsePrimary());
    JINJA_TRY(argument, parsePostfix(std::move(primary)));
    test->arguments.push_back({"", std::move(argument)});
  }
  if (!negated)
    return test;
  auto negation = make(Expression::Unary, test->line, "not");
  negation->operands.push_back(std::move(test));
  return negation;
}

} // namespace relax::llm::jinja
