//===- TransposeBlock.h - a square of vectors, turned in registers ----------------------------===//
#pragma once

#include "mlir/Dialect/Vector/IR/VectorOps.h"

namespace relax::kernels {

/// As many vectors as they have elements (a power of two): result i holds element i of each.
/// Blocks off the diagonal change places, from half the size down; each exchange is a shuffle or
/// two.
inline llvm::SmallVector<mlir::Value> transposeBlock(mlir::OpBuilder &b, mlir::Location loc,
                                                     llvm::ArrayRef<mlir::Value> rows) {
  llvm::SmallVector<mlir::Value> result(rows);
  auto count = int64_t(rows.size());
  for (int64_t half = count / 2; half >= 1; half /= 2)
    for (int64_t row = 0; row < count; ++row) {
      if (row & half)
        continue;
      llvm::SmallVector<int64_t> low, high;
      for (int64_t i = 0; i < count; ++i) {
        // Places of the low blocks take those of this row, the others those of its partner.
        bool isHigh = i & half;
        low.push_back(isHigh ? count + i - half : i);
        high.push_back(isHigh ? count + i : i + half);
      }
      mlir::Value first = result[row], second = result[row + half];
      result[row] = mlir::vector::ShuffleOp::create(b, loc, first, second, low);
      result[row + half] = mlir::vector::ShuffleOp::create(b, loc, first, second, high);
    }
  return result;
}

} // namespace relax::kernels
