//===- NormalizeOps.cpp - shape rules: normalisations along an axis --------------------------===//
#include "compiler/dialect/ops/NormalizeOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerNormalizeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/NormalizeOps.cpp.inc"
      >();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  int64_t axis = adaptor.getAxis();
  if (type->getRank() == 0 || (axis != -1 && axis != type->getRank() - 1))
    return rule.error("the axis must be the last one of x " + shapeText(*type) + ", found " +
                      Twine(axis));
  types.push_back(*type);
  return success();
}

LogicalResult RmsNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> weight = rule.tensor(adaptor.getWeight(), "weight");
  if (failed(x) || failed(weight))
    return failure();
  if (x->getRank() < 1 || weight->getRank() != 1)
    return rule.error("expected x of rank 1 or more and weight of rank 1, found " + shapeText(*x) +
                      " and " + shapeText(*weight));
  if (x->getElementType() != weight->getElementType())
    return rule.error("the operands' element types differ");
  if (failed(rule.requireEqual("x", *x, x->getRank() - 1, "weight", *weight, 0)))
    return failure();
  types.push_back(*x);
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/NormalizeOps.cpp.inc"
#pragma GCC diagnostic pop
