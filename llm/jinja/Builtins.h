//===- Builtins.h - the filters, tests, methods and functions of templates --------------------===//
//
// Each kind is one explicit table in a file of its own: Filters.cpp, Tests.cpp, Methods.cpp,
// Functions.cpp. They behave as in Jinja2 and Python; `tojson` writes what chat templates are
// trained with: no ASCII escapes, no HTML escapes, keys in their order.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/jinja/Interpreter.h"

#include <string_view>

namespace relax::llm::jinja {

/// A filter, or a method of `self`.
struct Builtin {
  std::string_view name;
  Expected<Value> (*function)(Interpreter &interpreter, const Value &self,
                              const Arguments &arguments);
};

struct BuiltinTest {
  std::string_view name;
  size_t arguments; ///< How many it takes.
  Expected<bool> (*function)(const Value &self, const Arguments &arguments);
};

/// Null if there is none of that name.
const Builtin *findFilter(std::string_view name);
const BuiltinTest *findTest(std::string_view name);
/// A method of strings or dicts.
const Builtin *findMethod(const Value &self, std::string_view name);

/// raise_exception, range, namespace, dict, strftime_now. Never freed.
const Dict &builtinFunctions();

} // namespace relax::llm::jinja
