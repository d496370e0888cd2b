#include "llm/jinja/Value.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relax::llm::jinja {
namespace {

/// Python's repr() of a float: the shortest text that reads back the same, always with a point, an
/// exponent or a name in it.
std::string floatText(double value) {
  if (std::isnan(value))
    return "nan";
  if (std::isinf(value))
    return value < 0 ? "-inf" : "inf";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos)
    text += ".0";
  return text;
}

size_t saturatingAdd(size_t a, size_t b) {
  constexpr size_t most = SIZE_MAX / 4;
  return a > most || b > most ? most : a + b;
}

std::string inQuotes(std::string_view text) {
  const bool doubleQuotes =
      text.find('\'') != std::string_view::npos && text.find('"') == std::string_view::npos;
  const char quote = doubleQuotes ? '"' : '\'';
  std::string out(1, quote);
  for (const char c : text) {
    if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (c == '\r')
      out += "\\r";
    else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
      out += fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
    else if (c == quote || c == '\\')
      (out += '\\') += c;
    else
      out += c;
  }
  return out += quote;
}

void appendJsonString(std::string &out, std::string_view text) {
  out += '"';
  for (const char c : text) {
    switch (c) {
    case '"':
      out += "\\\"";
      break;
    case '\\':
      out += "\\\\";
      break;
    case '\n':
      out += "\\n";
      break;
    case '\r':
      out += "\\r";
      break;
    case '\t':
      out += "\\t";
      break;
    case '\b':
      out += "\\b";
      break;
    case '\f':
      out += "\\f";
      break;
    default:
      if (static_cast<unsigned char>(c) < 0x20)
        out += fmt::format("\\u{:04x}", static_cast<unsigned char>(c));
      else
        out += c;
    }
  }
  out += '"';
}

void appendJsonBreak(std::string &out, int indent, int level) {
  if (indent >= 0)
    out.append(1, '\n').append(static_cast<size_t>(indent) * static_cast<size_t>(level), ' ');
}

bool appendJsonList(std::string &out, const List &list, int indent, int level) {
  if (list.empty()) {
    out += "[]";
    return true;
  }
  out += '[';
  for (size_t i = 0; i < list.size(); ++i) {
    if (i > 0)
      out += indent >= 0 ? "," : ", ";
    appendJsonBreak(out, indent, level + 1);
    if (!appendJson(out, list[i], indent, level + 1))
      return false;
  }
  appendJsonBreak(out, indent, level);
  out += ']';
  return true;
}

bool appendJsonDict(std::string &out, const Dict &dict, int indent, int level) {
  if (dict.entries().empty()) {
    out += "{}";
    return true;
  }
  out += '{';
  bool first = true;
  for (const auto &[key, value] : dict.entries()) {
    if (!first)
      out += indent >= 0 ? "," : ", ";
    first = false;
    appendJsonBreak(out, indent, level + 1);
    appendJsonString(out, key);
    out += ": ";
    if (!appendJson(out, value, indent, level + 1))
      return false;
  }
  appendJsonBreak(out, indent, level);
  out += '}';
  return true;
}

} // namespace

void Dict::set(std::string_view key, Value value) {
  const auto [it, isNew] = positions.try_emplace(std::string(key), list.size());
  if (isNew)
    list.emplace_back(key, std::move(value));
  else
    list[it->second].second = std::move(value);
}

const Value *Dict::find(std::string_view key) const {
  const auto it = positions.find(key);
  return it == positions.end() ? nullptr : &list[it->second].second;
}

Value Value::undefined(std::string hint) { return Value(Data(Undefined{std::move(hint)})); }
Value Value::none() { return Value(Data(None{})); }
Value Value::boolean(bool value) { return Value(Data(value)); }
Value Value::integer(int64_t value) { return Value(Data(value)); }
Value Value::number(double value) { return Value(Data(value)); }
Value Value::string(std::string value) {
  return Value(Data(std::make_shared<const std::string>(std::move(value))));
}

Value Value::list(List values) {
  size_t depth = 0, weight = 2;
  for (const Value &value : values) {
    depth = std::max(depth, value.depth());
    weight = saturatingAdd(weight, value.weight() + 2);
  }
  return Value(Data(std::make_shared<const Container<List>>(
      Container<List>{std::move(values), depth + 1, weight})));
}

