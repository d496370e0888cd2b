// The shape rules of the ops of ArrangeOps.td that cut along axes: split, slice and its dynamic
// kin.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Requirements.h"
#include "compiler/dialect/SliceExtent.h"
#include "compiler/dialect/ops/ArrangeOps.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {

LogicalResult SplitOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *type, static_cast<int64_t>(adaptor.getAxis()));
  if (failed(axis))
    return failure();
  std::optional<ShapeAttr> given = adaptor.getSizes();
  std::optional<uint64_t> sections = adaptor.getSections();
  if (given.has_value() == sections.has_value())
    return rule.error("expected either sizes or sections");
  Requirements need(rule, adaptor.getOperands());
  SmallVector<Expr> dims(shapeOf(*type)), sizes;
  Expr whole = dims[*axis];
  std::string dimension = dimensionText("x", *axis, *type);
  if (given) {
    llvm::append_range(sizes, given->getDims());
    if (sizes.empty() || llvm::is_contained(sizes, Expr()))
      return rule.error("the sizes " + shapeText(sizes) + " must be known, and one or more");
    Expr sum = rule.constant(0);
    for (Expr size : sizes) {
      if (failed(need.check(ConstraintKind::LessEqual, rule.constant(0), size,
                            "0 and the part of size " + size.str())))
        return failure();
      sum = sum + size;
    }
    if (failed(need.check(ConstraintKind::Equal, whole, sum,
                          dimension + " and the sum of the sizes " + shapeText(sizes), {"x"})))
      return failure();
  } else {
    constexpr int64_t mostSections = int64_t(1) << 20; // Each is a result of the op.
    int64_t count = static_cast<int64_t>(*sections);
    if (count < 1 || count > mostSections)
      return rule.error("sections must be in [1, 2^20], found " + Twine(count));
    if (failed(need.check(ConstraintKind::Divides, rule.constant(count), whole,
                          "the sections " + Twine(count) + " and " + dimension, {"x"})))
      return failure();
    symbolic::Context &symbols = symbolicContext(rule.context);
    sizes.assign(count, whole ? symbols.floorDiv(whole, rule.constant(count)) : Expr());
  }
  for (Expr size : sizes) {
    dims[*axis] = size;
    types.push_back(tensorType(rule.context, dims, type->getElementType()));
  }
  return success();
}

LogicalResult NarrowOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *type, static_cast<int64_t>(adaptor.getAxis()));
  if (failed(axis))
    return failure();
  Requirements need(rule, adaptor.getOperands());
  Expr start = adaptor.getStart().getExpr(), length = adaptor.getLength().getExpr();
  SmallVector<Expr> dims(shapeOf(*type));
  Expr zero = rule.constant(0);
  if (failed(need.check(ConstraintKind::LessEqual, zero, start, "0 and start " + start.str())) ||
      failed(need.check(ConstraintKind::LessEqual, zero, length, "0 and length " + length.str())) ||
      failed(need.check(ConstraintKind::LessEqual, start + length, dims[*axis],
                        "start + length " + (start + length).str() + " and " +
                            dimensionText("x", *axis, *type),
                        {"x"})))
    return failure();
  dims[*axis] = length;
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

/// The steps, none of which is 0; all 1 where none are given.
static FailureOr<SmallVector<int64_t>>
stepsOf(const Rule &rule, std::optional<ArrayRef<int64_t>> given, size_t count) {
  SmallVector<int64_t> steps(count, 1);
  if (given) {
    if (given->size() != count)
      return rule.error("expected " + Twine(count) + " steps, one for each axis, found " +
                        Twine(given->size()));
    steps.assign(given->begin(), given->end());
  }
  for (int64_t step : steps)
    if (step == 0 || step == INT64_MIN)
      return rule.error("a step must not be " + Twine(step));
  return steps;
}

LogicalResult SliceOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  FailureOr<SmallVector<unsigned>> axes = orderedAxes(rule, *type, adaptor.getAxes());
  if (failed(axes))
    return failure();
  FailureOr<ArrayRef<Expr>> starts =
      knownExpressions(rule, "starts", adaptor.getStarts(), axes->size(), "one for each axis");
  FailureOr<ArrayRef<Expr>> ends =
      knownExpressions(rule, "ends", adaptor.getEnds(), axes->size(), "one for each axis");
  FailureOr<SmallVector<int64_t>> steps = stepsOf(rule, adaptor.getSteps(), axes->size());
  if (failed(starts) || failed(ends) || failed(steps))
    return failure();
  Requirements need(rule, adaptor.getOperands());
  SmallVector<Expr> dims(shapeOf(*type));
  for (auto [axis, start, end, step] : llvm::zip(*axes, *starts, *ends, *steps))
    if (dims[axis])
      dims[axis] = sliceExtent(dims[axis], start, end, step, need.facts).length;
  types.push_back(tensorType(context, dims, type->getElementType()));
  return success();
}

