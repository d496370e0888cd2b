//===- Order.h - which element comes before which, and merge sort -----------------------------===//
#pragma once

#include "compiler/kernels/programs/LoopBuilder.h"

namespace relax::kernels {

/// The order of the Search family: ascending or descending, NaN last in both.
struct Order {
  bool descending = false;
  /// The graph's element type is unsigned (or bool).
  bool isUnsigned = false;

  /// Does x come before y? False for equal ones.
  mlir::Value before(const LoopBuilder &l, mlir::Value x, mlir::Value y) const;
};

/// The order for elements of operand `i` of a graph op.
Order orderOf(mlir::Operation *op, unsigned i, bool descending);

/// Fills the vector `order` (i64) with 0, 1, … and sorts it, stable, so that `key` of its elements,
/// given as indices, is in order. `scratch` is of the same type. Returns both.
LoopBuilder::Values sortPositions(const LoopBuilder &l, const Order &order, mlir::Value positions,
                                  mlir::Value scratch, mlir::Value count,
                                  llvm::function_ref<mlir::Value(mlir::Value)> key);

/// Sorts the elements of the vector `x` into `sorted`; `scratch` is of the same type. Returns both.
LoopBuilder::Values sortElements(const LoopBuilder &l, const Order &order, mlir::Value x,
                                 mlir::Value sorted, mlir::Value scratch, mlir::Value count);

} // namespace relax::kernels
