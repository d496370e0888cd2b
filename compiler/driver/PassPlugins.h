//===- PassPlugins.h - passes from shared libraries -------------------------------------------===//
//
// A user's optimisation is an MLIR pass plugin: a library against the same MLIR that exports
// mlirGetPassPluginInfo and registers its passes by name. It sees the module through MLIR's generic
// interfaces, and through those of the relax dialect if it is built with the headers.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace relax::driver {

/// Loads each library once in the life of the process and registers its passes.
Status loadPassPlugins(const std::vector<std::string> &paths);

} // namespace relax::driver