Value Value::dict(Dict entries) {
  size_t depth = 0, weight = 2;
  for (const auto &[key, value] : entries.entries()) {
    depth = std::max(depth, value.depth());
    weight = saturatingAdd(weight, key.size() + value.weight() + 6);
  }
  return Value(Data(std::make_shared<const Container<Dict>>(
      Container<Dict>{std::move(entries), depth + 1, weight})));
}

size_t Value::depth() const {
  if (isList())
    return std::get<Shared<List>>(data)->depth;
  return isDict() ? std::get<Shared<Dict>>(data)->depth : 0;
}

size_t Value::weight() const {
  if (isString())
    return asString().size() + 2;
  if (isList())
    return std::get<Shared<List>>(data)->weight;
  return isDict() ? std::get<Shared<Dict>>(data)->weight : 8;
}

Value Value::callable(const Callable *function) { return Value(Data(function)); }
Value Value::ofNamespace(Namespace *variables) { return Value(Data(variables)); }

int64_t Value::asInteger() const { return isBool() ? int64_t(asBool()) : std::get<int64_t>(data); }

double Value::asNumber() const {
  return isFloat() ? std::get<double>(data) : static_cast<double>(asInteger());
}

bool Value::truthy() const {
  if (isUndefined() || isNone())
    return false;
  if (isNumeric())
    return asNumber() != 0;
  if (isString())
    return !asString().empty();
  if (isList())
    return !asList().empty();
  return !isDict() || !asDict().entries().empty();
}

std::string Value::str() const {
  if (isUndefined())
    return "";
  return isString() ? asString() : repr();
}

std::string Value::repr() const {
  if (isUndefined())
    return "Undefined";
  if (isNone())
    return "None";
  if (isBool())
    return asBool() ? "True" : "False";
  if (isInteger())
    return std::to_string(asInteger());
  if (isFloat())
    return floatText(asNumber());
  if (isString())
    return inQuotes(asString());
  if (isList()) {
    std::string out = "[";
    for (size_t i = 0; i < asList().size(); ++i)
      out += (i > 0 ? ", " : "") + asList()[i].repr();
    return out + "]";
  }
  if (isDict()) {
    std::string out = "{";
    for (const auto &[key, value] : asDict().entries())
      out += (out.size() > 1 ? ", " : "") + inQuotes(key) + ": " + value.repr();
    return out + "}";
  }
  return isNamespace() ? "<namespace>" : "<function>";
}

const char *Value::typeName() const {
  static constexpr const char *names[] = {"undefined", "none", "boolean", "integer",  "float",
                                          "string",    "list", "dict",    "function", "namespace"};
  return names[data.index()];
}

bool operator==(const Value &a, const Value &b) {
  if (a.isNumeric() && b.isNumeric())
    return a.isFloat() || b.isFloat() ? a.asNumber() == b.asNumber()
                                      : a.asInteger() == b.asInteger();
  if (a.data.index() != b.data.index())
    return false;
  if (a.isString())
    return a.asString() == b.asString();
  if (a.isList())
    return a.asList() == b.asList();
  if (a.isDict()) {
    if (a.asDict().entries().size() != b.asDict().entries().size())
      return false;
    for (const auto &[key, value] : a.asDict().entries()) {
      const Value *other = b.asDict().find(key);
      if (!other || !(*other == value))
        return false;
    }
    return true;
  }
  if (a.isCallable())
    return a.asCallable() == b.asCallable();
  if (a.isNamespace())
    return a.asNamespace() == b.asNamespace();
  return true; // None, or both undefined.
}

bool appendJson(std::string &out, const Value &value, int indent, int level) {
  if (value.isNone())
    out += "null";
  else if (value.isBool())
    out += value.asBool() ? "true" : "false";
  else if (value.isInteger())
    out += std::to_string(value.asInteger());
  else if (value.isFloat())
    out += std::isnan(value.asNumber())   ? "NaN"
           : std::isinf(value.asNumber()) ? (value.asNumber() < 0 ? "-Infinity" : "Infinity")
                                          : floatText(value.asNumber());
  else if (value.isString())
    appendJsonString(out, value.asString());
  else if (value.isList())
    return appendJsonList(out, value.asList(), indent, level);
  else if (value.isDict())
    return appendJsonDict(out, value.asDict(), indent, level);
  else
    return false;
  return true;
}

} // namespace relax::llm::jinja
