//===- LibraryFlags.h - which libraries a compiled program may call ---------------------------===//
#pragma once

#include "tools/relax/CompilerLibrary.h"

#include <CLI/CLI.hpp>

namespace relax::tool {

/// Describes --libraries, --library-required, --library-patterns and --library-thresholds.
void addLibraryFlags(CLI::App &command, CompileRequest &request);

} // namespace relax::tool
