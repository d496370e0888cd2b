//===- Cost.h - about how much work a tensor program is ---------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/Value.h"

namespace relax::kernels {

/// About how many scalar operations one element of `tensor` takes, with everything that it is
/// computed from; a reduction counts its extent, 1 where that is unknown. At least 1.
symbolic::Expr elementCost(mlir::Value tensor);

/// About how many scalar operations one step of the op's loops takes.
int64_t elementOperations(mlir::linalg::LinalgOp op);

/// The product of the known dimensions of `tensor`.
symbolic::Expr elementCount(mlir::Value tensor);

} // namespace relax::kernels
