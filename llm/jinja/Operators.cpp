#include "llm/jinja/Operators.h"

#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Lexer.h"
#include "llm/jinja/Strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relax::llm::jinja {
namespace {

Status wrongOperands(const std::string &op, const Value &left, const Value &right, uint32_t line) {
  for (const Value *operand : {&left, &right})
    if (operand->isUndefined())
      return templateError(line, fmt::format("'{}' is undefined", operand->undefinedHint()));
  return templateError(
      line, fmt::format("'{}' cannot combine {} and {}", op, left.typeName(), right.typeName()));
}

int64_t floorDivide(int64_t a, int64_t b) {
  const int64_t quotient = a / b;
  return a % b != 0 && (a < 0) != (b < 0) ? quotient - 1 : quotient;
}

Expected<Value> integerArithmetic(const std::string &op, int64_t a, int64_t b, uint32_t line) {
  int64_t result = 0;
  bool overflow = false;
  if (op == "+") {
    overflow = __builtin_add_overflow(a, b, &result);
  } else if (op == "-") {
    overflow = __builtin_sub_overflow(a, b, &result);
  } else if (op == "*") {
    overflow = __builtin_mul_overflow(a, b, &result);
  } else if (op == "**") {
    result = 1;
    for (int64_t i = 0; i < b && !overflow && !(a == 1 || (a == 0 && i > 0)); ++i) {
      if (a == -1)
        return Value::integer(b % 2 == 0 ? 1 : -1);
      overflow = __builtin_mul_overflow(result, a, &result);
    }
  } else {
    if (b == 0)
      return templateError(line, "division by zero");
    // The one quotient that has no int64 is -2^63 / -1.
    overflow = a == INT64_MIN && b == -1 && op == "//";
    if (!overflow)
      result = b == -1      ? (op == "//" ? -a : 0)
               : op == "//" ? floorDivide(a, b)
                            : a - floorDivide(a, b) * b;
  }
  if (overflow)
    return templateError(line, fmt::format("{} {} {} does not fit into 64 bits", a, op, b));
  return Value::integer(result);
}

Expected<Value> floatArithmetic(const std::string &op, double a, double b, uint32_t line) {
  if (op == "+")
    return Value::number(a + b);
  if (op == "-")
    return Value::number(a - b);
  if (op == "*")
    return Value::number(a * b);
  if (op == "**")
    return Value::number(std::pow(a, b));
  if (b == 0)
    return templateError(line, "division by zero");
  if (op == "/")
    return Value::number(a / b);
  return Value::number(op == "//" ? std::floor(a / b) : a - std::floor(a / b) * b);
}

/// string * integer, list * integer.
Expected<Value> repeat(Interpreter &interpreter, const Value &value, int64_t count, uint32_t line) {
  const size_t times = count > 0 ? static_cast<size_t>(count) : 0;
  size_t bytes = 0;
  if (__builtin_mul_overflow(value.weight(), times, &bytes))
    bytes = SIZE_MAX;
  RELAX_RETURN_IF_ERROR(interpreter.charge(bytes, line));
  if (value.isString()) {
    std::string text;
    text.reserve(value.asString().size() * times);
    for (size_t i = 0; i < times && !value.asString().empty(); ++i)
      text += value.asString();
    return Value::string(std::move(text));
  }
  List list;
  for (size_t i = 0; i < times && !value.asList().empty(); ++i)
    list.insert(list.end(), value.asList().begin(), value.asList().end());
  return Value::list(std::move(list));
}

Expected<bool> contains(const Value &container, const Value &element, uint32_t line) {
  if (container.isString()) {
    if (!element.isString())
      return wrongOperands("in", element, container, line);
    return container.asString().find(element.asString()) != std::string::npos;
  }
  if (container.isDict())
    return element.isString() && container.asDict().find(element.asString()) != nullptr;
  if (container.isList()) {
    for (const Value &candidate : container.asList())
      if (candidate == element)
        return true;
    return false;
  }
  return wrongOperands("in", element, container, line);
}

} // namespace

