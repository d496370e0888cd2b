#include "llm/jinja/Interpreter.h"

#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Strings.h"

#include <fmt/format.h>

#include <utility>

namespace relax::llm::jinja {
namespace {

/// Statements and macros inside each other, while running.
constexpr unsigned maxDepth = 200;

} // namespace

const Value *Arguments::find(size_t position, std::string_view name) const {
  if (position < positional.size())
    return &positional[position];
  for (const auto &[argumentName, value] : named)
    if (argumentName == name)
      return &value;
  return nullptr;
}

Expected<List> iterate(const Value &value, uint32_t line) {
  List list;
  if (value.isList())
    return value.asList();
  if (value.isDict())
    for (const auto &[key, element] : value.asDict().entries())
      list.push_back(Value::string(key));
  else if (value.isString())
    for (const std::string_view character : splitCharacters(value.asString()))
      list.push_back(Value::string(std::string(character)));
  else if (!value.isUndefined())
    return templateError(line, fmt::format("cannot iterate over {}", value.typeName()));
  return list;
}

/// A macro of the template; called, it gives the text of its body.
class Interpreter::Macro final : public Callable {
public:
  explicit Macro(const Statement &statement) : statement(statement) {}
  Expected<Value> call(Interpreter &interpreter, const Arguments &arguments) const override {
    return interpreter.callMacro(statement, arguments);
  }

private:
  const Statement &statement;
};

Interpreter::Interpreter(const Dict &globals, const Limits &limits) : limits(limits) {
  scopes.emplace_back();
  for (const Dict *dict : {&builtinFunctions(), &globals})
    for (const auto &[name, value] : dict->entries())
      scopes.front()[name] = value;
}

Expected<std::string> Interpreter::run(const Block &block) { return capture(block); }

Status Interpreter::charge(size_t bytes, uint32_t line) {
  if (bytes > limits.value)
    return templateError(line, fmt::format("a value is larger than {} bytes", limits.value));
  steps += bytes / 16;
  if (steps > limits.steps)
    return templateError(line, fmt::format("the template takes more than {} steps", limits.steps));
  return {};
}

Value Interpreter::makeNamespace(const Dict &variables) {
  namespaces.push_back({variables});
  return Value::ofNamespace(&namespaces.back());
}

Expected<std::string> Interpreter::capture(const Block &block) {
  std::string text;
  std::string *outer = std::exchange(output, &text);
  auto flow = execute(block);
  output = outer;
  if (!flow)
    return flow.takeStatus();
  return text;
}

Status Interpreter::write(std::string_view text, uint32_t line) {
  if (output->size() + text.size() > limits.output)
    return templateError(line, fmt::format("the output is longer than {} bytes", limits.output));
  output->append(text);
  return charge(text.size(), line);
}

// ---- statements ------------------------------------------------------------------------------

Expected<Interpreter::Flow> Interpreter::execute(const Block &block) {
  for (const Statement &statement : block) {
    JINJA_TRY(flow, executeStatement(statement));
    if (flow != Flow::Next)
      return flow;
  }
  return Flow::Next;
}

Expected<Interpreter::Flow> Interpreter::executeStatement(const Statement &statement) {
  ++steps;
  RELAX_RETURN_IF_ERROR(charge(0, statement.line));
  switch (statement.kind) {
  case Statement::Text:
    RELAX_RETURN_IF_ERROR(write(statement.text, statement.line));
    break;
  case Statement::Output: {
    JINJA_TRY(value, evaluate(*statement.expression));
    RELAX_RETURN_IF_ERROR(charge(value.weight(), statement.line));
    RELAX_RETURN_IF_ERROR(write(value.str(), statement.line));
    break;
  }
  case Statement::If: {
    JINJA_TRY(condition, evaluate(*statement.expression));
    return execute(condition.truthy() ? statement.body : statement.otherwise);
  }
  case Statement::For:
    return executeLoop(statement);
  case Statement::Set:
  case Statement::SetField:
    RELAX_RETURN_IF_ERROR(executeSet(statement));
    break;
  case Statement::Macro:
    callables.push_back(std::make_unique<Macro>(statement));
    scopes.back()[statement.names[0]] = Value::callable(callables.back().get());
    break;
  case Statement::Scope: {
    scopes.emplace_back();
    auto flow = execute(statement.body);
    scopes.pop_back();
    return flow;
  }
  case Statement::Break:
    return Flow::Break;
  case Statement::Continue:
    return Flow::Continue;
  }
  return Flow::Next;
}

/// The elements that a loop goes over, those that its condition leaves out removed.
Expected<List> Interpreter::loopItems(const Statement &statement) {
  JINJA_TRY(sequence, evaluate(*statement.expression));
  RELAX_RETURN_IF_ERROR(charge(sequence.weight(), statement.line));
  JINJA_TRY(items, iterate(sequence, statement.line));
  if (!statement.condition)
    return std::move(items);
  List kept;
  for (const Value &item : items) {
    RELAX_RETURN_IF_ERROR(bindLoopNames(statement, item));
    JINJA_TRY(condition, evaluate(*statement.condition));
    if (condition.truthy())
      kept.push_back(item);
  }
  return kept;
}

Expected<Interpreter::Flow> Interpreter::executeLoop(const Statement &statement) {
  if (++depth > maxDepth)
    return templateError(statement.line, "loops and macros nest too deep");
  scopes.emplace_back();
  const auto run = [&]() -> Expected<Flow> {
    JINJA_TRY(items, loopItems(statement));
    if (items.empty())
      return execute(statement.otherwise);
    for (size_t i = 0; i < items.size(); ++i) {
      scopes.back().clear();
      JINJA_TRY(flow, executeIteration(statement, items, i));
      if (flow == Flow::Break)
        break;
    }
    return Flow::Next;
  };
  auto flow = run();
  scopes.pop_back();
  --depth;
  return flow;
}

Expected<Interpreter::Flow> Interpreter::executeIteration(const Statement &statement,
                                                          const List &items, size_t index) {
  ++steps;
  const auto count = static_cast<int64_t>(items.size()), i = static_cast<int64_t>(index);
  Dict loop;
  loop.set("index", Value::integer(i + 1));
  loop.set("index0", Value::integer(i));
  loop.set("revindex", Value::integer(count - i));
  loop.set("revindex0", Value::integer(count - i - 1));
  loop.set("first", Value::boolean(i == 0));
  loop.set("last", Value::boolean(i + 1 == count));
  loop.set("length", Value::integer(count));
  if (i > 0)
    loop.set("previtem", items[index - 1]);
  if (i + 1 < count)
    loop.set("nextitem", items[index + 1]);
  scopes.back()["loop"] = Value::dict(std::move(loop));
  RELAX_RETURN_IF_ERROR(bindLoopNames(statement, items[index]));
  return execute(statement.body);
}

Status Interpreter::bindLoopNames(const Statement &statement, const Value &item) {
  if (statement.names.size() == 1) {
    scopes.back()[statement.names[0]] = item;
    return {};
  }
  if (!item.isList() || item.asList().size() != statement.names.size())
    return templateError(statement.line, fmt::format("cannot unpack {} into {} variables",
                                                     item.typeName(), statement.names.size()));
  for (size_t i = 0; i < statement.names.size(); ++i)
    scopes.back()[statement.names[i]] = item.asList()[i];
  return {};
}

Status Interpreter::executeSet(const Statement &statement) {
  Value value;
  if (statement.expression) {
    JINJA_TRY(result, evaluate(*statement.expression));
    value = std::move(result);
  } else {
    JINJA_TRY(text, capture(statement.body));
    RELAX_RETURN_IF_ERROR(charge(text.size(), statement.line));
    value = Value::string(std::move(text));
  }
  if (statement.kind == Statement::SetField) {
    const Value target = lookup(statement.names[0]);
    if (!target.isNamespace())
      return templateError(statement.line, fmt::format("'{}' is {}, expected a namespace(…)",
                                                       statement.names[0], target.typeName()));
    target.asNamespace()->variables.set(statement.names[1], std::move(value));
    return {};
  }
  return bindLoopNames(statement, value);
}

Expected<Value> Interpreter::callMacro(const Statement &macro, const Arguments &arguments) {
  if (++depth > maxDepth)
    return templateError(arguments.line, "loops and macros nest too deep");
  const auto run = [&]() -> Expected<Value> {
    Scope scope;
    if (arguments.positional.size() > macro.parameters.size())
      return templateError(
          arguments.line, fmt::format("the macro '{}' takes {} arguments, found {}", macro.names[0],
                                      macro.parameters.size(), arguments.positional.size()));
    for (const auto &[name, value] : arguments.named) {
      bool known = false;
      for (const Argument &parameter : macro.parameters)
        known |= parameter.name == name;
      if (!known)
        return templateError(arguments.line, fmt::format("the macro '{}' has no parameter '{}'",
                                                         macro.names[0], name));
    }
    for (size_t i = 0; i < macro.parameters.size(); ++i) {
      const Argument &parameter = macro.parameters[i];
      if (const Value *given = arguments.find(i, parameter.name)) {
        scope[parameter.name] = *given;
      } else if (parameter.value) {
        JINJA_TRY(otherwise, evaluate(*parameter.value));
        scope[parameter.name] = std::move(otherwise);
      } else {
        scope[parameter.name] = Value::undefined(parameter.name);
      }
    }
    // A macro sees the template's own variables, not those of its caller.
    std::vector<Scope> outer;
    outer.swap(scopes);
    scopes.push_back(std::move(outer.front()));
    scopes.push_back(std::move(scope));
    auto text = capture(macro.body);
    outer.front() = std::move(scopes.front());
    scopes.swap(outer);
    if (!text)
      return text.takeStatus();
    return Value::string(std::move(*text));
  };
  auto result = run();
  --depth;
  return result;
}

Value Interpreter::lookup(const std::string &name) const {
  for (auto scope = scopes.rbegin(); scope != scopes.rend(); ++scope)
    if (const auto it = scope->find(name); it != scope->end())
      return it->second;
  return Value::undefined(name);
}

// ---- names of values, filters and tests --------------------------------------------------------

Value Interpreter::attribute(const Value &object, const std::string &name) const {
  const Value *value = nullptr;
  if (object.isDict())
    value = object.asDict().find(name);
  else if (object.isNamespace())
    value = object.asNamespace()->variables.find(name);
  return value ? *value : Value::undefined(name);
}

Expected<Value> Interpreter::applyFilter(const std::string &name, const Value &input,
                                         const Arguments &arguments) {
  ++steps;
  const Builtin *filter = findFilter(name);
  if (!filter)
    return templateError(arguments.line, fmt::format("there is no filter '{}'", name));
  return filter->function(*this, input, arguments);
}

Expected<bool> Interpreter::applyTest(const std::string &name, const Value &input,
                                      const Arguments &arguments) {
  ++steps;
  static constexpr std::pair<std::string_view, std::string_view> operators[] = {
      {"==", "eq"}, {"!=", "ne"}, {"<", "lt"}, {"<=", "le"}, {">", "gt"}, {">=", "ge"}};
  std::string_view known = name;
  for (const auto &[symbol, word] : operators)
    if (known == symbol)
      known = word;
  const BuiltinTest *test = findTest(known);
  if (!test)
    return templateError(arguments.line, fmt::format("there is no test '{}'", name));
  if (arguments.positional.size() != test->arguments)
    return templateError(arguments.line,
                         fmt::format("the test '{}' takes {} arguments, found {}", name,
                                     test->arguments, arguments.positional.size()));
  return test->function(input, arguments);
}

} // namespace relax::llm::jinja
