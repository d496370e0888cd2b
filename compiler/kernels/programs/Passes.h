//===- Passes.h - from graph ops to tensor programs -------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::kernels {

std::unique_ptr<mlir::Pass> createLegalizePass();

/// Registers the pass by name, for relax-opt.
void registerProgramsPasses();

} // namespace relax::kernels
