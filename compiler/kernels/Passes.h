//===- Passes.h - the passes of compiler/kernels ---------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::kernels {

/// schedule-kernels: turns each tensor program of a module into a scheduled kernel (see
/// KernelStrategy.h) for the module's `relax.target`; x86-64-v2 without one.
std::unique_ptr<mlir::Pass> createScheduleKernelsPass();

/// expand-math: writes exp, tanh and others, on scalars and vectors alike, as arithmetic that every
/// target has (see ExpandMath.cpp). Fused multiply-add only where the module's `relax.target` has
/// it.
std::unique_ptr<mlir::Pass> createExpandMathPass();

/// The same for a target that is known to have fused multiply-add, or not.
std::unique_ptr<mlir::Pass> createExpandMathPass(bool fma);

void registerKernelPasses();

} // namespace relax::kernels
