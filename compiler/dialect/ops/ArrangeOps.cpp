//===- ArrangeOps.cpp - shape rules: other arrangements of the same elements -----------------===//
#include "compiler/dialect/ops/ArrangeOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Requirements.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {

void registerArrangeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ArrangeOps.cpp.inc"
      >();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  ArrayRef<Expr> dims = shapeOf(*type);
  SmallVector<Expr> permuted;
  SmallVector<bool> seen(dims.size());
  for (int64_t source : permutation) {
    if (source < 0)
      source += type->getRank();
    if (source < 0 || source >= type->getRank() || seen[source])
      break;
    seen[source] = true;
    permuted.push_back(dims[source]);
  }
  if (permuted.size() != dims.size() || permutation.size() != dims.size())
    return rule.error("the permutation must name each dimension of " + shapeText(*type) + " once");
  types.push_back(tensorType(context, permuted, type->getElementType()));
  return success();
}

LogicalResult BroadcastToOp::deduce(const Rule &rule, Adaptor adaptor,
                                    SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<Expr> from = shapeOf(*type), to = adaptor.getShape().getDims();
  if (from.size() > to.size())
    return rule.error("x " + shapeText(*type) + " has more dimensions than the shape " +
                      shapeText(to));
  Requirements need(rule, adaptor.getOperands());
  for (size_t i = 0; i < from.size(); ++i)
    if (failed(need.stretches(from[i], to[to.size() - from.size() + i],
                              dimensionText("x", i, *type) + " and that of the shape " +
                                  shapeText(to))))
      return failure();
  types.push_back(tensorType(rule.context, to, type->getElementType()));
  return success();
}

LogicalResult ViewOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<Expr> from = shapeOf(*type);
  SmallVector<Expr> dims(adaptor.getShape().getDims());
  std::optional<size_t> open;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!dim)
      return rule.error("the shape " + shapeText(dims) + " must be known");
    if (dim.isConstant(-1)) {
      if (open)
        return rule.error("the shape " + shapeText(dims) + " leaves more than one dimension open");
      open = i;
    } else if (dim.isConstant(0) && !adaptor.getAllowZero()) {
      if (i >= from.size())
        return rule.error("x " + shapeText(*type) + " has no dimension " + Twine(i) +
                          ", which the 0 in the shape " + shapeText(dims) + " refers to");
      dim = from[i];
    } else if (dim.isConstant() && dim.constantValue() < 0) {
      return rule.error("the shape " + shapeText(dims) + " has a negative dimension");
    }
  }
  Requirements need(rule, adaptor.getOperands());
  std::string text = "the element counts of " + shapeText(*type) + " and " +
                     shapeText(adaptor.getShape().getDims());
  if (open) {
    SmallVector<Expr> rest(dims);
    rest.erase(rest.begin() + *open);
    Quotient quotient = exactQuotient(rule.context, from, rest);
    // Where a size is unknown, so is the quotient: what divides what is said once it has a name.
    bool isAssumed = quotient.divisor || (!quotient.value && !rest.empty());
    if (isAssumed && failed(need.check(ConstraintKind::Divides, quotient.divisor, quotient.dividend,
                                       text, {"x"})))
      return failure();
    dims[*open] = quotient.value;
  } else if (failed(need.check(ConstraintKind::Equal, elementCount(rule.context, from),
                               elementCount(rule.context, dims), text, {"x"}))) {
    return failure();
  }
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

LogicalResult SqueezeOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<Expr> dims = shapeOf(*type);
  SmallVector<bool> gone(dims.size());
  if (std::optional<ArrayRef<int64_t>> axes = adaptor.getAxes()) {
    FailureOr<SmallVector<unsigned>> positions = axesOf(rule, *type, *axes);
    if (failed(positions))
      return failure();
    for (unsigned axis : *positions) {
      if (failed(rule.checkDim("x", *type, axis, rule.constant(1), "1")))
        return failure();
      gone[axis] = true;
    }
  } else {
    for (auto [dim, flag] : llvm::zip(dims, gone))
      flag = dim && dim.isConstant(1);
  }
  SmallVector<Expr> kept;
  for (auto [dim, flag] : llvm::zip(dims, gone))
    if (!flag)
      kept.push_back(dim);
  types.push_back(tensorType(rule.context, kept, type->getElementType()));
  return success();
}

