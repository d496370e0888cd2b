//===- Siblings.h - several independent programs in one kernel --------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

namespace relax::kernels {

/// Programs of parts that don't depend on each other, each with a strategy of its own.
const KernelStrategy &siblingsStrategy();

/// The first strategy that matches; null if none does.
const KernelStrategy *findStrategy(mlir::func::FuncOp program);

/// Schedules a program that is in no module as a function beside `kernel` and consumes it. The
/// result is a kernel without an entry point of its own.
mlir::FailureOr<std::pair<mlir::func::FuncOp, Schedule>>
schedulePart(mlir::func::FuncOp program, mlir::func::FuncOp kernel, ir::TargetAttr target);

} // namespace relax::kernels
