//===- Isolation.h - runs a piece of work in a process of its own -----------------------------===//
//
// A crash or a hang of the compiler or of compiled code must not end a campaign: it is a find.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <functional>
#include <string>

namespace relax::fuzz {

struct Isolated {
  std::string text; ///< What the work gave.
  std::string
      death; ///< How its process ended, if not by itself: "signal 11 (…)", "no end in 60 s".
};

/// Runs `work` in a child, for `seconds` at most. Both processes have one thread when it begins.
Isolated runIsolated(const std::function<std::string()> &work, unsigned seconds);

} // namespace relax::fuzz
