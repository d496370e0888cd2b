//===- ChildProcess.h - run this program again, and survive what it does ----------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <chrono>
#include <string>
#include <vector>

namespace relax::tool {

struct ChildResult {
  int exitCode = 0;
  int signal = 0;        ///< What killed it; 0: it ended by itself.
  bool timedOut = false; ///< It was killed after the time limit.
  std::string errors;    ///< The end of what it wrote to its standard error.

  [[nodiscard]] bool failed() const { return exitCode != 0 || signal != 0; }
  /// "exit code 1", "killed by signal 11 (Segmentation fault)", "no result after 60 s".
  [[nodiscard]] std::string text() const;
};

/// Runs `relax ARGUMENTS…` without input; its standard output goes nowhere. Ctrl-C ends it, and is
/// a Cancelled error.
Expected<ChildResult> runRelax(const std::vector<std::string> &arguments,
                               std::chrono::milliseconds limit);

} // namespace relax::tool
