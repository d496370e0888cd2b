#include "llm/jinja/Builtins.h"
#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Strings.h"

#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

namespace relax::llm::jinja {
namespace {

using Result = Expected<Value>;

/// The string argument at `position`, or `otherwise` where it is missing or none.
Expected<std::string> stringArgument(const Arguments &arguments, size_t position,
                                     std::string_view name, const char *otherwise) {
  const Value *value = arguments.find(position, name);
  if ((!value || value->isNone()) && otherwise)
    return std::string(otherwise);
  if (!value)
    return templateError(arguments.line, fmt::format("the argument '{}' is missing", name));
  if (!value->isString())
    return templateError(arguments.line, fmt::format("the argument '{}' is {}, expected a string",
                                                     name, value->typeName()));
  return value->asString();
}

Expected<int64_t> integerArgument(const Arguments &arguments, size_t position,
                                  std::string_view name, int64_t otherwise) {
  const Value *value = arguments.find(position, name);
  if (!value || value->isNone())
    return otherwise;
  if (!value->isInteger() && !value->isBool())
    return templateError(arguments.line, fmt::format("the argument '{}' is {}, expected an integer",
                                                     name, value->typeName()));
  return value->asInteger();
}

Value toList(std::vector<std::string> parts) {
  List list;
  list.reserve(parts.size());
  for (std::string &part : parts)
    list.push_back(Value::string(std::move(part)));
  return Value::list(std::move(list));
}

template <bool left, bool right>
Result stripMethod(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(set, stringArgument(arguments, 0, "chars", ""));
  return Value::string(std::string(strip(self.asString(), set, left, right)));
}

template <bool fromRight>
Result split(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(limit, integerArgument(arguments, 1, "maxsplit", -1));
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 4, arguments.line));
  const Value *separator = arguments.find(0, "sep");
  if (!separator || separator->isNone())
    return toList(splitAtSpaces(self.asString(), limit));
  if (!separator->isString() || separator->asString().empty())
    return templateError(arguments.line, "split: the separator must be a string that is not empty");
  return toList(fromRight ? splitAtFromRight(self.asString(), separator->asString(), limit)
                          : splitAt(self.asString(), separator->asString(), limit));
}

Result splitlines(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() * 4, arguments.line));
  return toList(splitLines(self.asString()));
}

/// startswith and endswith, of one string or any of a list.
template <bool atEnd>
Result hasAffix(Interpreter &, const Value &self, const Arguments &arguments) {
  const Value *affix = arguments.find(0, atEnd ? "suffix" : "prefix");
  const List affixes = !affix ? List() : affix->isList() ? affix->asList() : List{*affix};
  const std::string &text = self.asString();
  bool found = false;
  for (const Value &candidate : affixes) {
    if (!candidate.isString())
      return templateError(arguments.line,
                           fmt::format("{}: found {}, expected a string",
                                       atEnd ? "endswith" : "startswith", candidate.typeName()));
    found |= atEnd ? text.ends_with(candidate.asString()) : text.starts_with(candidate.asString());
  }
  if (affixes.empty())
    return templateError(arguments.line, "startswith and endswith need an argument");
  return Value::boolean(found);
}

template <std::string (*map)(std::string_view)>
Result mapMethod(Interpreter &, const Value &self, const Arguments &) {
  return Value::string(map(self.asString()));
}

Result replace(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  JINJA_TRY(from, stringArgument(arguments, 0, "old", nullptr));
  JINJA_TRY(to, stringArgument(arguments, 1, "new", nullptr));
  JINJA_TRY(limit, integerArgument(arguments, 2, "count", -1));
  if (from.empty())
    return templateError(arguments.line, "replace: the text to replace is empty");
  const size_t count = countOccurrences(self.asString(), from, limit);
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight() + count * to.size(), arguments.line));
  return Value::string(replaceAll(self.asString(), from, to, limit));
}

template <bool fromRight>
Result find(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(part, stringArgument(arguments, 0, "sub", nullptr));
  const std::string &text = self.asString();
  const size_t at = fromRight ? text.rfind(part) : text.find(part);
  if (at == std::string::npos)
    return Value::integer(-1);
  return Value::integer(
      static_cast<int64_t>(countCharacters(std::string_view(text).substr(0, at))));
}

