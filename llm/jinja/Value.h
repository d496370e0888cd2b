//===- Value.h - the values of template expressions -------------------------------------------===//
//
// Python's values, as far as chat templates use them. Lists and dicts never change once made (the
// templates' reference environment forbids it too), so they are shared freely and can form no
// cycle. The one thing that changes is a namespace; namespaces and callables belong to the
// rendering that made them, and a Value only points at them.
//
// A value knows how deep it nests and about how many bytes it would print as. Whoever makes values
// in a loop looks at both: sharing lets a short template build a list that prints as 2^100
// elements.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace relax::llm::jinja {

class Value;
class Callable;
struct Namespace;

using List = std::vector<Value>;

/// Keys are strings; entries keep the order in which they were first set.
class Dict {
public:
  void set(std::string_view key, Value value);
  [[nodiscard]] size_t size() const { return positions.size(); }
  [[nodiscard]] const Value *find(std::string_view key) const;
  [[nodiscard]] const std::vector<std::pair<std::string, Value>> &entries() const { return list; }

private:
  std::vector<std::pair<std::string, Value>> list;
  std::map<std::string, size_t, std::less<>> positions;
};

class Value {
public:
  /// Undefined: what a missing name or key gives. `hint` is that name, for messages.
  Value() = default;
  static Value undefined(std::string hint);
  static Value none();
  static Value boolean(bool value);
  static Value integer(int64_t value);
  static Value number(double value);
  static Value string(std::string value);
  static Value list(List values);
  static Value dict(Dict entries);
  static Value callable(const Callable *function);
  static Value ofNamespace(Namespace *variables);

  [[nodiscard]] bool isUndefined() const { return holds<Undefined>(); }
  [[nodiscard]] bool isNone() const { return holds<None>(); }
  [[nodiscard]] bool isBool() const { return holds<bool>(); }
  [[nodiscard]] bool isInteger() const { return holds<int64_t>(); }
  [[nodiscard]] bool isFloat() const { return holds<double>(); }
  /// Integer, float, or bool, which counts as 0 or 1.
  [[nodiscard]] bool isNumeric() const { return isBool() || isInteger() || isFloat(); }
  [[nodiscard]] bool isString() const { return holds<std::shared_ptr<const std::string>>(); }
  [[nodiscard]] bool isList() const { return holds<Shared<List>>(); }
  [[nodiscard]] bool isDict() const { return holds<Shared<Dict>>(); }
  [[nodiscard]] bool isCallable() const { return holds<const Callable *>(); }
  [[nodiscard]] bool isNamespace() const { return holds<Namespace *>(); }

  [[nodiscard]] bool asBool() const { return std::get<bool>(data); }
  /// Of an integer or a bool.
  [[nodiscard]] int64_t asInteger() const;
  /// Of any numeric value.
  [[nodiscard]] double asNumber() const;
  [[nodiscard]] const std::string &asString() const {
    return *std::get<std::shared_ptr<const std::string>>(data);
  }
  [[nodiscard]] const List &asList() const { return std::get<Shared<List>>(data)->items; }
  [[nodiscard]] const Dict &asDict() const { return std::get<Shared<Dict>>(data)->items; }
  [[nodiscard]] const Callable *asCallable() const { return std::get<const Callable *>(data); }
  [[nodiscard]] Namespace *asNamespace() const { return std::get<Namespace *>(data); }
  [[nodiscard]] const std::string &undefinedHint() const { return std::get<Undefined>(data).hint; }

  /// How many lists and dicts are around its innermost element: 0 for a scalar, 1 for [1].
  [[nodiscard]] size_t depth() const;
  /// About the bytes that it prints as, shared parts counted as often as they would print.
  [[nodiscard]] size_t weight() const;

  [[nodiscard]] bool truthy() const;
  /// What `{{ value }}` prints: Python's str().
  [[nodiscard]] std::string str() const;
  /// Python's repr(), which lists and dicts print their elements with.
  [[nodiscard]] std::string repr() const;
  /// "undefined", "string", "list", … for messages.
  [[nodiscard]] const char *typeName() const;

  friend bool operator==(const Value &a, const Value &b);

private:
  struct Undefined {
    std::string hint;
  };
  struct None {};
  template <typename T> struct Container {
    T items;
    size_t depth, weight;
  };
  template <typename T> using Shared = std::shared_ptr<const Container<T>>;
  using Data =
      std::variant<Undefined, None, bool, int64_t, double, std::shared_ptr<const std::string>,
                   Shared<List>, Shared<Dict>, const Callable *, Namespace *>;

  explicit Value(Data data) : data(std::move(data)) {}
  template <typename T> [[nodiscard]] bool holds() const { return std::holds_alternative<T>(data); }

  Data data;
};

/// The variables of `namespace(…)`.
struct Namespace {
  Dict variables;
};

/// Appends JSON: no ASCII escapes, keys in their order. `indent` < 0: on one line, with ", " and
/// ": " between; otherwise that many spaces a level. False if the value has no JSON form.
[[nodiscard]] bool appendJson(std::string &out, const Value &value, int indent, int level = 0);

} // namespace relax::llm::jinja
