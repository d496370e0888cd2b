//===- ShapeOps.cpp - shape rules of the ops that rearrange elements --------------------------===//
#include "compiler/dialect/ops/ShapeOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerShapeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ShapeOps.cpp.inc"
      >();
}

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

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ShapeOps.cpp.inc"
#pragma GCC diagnostic pop
