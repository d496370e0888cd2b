//===- ElementwiseOps.cpp - shape rules of the elementwise ops --------------------------------===//
#include "compiler/dialect/ops/ElementwiseOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerElementwiseOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ElementwiseOps.cpp.inc"
      >();
}

static LogicalResult deduceBinary(const Rule &rule, Value lhs, Value rhs,
                                  SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> a = rule.tensor(lhs, "lhs"), b = rule.tensor(rhs, "rhs");
  if (failed(a) || failed(b))
    return failure();
  FailureOr<Type> type = rule.broadcast(*a, *b);
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

#define RELAX_DEDUCE_BINARY(OP)                                                                    \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,            \
                                     Adaptor adaptor, SmallVectorImpl<Type> &types) {              \
    return deduceBinary({context, loc, getOperationName()}, adaptor.getLhs(), adaptor.getRhs(),    \
                        types);                                                                    \
  }
RELAX_DEDUCE_BINARY(AddOp)
RELAX_DEDUCE_BINARY(SubtractOp)
RELAX_DEDUCE_BINARY(MultiplyOp)
RELAX_DEDUCE_BINARY(MaximumOp)
RELAX_DEDUCE_BINARY(MinimumOp)
#undef RELAX_DEDUCE_BINARY

LogicalResult DivideOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  if (failed(deduceBinary(rule, adaptor.getLhs(), adaptor.getRhs(), types)))
    return failure();
  if (!isa<FloatType>(cast<RankedTensorType>(types.front()).getElementType()))
    return rule.error("the elements must be floating-point numbers");
  return success();
}

#define RELAX_DEDUCE_UNARY(OP)                                                                     \
  LogicalResult OP::inferReturnTypes(MLIRContext *, std::optional<Location>, Adaptor adaptor,      \
                                     SmallVectorImpl<Type> &types) {                               \
    types.push_back(adaptor.getX().getType());                                                     \
    return success();                                                                              \
  }
RELAX_DEDUCE_UNARY(NegateOp)
RELAX_DEDUCE_UNARY(ExpOp)
RELAX_DEDUCE_UNARY(SqrtOp)
RELAX_DEDUCE_UNARY(RsqrtOp)
RELAX_DEDUCE_UNARY(ReluOp)
RELAX_DEDUCE_UNARY(SigmoidOp)
RELAX_DEDUCE_UNARY(TanhOp)
RELAX_DEDUCE_UNARY(SiluOp)
RELAX_DEDUCE_UNARY(GeluOp)
#undef RELAX_DEDUCE_UNARY

void CastOp::build(OpBuilder &b, OperationState &state, Value x, Type elementType) {
  build(b, state, cast<RankedTensorType>(x.getType()).clone(elementType), x);
}

LogicalResult CastOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  Rule rule(getContext(), getLoc(), getOperationName());
  if (to != from.clone(to.getElementType()))
    return rule.error("the result has the shape " + shapeText(to) + ", the operand " +
                      shapeText(from));
  for (RankedTensorType type : {from, to})
    if (!type.getElementType().isIntOrFloat())
      return rule.error("elements must be integers or floating-point numbers");
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ElementwiseOps.cpp.inc"
#pragma GCC diagnostic pop
