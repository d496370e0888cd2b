//===- Division.h - quotients and remainders that no operand can make trap --------------------===//
//
// Integers: a quotient or remainder by 0 is 0; the lowest number divided by -1 wraps to itself.
// Floating-point remainders are exact. They are computed in float64, and may be returned so.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/programs/Scalars.h"

namespace relax::kernels {

/// x / y; integers truncate towards zero.
mlir::Value divide(const Scalars &s, mlir::Value x, mlir::Value y);
/// The largest integer up to x / y, by numpy's rule: (x - modulo(x, y)) / y.
mlir::Value floorDivide(const Scalars &s, mlir::Value x, mlir::Value y);
/// x - y * trunc(x / y): the sign of x.
mlir::Value remainder(const Scalars &s, mlir::Value x, mlir::Value y);
/// x - y * floor(x / y): the sign of y.
mlir::Value modulo(const Scalars &s, mlir::Value x, mlir::Value y);

} // namespace relax::kernels
