//===- Places.h - programs whose elements come from a place that a body computes --------------===//
//
// Each element of a result is read from somewhere in an operand: `x[i + start, j]`, or, where that
// depends on where we are, one of several branches. Branches are scf.if in the body: what isn't
// taken isn't read, so a branch may index what only it knows to be there.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"

namespace relax::kernels {

/// A tensor of `type`; `body` gives the element at `indices`. `operands` are read at the places
/// that `maps` say (over the result's dimensions), and come after the indices.
mlir::Value
elementwiseFrom(ProgramBuilder &program, mlir::RankedTensorType type,
                llvm::function_ref<mlir::Value(mlir::OpBuilder &, mlir::Location,
                                               mlir::ValueRange indices, mlir::ValueRange elements)>
                    body,
                mlir::ValueRange operands = {}, llvm::ArrayRef<mlir::AffineMap> maps = {});

/// `condition ? then() : otherwise()`, of an element type.
mlir::Value branch(mlir::OpBuilder &b, mlir::Location loc, mlir::Value condition,
                   llvm::function_ref<mlir::Value(mlir::OpBuilder &)> then,
                   llvm::function_ref<mlir::Value(mlir::OpBuilder &)> otherwise);

/// Arithmetic on values of type index, in a body.
struct Indexing {
  mlir::OpBuilder &b;
  mlir::Location loc;

  [[nodiscard]] mlir::Value constant(int64_t value) const;
  [[nodiscard]] mlir::Value add(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value sub(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value mul(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value min(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value max(mlir::Value x, mlir::Value y) const;
  /// The remainder of the division that rounds down; y > 0.
  [[nodiscard]] mlir::Value mod(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value less(mlir::Value x, mlir::Value y) const;
  [[nodiscard]] mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const;
  /// An element of an integer tensor as an index, counted from the end of `size` where it is below
  /// 0.
  [[nodiscard]] mlir::Value position(mlir::Value element, mlir::Value size) const;
};

} // namespace relax::kernels
