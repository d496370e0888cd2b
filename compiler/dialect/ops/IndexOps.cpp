//===- IndexOps.cpp - shape rules: elements by index: take, gather, scatter ------------------===//
#include "compiler/dialect/ops/IndexOps.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Requirements.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {

void registerIndexOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/IndexOps.cpp.inc"
      >();
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> table = rule.tensor(adaptor.getTable(), "table");
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  if (failed(table) || failed(indices))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *table, static_cast<int64_t>(adaptor.getAxis()));
  if (failed(axis))
    return failure();
  SmallVector<Expr> dims(shapeOf(*table));
  dims.erase(dims.begin() + *axis);
  ArrayRef<Expr> places = shapeOf(*indices);
  dims.insert(dims.begin() + *axis, places.begin(), places.end());
  types.push_back(tensorType(context, dims, table->getElementType()));
  return success();
}

/// Indices of x's rank, along an axis, that are at most as large as x along the others.
static FailureOr<std::pair<RankedTensorType, RankedTensorType>>
elementIndices(const Rule &rule, ValueRange operands, int64_t axis) {
  FailureOr<RankedTensorType> type = rule.tensor(operands[0], "x");
  FailureOr<RankedTensorType> indices = rule.tensor(operands[1], "indices");
  if (failed(type) || failed(indices))
    return failure();
  FailureOr<unsigned> position = axisOf(rule, *type, axis);
  if (failed(position))
    return failure();
  if (type->getRank() != indices->getRank())
    return rule.error("x " + shapeText(*type) + " and indices " + shapeText(*indices) +
                      " must have one rank");
  Requirements need(rule, operands);
  for (unsigned i = 0; i < type->getRank(); ++i)
    if (i != *position &&
        failed(need.check(ConstraintKind::LessEqual, shapeOf(*indices)[i], shapeOf(*type)[i],
                          "dimension " + Twine(i) + " of indices " + shapeText(*indices) +
                              " and of x " + shapeText(*type),
                          {"indices", "x"})))
      return failure();
  return std::pair(*type, *indices);
}

LogicalResult GatherElementsOp::deduce(const Rule &rule, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  auto operands =
      elementIndices(rule, adaptor.getOperands(), static_cast<int64_t>(adaptor.getAxis()));
  if (failed(operands))
    return failure();
  auto [type, indices] = *operands;
  types.push_back(tensorType(rule.context, shapeOf(indices), type.getElementType()));
  return success();
}

/// The last dimension of indices: how many dimensions of x from `first` on it has positions for.
static FailureOr<int64_t> indexDepth(const Rule &rule, RankedTensorType type,
                                     RankedTensorType indices, int64_t first) {
  if (indices.getRank() <= first)
    return rule.error("indices " + shapeText(indices) + " must have more than " + Twine(first) +
                      " dimensions");
  FailureOr<int64_t> depth = rule.staticDim("indices", indices, indices.getRank() - 1);
  if (failed(depth))
    return failure();
  if (*depth < 1 || *depth > type.getRank() - first)
    return rule.error("the last dimension of indices " + shapeText(indices) + " must be in [1, " +
                      Twine(type.getRank() - first) + "], as x is " + shapeText(type));
  return depth;
}

LogicalResult GatherNdOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  if (failed(type) || failed(indices))
    return failure();
  auto batch = static_cast<int64_t>(adaptor.getBatchDims());
  if (batch < 0 || batch >= std::min(type->getRank(), indices->getRank()))
    return rule.error("batch_dims " + Twine(batch) + " must be in [0, " +
                      Twine(std::min(type->getRank(), indices->getRank())) + ")");
  FailureOr<int64_t> depth = indexDepth(rule, *type, *indices, batch);
  if (failed(depth))
    return failure();
  SmallVector<Expr> dims(shapeOf(*indices).drop_back());
  for (unsigned i = 0; i < batch; ++i) {
    FailureOr<Expr> dim = rule.checkEqual("x", *type, i, "indices", *indices, i);
    if (failed(dim))
      return failure();
    dims[i] = *dim;
  }
  llvm::append_range(dims, shapeOf(*type).drop_front(batch + *depth));
  types.push_back(tensorType(rule.context, dims, type->getElementType()));
  return success();
}

static LogicalResult checkUpdates(const Rule &rule, RankedTensorType type, RankedTensorType updates,
                                  StringRef reduction) {
  if (failed(requireSameElements(rule, "x", type, "updates", updates)))
    return failure();
  if (!llvm::is_contained({"none", "add", "mul", "max", "min"}, reduction))
    return rule.error("reduction must be none, add, mul, max or min, found " + reduction);
  return success();
}

LogicalResult ScatterElementsOp::deduce(const Rule &rule, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  auto operands =
      elementIndices(rule, adaptor.getOperands(), static_cast<int64_t>(adaptor.getAxis()));
  FailureOr<RankedTensorType> updates = rule.tensor(adaptor.getUpdates(), "updates");
  if (failed(operands) || failed(updates))
    return failure();
  auto [type, indices] = *operands;
  if (failed(checkUpdates(rule, type, *updates, adaptor.getReduction())))
    return failure();
  if (updates->getRank() != indices.getRank())
    return rule.error("updates " + shapeText(*updates) + " and indices " + shapeText(indices) +
                      " must have one rank");
  for (unsigned i = 0; i < type.getRank(); ++i)
    if (failed(rule.checkEqual("updates", *updates, i, "indices", indices, i)))
      return failure();
  types.push_back(type);
  return success();
}

LogicalResult ScatterNdOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  FailureOr<RankedTensorType> updates = rule.tensor(adaptor.getUpdates(), "updates");
  if (failed(type) || failed(indices) || failed(updates) ||
      failed(checkUpdates(rule, *type, *updates, adaptor.getReduction())))
    return failure();
  FailureOr<int64_t> depth = indexDepth(rule, *type, *indices, 0);
  if (failed(depth))
    return failure();
  unsigned places = indices->getRank() - 1;
  if (updates->getRank() != places + type->getRank() - *depth)
    return rule.error("updates " + shapeText(*updates) + " must have " +
                      Twine(places + type->getRank() - *depth) + " dimensions: those of indices " +
                      shapeText(*indices) + " but the last, and of x " + shapeText(*type) +
                      " behind the first " + Twine(*depth));
  for (unsigned i = 0; i < updates->getRank(); ++i)
    if (failed(i < places
                   ? rule.checkEqual("updates", *updates, i, "indices", *indices, i)
                   : rule.checkEqual("updates", *updates, i, "x", *type, i - places + *depth)))
      return failure();
  types.push_back(*type);
  return success();
}

LogicalResult ReverseSequenceOp::deduce(const Rule &rule, Adaptor adaptor,
                                        SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> lengths = rule.tensor(adaptor.getLengths(), "lengths");
  if (failed(x) || failed(lengths) || failed(requireRank(rule, "lengths", *lengths, 1)) ||
      failed(axesOf(rule, *x,
                    {static_cast<int64_t>(adaptor.getTimeAxis()),
                     static_cast<int64_t>(adaptor.getBatchAxis())})) ||
      failed(rule.checkEqual("x", *x, axisOf(*x, static_cast<int64_t>(adaptor.getBatchAxis())),
                             "lengths", *lengths, 0)))
    return failure();
  types.push_back(*x);
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/IndexOps.cpp.inc"
#pragma GCC diagnostic pop
