#pragma once

/// Reads a program in text IR. What MLIR's own reader forgets is kept: a parameter's name in the
/// text becomes its `relax.name`, by which callers, messages and `relax inspect` know it.
///
///     func.func @main(%x: tensor<4xf32>)   is read as   func.func @main(%x: tensor<4xf32>
///     {relax.name = "x"})
///
/// A number (`%0`) is no name, and a `relax.name` that is there stays. Errors are diagnostics of
/// the context. Tested by tests/end-to-end/test_run.py.

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

#include <string>

namespace relax::text {

/// The module in the file; null after an error.
mlir::OwningOpRef<mlir::ModuleOp> readText(const std::string &path, mlir::MLIRContext *context);

} // namespace relax::text
