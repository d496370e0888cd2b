#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Operators.h"
#include "llm/jinja/Strings.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

namespace relax::llm::jinja {
namespace {

using Result = Expected<Value>;

bool flag(const Arguments &arguments, size_t position, std::string_view name, bool otherwise) {
  const Value *value = arguments.find(position, name);
  return value ? value->truthy() : otherwise;
}

std::string textArgument(const Arguments &arguments, size_t position, std::string_view name,
                         std::string_view otherwise) {
  const Value *value = arguments.find(position, name);
  return value && !value->isNone() ? value->str() : std::string(otherwise);
}

// ---- text ------------------------------------------------------------------------------------

Result trim(Interpreter &, const Value &self, const Arguments &arguments) {
  return Value::string(
      std::string(strip(self.str(), textArgument(arguments, 0, "chars", ""), true, true)));
}

template <std::string (*map)(std::string_view)>
Result mapText(Interpreter &, const Value &self, const Arguments &) {
  return Value::string(map(self.str()));
}

Result toString(Interpreter &, const Value &self, const Arguments &) {
  return Value::string(self.str());
}

Result unchanged(Interpreter &, const Value &self, const Arguments &) { return self; }

Result escape(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 5, arguments.line));
  std::string out;
  for (const char c : self.str()) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&#34;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return Value::string(std::move(out));
}

Result replace(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  const std::string text = self.str();
  const std::string from = textArgument(arguments, 0, "old", ""),
                    to = textArgument(arguments, 1, "new", "");
  if (from.empty())
    return templateError(arguments.line, "replace: the text to replace is empty");
  const Value *count = arguments.find(2, "count");
  const int64_t limit = count && count->isInteger() ? count->asInteger() : -1;
  RELAX_RETURN_IF_ERROR(interpreter.charge(
      text.size() + countOccurrences(text, from, limit) * to.size(), arguments.line));
  return Value::string(replaceAll(text, from, to, limit));
}

Result indent(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  const Value *width = arguments.find(0, "width");
  const int64_t spaces = width && width->isInteger() ? width->asInteger() : 4;
  const std::string prefix =
      width && width->isString()
          ? width->asString()
          : std::string(static_cast<size_t>(std::clamp<int64_t>(spaces, 0, 1000)), ' ');
  const bool first = flag(arguments, 1, "first", false), blank = flag(arguments, 2, "blank", false);
  const std::vector<std::string> lines = splitAt(self.str(), "\n", -1);
  RELAX_RETURN_IF_ERROR(
      interpreter.charge(self.weight() + lines.size() * prefix.size(), arguments.line));
  std::string out;
  for (size_t i = 0; i < lines.size(); ++i) {
    if (i > 0)
      out += '\n';
    if ((i > 0 || first) && (blank || !lines[i].empty()))
      out += prefix;
    out += lines[i];
  }
  return Value::string(std::move(out));
}

Result tojson(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  const Value *indentation = arguments.find(0, "indent");
  const int64_t spaces = indentation && indentation->isInteger()
                             ? std::clamp<int64_t>(indentation->asInteger(), 0, 16)
                             : -1;
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 6, arguments.line));
  std::string out;
  if (!appendJson(out, self, static_cast<int>(spaces)))
    return templateError(arguments.line,
                         fmt::format("tojson: {} has no JSON form", self.typeName()));
  return Value::string(std::move(out));
}

// ---- numbers ---------------------------------------------------------------------------------

Result toInteger(Interpreter &, const Value &self, const Arguments &arguments) {
  const Value *otherwise = arguments.find(0, "default");
  if (self.isFloat() && std::abs(self.asNumber()) < 9e18)
    return Value::integer(static_cast<int64_t>(self.asNumber()));
  if (self.isInteger() || self.isBool())
    return Value::integer(self.asInteger());
  if (self.isString()) {
    const std::string_view text = strip(self.asString(), {}, true, true);
    int64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size())
      return Value::integer(value);
  }
  return otherwise ? *otherwise : Value::integer(0);
}