Expected<Value> applyBinary(Interpreter &interpreter, const std::string &op, const Value &left,
                            const Value &right, uint32_t line) {
  if (op == "~") {
    RELAX_RETURN_IF_ERROR(interpreter.charge(left.weight() + right.weight(), line));
    return Value::string(left.str() + right.str());
  }
  if (left.isNumeric() && right.isNumeric()) {
    const bool inFloat =
        left.isFloat() || right.isFloat() || op == "/" || (op == "**" && right.asNumber() < 0);
    return inFloat ? floatArithmetic(op, left.asNumber(), right.asNumber(), line)
                   : integerArithmetic(op, left.asInteger(), right.asInteger(), line);
  }
  if (op == "+" && left.isString() && right.isString()) {
    RELAX_RETURN_IF_ERROR(interpreter.charge(left.weight() + right.weight(), line));
    return Value::string(left.asString() + right.asString());
  }
  if (op == "+" && left.isList() && right.isList()) {
    RELAX_RETURN_IF_ERROR(interpreter.charge(left.weight() + right.weight(), line));
    List list = left.asList();
    list.insert(list.end(), right.asList().begin(), right.asList().end());
    return Value::list(std::move(list));
  }
  if (op == "*" && (left.isString() || left.isList()) && (right.isInteger() || right.isBool()))
    return repeat(interpreter, left, right.asInteger(), line);
  if (op == "*" && (right.isString() || right.isList()) && (left.isInteger() || left.isBool()))
    return repeat(interpreter, right, left.asInteger(), line);
  return wrongOperands(op, left, right, line);
}

Expected<int> compareValues(const Value &left, const Value &right, uint32_t line) {
  if (left.isNumeric() && right.isNumeric()) {
    if (!left.isFloat() && !right.isFloat())
      return left.asInteger() < right.asInteger() ? -1 : left.asInteger() > right.asInteger();
    return left.asNumber() < right.asNumber() ? -1 : left.asNumber() > right.asNumber();
  }
  if (left.isString() && right.isString())
    return left.asString().compare(right.asString());
  if (left.isList() && right.isList()) {
    const List &a = left.asList(), &b = right.asList();
    for (size_t i = 0; i < a.size() && i < b.size(); ++i)
      if (!(a[i] == b[i]))
        return compareValues(a[i], b[i], line);
    return a.size() < b.size() ? -1 : a.size() > b.size();
  }
  return wrongOperands("<", left, right, line);
}

Expected<bool> applyComparison(const std::string &op, const Value &left, const Value &right,
                               uint32_t line) {
  if (op == "==")
    return left == right;
  if (op == "!=")
    return !(left == right);
  if (op == "in" || op == "not in") {
    JINJA_TRY(found, contains(right, left, line));
    return op == "in" ? found : !found;
  }
  const bool unordered = (left.isFloat() && std::isnan(left.asNumber())) ||
                         (right.isFloat() && std::isnan(right.asNumber()));
  JINJA_TRY(order, compareValues(left, right, line));
  if (unordered)
    return false;
  return op == "<" ? order < 0 : op == "<=" ? order <= 0 : op == ">" ? order > 0 : order >= 0;
}

Expected<Value> slice(const Value &value, std::optional<int64_t> start, std::optional<int64_t> stop,
                      std::optional<int64_t> step, uint32_t line) {
  if (!value.isString() && !value.isList())
    return templateError(line, fmt::format("cannot slice {}", value.typeName()));
  const int64_t stride = step.value_or(1);
  if (stride == 0)
    return templateError(line, "a slice's step is 0");
  const auto characters =
      value.isString() ? splitCharacters(value.asString()) : std::vector<std::string_view>();
  const auto size =
      static_cast<int64_t>(value.isString() ? characters.size() : value.asList().size());
  // Python's rule: negative counts from the end; then into [0, size], or [-1, size - 1] backwards.
  const int64_t low = stride > 0 ? 0 : -1, high = stride > 0 ? size : size - 1;
  const auto place = [&](int64_t index) {
    index = index < 0 ? (index < -size ? -1 : index + size) : index;
    return std::clamp(index, low, std::max(low, high));
  };
  const int64_t first = start ? place(*start) : stride > 0 ? 0 : size - 1;
  const int64_t last = stop ? place(*stop) : stride > 0 ? size : -1;

  std::string text;
  List list;
  for (int64_t i = first; stride > 0 ? i < last : i > last;) {
    if (value.isString())
      text += characters[static_cast<size_t>(i)];
    else
      list.push_back(value.asList()[static_cast<size_t>(i)]);
    if (__builtin_add_overflow(i, stride, &i))
      break;
  }
  return value.isString() ? Value::string(std::move(text)) : Value::list(std::move(list));
}

} // namespace relax::llm::jinja
