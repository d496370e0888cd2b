//===- Scalars.h - arith and math on single numbers -------------------------------------------===//
#pragma once

#include "compiler/interpreter/Value.h"
#include "mlir/IR/Operation.h"

namespace relax::interpreter {

/// Computes the op's only result from its operands.
using ScalarFunction = Scalar (*)(mlir::Operation *op, const Scalar *operands);

/// How an op of arith or math is computed on single numbers; null if the interpreter doesn't know
/// it. Works for elementwise ops on tensors too, element by element.
ScalarFunction scalarFunctionFor(mlir::Operation *op);

/// The type to which a result of the op is rounded where results are; null if it isn't a float.
mlir::Type roundedType(mlir::Operation *op);

/// The value of a constant attribute of a number.
Scalar scalarOf(mlir::Attribute attribute);

} // namespace relax::interpreter
