//===- CreateOps.cpp - shape rules of the ops that make tensors from nothing ------------------===//
#include "compiler/dialect/ops/CreateOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Deduction.h"

#include <cmath>

using namespace mlir;

namespace relax::ir {

void registerCreateOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/CreateOps.cpp.inc"
      >();
}

/// `count`, or 0 where that is negative.
static symbolic::Expr sizeOf(symbolic::Expr count) {
  if (surelyAtLeast(count, 0))
    return count;
  symbolic::Context &symbols = count.getContext();
  return symbols.max(count, symbols.constant(0));
}

static LogicalResult checkElement(const Rule &rule, StringRef role, Type type) {
  if (type.isIntOrFloat())
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return rule.error(role + " must be a type of numbers or bool, found " + text);
}

LogicalResult FullOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  Type element = adaptor.getValueAttr().getType();
  if (failed(checkElement(rule, "value", element)))
    return failure();
  for (auto [i, dim] : llvm::enumerate(adaptor.getShapeAttr().getDims()))
    if (!dim || (dim.isConstant() && dim.constantValue() < 0))
      return rule.error("dimension " + Twine(i) + " of the shape " +
                        shapeText(adaptor.getShapeAttr().getDims()) +
                        " must be an expression that isn't negative");
  types.push_back(tensorType(context, adaptor.getShapeAttr().getDims(), element));
  return success();
}

LogicalResult FullLikeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  Type element = adaptor.getValueAttr().getType();
  if (failed(x) || failed(checkElement(rule, "value", element)))
    return failure();
  types.push_back(x->clone(element));
  return success();
}

/// The number of elements of a range of float64 numbers, or an error.
static FailureOr<int64_t> countFloats(const Rule &rule, double start, double limit, double step) {
  double count = std::ceil((limit - start) / step);
  // Also where it is NaN, for a step of 0 or bounds without end.
  if (!(count < 0x1p53))
    return rule.error("the number of elements, ceil((limit - start) / step), must be finite and "
                      "below 2^53");
  return count > 0 ? static_cast<int64_t>(count) : 0;
}

/// A float64 number, or the constant that an expression is.
static std::optional<double> constantOf(Attribute attribute) {
  if (auto number = dyn_cast<FloatAttr>(attribute))
    return number.getValueAsDouble();
  symbolic::Expr expr = cast<ExprAttr>(attribute).getExpr();
  if (!expr.isConstant())
    return std::nullopt;
  return static_cast<double>(expr.constantValue());
}

/// The number of elements from `from` up to `to` by a step that may have to be checked.
static FailureOr<symbolic::Expr> countSteps(const Rule &rule, symbolic::Expr from,
                                            symbolic::Expr to, symbolic::Expr step) {
  symbolic::Context &symbols = symbolicContext(rule.context);
  symbolic::Expr one = symbols.constant(1);
  if (!step.isConstant()) {
    if (failed(rule.check(ConstraintKind::LessEqual, one, step, "1 and step")))
      return failure();
    // What isn't checked yet must not divide by zero.
    symbolic::Expr divisor = surelyAtLeast(step, 1) ? step : symbols.max(step, one);
    return sizeOf(symbols.ceilDiv(to - from, divisor));
  }
  int64_t by = step.constantValue();
  if (by == 0 || by == INT64_MIN)
    return rule.error("step must not be " + Twine(by));
  return sizeOf(by > 0 ? symbols.ceilDiv(to - from, step)
                       : symbols.ceilDiv(from - to, symbols.constant(-by)));
}

LogicalResult ArangeOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Type element = adaptor.getDtype();
  if (failed(checkElement(rule, "dtype", element)))
    return failure();
  symbolic::Context &symbols = symbolicContext(rule.context);
  Attribute start = adaptor.getStartAttr(), limit = adaptor.getLimitAttr(),
            step = adaptor.getStepAttr();
  if (!start)
    start = ExprAttr::get(rule.context, symbols.constant(0));
  if (!step)
    step = ExprAttr::get(rule.context, symbols.constant(1));
  symbolic::Expr length;
  if (isa<FloatAttr>(start) || isa<FloatAttr>(limit) || isa<FloatAttr>(step)) {
    std::optional<double> a = constantOf(start), b = constantOf(limit), c = constantOf(step);
    if (!a || !b || !c)
      return rule.error("start, limit and step must be constants where one of them is f64");
    if (!isa<FloatType>(element))
      return rule.error("start, limit and step must be integers where dtype is one");
    FailureOr<int64_t> count = countFloats(rule, *a, *b, *c);
    if (failed(count))
      return failure();
    length = symbols.constant(*count);
  } else {
    FailureOr<symbolic::Expr> count =
        countSteps(rule, cast<ExprAttr>(start).getExpr(), cast<ExprAttr>(limit).getExpr(),
                   cast<ExprAttr>(step).getExpr());
    if (failed(count))
      return failure();
    length = *count;
  }
  types.push_back(tensorType(rule.context, {length}, element));
  return success();
}

LogicalResult LinspaceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  if (!isa<FloatType>(adaptor.getDtype()))
    return rule.error("dtype must be a floating-point type");
  types.push_back(
      tensorType(context, {sizeOf(adaptor.getCountAttr().getExpr())}, adaptor.getDtype()));
  return success();
}

LogicalResult EyeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                      Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  if (failed(checkElement(rule, "dtype", adaptor.getDtype())))
    return failure();
  types.push_back(tensorType(
      context,
      {sizeOf(adaptor.getRowsAttr().getExpr()), sizeOf(adaptor.getColumnsAttr().getExpr())},
      adaptor.getDtype()));
  return success();
}

LogicalResult CausalMaskOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  types.push_back(tensorType(
      context,
      {sizeOf(adaptor.getRowsAttr().getExpr()), sizeOf(adaptor.getColumnsAttr().getExpr())},
      IntegerType::get(context, 1)));
  return success();
}

LogicalResult OneHotOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  if (failed(indices) || failed(requireIntegers(rule, "indices", *indices)))
    return failure();
  Type element = adaptor.getOnAttr().getType();
  if (failed(checkElement(rule, "on", element)))
    return failure();
  if (adaptor.getOffAttr().getType() != element)
    return rule.error("on and off must have one element type");
  int64_t rank = indices->getRank() + 1, axis = adaptor.getAxis();
  if (axis < -rank || axis >= rank)
    return rule.error("axis = " + Twine(axis) + " is out of range: the result has rank " +
                      Twine(rank));
  SmallVector<symbolic::Expr> dims(shapeOf(*indices));
  dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis),
              sizeOf(adaptor.getDepthAttr().getExpr()));
  types.push_back(tensorType(context, dims, element));
  return success();
}

static LogicalResult deduceTriangle(const Rule &rule, Value x, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(x, "x");
  if (failed(type))
    return failure();
  if (type->getRank() < 2)
    return rule.error("x must have at least two dimensions, found " + shapeText(*type));
  types.push_back(*type);
  return success();
}

LogicalResult TrilOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceTriangle({context, loc, getOperationName()}, adaptor.getX(), types);
}

LogicalResult TriuOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceTriangle({context, loc, getOperationName()}, adaptor.getX(), types);
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CreateOps.cpp.inc"
#pragma GCC diagnostic pop
