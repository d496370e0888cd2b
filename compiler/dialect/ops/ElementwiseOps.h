//===- ElementwiseOps.h - arithmetic, comparisons, activations, conversions ------------------===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

namespace relax::ir {

/// The element type of an elementwise op's result.
enum class ResultElement { Same, Bool };

/// The rule of every elementwise op: the shapes of the operands broadcast, and those after a
/// condition have one element type.
mlir::LogicalResult deduceElementwise(const Rule &rule, mlir::ValueRange operands,
                                      ResultElement element,
                                      llvm::SmallVectorImpl<mlir::Type> &types);

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ElementwiseOps.h.inc"
#pragma GCC diagnostic pop