Result toFloat(Interpreter &, const Value &self, const Arguments &arguments) {
  const Value *otherwise = arguments.find(0, "default");
  if (self.isNumeric())
    return Value::number(self.asNumber());
  if (self.isString()) {
    const std::string_view text = strip(self.asString(), {}, true, true);
    double value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    if (parsed.ec == std::errc() && parsed.ptr == text.data() + text.size())
      return Value::number(value);
  }
  return otherwise ? *otherwise : Value::number(0);
}

Status needNumber(const char *filter, const Value &value, const Arguments &arguments) {
  if (value.isNumeric())
    return {};
  return templateError(arguments.line,
                       fmt::format("{}: found {}, expected a number", filter, value.typeName()));
}

Result absolute(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  RELAX_RETURN_IF_ERROR(needNumber("abs", self, arguments));
  if (self.isFloat())
    return Value::number(std::abs(self.asNumber()));
  return self.asInteger() < 0
             ? applyBinary(interpreter, "*", self, Value::integer(-1), arguments.line)
             : self;
}

Result roundNumber(Interpreter &, const Value &self, const Arguments &arguments) {
  RELAX_RETURN_IF_ERROR(needNumber("round", self, arguments));
  const Value *precision = arguments.find(0, "precision");
  const int64_t digits = precision && precision->isInteger() ? precision->asInteger() : 0;
  const std::string method = textArgument(arguments, 1, "method", "common");
  const double scale = std::pow(10.0, static_cast<double>(std::clamp<int64_t>(digits, -300, 300)));
  const double scaled = self.asNumber() * scale;
  const double rounded = method == "ceil"    ? std::ceil(scaled)
                         : method == "floor" ? std::floor(scaled)
                                             : std::nearbyint(scaled);
  return Value::number(rounded / scale);
}

// ---- sequences -------------------------------------------------------------------------------

Result length(Interpreter &, const Value &self, const Arguments &arguments) {
  if (self.isString())
    return Value::integer(static_cast<int64_t>(countCharacters(self.asString())));
  if (self.isList())
    return Value::integer(static_cast<int64_t>(self.asList().size()));
  if (self.isDict())
    return Value::integer(static_cast<int64_t>(self.asDict().size()));
  if (self.isUndefined())
    return Value::integer(0);
  return templateError(arguments.line, fmt::format("length: {} has none", self.typeName()));
}

Result toList(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight(), arguments.line));
  return Value::list(std::move(items));
}

template <bool last> Result end(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  if (items.empty())
    return Value::undefined(last ? "last of nothing" : "first of nothing");
  return last ? items.back() : items.front();
}

Result items(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  if (self.isUndefined())
    return Value::list({});
  const Builtin *method = self.isDict() ? findMethod(self, "items") : nullptr;
  if (!method)
    return templateError(arguments.line,
                         fmt::format("items: found {}, expected a dict", self.typeName()));
  return method->function(interpreter, self, arguments);
}

Result defaultTo(Interpreter &, const Value &self, const Arguments &arguments) {
  const bool falseToo = flag(arguments, 1, "boolean", false);
  if (!self.isUndefined() && (!falseToo || self.truthy()))
    return self;
  const Value *otherwise = arguments.find(0, "default_value");
  return otherwise ? *otherwise : Value::string("");
}

/// `a.b.0` of an item, as map, sort and the like name attributes.
Value path(Interpreter &interpreter, Value item, const std::string &names) {
  for (const std::string &name : splitAt(names, ".", -1)) {
    const bool isIndex = !name.empty() && name.size() < 10 &&
                         name.find_first_not_of("0123456789") == std::string::npos;
    if (isIndex && item.isList()) {
      const size_t index = std::stoul(name);
      item = index < item.asList().size() ? item.asList()[index] : Value::undefined(name);
    } else {
      // Not `item = attribute(item, …)`: the new value may be a part of the old one.
      Value part = interpreter.attribute(item, name);
      item = std::move(part);
    }
  }
  return item;
}

