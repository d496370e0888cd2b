//===- Interpreter.h - runs a parsed template -------------------------------------------------===//
//
// A template comes with a model's file, from anywhere. It runs within limits on steps, output,
// depth and the size of its values, so that rendering ends soon and in little memory whatever it
// says; passing a limit is an error like any other, with the line.
//
// Scopes are Jinja2's: a loop's body and a macro have variables of their own; an `if` has none;
// what must outlive a loop goes into a namespace.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/jinja/Ast.h"
#include "llm/jinja/Value.h"
#include "runtime/support/Status.h"

#include <deque>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace relax::llm::jinja {

struct Limits {
  uint64_t steps = 2'000'000;       ///< Expressions and statements, plus one per 16 bytes made.
  size_t output = size_t(16) << 20; ///< Bytes of text.
  size_t value = size_t(16) << 20;  ///< Bytes that one value prints as.
};

/// The values that a call, filter or test gets.
struct Arguments {
  std::vector<Value> positional;
  std::vector<std::pair<std::string, Value>> named;
  uint32_t line = 0;

  /// The argument at `position` or called `name`; null if neither was given.
  [[nodiscard]] const Value *find(size_t position, std::string_view name) const;
};

class Interpreter;

/// A function that a template can call. Belongs to whoever made it, for longer than the rendering.
class Callable {
public:
  virtual ~Callable() = default;
  virtual Expected<Value> call(Interpreter &interpreter, const Arguments &arguments) const = 0;
};

class Interpreter {
public:
  Interpreter(const Dict &globals, const Limits &limits);

  Expected<std::string> run(const Block &block);

  // For filters, tests, methods and functions:

  /// An error if making `bytes` more would pass a limit; counts them as work otherwise.
  Status charge(size_t bytes, uint32_t line);
  Expected<Value> applyFilter(const std::string &name, const Value &input,
                              const Arguments &arguments);
  Expected<bool> applyTest(const std::string &name, const Value &input, const Arguments &arguments);
  /// `object.name`, undefined if there is none.
  Value attribute(const Value &object, const std::string &name) const;
  Value makeNamespace(const Dict &variables);

private:
  enum class Flow : uint8_t { Next, Break, Continue };
  using Scope = std::map<std::string, Value, std::less<>>;

  class Macro;

  Expected<Flow> execute(const Block &block);
  Expected<Flow> executeStatement(const Statement &statement);
  Expected<Flow> executeLoop(const Statement &statement);
  Expected<List> loopItems(const Statement &statement);
  Expected<Flow> executeIteration(const Statement &statement, const List &items, size_t index);
  Status bindLoopNames(const Statement &statement, const Value &item);
  Status executeSet(const Statement &statement);
  Status write(std::string_view text, uint32_t line);
  Expected<std::string> capture(const Block &block);
  Expected<Value> callMacro(const Statement &macro, const Arguments &arguments);

  Expected<Value> evaluate(const Expression &expression);
  Expected<Value> evaluateKind(const Expression &expression);
  Expected<Value> evaluateDict(const Expression &expression);
  Expected<Value> evaluateItem(const Expression &expression);
  Expected<Value> evaluateSlice(const Expression &expression);
  Expected<Value> evaluateCall(const Expression &expression);
  Expected<Value> evaluateUnary(const Expression &expression);
  Expected<Value> evaluateBinary(const Expression &expression);
  Expected<Value> evaluateCompare(const Expression &expression);
  Expected<Arguments> evaluateArguments(const Expression &expression);

  Value lookup(const std::string &name) const;

  const Limits limits;
  uint64_t steps = 0;
  unsigned depth = 0;
  std::vector<Scope> scopes;
  std::string *output = nullptr;
  std::deque<Namespace> namespaces;
  std::deque<std::unique_ptr<Callable>> callables;
};

/// What `for` goes over and `list` lists: elements, keys, or characters. An error for others.
Expected<List> iterate(const Value &value, uint32_t line);

} // namespace relax::llm::jinja
