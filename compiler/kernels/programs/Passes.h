//===- Passes.h - from graph ops to tensor programs -------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::kernels {

/// With `anyRank` tensors may have more dimensions than compiled code has, for the interpreter.
std::unique_ptr<mlir::Pass> createLegalizePass(bool anyRank = false);

/// Registers the pass by name, for relax-opt.
void registerProgramsPasses();

} // namespace relax::kernels
