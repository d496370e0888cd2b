//===- RunLibrary.h - host functions from shared libraries ------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/vm/Registry.h"

#include <string>

namespace relax::tool {

/// Loads the shared library at `path` and registers its functions (library_api.h). It stays loaded.
Status registerLibrary(const std::string &path, runtime::Registry &registry);

} // namespace relax::tool
