//===- Coverage.h - whether random programs have every op of the dialect ----------------------===//
#pragma once

#include "mlir/IR/MLIRContext.h"

#include <string>
#include <vector>

namespace relax::fuzz {

/// What is wrong: ops of the dialect that nothing makes and that no reason excludes, and names of
/// either list that are no ops. Empty if nothing is.
std::vector<std::string> missingOps(mlir::MLIRContext *context);

} // namespace relax::fuzz
