//===- Template.h - a Jinja template, ready to render -----------------------------------------===//
//
// The subset of Jinja2 that chat templates use: if, for, set, macro, namespaces, filters, tests and
// Python's methods of strings and dicts (Builtins.h lists them), with the white-space settings that
// such templates are written for (Lexer.h). Templates are untrusted; rendering is bounded
// (Interpreter.h) and touches nothing but the values it is given and the clock.
//
//   auto chat = Template::parse("{% for m in messages %}<{{ m.role }}>{{ m.content }}{% endfor
//   %}"); jinja::Dict variables;  variables.set("messages", …); auto text =
//   chat->render(variables);
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/jinja/Interpreter.h"
#include "runtime/support/Status.h"

#include <memory>
#include <string>
#include <string_view>

namespace relax::llm::jinja {

class Template {
public:
  static Expected<Template> parse(std::string_view source);

  /// The text for these variables, or an error with the template's line.
  [[nodiscard]] Expected<std::string> render(const Dict &variables,
                                             const Limits &limits = {}) const;

private:
  explicit Template(Block block) : block(std::make_shared<const Block>(std::move(block))) {}

  std::shared_ptr<const Block> block;
};

} // namespace relax::llm::jinja
