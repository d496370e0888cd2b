// The expressions of Interpreter.
#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Interpreter.h"
#include "llm/jinja/Operators.h"

#include <fmt/format.h>

namespace relax::llm::jinja {
namespace {

/// Levels of the expression trees that are being evaluated, those of calling macros included.
constexpr unsigned maxExpressionDepth = 500;
/// Lists and dicts inside each other.
constexpr size_t maxValueDepth = 100;

} // namespace

Expected<Value> Interpreter::evaluate(const Expression &expression) {
  ++steps;
  RELAX_RETURN_IF_ERROR(charge(0, expression.line));
  if (++depth > maxExpressionDepth) {
    --depth;
    return templateError(expression.line, "expressions nest too deep");
  }
  auto value = evaluateKind(expression);
  --depth;
  if (!value)
    return value;
  if (value->depth() > maxValueDepth)
    return templateError(expression.line,
                         fmt::format("lists nest deeper than {} levels", maxValueDepth));
  if (value->weight() > limits.value)
    return templateError(expression.line,
                         fmt::format("a value is larger than {} bytes", limits.value));
  return value;
}

Expected<Value> Interpreter::evaluateKind(const Expression &expression) {
  switch (expression.kind) {
  case Expression::Constant:
    return expression.constant;
  case Expression::Name:
    return lookup(expression.name);
  case Expression::ListOf: {
    List list;
    for (const ExpressionPtr &operand : expression.operands) {
      JINJA_TRY(value, evaluate(*operand));
      list.push_back(std::move(value));
    }
    return Value::list(std::move(list));
  }
  case Expression::DictOf:
    return evaluateDict(expression);
  case Expression::Attribute: {
    JINJA_TRY(object, evaluate(*expression.operands[0]));
    if (object.isUndefined())
      return templateError(expression.line, fmt::format("'{}' is undefined, it has no '{}'",
                                                        object.undefinedHint(), expression.name));
    return attribute(object, expression.name);
  }
  case Expression::Item:
    return evaluateItem(expression);
  case Expression::Slice:
    return evaluateSlice(expression);
  case Expression::Call:
    return evaluateCall(expression);
  case Expression::Filter: {
    JINJA_TRY(input, evaluate(*expression.operands[0]));
    JINJA_TRY(arguments, evaluateArguments(expression));
    return applyFilter(expression.name, input, arguments);
  }
  case Expression::Test: {
    JINJA_TRY(input, evaluate(*expression.operands[0]));
    JINJA_TRY(arguments, evaluateArguments(expression));
    JINJA_TRY(holds, applyTest(expression.name, input, arguments));
    return Value::boolean(holds);
  }
  case Expression::Unary:
    return evaluateUnary(expression);
  case Expression::Binary:
    return evaluateBinary(expression);
  case Expression::Compare:
    return evaluateCompare(expression);
  case Expression::Ternary: {
    JINJA_TRY(condition, evaluate(*expression.operands[0]));
    if (condition.truthy())
      return evaluate(*expression.operands[1]);
    return expression.operands[2] ? evaluate(*expression.operands[2])
                                  : Value::undefined("an 'if' without 'else'");
  }
  }
  return Value();
}

Expected<Value> Interpreter::evaluateDict(const Expression &expression) {
  Dict dict;
  for (size_t i = 0; i < expression.operands.size(); i += 2) {
    JINJA_TRY(key, evaluate(*expression.operands[i]));
    JINJA_TRY(value, evaluate(*expression.operands[i + 1]));
    if (!key.isString())
      return templateError(expression.line,
                           fmt::format("a dict's key is {}, expected a string", key.typeName()));
    dict.set(key.asString(), std::move(value));
  }
  return Value::dict(std::move(dict));
}

Expected<Value> Interpreter::evaluateItem(const Expression &expression) {
  JINJA_TRY(object, evaluate(*expression.operands[0]));
  JINJA_TRY(key, evaluate(*expression.operands[1]));
  if (object.isUndefined())
    return templateError(expression.line, fmt::format("'{}' is undefined", object.undefinedHint()));
  if (key.isString())
    return attribute(object, key.asString());
  if (!key.isInteger() && !key.isBool())
    return Value::undefined(key.str());
  const int64_t index = key.asInteger();
  if (object.isString()) {
    RELAX_RETURN_IF_ERROR(charge(object.weight(), expression.line));
    JINJA_TRY(character, slice(object, index, index == -1 ? std::nullopt : std::optional(index + 1),
                               std::nullopt, expression.line));
    return character.asString().empty() ? Value::undefined(key.str()) : std::move(character);
  }
  if (!object.isList())
    return Value::undefined(key.str());
  const auto size = static_cast<int64_t>(object.asList().size());
  const int64_t position = index < 0 ? index + size : index;
  if (position < 0 || position >= size)
    return Value::undefined(fmt::format("element {} of {}", index, size));
  Value element = object.asList()[static_cast<size_t>(position)];
  return element;
}

Expected<Value> Interpreter::evaluateSlice(const Expression &expression) {
  JINJA_TRY(object, evaluate(*expression.operands[0]));
  std::optional<int64_t> bounds[3];
  for (size_t i = 0; i < 3; ++i) {
    const ExpressionPtr &operand = expression.operands[i + 1];
    if (!operand)
      continue;
    JINJA_TRY(bound, evaluate(*operand));
    if (bound.isNone())
      continue;
    if (!bound.isInteger() && !bound.isBool())
      return templateError(
          expression.line,
          fmt::format("a slice's bound is {}, expected an integer", bound.typeName()));
    bounds[i] = bound.asInteger();
  }
  RELAX_RETURN_IF_ERROR(charge(object.weight(), expression.line));
  return slice(object, bounds[0], bounds[1], bounds[2], expression.line);
}

Expected<Value> Interpreter::evaluateCall(const Expression &expression) {
  const Expression &callee = *expression.operands[0];
  if (callee.kind == Expression::Attribute) {
    JINJA_TRY(object, evaluate(*callee.operands[0]));
    if (object.isUndefined())
      return templateError(expression.line, fmt::format("'{}' is undefined, it has no '{}'",
                                                        object.undefinedHint(), callee.name));
    JINJA_TRY(arguments, evaluateArguments(expression));
    if (const Builtin *method = findMethod(object, callee.name))
      return method->function(*this, object, arguments);
    const Value function = attribute(object, callee.name);
    if (function.isCallable())
      return function.asCallable()->call(*this, arguments);
    return templateError(expression.line,
                         fmt::format("{} has no method '{}'", object.typeName(), callee.name));
  }
  JINJA_TRY(function, evaluate(callee));
  if (function.isUndefined())
    return templateError(expression.line,
                         fmt::format("'{}' is undefined", function.undefinedHint()));
  if (!function.isCallable())
    return templateError(expression.line, fmt::format("{} cannot be called", function.typeName()));
  JINJA_TRY(arguments, evaluateArguments(expression));
  return function.asCallable()->call(*this, arguments);
}

Expected<Arguments> Interpreter::evaluateArguments(const Expression &expression) {
  Arguments arguments;
  arguments.line = expression.line;
  for (const Argument &argument : expression.arguments) {
    JINJA_TRY(value, evaluate(*argument.value));
    if (argument.name.empty())
      arguments.positional.push_back(std::move(value));
    else
      arguments.named.emplace_back(argument.name, std::move(value));
  }
  return arguments;
}

Expected<Value> Interpreter::evaluateUnary(const Expression &expression) {
  JINJA_TRY(operand, evaluate(*expression.operands[0]));
  if (expression.name == "not")
    return Value::boolean(!operand.truthy());
  return applyBinary(*this, expression.name, Value::integer(0), operand, expression.line);
}

Expected<Value> Interpreter::evaluateBinary(const Expression &expression) {
  JINJA_TRY(left, evaluate(*expression.operands[0]));
  if (expression.name == "and")
    return left.truthy() ? evaluate(*expression.operands[1]) : std::move(left);
  if (expression.name == "or")
    return left.truthy() ? std::move(left) : evaluate(*expression.operands[1]);
  JINJA_TRY(right, evaluate(*expression.operands[1]));
  return applyBinary(*this, expression.name, left, right, expression.line);
}

Expected<Value> Interpreter::evaluateCompare(const Expression &expression) {
  JINJA_TRY(left, evaluate(*expression.operands[0]));
  for (size_t i = 0; i < expression.comparisons.size(); ++i) {
    JINJA_TRY(right, evaluate(*expression.operands[i + 1]));
    RELAX_RETURN_IF_ERROR(charge(std::max(left.weight(), right.weight()), expression.line));
    JINJA_TRY(holds, applyComparison(expression.comparisons[i], left, right, expression.line));
    if (!holds)
      return Value::boolean(false);
    left = std::move(right);
  }
  return Value::boolean(true);
}

} // namespace relax::llm::jinja
