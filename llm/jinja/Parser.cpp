#include "llm/jinja/Parser.h"

#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Lexer.h"

#include <fmt/format.h>

#include <initializer_list>
#include <utility>

namespace relax::llm::jinja {
namespace {

class Parser {
public:
  explicit Parser(std::vector<Token> tokens) : expressions(std::move(tokens)) {}

  Expected<Block> run() {
    JINJA_TRY(block, parseBlock({}));
    if (expressions.peek().kind != Token::End)
      return expressions.unexpected("text or a statement");
    return std::move(block);
  }

private:
  using Names = std::initializer_list<std::string_view>;

  /// Statements up to `{% name`, name being one of `ends`, or to the end of the template. The name
  /// stays to be read.
  Expected<Block> parseBlock(Names ends) {
    Block block;
    for (;;) {
      const Token &token = expressions.peek();
      if (token.kind == Token::End)
        return block;
      Statement statement;
      statement.line = token.line;
      if (token.kind == Token::Text) {
        statement.text = expressions.next().text;
      } else if (token.kind == Token::VariableBegin) {
        expressions.next();
        statement.kind = Statement::Output;
        JINJA_TRY(value, expressions.parseTuple());
        statement.expression = std::move(value);
        RELAX_RETURN_IF_ERROR(expectEnd(Token::VariableEnd, "'}}'"));
      } else {
        expressions.next();
        for (const std::string_view end : ends)
          if (expressions.atName(end))
            return block;
        RELAX_RETURN_IF_ERROR(parseStatement(statement));
      }
      block.push_back(std::move(statement));
    }
  }

  Status expectEnd(Token::Kind kind, std::string_view text) {
    if (expressions.peek().kind != kind)
      return expressions.unexpected(text);
    expressions.next();
    return {};
  }
  Status expectBlockEnd() { return expectEnd(Token::BlockEnd, "'%}'"); }

  /// The name that closes the statement begun at `line`, then "%}".
  Status expectClosing(std::string_view name, std::string_view opening, uint32_t line) {
    if (!expressions.acceptName(name))
      return expressions.unexpected(
          fmt::format("'{{% {} %}}', which closes '{}' of line {}", name, opening, line));
    return expectBlockEnd();
  }

  /// The statement after "{%".
  Status parseStatement(Statement &statement) {
    if (depth >= maxNesting)
      return templateError(statement.line,
                           fmt::format("statements nest deeper than {} levels", maxNesting));
    ++depth;
    open.emplace_back(expressions.peek().text, statement.line);
    Status status = dispatchStatement(statement);
    open.pop_back();
    --depth;
    return status;
  }

  Status dispatchStatement(Statement &statement) {
    if (expressions.peek().kind != Token::Name)
      return expressions.unexpected("the name of a statement");
    const std::string name = expressions.peek().text;
    if (name == "if")
      return parseIf(statement);
    if (name == "for")
      return parseFor(statement);
    if (name == "set")
      return parseSet(statement);
    if (name == "macro")
      return parseMacro(statement);
    if (name == "generation")
      return parseGeneration(statement);
    if (name == "break" || name == "continue")
      return parseJump(statement);
    if (name.starts_with("end") && open.size() > 1) {
      const auto &[opening, line] = open[open.size() - 2];
      return expressions.unexpected(
          fmt::format("'{{% end{0} %}}', which closes '{0}' of line {1}", opening, line));
    }
    return expressions.unexpected("one of if, for, set, macro, generation, break, continue, raw");
  }

  Status parseIf(Statement &statement) {
    expressions.next();
    statement.kind = Statement::If;
    RELAX_RETURN_IF_ERROR(take(expressions.parseTuple(), statement.expression));
    RELAX_RETURN_IF_ERROR(expectBlockEnd());
    RELAX_RETURN_IF_ERROR(parseBody(statement.body, {"elif", "else", "endif"}));
    if (expressions.atName("elif")) {
      Statement inner;
      inner.line = expressions.peek().line;
      // The inner statement reads the `endif` of the whole chain.
      RELAX_RETURN_IF_ERROR(parseElif(inner));
      statement.otherwise.push_back(std::move(inner));
      return {};
    }
    if (expressions.acceptName("else")) {
      RELAX_RETURN_IF_ERROR(expectBlockEnd());
      RELAX_RETURN_IF_ERROR(parseBody(statement.otherwise, {"endif"}));
    }
    return expectClosing("endif", "if", statement.line);
  }

  Status parseElif(Statement &statement) {
    if (depth >= maxNesting)
      return templateError(statement.line, fmt::format("more than {} elif", maxNesting));
    ++depth;
    Status status = parseIf(statement);
    --depth;
    return status;
  }

