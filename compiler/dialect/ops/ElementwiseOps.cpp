//===- ElementwiseOps.cpp - the shape rule of the elementwise ops -----------------------------===//
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

/// The type of x with y, repeated along the condition where that is larger.
static FailureOr<RankedTensorType> underCondition(const Rule &rule, Value value,
                                                  RankedTensorType type) {
  FailureOr<RankedTensorType> condition = rule.tensor(value, "condition");
  if (failed(condition))
    return failure();
  FailureOr<SmallVector<symbolic::Expr>> dims =
      rule.broadcastShapes("condition", shapeOf(*condition), "x and y", shapeOf(type));
  if (failed(dims))
    return failure();
  return tensorType(rule.context, *dims, type.getElementType());
}

LogicalResult deduceElementwise(const Rule &rule, ValueRange operands, ResultElement element,
                                SmallVectorImpl<Type> &types) {
  bool hasCondition = operands.size() == 3;
  ValueRange values = operands.drop_front(hasCondition ? 1 : 0);
  if (auto unranked = dyn_cast<UnrankedTensorType>(values[0].getType());
      unranked && operands.size() == 1) {
    bool isBool = element == ResultElement::Bool;
    types.push_back(isBool ? unranked.clone(IntegerType::get(rule.context, 1)) : unranked);
    return success();
  }
  FailureOr<RankedTensorType> result = rule.tensor(values[0], hasCondition ? "x" : "lhs");
  if (failed(result))
    return failure();
  if (values.size() > 1) {
    FailureOr<RankedTensorType> second = rule.tensor(values[1], hasCondition ? "y" : "rhs");
    if (failed(second))
      return failure();
    FailureOr<Type> both = rule.broadcast(*result, *second);
    if (failed(both))
      return failure();
    result = cast<RankedTensorType>(*both);
  }
  if (hasCondition) {
    result = underCondition(rule, operands[0], *result);
    if (failed(result))
      return failure();
  }
  if (element == ResultElement::Bool)
    result = result->clone(IntegerType::get(rule.context, 1));
  types.push_back(*result);
  return success();
}

/// A bound of clip fits the element type.
static LogicalResult checkBound(const Rule &rule, StringRef role, Attribute bound, Type element) {
  if (!bound)
    return success();
  if (isa<FloatType>(element) != isa<FloatAttr>(bound))
    return rule.error(role + " must be " + (isa<FloatType>(element) ? "f64" : "i64") +
                      ", for the elements are " +
                      (isa<FloatType>(element) ? "floating-point numbers" : "integers"));
  auto integer = dyn_cast<IntegerAttr>(bound);
  if (!integer)
    return success();
  int64_t value = integer.getInt();
  unsigned width = element.getIntOrFloatBitWidth();
  bool fits = element.isUnsignedInteger() ? llvm::isUIntN(width, static_cast<uint64_t>(value))
                                          : llvm::isIntN(width, value);
  if (fits)
    return success();
  std::string type;
  llvm::raw_string_ostream(type) << element;
  return rule.error(role + " = " + Twine(value) + " is no number of " + type);
}

LogicalResult ClipOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  Type element = getX().getType().getElementType();
  return success(succeeded(checkBound(rule, "min", getMinAttr(), element)) &&
                 succeeded(checkBound(rule, "max", getMaxAttr(), element)));
}

void CastOp::build(OpBuilder &b, OperationState &state, Value x, Type elementType) {
  build(b, state, cast<TensorType>(x.getType()).clone(elementType), x);
}

LogicalResult CastOp::verify() {
  TensorType from = getX().getType(), to = getResult().getType();
  Rule rule(getContext(), getLoc(), getOperationName());
  if (to != from.clone(to.getElementType()))
    return rule.error("the result has the shape " + shapeText(to) + ", the operand " +
                      shapeText(from));
  for (TensorType type : {from, to})
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
