//===- Ops.h - the ops of the relax dialect ---------------------------------------------------===//
//
// Ops deduce their result types (see OpBase.td): `AddOp::create(b, loc, lhs, rhs)`. A builder that
// is given operands which violate an op's shape rule aborts; whoever builds from a user's input
// checks first, or asks checkedCreate, which reports the rule's error instead.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/Ops.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

/// Builds an op that deduces its result types; a violated rule is reported at `loc`, and no op
/// made.
template <typename OpTy>
mlir::FailureOr<OpTy> checkedCreate(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::ValueRange operands,
                                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  llvm::SmallVector<mlir::Type> types;
  mlir::DictionaryAttr dictionary = b.getDictionaryAttr(attributes);
  mlir::OperationState state(loc, OpTy::getOperationName(), operands, {}, attributes);
  if (failed(OpTy::inferReturnTypes(b.getContext(), loc, operands, dictionary, nullptr, {}, types)))
    return mlir::failure();
  state.addTypes(types);
  return mlir::cast<OpTy>(b.create(state));
}

/// Whether the op has a kernel strategy of its own and so stays as it is inside a tensor program.
bool isStructuredKernelOp(mlir::Operation *op);

/// Whether the op multiplies by weights: matmul, packed_matmul, quantized_matmul.
bool isContraction(mlir::Operation *op);

} // namespace relax::ir
