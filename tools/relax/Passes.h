//===- Passes.h - flags that choose what the compiler does ------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace relax::tool {

/// Describes --disable-pass NAME[,NAME…], which fills `names`.
void addDisablePass(CLI::App &command, std::vector<std::string> &names);

/// Prints the passes in their order, and which of them can be disabled.
Status listPasses();

} // namespace relax::tool