LogicalResult UnsqueezeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  int64_t rank = type->getRank() + static_cast<int64_t>(adaptor.getAxes().size());
  SmallVector<bool> made(rank);
  for (int64_t axis : adaptor.getAxes()) {
    int64_t position = axis < 0 ? axis + rank : axis;
    if (position < 0 || position >= rank || made[position])
      return rule.error("the axes must be different places of the result, which has " +
                        Twine(rank) + " dimensions; found " + Twine(axis));
    made[position] = true;
  }
  SmallVector<Expr> dims;
  const Expr *next = shapeOf(*type).begin();
  for (bool flag : made)
    dims.push_back(flag ? rule.constant(1) : *next++);
  types.push_back(tensorType(context, dims, type->getElementType()));
  return success();
}

LogicalResult FlattenOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  SmallVector<Expr> dims(shapeOf(*type));
  if (dims.empty())
    dims.push_back(rule.constant(1));
  RankedTensorType shaped = tensorType(context, dims, type->getElementType());
  FailureOr<unsigned> start = axisOf(rule, shaped, static_cast<int64_t>(adaptor.getStartAxis()));
  FailureOr<unsigned> end = axisOf(rule, shaped, static_cast<int64_t>(adaptor.getEndAxis()));
  if (failed(start) || failed(end))
    return failure();
  if (*start > *end)
    return rule.error("start_axis " + Twine(*start) + " is behind end_axis " + Twine(*end));
  Expr count = elementCount(context, ArrayRef(dims).slice(*start, *end - *start + 1));
  dims.erase(dims.begin() + *start, dims.begin() + *end + 1);
  dims.insert(dims.begin() + *start, count);
  types.push_back(tensorType(context, dims, type->getElementType()));
  return success();
}

/// The types of operands that must have one rank and one element type.
static FailureOr<SmallVector<RankedTensorType>> alike(const Rule &rule, ValueRange inputs) {
  if (inputs.empty())
    return rule.error("expected at least one operand");
  SmallVector<RankedTensorType> result;
  for (Value input : inputs) {
    FailureOr<RankedTensorType> type = rule.tensor(input, "inputs");
    if (failed(type))
      return failure();
    result.push_back(*type);
    if (type->getRank() != result[0].getRank())
      return rule.error("the ranks of operands 0 " + shapeText(result[0]) + " and " +
                        Twine(result.size() - 1) + " " + shapeText(*type) + " differ");
    if (type->getElementType() != result[0].getElementType()) {
      std::string text;
      llvm::raw_string_ostream(text)
          << "the element types of operands 0 and " << result.size() - 1
          << " differ: " << result[0].getElementType() << " and " << type->getElementType();
      return rule.error(text);
    }
  }
  return result;
}

/// Dimension `i` of all of them, which must be equal.
static FailureOr<Expr> commonDimension(const Rule &rule, ArrayRef<RankedTensorType> types,
                                       unsigned i) {
  Expr common = shapeOf(types[0])[i];
  for (size_t k = 1; k < types.size(); ++k) {
    std::string role = ("operand " + Twine(k)).str();
    FailureOr<Expr> dim = rule.checkEqual("operand 0", types[0], i, role, types[k], i);
    if (failed(dim))
      return failure();
    if (!common || ((*dim) && dim->isConstant()))
      common = *dim;
  }
  return common;
}

/// The sum of dimension `axis` of all of them; null if one is unknown. Pairs are added, then pairs
/// of those: a sum of many different symbols is as long as the list of them.
static Expr sumOfSizes(ArrayRef<RankedTensorType> types, unsigned axis) {
  SmallVector<Expr> sums =
      llvm::map_to_vector(types, [&](RankedTensorType type) { return shapeOf(type)[axis]; });
  if (llvm::is_contained(sums, Expr()))
    return {};
  while (sums.size() > 1) {
    for (size_t i = 0; 2 * i < sums.size(); ++i)
      sums[i] = 2 * i + 1 < sums.size() ? sums[2 * i] + sums[2 * i + 1] : sums[2 * i];
    sums.resize((sums.size() + 1) / 2);
  }
  return sums.front();
}

