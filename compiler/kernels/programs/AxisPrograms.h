//===- AxisPrograms.h - reductions of any axes, and what they share
//-----------------------------===//
//
// A program of reductions has tensors of two shapes: full ones, and those that lack the reduced
// axes
// ("rows", where the last axis is reduced). The functions here tell by an operand's rank which one
// it is.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"
#include "compiler/kernels/programs/Scalars.h"

#include "mlir/IR/TypeUtilities.h"

namespace relax::kernels {

/// The type in which numbers of `element` are added: float32 for narrower floats.
inline mlir::Type accumulatorOf(mlir::Type element) {
  return isNarrowFloat(element) ? mlir::Float32Type::get(element.getContext()) : element;
}

/// Are the elements of operand `i` of the graph op unsigned?
inline bool isUnsignedOperand(mlir::Operation *op, unsigned i) {
  return mlir::getElementTypeOrSelf(op->getOperand(i).getType()).isUnsignedInteger();
}

/// `type` without the axes, with other elements.
mlir::RankedTensorType withoutAxes(mlir::RankedTensorType type, llvm::ArrayRef<unsigned> axes,
                                   mlir::Type element);

/// Reduces `axes` of the full operands (of `full`'s shape) into a tensor of `element`; body: the
/// operands' elements, then the accumulator.
mlir::Value reduceAxes(const ProgramBuilder &program, mlir::RankedTensorType full,
                       llvm::ArrayRef<unsigned> axes, mlir::TypedAttr init,
                       mlir::ValueRange operands, ProgramBuilder::Body body);

/// A full tensor of `full`'s type, from full operands and those that lack the axes.
mlir::Value alongAxes(const ProgramBuilder &program, mlir::RankedTensorType full,
                      llvm::ArrayRef<unsigned> axes, mlir::ValueRange operands,
                      ProgramBuilder::Body body);

/// Each element of `x` from its own, in a tensor of `element`.
mlir::Value elementByElement(const ProgramBuilder &program, mlir::Value x, mlir::Type element,
                             llvm::function_ref<mlir::Value(const Scalars &, mlir::Value)> body);

/// The number of elements along the axes, as an i64 to be converted in a body.
mlir::Value countAlong(const ProgramBuilder &program, mlir::RankedTensorType full,
                       llvm::ArrayRef<unsigned> axes);

/// (d0, ..., dN) -> (d0, ..., dM): the first `results` of `loops` dimensions.
mlir::AffineMap leadingDims(mlir::MLIRContext *context, unsigned loops, unsigned results);

/// The attributes that begin a sum, product, maximum or minimum of `element`.
mlir::TypedAttr zeroOf(mlir::Type element);
mlir::TypedAttr oneOf(mlir::Type element);
mlir::TypedAttr lowestOf(mlir::Type element, bool isUnsigned);
mlir::TypedAttr highestOf(mlir::Type element, bool isUnsigned);

} // namespace relax::kernels
