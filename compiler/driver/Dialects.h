//===- Dialects.h - the dialects that the compiler uses ---------------------------------------===//
#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace relax::driver {

/// Registers every dialect, interface implementation and translation that the pipeline needs.
void registerCompilerDialects(mlir::DialectRegistry &registry);

} // namespace relax::driver
