//===- Passes.h - flags that choose passes ----------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "tools/relax/CompilerLibrary.h"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace relax::tool {

/// Describes --disable-pass NAME[,NAME…], which fills `names`.
void addDisablePass(CLI::App &command, std::vector<std::string> &names);

/// Describes --fusion-patterns, --pass-plugin and --insert-pass.
void addPluginFlags(CLI::App &command, CompileRequest &request);

/// Both of these, and the flags for bisecting.
void addPassFlags(CLI::App &command, CompileRequest &request);

/// Prints the passes in their order, and which of them can be disabled.
Status listPasses();

} // namespace relax::tool
