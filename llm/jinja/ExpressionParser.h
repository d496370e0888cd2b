//===- ExpressionParser.h - expressions by recursive descent ----------------------------------===//
//
// Precedence, loosest first, as in Jinja2:
//   a if b else c  <  or  <  and  <  not  <  == != < <= > >= in (chained)  <  + -  <  ~
//   <  * / // %  <  **  <  unary - +  <  .name [item] (call)  <  | filter, is test
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/jinja/Ast.h"
#include "llm/jinja/Lexer.h"
#include "runtime/support/Status.h"

#include <span>
#include <string_view>
#include <utility>

namespace relax::llm::jinja {

/// A place in the tokens of a template, and the parsing of one expression from there.
class ExpressionParser {
public:
  explicit ExpressionParser(std::vector<Token> tokens) : tokens(std::move(tokens)) {}

  [[nodiscard]] const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(position + ahead, tokens.size() - 1)];
  }
  const Token &next() { return tokens[position + 1 < tokens.size() ? position++ : position]; }
  [[nodiscard]] bool at(Token::Kind kind, std::string_view text) const {
    return peek().kind == kind && peek().text == text;
  }
  [[nodiscard]] bool atOperator(std::string_view text) const { return at(Token::Operator, text); }
  [[nodiscard]] bool atName(std::string_view text) const { return at(Token::Name, text); }
  bool acceptOperator(std::string_view text);
  bool acceptName(std::string_view text);
  Status expectOperator(std::string_view text);
  /// The name at the current token, behind which it goes on.
  Expected<std::string> expectName(std::string_view purpose);
  /// An error at the current token: "found …, expected …".
  [[nodiscard]] Status unexpected(std::string_view expected) const;

  Expected<ExpressionPtr> parseExpression() { return parseTernary(); }
  /// Several expressions with commas between become a list, as a tuple without parentheses does.
  Expected<ExpressionPtr> parseTuple();
  /// An expression without "a if b else c" at its top, for `for x in …`.
  Expected<ExpressionPtr> parseCondition() { return parseOr(); }
  /// "(" has been read: arguments up to and with ")".
  Expected<std::vector<Argument>> parseArguments();

private:
  using Parse = Expected<ExpressionPtr> (ExpressionParser::*)();

  Expected<ExpressionPtr> parseTernary();
  Expected<ExpressionPtr> parseOr();
  Expected<ExpressionPtr> parseAnd();
  Expected<ExpressionPtr> parseNot();
  Expected<ExpressionPtr> parseCompare();
  Expected<ExpressionPtr> parseSum();
  Expected<ExpressionPtr> parseConcat();
  Expected<ExpressionPtr> parseProduct();
  Expected<ExpressionPtr> parsePower();
  Expected<ExpressionPtr> parseUnary() { return parseUnary(true); }
  Expected<ExpressionPtr> parseUnary(bool withFilters);
  Expected<ExpressionPtr> parsePrimary();
  Expected<ExpressionPtr> parseParenthesis();
  Expected<ExpressionPtr> parseList();
  Expected<ExpressionPtr> parseDict();
  Expected<ExpressionPtr> parsePostfix(ExpressionPtr operand);
  Expected<ExpressionPtr> parseSubscript(ExpressionPtr operand);
  Expected<ExpressionPtr> parseFilters(ExpressionPtr operand);
  Expected<ExpressionPtr> parseTest(ExpressionPtr operand);
  Expected<ExpressionPtr> parseLeft(Parse operand, std::span<const std::string_view> operators);

  std::string comparisonHere();
  Status enter();

  std::vector<Token> tokens;
  size_t position = 0;
  unsigned nesting = 0;
};

/// `auto name = value of expression`, or leaves the enclosing function with its error.
// NOLINTBEGIN(bugprone-macro-parentheses): a name in a declaration takes none.
#define JINJA_TRY(name, expression)                                                                \
  auto name##OrError = (expression);                                                               \
  if (!name##OrError)                                                                              \
    return name##OrError.takeStatus();                                                             \
  auto name = std::move(*name##OrError)
// NOLINTEND(bugprone-macro-parentheses)

} // namespace relax::llm::jinja
