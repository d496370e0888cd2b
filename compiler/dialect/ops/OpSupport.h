//===- OpSupport.h - what the generated op classes of every family need -----------------------===//
//
// Ops are defined in families, each with its own .td, .h and .cpp here, so that a change of one
// rebuilds only what uses it. Ops deduce their result types (see OpBase.td): `AddOp::create(b, loc,
// lhs, rhs)`. A builder that is given operands which violate an op's shape rule aborts; whoever
// builds from a user's input checks first, or asks createDeduced, which reports the rule's error.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"
#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/InferTypeOpInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace relax::ir {

class Rule;

/// See Relax_CheckingOp in OpBase.td.
struct ChecksResource : mlir::SideEffects::Resource::Base<ChecksResource> {
  llvm::StringRef getName() final { return "relax.checks"; }
};

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#include "compiler/dialect/ops/OpInterfaces.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

/// Builds an op that deduces its result types from operands and attributes; a violated rule is
/// reported at `loc`, and no op made.
template <typename OpTy>
mlir::FailureOr<OpTy> createDeduced(mlir::OpBuilder &b, mlir::Location loc,
                                    mlir::ValueRange operands,
                                    llvm::ArrayRef<mlir::NamedAttribute> attributes = {}) {
  mlir::OperationState state(loc, OpTy::getOperationName(), operands, {}, {});
  auto &properties = state.getOrAddProperties<typename OpTy::Properties>();
  mlir::DictionaryAttr dictionary = b.getDictionaryAttr(attributes);
  llvm::SmallVector<mlir::Type> types;
  if (failed(OpTy::setPropertiesFromAttr(properties, dictionary,
                                         [&] { return mlir::emitError(loc); })))
    return mlir::failure();
  OpTy::populateDefaultProperties(state.name, properties);
  if (failed(OpTy::inferReturnTypes(b.getContext(), loc, operands, dictionary,
                                    mlir::OpaqueProperties(&properties), {}, types)))
    return mlir::failure();
  state.addTypes(types);
  return mlir::cast<OpTy>(b.create(state));
}

} // namespace relax::ir
