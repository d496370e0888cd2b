//===- InspectGuards.h - what a program assumes, and who checks it ----------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <nlohmann/json.hpp>

namespace relax::driver {

/// For each graph function {"name", "guards": [{"what", "source", "status", "by"}, …]}: the checks
/// of arguments at the door, then those of the body. `status` is "checked" or "proved"; `by` says
/// by what it is proved, or what checks it. The module is lowered on the way, as far as the ops
/// that make assumptions go. Errors are diagnostics.
mlir::FailureOr<nlohmann::json> inspectGuards(mlir::ModuleOp module);

/// The proved guards of an already lowered module, one text each, for an artifact's metadata.
std::vector<std::string> provedGuards(mlir::ModuleOp module);
inline constexpr const char *provedGuardsKey = "relax.proved_guards";

} // namespace relax::driver
