//===- PlainContraction.h - a program around one sum of products ------------------------------===//
//
// The strategy matmul takes programs whose only reduction is a sum of products of two tensors:
//
//   result[b, m, n] = init[b, m, n] + sum over k of left[b, m, k] * right[b, k, n]
//
// in any order of the dimensions, any of b and m missing, left and right computed elementwise from
// anything, and elementwise work on the sums. Loops have roles:
//
//   n   the last dimension of the result; lanes of vectors run along it. `right` is the operand
//       that has it
//   m   of the other operand, the last parallel loop that `right` lacks
//   k   the last reduction loop; other reduction loops run outside of it
//   outer  every other parallel loop
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

#include <optional>

namespace relax::kernels {

/// One factor of the products.
struct Factor {
  mlir::Value tensor;
  /// From the loops to the tensor's dimensions: loops and zeros.
  mlir::AffineMap map;
  /// Conversions from the tensor's elements to the accumulator's type, in order.
  llvm::SmallVector<mlir::Operation *> conversions;

  bool uses(unsigned loop) const { return map.isFunctionOfDim(loop); }
  /// Do neighbours along `loop` lie side by side?
  bool isContiguousIn(unsigned loop) const;
};

struct PlainContraction {
  mlir::linalg::LinalgOp op;
  Factor left, right;
  mlir::Type accumulator;
  std::optional<unsigned> m;
  unsigned n = 0, k = 0;
  llvm::SmallVector<unsigned> outer, outerReductions;

  /// The extent of a loop.
  symbolic::Expr extent(unsigned loop) const;
};

/// The contraction of a program that is one, as described above.
std::optional<PlainContraction> matchPlainContraction(mlir::func::FuncOp program);

const KernelStrategy &matmulStrategy();

} // namespace relax::kernels
