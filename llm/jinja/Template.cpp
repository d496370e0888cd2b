#include "llm/jinja/Template.h"

#include "llm/jinja/ExpressionParser.h"
#include "llm/jinja/Parser.h"

namespace relax::llm::jinja {

Expected<Template> Template::parse(std::string_view source) {
  JINJA_TRY(block, jinja::parse(source));
  return Template(std::move(block));
}

Expected<std::string> Template::render(const Dict &variables, const Limits &limits) const {
  return Interpreter(variables, limits).run(*block);
}

} // namespace relax::llm::jinja
