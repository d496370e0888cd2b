// `relax inspect --guards`: what functions assume, and who checks it.
#include "runtime/artifact/Load.h"
#include "tools/relax/Inspect.h"
#include "tools/relax/RunSignature.h"

#include <fmt/format.h>

namespace relax::tool {
namespace {

using artifact::Function;
using artifact::Slot;

Json checked(const std::string &what, const std::string &source, const std::string &by) {
  return {{"what", what}, {"source", source}, {"status", "checked"}, {"by", by}};
}

/// What is checked of a function's arguments and symbols.
void listSignature(const Function &function, Json &guards) {
  for (size_t i = 0; i < function.parameters.size(); ++i)
    guards.push_back(checked(fmt::format("argument {} \"{}\" is {}", i, function.parameters[i].name,
                                         parameterText(function, i)),
                             "", "the call"));
  for (const artifact::Symbol &symbol : function.symbols) {
    if (symbol.lo > 0 || symbol.hi)
      guards.push_back(
          checked(fmt::format("{}{}{}", symbol.lo > 0 ? fmt::format("{} <= ", symbol.lo) : "",
                              symbol.name, symbol.hi ? fmt::format(" <= {}", *symbol.hi) : ""),
                  symbol.origin, symbol.origin.empty() ? "the call" : "where it is introduced"));
    if (symbol.divisor > 1)
      guards.push_back(checked(fmt::format("{} divides {}", symbol.divisor, symbol.name),
                               symbol.origin, "the call"));
  }
}

Json functionGuards(const Function &function) {
  Json guards = Json::array();
  listSignature(function, guards);
  for (const artifact::Guard &guard : function.guards)
    guards.push_back(
        checked(guard.kind == artifact::Guard::Elements && guard.a != artifact::noSlot &&
                        guard.b != artifact::noSlot
                    ? fmt::format("{}: {} <= element < {}", guard.expression,
                                  slotText(function, guard.a), slotText(function, guard.b))
                    : guard.expression,
                guard.source, function.general ? "the code" : "the call"));
  for (const artifact::TypePattern &pattern : function.patterns)
    if (!pattern.what.empty())
      guards.push_back(checked(pattern.what + " fits its annotation", pattern.source, "the code"));
  return guards;
}

} // namespace

Expected<Json> artifactGuards(const std::string &path) {
  auto loaded = artifact::loadFile(path);
  if (!loaded)
    return loaded.takeStatus();
  Json proved = Json::array();
  if (loaded->module.metadata.contains("relax.proved_guards")) {
    auto texts = loaded->module.metadata.strings("relax.proved_guards");
    if (!texts)
      return texts.takeStatus();
    for (const std::string &text : **texts) {
      Json entry = Json::parse(text, nullptr, /*allow_exceptions=*/false);
      if (entry.is_object())
        proved.push_back(std::move(entry));
    }
  }
  Json functions = Json::array();
  for (const Function &function : loaded->module.functions) {
    Json guards = functionGuards(function);
    for (const Json &entry : proved)
      if (entry.value("function", "") == function.name)
        guards.push_back({{"what", entry.value("what", "")},
                          {"source", entry.value("source", "")},
                          {"status", "proved"},
                          {"by", entry.value("by", "")}});
    functions.push_back({{"name", function.name}, {"guards", guards}});
  }
  return functions;
}

std::string guardsText(const Json &functions) {
  std::string text;
  for (const Json &function : functions) {
    text += fmt::format("{}Function @{}\n", text.empty() ? "" : "\n", function.value("name", ""));
    for (const Json &guard : function["guards"]) {
      const std::string source = guard.value("source", "");
      text += fmt::format("  {:<7}  {}\n           by {}{}\n", guard.value("status", ""),
                          guard.value("what", ""), guard.value("by", ""),
                          source.empty() ? "" : ", from " + source);
    }
  }
  return text;
}

} // namespace relax::tool
