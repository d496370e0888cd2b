//===- RotaryTable.h - cosines and sines of rotary position embedding -------------------------===//
//
//   table[i, j] = scale * cos(a), table[i, dims/2 + j] = scale * sin(a),
//   a = positions[i] * base^(-2j / dims) / factors[j]
//
// The frequencies are f64 constants, angles, their reduction and the polynomials are f64, and the
// result is rounded once to f32. A unit is one position.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/attention/VectorMath.h"

namespace relax::kernels::attention {

struct RotaryTableParams {
  double base = 10000.0;
  int64_t dims = 0;               ///< Even.
  llvm::ArrayRef<double> factors; ///< dims / 2, or none.
  double scale = 1;
};

struct RotaryTableOperands {
  mlir::Value positions;  ///< i32 [t]
  mlir::Value table;      ///< f32 [t, dims]
  mlir::Value begin, end; ///< index
};

/// As buildPagedAttention; the frequencies are written at `entry`.
void buildRotaryTable(mlir::OpBuilder &builder, mlir::OpBuilder &entry, mlir::Location loc,
                      VectorTarget target, const RotaryTableParams &params,
                      const RotaryTableOperands &operands);

} // namespace relax::kernels::attention
