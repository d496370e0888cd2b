//===- Passes.h - from graph ops to tensor programs -------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::kernels {

/// For the interpreter, tensors may have more dimensions than compiled code has, and ops that
/// nothing reads stay, with what they check.
std::unique_ptr<mlir::Pass> createLegalizePass(bool forInterpreter = false);

/// Registers the pass by name, for relax-opt.
void registerProgramsPasses();

} // namespace relax::kernels
