//===- Passes.h - the passes of compiler/kernels ---------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringRef.h"

#include <memory>

namespace relax::kernels {

/// schedule-kernels: turns each tensor program of a module into a scheduled kernel (see
/// KernelStrategy.h) for the module's `relax.target`; x86-64-v2 without one. For each further
/// target in `relax.more_targets` (an array) there is a module inside it then, with the same
/// kernels for that target. A kernel whose number of units differs has that of each target, in this
/// order, as `relax.level_extents`.
std::unique_ptr<mlir::Pass> createScheduleKernelsPass();
inline constexpr llvm::StringLiteral moreTargetsAttr = "relax.more_targets";
inline constexpr llvm::StringLiteral levelExtentsAttr = "relax.level_extents";

/// expand-math: writes exp, tanh and others, on scalars and vectors alike, as arithmetic that every
/// target has (see ExpandMath.cpp). Fused multiply-add only where the module's `relax.target` has
/// it.
std::unique_ptr<mlir::Pass> createExpandMathPass();

/// The same for a target that is known to have fused multiply-add, or not.
std::unique_ptr<mlir::Pass> createExpandMathPass(bool fma);

/// split-contractions: long sums of products with few results become partial sums, which several
/// threads compute, and the sum of these.
std::unique_ptr<mlir::Pass> createSplitContractionsPass();

/// lift-workspace: scratch memory that tensor programs need becomes a result of theirs, which their
/// callers' memory plans have room for.
std::unique_ptr<mlir::Pass> createLiftWorkspacePass();

void registerKernelPasses();

} // namespace relax::kernels
