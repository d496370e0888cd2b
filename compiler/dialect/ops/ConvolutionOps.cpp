//===- ConvolutionOps.cpp - shape rules: convolution, pooling, interpolation -----------------===//
#include "compiler/dialect/ops/ConvolutionOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Windows.h"

#include "llvm/ADT/StringExtras.h"

#include <cmath>

using namespace mlir;

namespace relax::ir {

void registerConvolutionOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ConvolutionOps.cpp.inc"
      >();
}

/// [n, channels, sizes of the windows...].
static Type windowedType(RankedTensorType x, symbolic::Expr channels, ArrayRef<Window> windows,
                         Type element) {
  SmallVector<symbolic::Expr> dims = {shapeOf(x)[0], channels};
  for (const Window &window : windows)
    dims.push_back(window.output);
  return tensorType(x.getContext(), dims, element);
}

/// The bias, where there is one, has an element for each output channel.
static LogicalResult checkBias(const Rule &rule, Value bias, RankedTensorType x,
                               symbolic::Expr channels) {
  if (!bias)
    return success();
  FailureOr<RankedTensorType> type = rule.tensor(bias, "bias");
  if (failed(type) || failed(requireRank(rule, "bias", *type, 1)) ||
      failed(requireSameElements(rule, "x", x, "bias", *type)))
    return failure();
  return rule.checkDim("bias", *type, 0, channels, "the number of output channels");
}

static LogicalResult checkGroups(const Rule &rule, int64_t groups, StringRef role,
                                 RankedTensorType type, unsigned dimension) {
  if (groups < 1)
    return rule.error("groups must be at least 1, found " + Twine(groups));
  if (groups == 1)
    return success();
  return rule.check(
      ConstraintKind::Divides, rule.constant(groups), shapeOf(type)[dimension],
      "groups and dimension " + Twine(dimension) + " of " + role + " " + shapeText(type), {role});
}

namespace {
/// The operands of a convolution of either kind.
struct ConvolutionTypes {
  RankedTensorType x, weight;
};
} // namespace

template <typename Adaptor>
static FailureOr<ConvolutionTypes> convolutionTypes(const Rule &rule, Adaptor adaptor) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> weight = rule.tensor(adaptor.getWeight(), "weight");
  if (failed(x) || failed(weight) || failed(requireFloats(rule, "x", *x)) ||
      failed(requireSameElements(rule, "x", *x, "weight", *weight)))
    return failure();
  if (weight->getRank() != x->getRank() || x->getRank() < 3)
    return rule.error("expected x [batch, channels, size...] and a weight of the same rank, at "
                      "least 3; found x " +
                      shapeText(*x) + " and weight " + shapeText(*weight));
  return ConvolutionTypes{*x, *weight};
}

LogicalResult ConvolutionOp::deduce(const Rule &rule, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<ConvolutionTypes> operands = convolutionTypes(rule, adaptor);
  if (failed(operands))
    return failure();
  auto [x, weight] = *operands;
  int64_t groups = adaptor.getGroups();
  symbolic::Expr channels = shapeOf(weight)[0];
  if (failed(checkGroups(rule, groups, "weight", weight, 0)) ||
      failed(rule.checkDim("x", x, 1, scaled(shapeOf(weight)[1], groups, 0),
                           "groups times dimension 1 of weight " + shapeText(weight))) ||
      failed(checkBias(rule, adaptor.getBias(), x, channels)))
    return failure();
  FailureOr<SmallVector<Window>> windows =
      windowsOf(rule, x, shapeOf(weight).drop_front(2),
                {adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads(), std::nullopt,
                 adaptor.getAutoPad()});
  if (failed(windows))
    return failure();
  types.push_back(windowedType(x, channels, *windows, x.getElementType()));
  return success();
}

LogicalResult TransposedConvolutionOp::deduce(const Rule &rule, Adaptor adaptor,
                                              SmallVectorImpl<Type> &types) {
  FailureOr<ConvolutionTypes> operands = convolutionTypes(rule, adaptor);
  if (failed(operands))
    return failure();
  auto [x, weight] = *operands;
  int64_t groups = adaptor.getGroups();
  symbolic::Expr channels = scaled(shapeOf(weight)[1], groups, 0);
  if (failed(checkGroups(rule, groups, "x", x, 1)) ||
      failed(rule.checkEqual("x", x, 1, "weight", weight, 0)) ||
      failed(checkBias(rule, adaptor.getBias(), x, channels)))
    return failure();
  FailureOr<SmallVector<Window>> windows =
      transposedWindowsOf(rule, x, shapeOf(weight).drop_front(2),
                          {adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads(),
                           adaptor.getOutputPadding(), adaptor.getAutoPad()});
  if (failed(windows))
    return failure();
  types.push_back(windowedType(x, channels, *windows, x.getElementType()));
  return success();
}

/// The result of a pool.
template <typename Adaptor>
static LogicalResult deducePool(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x))
    return failure();
  SmallVector<symbolic::Expr> kernel;
  for (int64_t size : adaptor.getKernel())
    kernel.push_back(rule.constant(size));
  FailureOr<SmallVector<Window>> windows =
      windowsOf(rule, *x, kernel,
                {adaptor.getStrides(), adaptor.getDilations(), adaptor.getPads(), std::nullopt,
                 adaptor.getAutoPad(), adaptor.getCeilMode()});
  if (failed(windows))
    return failure();
  types.push_back(windowedType(*x, shapeOf(*x)[1], *windows, x->getElementType()));
  return success();
}

