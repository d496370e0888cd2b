#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"

#include <fmt/format.h>

#include <ctime>

namespace relax::llm::jinja {
namespace {

class Function final : public Callable {
public:
  using Body = Expected<Value> (*)(Interpreter &, const Arguments &);
  explicit Function(Body body) : body(body) {}
  Expected<Value> call(Interpreter &interpreter, const Arguments &arguments) const override {
    return body(interpreter, arguments);
  }

private:
  Body body;
};

/// The template's way to refuse its input, for instance roles that don't alternate.
Expected<Value> raiseException(Interpreter &, const Arguments &arguments) {
  const Value *message = arguments.find(0, "message");
  return templateError(arguments.line, message ? message->str() : "the template raised an error");
}

Expected<Value> range(Interpreter &interpreter, const Arguments &arguments) {
  int64_t bounds[3] = {0, 0, 1};
  const size_t count = arguments.positional.size();
  if (count < 1 || count > 3)
    return templateError(arguments.line,
                         fmt::format("range: found {} arguments, expected 1 to 3", count));
  for (size_t i = 0; i < count; ++i) {
    const Value &value = arguments.positional[i];
    if (!value.isInteger() && !value.isBool())
      return templateError(arguments.line,
                           fmt::format("range: found {}, expected an integer", value.typeName()));
    bounds[count == 1 ? 1 : i] = value.asInteger();
  }
  const auto [start, stop, step] = bounds;
  if (step == 0)
    return templateError(arguments.line, "range: the step is 0");
  List list;
  for (int64_t i = start; step > 0 ? i < stop : i > stop;) {
    // Counted as it grows, so that a huge range ends at the limit and not at the end of memory.
    RELAX_RETURN_IF_ERROR(
        interpreter.charge(list.size() % 1024 == 0 ? 16 * 1024 : 0, arguments.line));
    list.push_back(Value::integer(i));
    if (__builtin_add_overflow(i, step, &i))
      break;
  }
  return Value::list(std::move(list));
}

Expected<Dict> dictOf(const Arguments &arguments) {
  Dict dict;
  for (const Value &value : arguments.positional) {
    if (!value.isDict())
      return templateError(arguments.line,
                           fmt::format("found {}, expected a dict", value.typeName()));
    for (const auto &[key, element] : value.asDict().entries())
      dict.set(key, element);
  }
  for (const auto &[name, value] : arguments.named)
    dict.set(name, value);
  return dict;
}

Expected<Value> makeDict(Interpreter &, const Arguments &arguments) {
  JINJA_TRY(dict, dictOf(arguments));
  return Value::dict(std::move(dict));
}

Expected<Value> makeNamespace(Interpreter &interpreter, const Arguments &arguments) {
  JINJA_TRY(dict, dictOf(arguments));
  return interpreter.makeNamespace(dict);
}

/// The date and time of now, as strftime formats it.
Expected<Value> strftimeNow(Interpreter &, const Arguments &arguments) {
  const Value *format = arguments.find(0, "format");
  if (!format || !format->isString())
    return templateError(arguments.line, "strftime_now: expected a format, a string");
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  char text[256];
  if (!localtime_r(&now, &local))
    return templateError(arguments.line, "strftime_now: the time is unknown");
  const size_t length = std::strftime(text, sizeof text, format->asString().c_str(), &local);
  return Value::string(std::string(text, length));
}

Dict makeFunctions() {
  static const Function raise(raiseException), rangeOf(range), dict(makeDict),
      nameSpace(makeNamespace), strftime(strftimeNow);
  Dict functions;
  functions.set("raise_exception", Value::callable(&raise));
  functions.set("range", Value::callable(&rangeOf));
  functions.set("dict", Value::callable(&dict));
  functions.set("namespace", Value::callable(&nameSpace));
  functions.set("strftime_now", Value::callable(&strftime));
  return functions;
}

} // namespace

const Dict &builtinFunctions() {
  static const Dict functions = makeFunctions();
  return functions;
}

} // namespace relax::llm::jinja
