//===- ApplicationLimit.h - stop optimising after a number of steps
//----------------------------===//
//
// For `relax bisect`: of all applications of optimisations, in the order in which they happen, only
// the first ones are done. An application is a run of a pass that can be disabled (Pipeline.h); in
// the last of them it is, more finely, a rewrite of a pattern, or a step that the pass names
// (transforms/Application.h). Passes that are needed always run.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/Pipeline.h"
#include "runtime/support/Status.h"

#include "mlir/IR/MLIRContext.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace relax::driver {

struct ApplicationLimit {
  std::optional<int64_t> passes; ///< Optional passes that run; nothing: all.
  std::optional<int64_t> steps;  ///< Steps inside the last of them; nothing: all.
  /// A line for each pass as it begins, and for each step of the last one, so that what was going
  /// on is known even after a crash: "needed NAME", "pass NUMBER NAME", "step NUMBER TEXT".
  std::string logFile;

  [[nodiscard]] bool isActive() const { return passes || steps || !logFile.empty(); }
};

/// "12", or "12.3" for three steps of the twelfth pass.
Expected<ApplicationLimit> parseApplicationLimit(const std::string &text);

/// Applies the limit to the passes that run in `context` from now on.
Status limitApplications(mlir::MLIRContext &context, const ApplicationLimit &limit,
                         const PipelineOptions &options);

} // namespace relax::driver