  Status parseFor(Statement &statement) {
    expressions.next();
    statement.kind = Statement::For;
    const bool parenthesis = expressions.acceptOperator("(");
    do {
      JINJA_TRY(name, expressions.expectName("the name of a loop variable"));
      statement.names.push_back(name);
    } while (expressions.acceptOperator(","));
    if (parenthesis)
      RELAX_RETURN_IF_ERROR(expressions.expectOperator(")"));
    if (!expressions.acceptName("in"))
      return expressions.unexpected("'in'");
    RELAX_RETURN_IF_ERROR(take(expressions.parseCondition(), statement.expression));
    if (expressions.acceptName("if")) {
      RELAX_RETURN_IF_ERROR(take(expressions.parseExpression(), statement.condition));
    }
    if (expressions.atName("recursive"))
      return expressions.unexpected("'%}' (recursive loops are not supported)");
    RELAX_RETURN_IF_ERROR(expectBlockEnd());
    ++loops;
    Status body = parseBody(statement.body, {"else", "endfor"});
    --loops;
    RELAX_RETURN_IF_ERROR(std::move(body));
    if (expressions.acceptName("else")) {
      RELAX_RETURN_IF_ERROR(expectBlockEnd());
      RELAX_RETURN_IF_ERROR(parseBody(statement.otherwise, {"endfor"}));
    }
    return expectClosing("endfor", "for", statement.line);
  }

  Status parseSet(Statement &statement) {
    expressions.next();
    statement.kind = Statement::Set;
    do {
      JINJA_TRY(name, expressions.expectName("the name of a variable"));
      statement.names.push_back(name);
    } while (expressions.acceptOperator(","));
    if (statement.names.size() == 1 && expressions.acceptOperator(".")) {
      statement.kind = Statement::SetField;
      JINJA_TRY(field, expressions.expectName("the name of a field"));
      statement.names.push_back(field);
    }
    if (expressions.acceptOperator("=")) {
      RELAX_RETURN_IF_ERROR(take(expressions.parseTuple(), statement.expression));
      return expectBlockEnd();
    }
    if (statement.kind == Statement::SetField || statement.names.size() != 1)
      return expressions.unexpected("'='");
    RELAX_RETURN_IF_ERROR(expectBlockEnd());
    RELAX_RETURN_IF_ERROR(parseBody(statement.body, {"endset"}));
    return expectClosing("endset", "set", statement.line);
  }

  Status parseMacro(Statement &statement) {
    expressions.next();
    statement.kind = Statement::Macro;
    JINJA_TRY(name, expressions.expectName("the name of the macro"));
    statement.names.push_back(name);
    RELAX_RETURN_IF_ERROR(expressions.expectOperator("("));
    while (!expressions.acceptOperator(")")) {
      if (!statement.parameters.empty())
        RELAX_RETURN_IF_ERROR(expressions.expectOperator(","));
      Argument parameter;
      JINJA_TRY(parameterName, expressions.expectName("the name of a parameter"));
      parameter.name = parameterName;
      if (expressions.acceptOperator("=")) {
        RELAX_RETURN_IF_ERROR(take(expressions.parseExpression(), parameter.value));
      }
      statement.parameters.push_back(std::move(parameter));
    }
    RELAX_RETURN_IF_ERROR(expectBlockEnd());
    const unsigned outerLoops = std::exchange(loops, 0);
    Status body = parseBody(statement.body, {"endmacro"});
    loops = outerLoops;
    RELAX_RETURN_IF_ERROR(std::move(body));
    return expectClosing("endmacro", "macro", statement.line);
  }

  /// `{% generation %}` marks the assistant's words for training; here it is a scope.
  Status parseGeneration(Statement &statement) {
    expressions.next();
    statement.kind = Statement::Scope;
    RELAX_RETURN_IF_ERROR(expectBlockEnd());
    RELAX_RETURN_IF_ERROR(parseBody(statement.body, {"endgeneration"}));
    return expectClosing("endgeneration", "generation", statement.line);
  }

  Status parseJump(Statement &statement) {
    if (loops == 0)
      return expressions.unexpected("a statement that may stand outside of a loop");
    statement.kind = expressions.next().text == "break" ? Statement::Break : Statement::Continue;
    return expectBlockEnd();
  }

  Status parseBody(Block &body, Names ends) {
    auto block = parseBlock(ends);
    if (!block)
      return block.takeStatus();
    body = std::move(*block);
    return {};
  }

  static Status take(Expected<ExpressionPtr> from, ExpressionPtr &to) {
    if (!from)
      return from.takeStatus();
    to = std::move(*from);
    return {};
  }

  ExpressionParser expressions;
  std::vector<std::pair<std::string, uint32_t>> open; ///< Statements around, with their lines.
  unsigned depth = 0;
  unsigned loops = 0;
};

} // namespace

Expected<Block> parse(std::string_view source) {
  JINJA_TRY(tokens, tokenize(source));
  return Parser(std::move(tokens)).run();
}

} // namespace relax::llm::jinja