Result join(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  const std::string separator = textArgument(arguments, 0, "d", "");
  const Value *attribute = arguments.find(1, "attribute");
  std::string out;
  for (size_t i = 0; i < items.size(); ++i) {
    const Value item = attribute ? path(interpreter, items[i], attribute->str()) : items[i];
    RELAX_RETURN_IF_ERROR(interpreter.charge(item.weight() + separator.size(), arguments.line));
    if (i > 0)
      out += separator;
    out += item.str();
    if (out.size() > Limits().value)
      return templateError(arguments.line, "join: the text gets too long");
  }
  return Value::string(std::move(out));
}

Result reverse(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight(), arguments.line));
  std::ranges::reverse(items);
  if (!self.isString())
    return Value::list(std::move(items));
  std::string text;
  for (const Value &character : items)
    text += character.str();
  return Value::string(std::move(text));
}

/// Sorts `items` by `key` of each. Merge sort, because a comparison can fail.
Status sortItems(List &items, const std::vector<Value> &keys, bool descending, uint32_t line) {
  std::vector<size_t> order(items.size()), merged(items.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = i;
  for (size_t width = 1; width < order.size(); width *= 2) {
    for (size_t begin = 0; begin < order.size(); begin += 2 * width) {
      size_t a = begin, b = std::min(begin + width, order.size());
      const size_t aEnd = b, bEnd = std::min(begin + 2 * width, order.size());
      for (size_t out = begin; out < bEnd; ++out) {
        bool takeA = b == bEnd;
        if (!takeA && a < aEnd) {
          JINJA_TRY(comparison, compareValues(keys[order[a]], keys[order[b]], line));
          takeA = descending ? comparison >= 0 : comparison <= 0;
        }
        merged[out] = order[takeA ? a++ : b++];
      }
    }
    order.swap(merged);
  }
  List sorted;
  sorted.reserve(items.size());
  for (const size_t index : order)
    sorted.push_back(items[index]);
  items = std::move(sorted);
  return {};
}

Value sortKey(const Value &key, bool caseSensitive) {
  return key.isString() && !caseSensitive ? Value::string(toLower(key.asString())) : key;
}

Result sort(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  const bool descending = flag(arguments, 0, "reverse", false);
  const bool caseSensitive = flag(arguments, 1, "case_sensitive", false);
  const Value *attribute = arguments.find(2, "attribute");
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 16, arguments.line));
  std::vector<Value> keys;
  keys.reserve(items.size());
  for (const Value &item : items)
    keys.push_back(
        sortKey(attribute ? path(interpreter, item, attribute->str()) : item, caseSensitive));
  RELAX_RETURN_IF_ERROR(sortItems(items, keys, descending, arguments.line));
  return Value::list(std::move(items));
}

Result dictsort(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(pairs, items(interpreter, self, arguments));
  const bool caseSensitive = flag(arguments, 0, "case_sensitive", false);
  const bool byValue = textArgument(arguments, 1, "by", "key") == "value";
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 16, arguments.line));
  List list = pairs.asList();
  std::vector<Value> keys;
  for (const Value &pair : list)
    keys.push_back(sortKey(pair.asList()[byValue ? 1 : 0], caseSensitive));
  RELAX_RETURN_IF_ERROR(
      sortItems(list, keys, flag(arguments, 2, "reverse", false), arguments.line));
  return Value::list(std::move(list));
}