LogicalResult DynamicSliceOp::deduce(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> starts = rule.tensor(adaptor.getStarts(), "starts");
  if (failed(type) || failed(starts))
    return failure();
  SmallVector<unsigned> axes;
  if (std::optional<ArrayRef<int64_t>> given = adaptor.getAxes()) {
    FailureOr<SmallVector<unsigned>> named = orderedAxes(rule, *type, *given);
    if (failed(named))
      return failure();
    axes = *named;
  } else {
    for (size_t i = 0; i < adaptor.getSizes().getDims().size(); ++i)
      axes.push_back(unsigned(i));
    if (int64_t(axes.size()) > type->getRank())
      return rule.error("x " + shapeText(*type) + " has fewer dimensions than sizes " +
                        shapeText(adaptor.getSizes().getDims()));
  }
  FailureOr<ArrayRef<Expr>> sizes =
      knownExpressions(rule, "sizes", adaptor.getSizes(), axes.size(), "one for each axis");
  if (failed(sizes) ||
      failed(rule.checkDim("starts", *starts, 0, rule.constant(int64_t(axes.size())),
                           "the number of axes")))
    return failure();
  FailureOr<SmallVector<int64_t>> steps = stepsOf(rule, adaptor.getSteps(), axes.size());
  if (failed(steps))
    return failure();
  Requirements need(rule, adaptor.getOperands());
  SmallVector<Expr> dims(shapeOf(*type));
  for (auto [axis, size, step] : llvm::zip(axes, *sizes, *steps)) {
    Expr places = ceilOf(dims[axis], step < 0 ? -step : step);
    if (failed(need.check(ConstraintKind::LessEqual, rule.constant(0), size,
                          "0 and the size " + size.str())) ||
        failed(need.check(ConstraintKind::LessEqual, size, places,
                          "the size " + size.str() + " and " + dimensionText("x", axis, *type),
                          {"x"})))
      return failure();
    dims[axis] = size;
  }
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

LogicalResult SliceBoundsOp::deduce(const Rule &rule, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> starts = rule.tensor(adaptor.getStarts(), "starts");
  FailureOr<RankedTensorType> ends = rule.tensor(adaptor.getEnds(), "ends");
  if (failed(starts) || failed(ends))
    return failure();
  size_t count = adaptor.getSteps().size();
  Expr length = rule.constant(int64_t(count));
  if (failed(knownExpressions(rule, "dims", adaptor.getDims(), count, "one for each step")) ||
      failed(stepsOf(rule, adaptor.getSteps(), count)) ||
      failed(rule.checkDim("starts", *starts, 0, length, "the number of steps")) ||
      failed(rule.checkDim("ends", *ends, 0, length, "the number of steps")))
    return failure();
  types.assign(2, tensorType(rule.context, length, IntegerType::get(rule.context, 64)));
  return success();
}

LogicalResult DynamicStridedSliceOp::deduce(const Rule &rule, Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> starts = rule.tensor(adaptor.getStarts(), "starts");
  FailureOr<RankedTensorType> ends = rule.tensor(adaptor.getEnds(), "ends");
  if (failed(type) || failed(starts) || failed(ends))
    return failure();
  FailureOr<SmallVector<unsigned>> axes = orderedAxes(rule, *type, adaptor.getAxes());
  if (failed(axes) || failed(stepsOf(rule, adaptor.getSteps(), axes->size())))
    return failure();
  if (starts->getElementType() != ends->getElementType())
    return rule.error("starts and ends must have one element type");
  Expr count = rule.constant(int64_t(axes->size()));
  if (failed(rule.checkDim("starts", *starts, 0, count, "the number of axes")) ||
      failed(rule.checkDim("ends", *ends, 0, count, "the number of axes")))
    return failure();
  ArrayAttr names = adaptor.getSymbols();
  if (names.size() != axes->size())
    return rule.error("expected " + Twine(axes->size()) + " symbols, one for each axis, found " +
                      Twine(names.size()));
  SmallVector<Expr> dims(shapeOf(*type));
  for (auto [axis, name] : llvm::zip(*axes, names)) {
    StringRef symbol = cast<StringAttr>(name).getValue();
    if (!symbolic::Context::isSymbolName(symbol))
      return rule.error("\"" + symbol + "\" can't be the name of a symbol");
    dims[axis] = symbolicContext(rule.context).symbol(symbol);
  }
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

void DynamicStridedSliceOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  auto type = cast<RankedTensorType>(getX().getType());
  std::optional<ArrayRef<int64_t>> steps = getSteps();
  for (auto [i, name] : llvm::enumerate(getSymbols())) {
    Expr upper = shapeOf(type)[axisOf(type, getAxes()[i])];
    int64_t step = steps ? (*steps)[i] : 1;
    if (upper && step != 1 && step != -1)
      upper =
          upper.getContext().ceilDiv(upper, upper.getContext().constant(step < 0 ? -step : step));
    symbols.push_back({cast<StringAttr>(name), 0, upper});
  }
}

} // namespace relax::ir
