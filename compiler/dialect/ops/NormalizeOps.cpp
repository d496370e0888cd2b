//===- NormalizeOps.cpp - shape rules: normalisations along an axis --------------------------===//
#include "compiler/dialect/ops/NormalizeOps.h"

#include "compiler/dialect/AxisRules.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {

void registerNormalizeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/NormalizeOps.cpp.inc"
      >();
}

/// A float tensor that the op normalises along one axis.
template <typename Adaptor>
static LogicalResult deduceAlongAxis(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireFloats(rule, "x", *x)) ||
      failed(axisOf(rule, *x, adaptor.getAxis())))
    return failure();
  types.push_back(*x);
  return success();
}

LogicalResult SoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceAlongAxis({context, loc, getOperationName()}, adaptor, types);
}

LogicalResult LogSoftmaxOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceAlongAxis({context, loc, getOperationName()}, adaptor, types);
}

LogicalResult LpNormOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  if (adaptor.getP() != 1 && adaptor.getP() != 2)
    return rule.error("p must be 1 or 2, found " + Twine(adaptor.getP()));
  return deduceAlongAxis(rule, adaptor, types);
}

LogicalResult RmsNormOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> weight = rule.tensor(adaptor.getWeight(), "weight");
  if (failed(x) || failed(weight) || failed(requireFloats(rule, "x", *x)))
    return failure();
  if (x->getRank() < 1 || weight->getRank() != 1)
    return rule.error("expected x of rank 1 or more and weight of rank 1, found " + shapeText(*x) +
                      " and " + shapeText(*weight));
  if (failed(requireSameElements(rule, "x", *x, "weight", *weight)) ||
      failed(rule.checkEqual("x", *x, x->getRank() - 1, "weight", *weight, 0)))
    return failure();
  types.push_back(*x);
  return success();
}

/// Parameters are a scale and a bias, or the first, or none; each has the dimensions of x from
/// `first` on, `count` of them.
static LogicalResult checkParameters(const Rule &rule, RankedTensorType x, ValueRange parameters,
                                     unsigned first, unsigned count) {
  static constexpr StringRef roles[] = {"scale", "bias"};
  if (parameters.size() > 2)
    return rule.error("expected at most a scale and a bias, found " + Twine(parameters.size()) +
                      " parameters");
  for (auto [parameter, role] : llvm::zip(parameters, roles)) {
    FailureOr<RankedTensorType> type = rule.tensor(parameter, role);
    if (failed(type) || failed(requireSameElements(rule, "x", x, role, *type)))
      return failure();
    if (type->getRank() != int64_t(count))
      return rule.error("expected " + role + " of rank " + Twine(count) + ", found " +
                        shapeText(*type) + " for x " + shapeText(x));
    for (unsigned i = 0; i < count; ++i)
      if (failed(rule.checkEqual("x", x, first + i, role, *type, i)))
        return failure();
  }
  return success();
}

LogicalResult LayerNormOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireFloats(rule, "x", *x)))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *x, adaptor.getAxis());
  if (failed(axis) || failed(checkParameters(rule, *x, adaptor.getParameters(), *axis,
                                             unsigned(x->getRank()) - *axis)))
    return failure();
  types.push_back(*x);
  return success();
}

/// x [n, c, ...] with parameters by channel.
static FailureOr<RankedTensorType> channelled(const Rule &rule, Value value,
                                              ValueRange parameters) {
  FailureOr<RankedTensorType> x = rule.tensor(value, "x");
  if (failed(x) || failed(requireFloats(rule, "x", *x)))
    return failure();
  if (x->getRank() < 2)
    return rule.error("expected x [batch, channels, ...], found " + shapeText(*x));
  if (failed(checkParameters(rule, *x, parameters, 1, 1)))
    return failure();
  return x;
}

LogicalResult GroupNormOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = channelled(rule, adaptor.getX(), adaptor.getParameters());
  if (failed(x))
    return failure();
  int64_t groups = adaptor.getNumGroups();
  if (groups < 1)
    return rule.error("num_groups must be at least 1, found " + Twine(groups));
  if (groups > 1 &&
      failed(rule.check(ConstraintKind::Divides, rule.constant(groups), shapeOf(*x)[1],
                        "num_groups and dimension 1 of x " + shapeText(*x), {"x"})))
    return failure();
  types.push_back(*x);
  return success();
}

LogicalResult NormalizeGroupsOp::deduce(const Rule &rule, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireFloats(rule, "x", *x)) || failed(requireRank(rule, "x", *x, 3)))
    return failure();
  if (adaptor.getParameters().empty() || adaptor.getParameters().size() > 2)
    return rule.error("expected a scale and perhaps a bias, found " +
                      Twine(adaptor.getParameters().size()) + " parameters");
  SmallVector<RankedTensorType, 2> parameters;
  for (Value parameter : adaptor.getParameters()) {
    FailureOr<RankedTensorType> type = rule.tensor(parameter, "a parameter");
    if (failed(type) || failed(requireSameElements(rule, "x", *x, "a parameter", *type)) ||
        failed(requireRank(rule, "a parameter", *type, 1)))
      return failure();
    parameters.push_back(*type);
  }
  if (parameters.size() == 2 &&
      failed(rule.checkEqual("the scale", parameters[0], 0, "the bias", parameters[1], 0)))
    return failure();
  Expr channels = shapeOf(parameters[0])[0], groups = shapeOf(*x)[1], length = shapeOf(*x)[2];
  Expr elements = groups && length ? symbolicContext(rule.context).mul(groups, length) : Expr();
  if (failed(rule.check(ConstraintKind::Divides, groups, channels,
                        "the groups, dimension 1 of x " + shapeText(*x) +
                            ", and the channels of a parameter " + shapeText(parameters[0]),
                        {"x", "a parameter"})) ||
      failed(rule.check(ConstraintKind::Divides, channels, elements,
                        "the channels of a parameter " + shapeText(parameters[0]) +
                            " and the elements of a row's groups in x " + shapeText(*x),
                        {"x", "a parameter"})))
    return failure();
  types.push_back(*x);
  return success();
}

LogicalResult InstanceNormOp::deduce(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = channelled(rule, adaptor.getX(), adaptor.getParameters());
  if (failed(x))
    return failure();
  types.push_back(*x);
  return success();
}

LogicalResult BatchNormOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = channelled(rule, adaptor.getX(), {});
  if (failed(x))
    return failure();
  for (auto [value, role] : {std::pair<Value, StringRef>(adaptor.getScale(), "scale"),
                             {adaptor.getBias(), "bias"},
                             {adaptor.getMean(), "mean"},
                             {adaptor.getVariance(), "variance"}}) {
    FailureOr<RankedTensorType> type = rule.tensor(value, role);
    if (failed(type) || failed(requireSameElements(rule, "x", *x, role, *type)) ||
        failed(requireRank(rule, role, *type, 1)) ||
        failed(rule.checkEqual("x", *x, 1, role, *type, 0)))
      return failure();
  }
  types.push_back(*x);
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/NormalizeOps.cpp.inc"
#pragma GCC diagnostic pop