Result unique(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  List kept;
  for (const Value &item : items) {
    RELAX_RETURN_IF_ERROR(interpreter.charge(16 * (kept.size() + 1), arguments.line));
    const Value key = sortKey(item, false);
    if (std::ranges::none_of(kept,
                             [&](const Value &other) { return sortKey(other, false) == key; }))
      kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

Result sum(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  const Value *attribute = arguments.find(0, "attribute");
  const Value *start = arguments.find(1, "start");
  Value total = start ? *start : Value::integer(0);
  for (const Value &item : items) {
    const Value term = attribute ? path(interpreter, item, attribute->str()) : item;
    JINJA_TRY(next, applyBinary(interpreter, "+", total, term, arguments.line));
    total = std::move(next);
  }
  return total;
}

template <int sign> Result extreme(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  if (items.empty())
    return Value::undefined("extreme of nothing");
  Value best = items.front();
  for (const Value &item : items) {
    JINJA_TRY(comparison, compareValues(item, best, arguments.line));
    if (comparison * sign > 0)
      best = item;
  }
  return best;
}

/// The arguments behind the first `count` positional ones.
Arguments following(const Arguments &arguments, size_t count) {
  Arguments rest;
  rest.line = arguments.line;
  for (size_t i = count; i < arguments.positional.size(); ++i)
    rest.positional.push_back(arguments.positional[i]);
  rest.named = arguments.named;
  return rest;
}

/// map("filter", arguments…) or map(attribute="a.b", default=…).
Result map(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  const Value *filter = arguments.positional.empty() ? nullptr : &arguments.positional[0];
  const Value *attribute = arguments.find(SIZE_MAX, "attribute");
  const Value *otherwise = arguments.find(SIZE_MAX, "default");
  if (!filter && !attribute)
    return templateError(arguments.line, "map: expected the name of a filter, or attribute=");
  List mapped;
  for (const Value &item : items) {
    if (filter) {
      JINJA_TRY(value, interpreter.applyFilter(filter->str(), item, following(arguments, 1)));
      mapped.push_back(std::move(value));
    } else {
      Value value = path(interpreter, item, attribute->str());
      if (value.isUndefined() && otherwise)
        value = *otherwise;
      mapped.push_back(std::move(value));
    }
  }
  return Value::list(std::move(mapped));
}

/// select, reject (tests of the items), selectattr, rejectattr (tests of an attribute of them).
template <bool keeps, bool ofAttribute>
Result selection(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(items, iterate(self, arguments.line));
  constexpr size_t testPosition = ofAttribute ? 1 : 0;
  if (ofAttribute && arguments.positional.empty())
    return templateError(arguments.line, "selectattr, rejectattr: expected an attribute's name");
  const bool hasTest = arguments.positional.size() > testPosition;
  List kept;
  for (const Value &item : items) {
    const Value subject =
        ofAttribute ? path(interpreter, item, arguments.positional[0].str()) : item;
    bool holds = subject.truthy();
    if (hasTest) {
      JINJA_TRY(result, interpreter.applyTest(arguments.positional[testPosition].str(), subject,
                                              following(arguments, testPosition + 1)));
      holds = result;
    }
    if (holds == keeps)
      kept.push_back(item);
  }
  return Value::list(std::move(kept));
}

constexpr Builtin filters[] = {
    {"abs", absolute},
    {"capitalize", mapText<capitalize>},
    {"count", length},
    {"d", defaultTo},
    {"default", defaultTo},
    {"dictsort", dictsort},
    {"e", escape},
    {"escape", escape},
    {"first", end<false>},
    {"float", toFloat},
    {"indent", indent},
    {"int", toInteger},
    {"items", items},
    {"join", join},
    {"last", end<true>},
    {"length", length},
    {"list", toList},
    {"lower", mapText<toLower>},
    {"map", map},
    {"max", extreme<1>},
    {"min", extreme<-1>},
    {"reject", selection<false, false>},
    {"rejectattr", selection<false, true>},
    {"replace", replace},
    {"reverse", reverse},
    {"round", roundNumber},
    {"safe", unchanged},
    {"select", selection<true, false>},
    {"selectattr", selection<true, true>},
    {"sort", sort},
    {"string", toString},
    {"sum", sum},
    {"title", mapText<titleCase>},
    {"tojson", tojson},
    {"trim", trim},
    {"unique", unique},
    {"upper", mapText<toUpper>},
};

} // namespace

const Builtin *findFilter(std::string_view name) {
  for (const Builtin &filter : filters)
    if (filter.name == name)
      return &filter;
  return nullptr;
}

} // namespace relax::llm::jinja
