//===- ShapeOps.cpp - shape rules of the ops that rearrange elements --------------------------===//
#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Ops.h"

using namespace mlir;

namespace relax::ir {

void ReshapeOp::build(OpBuilder &b, OperationState &state, Value x, ArrayRef<symbolic::Expr> dims) {
  auto type = cast<RankedTensorType>(x.getType());
  build(b, state, tensorType(b.getContext(), dims, type.getElementType()), x);
}

LogicalResult ReshapeOp::verify() {
  auto from = cast<RankedTensorType>(getX().getType());
  auto to = cast<RankedTensorType>(getResult().getType());
  Rule rule(getContext(), getLoc(), getOperationName());
  if (from.getElementType() != to.getElementType())
    return rule.error("the element type must stay");
  symbolic::Expr before = elementCount(getContext(), shapeOf(from));
  symbolic::Expr after = elementCount(getContext(), shapeOf(to));
  if (provablyEqual(before, after))
    return success();
  return rule.error("the element counts of " + shapeText(from) + " and " + shapeText(to) +
                    " are not provably equal: " + (before ? before.str() : "?") + " and " +
                    (after ? after.str() : "?"));
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  ArrayRef<symbolic::Expr> dims = shapeOf(*type);
  SmallVector<symbolic::Expr> permuted;
  SmallVector<bool> seen(dims.size());
  for (int64_t source : permutation) {
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

LogicalResult TakeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> table = rule.tensor(adaptor.getTable(), "table");
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  if (failed(table) || failed(indices))
    return failure();
  if (table->getRank() < 1 || indices->getRank() != 1)
    return rule.error("expected a table of rank 1 or more and indices of rank 1, found " +
                      shapeText(*table) + " and " + shapeText(*indices));
  SmallVector<symbolic::Expr> dims(shapeOf(*table));
  dims[0] = shapeOf(*indices)[0];
  types.push_back(tensorType(context, dims, table->getElementType()));
  return success();
}

LogicalResult MatchCastOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  Type from = getValue().getType(), to = getResult().getType();
  if (isa<ShapeType>(from) && isa<ShapeType>(to)) {
    if (cast<ShapeType>(from).getRank() != cast<ShapeType>(to).getRank())
      return rule.error("the ranks differ: " + shapeText(from) + " and " + shapeText(to));
    return success();
  }
  auto fromTensor = dyn_cast<TensorType>(from);
  auto toTensor = dyn_cast<RankedTensorType>(to);
  if (isa<ObjectType>(from) && !isa<ObjectType>(to))
    return success();
  if (!fromTensor || !toTensor)
    return rule.error("expected two tensors or two shapes, found " + shapeText(from) + " and " +
                      shapeText(to));
  if (fromTensor.getElementType() != toTensor.getElementType())
    return rule.error("the element type must stay");
  auto ranked = dyn_cast<RankedTensorType>(from);
  if (!ranked)
    return success();
  if (ranked.getRank() != toTensor.getRank())
    return rule.error("the ranks differ: " + shapeText(from) + " and " + shapeText(to));
  for (auto [index, a, b] : llvm::enumerate(shapeOf(ranked), shapeOf(toTensor)))
    if (a && b && a.isConstant() && b.isConstant() && !(a == b))
      return rule.error("dimension " + Twine(index) + " of " + shapeText(from) + " can never be " +
                        b.str());
  return success();
}

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<symbolic::Expr> dims = shapeOf(*type);
  bool known = llvm::all_of(dims, [](symbolic::Expr dim) { return bool(dim); });
  types.push_back(known ? ShapeType::get(context, dims) : ShapeType::get(context, type->getRank()));
  return success();
}

void SymbolValueOp::build(OpBuilder &b, OperationState &state, symbolic::Expr expr) {
  build(b, state, b.getIndexType(), ExprAttr::get(b.getContext(), expr));
}

} // namespace relax::ir