LogicalResult ConcatOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<RankedTensorType>> inputs = alike(rule, adaptor.getInputs());
  if (failed(inputs))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, inputs->front(), static_cast<int64_t>(adaptor.getAxis()));
  if (failed(axis))
    return failure();
  SmallVector<Expr> dims(shapeOf(inputs->front()));
  for (unsigned i = 0; i < dims.size(); ++i) {
    if (i == *axis)
      continue;
    FailureOr<Expr> dim = commonDimension(rule, *inputs, i);
    if (failed(dim))
      return failure();
    dims[i] = *dim;
  }
  dims[*axis] = sumOfSizes(*inputs, *axis);
  types.push_back(tensorType(rule.context, dims, inputs->front().getElementType()));
  return success();
}

LogicalResult StackOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<SmallVector<RankedTensorType>> inputs = alike(rule, adaptor.getInputs());
  if (failed(inputs))
    return failure();
  SmallVector<Expr> dims;
  for (unsigned i = 0; i < inputs->front().getRank(); ++i) {
    FailureOr<Expr> dim = commonDimension(rule, *inputs, i);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  int64_t rank = static_cast<int64_t>(dims.size()) + 1, axis = adaptor.getAxis();
  if (axis < -rank || axis >= rank)
    return rule.error("the axis must be in [" + Twine(-rank) + ", " + Twine(rank) + "), found " +
                      Twine(axis));
  dims.insert(dims.begin() + (axis < 0 ? axis + rank : axis),
              rule.constant(static_cast<int64_t>(inputs->size())));
  types.push_back(tensorType(rule.context, dims, inputs->front().getElementType()));
  return success();
}

LogicalResult PadOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  StringRef mode = adaptor.getMode();
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap")
    return rule.error("mode must be constant, edge, reflect or wrap, found " + mode);
  if (Value value = adaptor.getValue()) {
    auto valueType = dyn_cast<RankedTensorType>(value.getType());
    if (mode != "constant")
      return rule.error("mode " + mode + " takes no value");
    if (!valueType || valueType.getRank() != 0 ||
        valueType.getElementType() != type->getElementType())
      return rule.error("value must be a scalar of x's element type");
  }
  size_t rank = type->getRank();
  FailureOr<ArrayRef<Expr>> low =
      knownExpressions(rule, "low", adaptor.getLow(), rank, "one for each dimension");
  FailureOr<ArrayRef<Expr>> high =
      knownExpressions(rule, "high", adaptor.getHigh(), rank, "one for each dimension");
  if (failed(low) || failed(high))
    return failure();
  symbolic::Context &symbols = symbolicContext(rule.context);
  Expr zero = rule.constant(0), one = rule.constant(1);
  Requirements need(rule, adaptor.getOperands());
  SmallVector<Expr> dims(shapeOf(*type));
  for (unsigned i = 0; i < rank; ++i) {
    Expr dim = dims[i], more = (*low)[i] + (*high)[i];
    std::string text = dimensionText("x", i, *type);
    Expr padded = dim ? dim + more : Expr();
    if (failed(need.check(ConstraintKind::LessEqual, zero, padded,
                          "0 and what is left of " + text + " with " + more.str() + " more",
                          {"x"})))
      return failure();
    // There is something to copy, unless nothing is added.
    if (mode != "constant" &&
        failed(need.check(ConstraintKind::LessEqual,
                          need.simplify(symbols.min(one, symbols.max((*low)[i], (*high)[i]))), dim,
                          "1, as mode " + mode + " copies elements, and " + text, {"x"})))
      return failure();
    dims[i] = padded;
  }
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

