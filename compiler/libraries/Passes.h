//===- Passes.h - partial lowering to libraries -----------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>
#include <vector>

namespace relax::libraries {

struct ClaimOptions {
  /// Which libraries may be used (Entries.h); "auto": those that were measured on this CPU.
  std::vector<std::string> libraries;
  /// There are no alternatives: a library that is claimed must be there.
  bool required = false;
  /// What relax tune-dispatch wrote; empty for none.
  std::string thresholds;
  /// Patterns of users (LibraryPatterns.h).
  std::vector<std::string> patterns;
};

std::unique_ptr<mlir::Pass> createClaimLibraryPass(const ClaimOptions &options = {});
std::unique_ptr<mlir::Pass> createInlineAlternativesPass();

/// Registers them by name, for relax-opt.
void registerLibraryPasses();

} // namespace relax::libraries
