//===- IndexChecks.h - indices are in range before a kernel reads by them ---------------------===//
#pragma once

#include "compiler/dialect/Relax.h"

#include "mlir/IR/Builders.h"

namespace relax::kernels {

/// lower <= element < upper, for every element.
struct ElementRange {
  symbolic::Expr lower, upper;
};
/// What is known of the elements of an integer tensor from the ops that make it: a function's
/// argument with relax.values, argmax, arange, and what only moves elements of such a one.
std::optional<ElementRange> elementRange(mlir::Value tensor);

/// Writes the check that every element of `indices` is in [-size, size), unless that is known. The
/// error names `what`.
void checkIndices(mlir::OpBuilder &b, mlir::Location loc, mlir::Value indices, symbolic::Expr size,
                  llvm::StringRef what);

} // namespace relax::kernels
