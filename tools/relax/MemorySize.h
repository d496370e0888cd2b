//===- MemorySize.h - sizes of memory on the command line -------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <string>

namespace relax::tool {

/// "8GiB", "500 MB", "1.5G", "4096": a number with a unit. KiB, MiB, GiB, TiB and the letters alone
/// are powers of 1024, kB, MB, GB, TB powers of 1000; none means bytes.
Expected<uint64_t> parseMemorySize(const std::string &text);

/// Describes --memory-limit, which fills `limit`.
void addMemoryLimit(CLI::App &command, uint64_t &limit);

} // namespace relax::tool
