//===- CallOps.h - calls of kernels, libraries, functions and function values -----------------===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CallOps.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

/// The result types of a call by the callee's signature alone: its symbols are bound by unifying
/// parameter types with operand types, and those without a value are erased from the results. Fails
/// with a `message` where an operand can never fit; what isn't proved, and is checked when the
/// callee is entered, is added to `constraints`.
mlir::LogicalResult deduceCall(mlir::FunctionType signature, mlir::TypeRange operands,
                               llvm::SmallVectorImpl<mlir::Type> &results, std::string &message,
                               llvm::SmallVectorImpl<Constraint> *constraints = nullptr);

} // namespace relax::ir
