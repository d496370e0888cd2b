//===- Parser.h - template tokens to trees ----------------------------------------------------===//
#pragma once

#include "llm/jinja/Ast.h"
#include "runtime/support/Status.h"

#include <string_view>

namespace relax::llm::jinja {

/// How deep expressions and blocks may nest in the text of a template.
inline constexpr unsigned maxNesting = 120;

/// Parses a whole template. Errors name the line, what was found and what was expected there.
Expected<Block> parse(std::string_view source);

} // namespace relax::llm::jinja
