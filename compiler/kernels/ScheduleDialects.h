//===- ScheduleDialects.h - the dialects that scheduled kernels are made of -------------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace relax::kernels {

/// Everything that a strategy may make, and how ops on tensors become ops on memory.
void registerScheduleDialects(mlir::DialectRegistry &registry);

} // namespace relax::kernels