LogicalResult MaxPoolOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireNumbers(rule, "x", *x)) ||
      failed(deducePool(rule, adaptor, types)))
    return failure();
  if (adaptor.getWithIndices())
    types.push_back(tensorType(rule.context, shapeOf(cast<RankedTensorType>(types.front())),
                               IntegerType::get(rule.context, 64)));
  return success();
}

LogicalResult AveragePoolOp::deduce(const Rule &rule, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireFloats(rule, "x", *x)))
    return failure();
  return deducePool(rule, adaptor, types);
}

static LogicalResult deduceGlobalPool(const Rule &rule, Value operand,
                                      LogicalResult (*elements)(const Rule &, StringRef,
                                                                RankedTensorType),
                                      SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(operand, "x");
  if (failed(x) || failed(elements(rule, "x", *x)))
    return failure();
  if (x->getRank() < 3)
    return rule.error("expected x [batch, channels, size...], found " + shapeText(*x));
  SmallVector<symbolic::Expr> dims(shapeOf(*x));
  for (symbolic::Expr &dim : MutableArrayRef(dims).drop_front(2))
    dim = rule.constant(1);
  types.push_back(tensorType(rule.context, dims, x->getElementType()));
  return success();
}

LogicalResult GlobalAveragePoolOp::inferReturnTypes(MLIRContext *context,
                                                    std::optional<Location> loc, Adaptor adaptor,
                                                    SmallVectorImpl<Type> &types) {
  return deduceGlobalPool({context, loc, getOperationName()}, adaptor.getX(), requireFloats, types);
}

LogicalResult GlobalMaxPoolOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceGlobalPool({context, loc, getOperationName()}, adaptor.getX(), requireNumbers,
                          types);
}

/// floor(dim * scale) for a scale that is a ratio of small integers; null for an unknown dim.
static FailureOr<symbolic::Expr> scaledSize(const Rule &rule, symbolic::Expr dim, double scale) {
  for (int64_t divisor = 1; divisor <= 4096 && scale > 0; ++divisor) {
    double times = std::round(scale * double(divisor));
    if (times >= 1 && times <= 4096 && times / double(divisor) == scale)
      return floorOf(scaled(dim, int64_t(times), 0), divisor);
  }
  return rule.error("a scale must be a positive ratio of integers up to 4096, found " +
                    std::to_string(scale));
}

static LogicalResult checkChoice(const Rule &rule, StringRef name, StringRef found,
                                 ArrayRef<StringRef> choices) {
  if (llvm::is_contained(choices, found))
    return success();
  return rule.error(name + " must be one of " + llvm::join(choices, ", ") + "; found \"" + found +
                    "\"");
}

LogicalResult InterpolateOp::deduce(const Rule &rule, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) ||
      failed(checkChoice(rule, "mode", adaptor.getMode(), {"nearest", "linear", "cubic"})) ||
      failed(checkChoice(rule, "coordinates", adaptor.getCoordinates(),
                         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"})) ||
      failed(checkChoice(rule, "nearest_mode", adaptor.getNearestMode(),
                         {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"})))
    return failure();
  if (failed(adaptor.getMode() == "nearest" ? requireNumbers(rule, "x", *x)
                                            : requireFloats(rule, "x", *x)))
    return failure();
  int64_t spatial = x->getRank() - 2;
  int64_t most = adaptor.getMode() == "cubic" ? 2 : 3;
  if (spatial < 1 || spatial > most)
    return rule.error("expected x [batch, channels, size...] with one to " + Twine(most) +
                      " spatial dimensions, found " + shapeText(*x));
  std::optional<ShapeAttr> sizes = adaptor.getSizes();
  std::optional<ArrayRef<double>> scales = adaptor.getScales();
  if (bool(sizes) == bool(scales))
    return rule.error("expected either sizes or scales");
  size_t entries = sizes ? sizes->getDims().size() : scales->size();
  if (entries != size_t(spatial))
    return rule.error("expected " + Twine(spatial) + " sizes or scales for x " + shapeText(*x) +
                      ", found " + Twine(entries));
  SmallVector<symbolic::Expr> dims(shapeOf(*x).take_front(2));
  for (int64_t i = 0; i < spatial; ++i) {
    FailureOr<symbolic::Expr> size = sizes ? FailureOr<symbolic::Expr>(sizes->getDims()[i])
                                           : scaledSize(rule, shapeOf(*x)[i + 2], (*scales)[i]);
    if (failed(size))
      return failure();
    if (surelyBelow(*size, 0))
      return rule.error("size " + size->str() + " is negative");
    symbolic::Expr from = shapeOf(*x)[i + 2];
    if (sizes && !surelyAtLeast(from, 1) && *size != from &&
        failed(rule.check(ConstraintKind::LessEqual, rule.constant(1), from,
                          "1 and dimension " + Twine(i + 2) + " of x " + shapeText(*x), {"x"})))
      return failure();
    dims.push_back(*size);
  }
  types.push_back(tensorType(rule.context, dims, x->getElementType()));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ConvolutionOps.cpp.inc"
#pragma GCC diagnostic pop
