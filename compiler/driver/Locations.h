//===- Locations.h - places in source text, for people ----------------------------------------===//
#pragma once

#include "compiler/transforms/Guards.h"

namespace relax::driver {

/// "FILE:LINE:COLUMN", the name of what came from elsewhere, or "".
inline std::string locationText(mlir::Location location) { return transforms::placeOf(location); }

} // namespace relax::driver