LogicalResult TileOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  FailureOr<ArrayRef<Expr>> repeats = knownExpressions(rule, "repeats", adaptor.getRepeats(),
                                                       type->getRank(), "one for each dimension");
  if (failed(repeats))
    return failure();
  Requirements need(rule, adaptor.getOperands());
  SmallVector<Expr> dims(shapeOf(*type));
  for (auto [dim, count] : llvm::zip(dims, *repeats)) {
    if (failed(need.check(ConstraintKind::LessEqual, rule.constant(0), count,
                          "0 and the repeats " + count.str())))
      return failure();
    dim = dim ? dim * count : Expr();
  }
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

LogicalResult RepeatOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *type, static_cast<int64_t>(adaptor.getAxis()));
  if (failed(axis))
    return failure();
  Requirements need(rule, adaptor.getOperands());
  Expr repeats = adaptor.getRepeats().getExpr();
  if (failed(need.check(ConstraintKind::LessEqual, rule.constant(0), repeats,
                        "0 and the repeats " + repeats.str())))
    return failure();
  SmallVector<Expr> dims(shapeOf(*type));
  dims[*axis] = dims[*axis] ? dims[*axis] * repeats : Expr();
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

LogicalResult FlipOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type) || failed(axesOf(rule, *type, adaptor.getAxes())))
    return failure();
  types.push_back(*type);
  return success();
}

LogicalResult RollOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type) || failed(axesOf(rule, *type, adaptor.getAxes())) ||
      failed(knownExpressions(rule, "shifts", adaptor.getShifts(), adaptor.getAxes().size(),
                              "one for each axis")))
    return failure();
  types.push_back(*type);
  return success();
}

/// x [N, C, H, W], and a block size of 1 or more.
static FailureOr<RankedTensorType> imageType(const Rule &rule, Value x, int64_t block) {
  FailureOr<RankedTensorType> type = rule.tensor(x, "x");
  if (failed(type))
    return failure();
  if (type->getRank() != 4)
    return rule.error("x must be [N, C, H, W], found " + shapeText(*type));
  if (block < 1 || block > 1 << 20)
    return rule.error("block_size must be in [1, 2^20], found " + Twine(block));
  return type;
}

/// Dimension `i` / `divisor`, which must be exact; null for an unknown one.
static FailureOr<Expr> divided(const Rule &rule, RankedTensorType type, unsigned i,
                               int64_t divisor) {
  Expr dim = shapeOf(type)[i], by = rule.constant(divisor);
  if (failed(rule.check(ConstraintKind::Divides, by, dim,
                        Twine(divisor) + " and " + dimensionText("x", i, type), {"x"})))
    return failure();
  return dim ? symbolicContext(rule.context).floorDiv(dim, by) : dim;
}

LogicalResult DepthToSpaceOp::deduce(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  int64_t block = static_cast<int64_t>(adaptor.getBlockSize());
  FailureOr<RankedTensorType> type = imageType(rule, adaptor.getX(), block);
  if (failed(type))
    return failure();
  if (adaptor.getMode() != "DCR" && adaptor.getMode() != "CRD")
    return rule.error("mode must be DCR or CRD, found " + adaptor.getMode());
  FailureOr<Expr> channels = divided(rule, *type, 1, block * block);
  if (failed(channels))
    return failure();
  ArrayRef<Expr> dims = shapeOf(*type);
  SmallVector<Expr> result = {dims[0], *channels, scaled(dims[2], block, 0),
                              scaled(dims[3], block, 0)};
  types.push_back(tensorType(rule.context, result, type->getElementType()));
  return success();
}

LogicalResult SpaceToDepthOp::deduce(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  int64_t block = static_cast<int64_t>(adaptor.getBlockSize());
  FailureOr<RankedTensorType> type = imageType(rule, adaptor.getX(), block);
  if (failed(type))
    return failure();
  FailureOr<Expr> height = divided(rule, *type, 2, block), width = divided(rule, *type, 3, block);
  if (failed(height) || failed(width))
    return failure();
  ArrayRef<Expr> dims = shapeOf(*type);
  SmallVector<Expr> result = {dims[0], scaled(dims[1], block * block, 0), *height, *width};
  types.push_back(tensorType(rule.context, result, type->getElementType()));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ArrangeOps.cpp.inc"
#pragma GCC diagnostic pop
