//===- Ast.h - a parsed template --------------------------------------------------------------===//
//
// Plain trees of expressions and statements. One struct for all expressions and one for all
// statements: their kinds differ in little more than how many operands they have.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/jinja/Value.h"

#include <memory>
#include <string>
#include <vector>

namespace relax::llm::jinja {

struct Expression;
using ExpressionPtr = std::unique_ptr<Expression>;

/// An argument of a call, filter or test; without a name it is positional.
struct Argument {
  std::string name;
  ExpressionPtr value;
};

struct Expression {
  enum Kind : uint8_t {
    Constant,  ///< `constant`
    Name,      ///< `name`
    ListOf,    ///< [operands…]; also (a, b)
    DictOf,    ///< {operands[0]: operands[1], …}
    Attribute, ///< operands[0].name
    Item,      ///< operands[0][operands[1]]
    Slice,     ///< operands[0][operands[1]:operands[2]:operands[3]]; null where left out
    Call,      ///< operands[0](arguments)
    Filter,    ///< operands[0] | name(arguments)
    Test,      ///< operands[0] is name(arguments)
    Unary,     ///< name operands[0]: "-", "+", "not"
    Binary,    ///< operands[0] name operands[1], "and" and "or" included
    Compare,   ///< operands[0] comparisons[0] operands[1] comparisons[1] operands[2] …
    Ternary    ///< operands[1] if operands[0] else operands[2] (null: undefined)
  };
  Kind kind = Constant;
  uint32_t line = 1;
  std::string name;
  Value constant;
  std::vector<ExpressionPtr> operands;
  std::vector<Argument> arguments;
  std::vector<std::string> comparisons;
};

struct Statement;
using Block = std::vector<Statement>;

struct Statement {
  enum Kind : uint8_t {
    Text,     ///< `text`
    Output,   ///< {{ expression }}
    If,       ///< if expression: body; else otherwise (an elif is an If alone in `otherwise`)
    For,      ///< for names in expression [if condition]: body; else otherwise
    Set,      ///< set names = expression; without expression: the text of body
    SetField, ///< set names[0].names[1] = expression
    Macro,    ///< macro names[0](parameters): body
    Scope,    ///< body, with variables of its own
    Break,
    Continue
  };
  Kind kind = Text;
  uint32_t line = 1;
  std::string text;
  std::vector<std::string> names;
  ExpressionPtr expression, condition;
  std::vector<Argument> parameters; ///< Of a macro, with default values or null.
  Block body, otherwise;
};

} // namespace relax::llm::jinja
