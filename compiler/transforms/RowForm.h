//===- RowForm.h - programs that work row by row ----------------------------------------------===//
//
// A tensor program is *of rows* if all its reductions run along the last dimension and everything
// around them works on the same rows:
//
//   sums  = reduce(x)                        (outer..., j) -> (outer...)
//   scale = rsqrt(sums / n)                  (outer...)
//   y     = x * scale * weight               (outer..., j)
//
// An element may also come from another place of its own row (a rotary embedding).
//
// One row can then be computed on its own: each reduction is a loop over the row, what is made of
// its result is a scalar, and the results are a last loop. Fusion asks whether a merged program
// still has this form; the strategy row-reduction and those that begin with rows
// (quantize-activations) are built on it.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/DenseSet.h"

namespace relax::transforms {

/// The op that combines the accumulator with an element, if the body of a reduction ends in one
/// that can be split into partial results; null otherwise.
mlir::Operation *combinerOf(mlir::linalg::LinalgOp op);

class RowForm {
public:
  explicit RowForm(mlir::func::FuncOp program);

  /// Whether `roots`, tensors of the program, can be computed row by row. The first one gives the
  /// outer dimensions.
  bool holds(mlir::ValueRange roots);
  /// The same of what the program returns.
  bool holds();

  /// Does a tensor have one element for each row? (Otherwise it is full.)
  bool isRow(mlir::Value v) const { return rowTensors.contains(v); }
  llvm::ArrayRef<mlir::linalg::LinalgOp> allReductions() const { return reductions; }
  /// Does a tensor depend on a reduction?
  bool isDependent(mlir::Value v) const { return dependent.contains(v); }

private:
  bool isRowReduction(mlir::linalg::LinalgOp op) const;
  bool isContiguous(mlir::AffineMap map) const;
  bool readsOwnRow(mlir::tensor::ExtractOp extract) const;
  bool visit(mlir::Value v, bool row);

  mlir::func::FuncOp program;
  llvm::SmallVector<mlir::linalg::LinalgOp> reductions;
  llvm::DenseSet<mlir::Value> dependent;
  llvm::DenseSet<mlir::Value> rowTensors;
  llvm::DenseSet<mlir::Value> visited;
  unsigned rank = 0;
};

/// Whether each element of a linalg op takes a function that is worth storing (exp, tanh, …).
bool isCostly(mlir::linalg::LinalgOp op);

} // namespace relax::transforms
