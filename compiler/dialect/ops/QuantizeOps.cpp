//===- QuantizeOps.cpp - shape rules of the conversions from and to quantised integers --------===//
#include "compiler/dialect/ops/QuantizeOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerQuantizeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/QuantizeOps.cpp.inc"
      >();
}

static LogicalResult requireQuantized(const Rule &rule, StringRef role, Type element) {
  if (element.isSignlessInteger(8) || element.isUnsignedInteger(8) ||
      element.isSignlessInteger(16) || element.isSignlessInteger(32))
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << element;
  return rule.error(role + " must be of i8, ui8, i16 or i32, found " + text);
}

/// The shape of a scale or zero point fits that of x, as the head of QuantizeOps.td says.
static LogicalResult checkParameter(const Rule &rule, RankedTensorType x, StringRef role,
                                    RankedTensorType parameter, int64_t axisAttribute,
                                    int64_t blockSize) {
  if (blockSize < 0)
    return rule.error("block_size must not be negative, found " + Twine(blockSize));
  if (blockSize == 0 && parameter.getRank() == 0)
    return success();
  FailureOr<unsigned> axis = axisOf(rule, x, axisAttribute);
  if (failed(axis))
    return failure();
  if (blockSize == 0) {
    if (parameter.getRank() != 1)
      return rule.error(role + " must have rank 0 or 1 without block_size, found " +
                        shapeText(parameter));
    return rule.checkEqual(role, parameter, 0, "x", x, *axis);
  }
  if (parameter.getRank() != x.getRank())
    return rule.error(role + " must have the rank of x " + shapeText(x) +
                      " with block_size, found " + shapeText(parameter));
  for (unsigned i = 0; i < x.getRank(); ++i) {
    LogicalResult fits = success();
    if (i == *axis)
      fits = rule.checkDim(role, parameter, i, ceilOf(shapeOf(x)[i], blockSize),
                           "the number of blocks of " + Twine(blockSize) + " in dimension " +
                               Twine(i) + " of x " + shapeText(x));
    else
      fits = rule.checkEqual(role, parameter, i, "x", x, i);
    if (failed(fits))
      return failure();
  }
  return success();
}

template <typename Adaptor>
static LogicalResult checkParameters(const Rule &rule, RankedTensorType x, Adaptor adaptor,
                                     RankedTensorType scale, std::optional<RankedTensorType> zero) {
  int64_t axis = adaptor.getAxis(), block = adaptor.getBlockSize();
  if (failed(requireFloats(rule, "scale", scale)) ||
      failed(checkParameter(rule, x, "scale", scale, axis, block)))
    return failure();
  if (!zero)
    return success();
  if (zero->getRank() != scale.getRank())
    return rule.error("zero_point " + shapeText(*zero) + " must have the rank of scale " +
                      shapeText(scale));
  return checkParameter(rule, x, "zero_point", *zero, axis, block);
}

/// The type of the optional zero point.
static FailureOr<std::optional<RankedTensorType>> zeroPoint(const Rule &rule, Value value) {
  if (!value)
    return std::optional<RankedTensorType>();
  FailureOr<RankedTensorType> type = rule.tensor(value, "zero_point");
  if (failed(type) || failed(requireQuantized(rule, "zero_point", type->getElementType())))
    return failure();
  RankedTensorType zero = *type;
  return std::optional(zero);
}

LogicalResult QuantizeLinearOp::deduce(const Rule &rule, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> scale = rule.tensor(adaptor.getScale(), "scale");
  FailureOr<std::optional<RankedTensorType>> zero = zeroPoint(rule, adaptor.getZeroPoint());
  if (failed(x) || failed(scale) || failed(zero))
    return failure();
  if (!x->getElementType().isSignlessInteger(32) &&
      failed(requireSameElements(rule, "x", *x, "scale", *scale)))
    return failure();
  if (failed(checkParameters(rule, *x, adaptor, *scale, *zero)))
    return failure();
  TypeAttr dtype = adaptor.getDtypeAttr();
  if (!dtype && !*zero)
    return rule.error("needs dtype or zero_point to tell the elements of the result");
  Type element = dtype ? dtype.getValue() : (*zero)->getElementType();
  if (failed(requireQuantized(rule, "dtype", element)))
    return failure();
  if (*zero && (*zero)->getElementType() != element)
    return rule.error("dtype must be the element type of zero_point");
  types.push_back(x->clone(element));
  return success();
}

LogicalResult DequantizeLinearOp::deduce(const Rule &rule, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> scale = rule.tensor(adaptor.getScale(), "scale");
  FailureOr<std::optional<RankedTensorType>> zero = zeroPoint(rule, adaptor.getZeroPoint());
  if (failed(x) || failed(scale) || failed(zero) ||
      failed(requireQuantized(rule, "x", x->getElementType())))
    return failure();
  if (*zero && failed(requireSameElements(rule, "x", *x, "zero_point", **zero)))
    return failure();
  if (failed(checkParameters(rule, *x, adaptor, *scale, *zero)))
    return failure();
  types.push_back(x->clone(scale->getElementType()));
  return success();
}

LogicalResult DynamicQuantizeLinearOp::inferReturnTypes(MLIRContext *context,
                                                        std::optional<Location> loc,
                                                        Adaptor adaptor,
                                                        SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x))
    return failure();
  if (!x->getElementType().isF32())
    return rule.error("x must be of f32");
  Type byte = IntegerType::get(context, 8, IntegerType::Unsigned);
  types.push_back(x->clone(byte));
  types.push_back(RankedTensorType::get({}, x->getElementType()));
  types.push_back(RankedTensorType::get({}, byte));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/QuantizeOps.cpp.inc"
#pragma GCC diagnostic pop