Result count(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(part, stringArgument(arguments, 0, "sub", nullptr));
  if (part.empty())
    return templateError(arguments.line, "count: the text to count is empty");
  return Value::integer(static_cast<int64_t>(countOccurrences(self.asString(), part, -1)));
}

template <bool suffix>
Result removeAffix(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(affix, stringArgument(arguments, 0, suffix ? "suffix" : "prefix", nullptr));
  std::string_view text = self.asString();
  if (suffix && text.ends_with(affix))
    text.remove_suffix(affix.size());
  if (!suffix && text.starts_with(affix))
    text.remove_prefix(affix.size());
  return Value::string(std::string(text));
}

Result join(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  Arguments separator;
  separator.line = arguments.line;
  separator.positional.push_back(self);
  const Value *items = arguments.find(0, "iterable");
  if (!items)
    return templateError(arguments.line, "join needs a list");
  return interpreter.applyFilter("join", *items, separator);
}

/// True if there are characters and `belongs` holds for each.
template <bool (*belongs)(uint32_t)>
Result consistsOf(Interpreter &, const Value &self, const Arguments &) {
  const std::string &text = self.asString();
  for (size_t i = 0; i < text.size();) {
    const auto codePoint = decodeUtf8(text, i);
    if (!codePoint || !belongs(codePoint->value))
      return Value::boolean(false);
    i += codePoint->bytes;
  }
  return Value::boolean(!text.empty());
}
bool isLetterOrNumber(uint32_t codePoint) { return isLetter(codePoint) || isNumber(codePoint); }

Result isCase(const Value &self, const char *test, Interpreter &interpreter,
              const Arguments &arguments) {
  JINJA_TRY(holds, interpreter.applyTest(test, self, arguments));
  return Value::boolean(holds);
}
Result islower(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  return isCase(self, "lower", interpreter, arguments);
}
Result isupper(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  return isCase(self, "upper", interpreter, arguments);
}

constexpr Builtin stringMethods[] = {
    {"capitalize", mapMethod<capitalize>},
    {"count", count},
    {"endswith", hasAffix<true>},
    {"find", find<false>},
    {"isalnum", consistsOf<isLetterOrNumber>},
    {"isalpha", consistsOf<isLetter>},
    {"isdigit", consistsOf<isNumber>},
    {"islower", islower},
    {"isspace", consistsOf<isWhitespace>},
    {"isupper", isupper},
    {"join", join},
    {"lower", mapMethod<toLower>},
    {"lstrip", stripMethod<true, false>},
    {"removeprefix", removeAffix<false>},
    {"removesuffix", removeAffix<true>},
    {"replace", replace},
    {"rfind", find<true>},
    {"rsplit", split<true>},
    {"rstrip", stripMethod<false, true>},
    {"split", split<false>},
    {"splitlines", splitlines},
    {"startswith", hasAffix<false>},
    {"strip", stripMethod<true, true>},
    {"title", mapMethod<titleCase>},
    {"upper", mapMethod<toUpper>},
};

enum class Part { Keys, Values, Items };

template <Part part>
Result listDict(Interpreter &interpreter, const Value &self, const Arguments &arguments) {
  RELAX_RETURN_IF_ERROR(interpreter.charge(self.weight(), arguments.line));
  List list;
  for (const auto &[key, value] : self.asDict().entries()) {
    if (part == Part::Keys)
      list.push_back(Value::string(key));
    else if (part == Part::Values)
      list.push_back(value);
    else
      list.push_back(Value::list({Value::string(key), value}));
  }
  return Value::list(std::move(list));
}

Result get(Interpreter &, const Value &self, const Arguments &arguments) {
  JINJA_TRY(key, stringArgument(arguments, 0, "key", nullptr));
  if (const Value *value = self.asDict().find(key))
    return *value;
  const Value *otherwise = arguments.find(1, "default");
  return otherwise ? *otherwise : Value::none();
}

constexpr Builtin dictMethods[] = {
    {"get", get},
    {"items", listDict<Part::Items>},
    {"keys", listDict<Part::Keys>},
    {"values", listDict<Part::Values>},
};

} // namespace

const Builtin *findMethod(const Value &self, std::string_view name) {
  const auto search = [&](const auto &table) -> const Builtin * {
    for (const Builtin &method : table)
      if (method.name == name)
        return &method;
    return nullptr;
  };
  if (self.isString())
    return search(stringMethods);
  return self.isDict() ? search(dictMethods) : nullptr;
}

} // namespace relax::llm::jinja
