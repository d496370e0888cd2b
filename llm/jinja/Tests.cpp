#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Operators.h"
#include "llm/jinja/Strings.h"

#include <fmt/format.h>

namespace relax::llm::jinja {
namespace {

using Test = Expected<bool>;

Expected<int64_t> integerOf(const Value &value, const Arguments &arguments) {
  if (!value.isInteger() && !value.isBool())
    return templateError(arguments.line,
                         fmt::format("found {}, expected an integer", value.typeName()));
  return value.asInteger();
}

template <bool (Value::*predicate)() const> Test is(const Value &value, const Arguments &) {
  return (value.*predicate)();
}

template <size_t op> Test compares(const Value &value, const Arguments &arguments) {
  static constexpr const char *operators[] = {"==", "!=", "<", "<=", ">", ">=", "in"};
  return applyComparison(operators[op], value, arguments.positional[0], arguments.line);
}

Test isDefined(const Value &value, const Arguments &) { return !value.isUndefined(); }
Test isMapping(const Value &value, const Arguments &) {
  return value.isDict() || value.isNamespace();
}
Test isIterable(const Value &value, const Arguments &) {
  return value.isString() || value.isList() || value.isDict() || value.isUndefined();
}
Test isSequence(const Value &value, const Arguments &) {
  return value.isString() || value.isList() || value.isDict();
}
Test isTrue(const Value &value, const Arguments &) { return value.isBool() && value.asBool(); }
Test isFalse(const Value &value, const Arguments &) { return value.isBool() && !value.asBool(); }
Test isSame(const Value &value, const Arguments &arguments) {
  const Value &other = arguments.positional[0];
  return value.isBool() == other.isBool() && value == other;
}
Test isOdd(const Value &value, const Arguments &arguments) {
  JINJA_TRY(number, integerOf(value, arguments));
  return number % 2 != 0;
}
Test isEven(const Value &value, const Arguments &arguments) {
  JINJA_TRY(number, integerOf(value, arguments));
  return number % 2 == 0;
}
Test isDivisible(const Value &value, const Arguments &arguments) {
  JINJA_TRY(number, integerOf(value, arguments));
  JINJA_TRY(divisor, integerOf(arguments.positional[0], arguments));
  if (divisor == 0)
    return templateError(arguments.line, "division by zero");
  return divisor == -1 || number % divisor == 0;
}
Test isLower(const Value &value, const Arguments &) {
  const std::string text = value.str();
  return text == toLower(text) && text != toUpper(text);
}
Test isUpper(const Value &value, const Arguments &) {
  const std::string text = value.str();
  return text == toUpper(text) && text != toLower(text);
}

constexpr BuiltinTest tests[] = {
    {"boolean", 0, is<&Value::isBool>},
    {"callable", 0, is<&Value::isCallable>},
    {"defined", 0, isDefined},
    {"divisibleby", 1, isDivisible},
    {"eq", 1, compares<0>},
    {"equalto", 1, compares<0>},
    {"even", 0, isEven},
    {"false", 0, isFalse},
    {"float", 0, is<&Value::isFloat>},
    {"ge", 1, compares<5>},
    {"greaterthan", 1, compares<4>},
    {"gt", 1, compares<4>},
    {"in", 1, compares<6>},
    {"integer", 0, is<&Value::isInteger>},
    {"iterable", 0, isIterable},
    {"le", 1, compares<3>},
    {"lessthan", 1, compares<2>},
    {"lower", 0, isLower},
    {"lt", 1, compares<2>},
    {"mapping", 0, isMapping},
    {"ne", 1, compares<1>},
    {"none", 0, is<&Value::isNone>},
    {"number", 0, is<&Value::isNumeric>},
    {"odd", 0, isOdd},
    {"sameas", 1, isSame},
    {"sequence", 0, isSequence},
    {"string", 0, is<&Value::isString>},
    {"true", 0, isTrue},
    {"undefined", 0, is<&Value::isUndefined>},
    {"upper", 0, isUpper},
};

} // namespace

const BuiltinTest *findTest(std::string_view name) {
  for (const BuiltinTest &test : tests)
    if (test.name == name)
      return &test;
  return nullptr;
}

} // namespace relax::llm::jinja
