//===- StructureOps.cpp - rules of dataflow blocks and tuples ---------------------------------===//
#include "compiler/dialect/ops/StructureOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerStructureOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/StructureOps.cpp.inc"
      >();
}

LogicalResult DataflowOp::verifyRegions() {
  auto yield = dyn_cast<YieldOp>(getBody().front().getTerminator());
  if (!yield)
    return emitOpError("must end in relax.yield");
  if (yield.getOperandTypes() != getResultTypes())
    return emitOpError("yields ") << yield.getOperandTypes() << ", but its results are "
                                  << getResultTypes();
  return success();
}

LogicalResult TupleOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(TupleType::get(context, adaptor.getValues().getTypes()));
  return success();
}

void TupleGetOp::build(OpBuilder &b, OperationState &state, Value value, int64_t index) {
  build(b, state, cast<TupleType>(value.getType()).getType(index), value,
        b.getI64IntegerAttr(index));
}

LogicalResult TupleGetOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto tuple = cast<TupleType>(adaptor.getValue().getType());
  int64_t index = adaptor.getIndex();
  if (index < 0 || index >= static_cast<int64_t>(tuple.size()))
    return Rule(context, loc, getOperationName())
        .error("there is no part " + Twine(index) + " in a tuple of " + Twine(tuple.size()));
  types.push_back(tuple.getType(index));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/StructureOps.cpp.inc"
#pragma GCC diagnostic pop
