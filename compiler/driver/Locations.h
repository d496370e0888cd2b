//===- Locations.h - places in source text, for people ----------------------------------------===//
#pragma once

#include "mlir/IR/Location.h"

#include <string>

namespace relax::driver {

/// "FILE:LINE:COLUMN" where the location lies in a file, the name of what came from elsewhere (a
/// model's tensor, say), "" where nothing is known. Of several places, the first.
inline std::string locationText(mlir::Location location) {
  if (auto file = mlir::dyn_cast<mlir::FileLineColLoc>(location))
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
           std::to_string(file.getColumn());
  if (auto name = mlir::dyn_cast<mlir::NameLoc>(location))
    return name.getName().str();
  if (auto call = mlir::dyn_cast<mlir::CallSiteLoc>(location))
    return locationText(call.getCallee());
  if (auto fused = mlir::dyn_cast<mlir::FusedLoc>(location))
    for (mlir::Location part : fused.getLocations())
      if (std::string text = locationText(part); !text.empty())
        return text;
  return "";
}

} // namespace relax::driver
