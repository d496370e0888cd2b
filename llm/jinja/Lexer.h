//===- Lexer.h - template text to tokens ------------------------------------------------------===//
//
// Applies the rules on white space while it cuts, so that the parser needs not know them:
//   {%- -%} {{- -}} {#- -#}   strip all white space on that side;
//   trim_blocks               a newline right after a block or comment goes away (not after "+%}");
//   lstrip_blocks             spaces and tabs between a line's start and a block or comment go away
//                             (not before "{%+");
//   the template's last newline goes away; "\r\n" and "\r" count as "\n".
// These are the settings that chat templates are written for.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace relax::llm::jinja {

struct Token {
  enum Kind : uint8_t {
    Text,
    BlockBegin,
    BlockEnd,
    VariableBegin,
    VariableEnd,
    Name,
    String,
    Integer,
    Float,
    Operator,
    End
  };
  Kind kind = End;
  uint32_t line = 1;
  std::string text; ///< The text itself; of a string, its value.
  int64_t integer = 0;
  double number = 0;
};

/// The tokens of `source`; the last one is an End. Errors name the line.
Expected<std::vector<Token>> tokenize(std::string_view source);

/// An error in a template at `line`.
Status templateError(uint32_t line, std::string_view message);

} // namespace relax::llm::jinja
