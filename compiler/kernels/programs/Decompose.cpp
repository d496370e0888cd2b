// Ops that arrange elements and are other graph ops: most are views of the same memory.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/kernels/programs/Programs.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

ArrayRef<Expr> shapeOf(Value value) { return ir::shapeOf(cast<RankedTensorType>(value.getType())); }

Expr constant(OpBuilder &b, int64_t value) {
  return ir::symbolicContext(b.getContext()).constant(value);
}

/// squeeze, unsqueeze, flatten, view: the result's type says it all.
LogicalResult asReshape(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  results.push_back(
      ir::ReshapeOp::create(b, op->getLoc(), op->getResult(0).getType(), op->getOperand(0)));
  return success();
}

LogicalResult decomposeStack(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto stack = cast<ir::StackOp>(op);
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  unsigned axis = ir::axisOf(type, static_cast<int64_t>(stack.getAxis()));
  SmallVector<Expr> dims(ir::shapeOf(type));
  dims[axis] = constant(b, 1);
  SmallVector<Value> parts;
  for (Value input : stack.getInputs())
    parts.push_back(ir::ReshapeOp::create(b, op->getLoc(), input, dims));
  results.push_back(ir::ConcatOp::create(b, op->getLoc(), parts, axis));
  return success();
}

/// Operands of one concat's program. Its search for the operand of an element, the code of its
/// loads and the sums of extents where operands begin grow with their number.
constexpr unsigned longestConcat = 32;

bool isLongConcat(Operation *op) { return op->getNumOperands() > longestConcat; }

/// Concats of so many operands each, and a concat of those: what is compiled stays linear in the
/// number of operands, for a second copy of the elements.
LogicalResult decomposeLongConcat(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  NamedAttribute axis = b.getNamedAttr("axis", cast<ir::ConcatOp>(op).getAxisAttr());
  auto join = [&](ValueRange operands) {
    return ir::createDeduced<ir::ConcatOp>(b, op->getLoc(), operands, axis);
  };
  SmallVector<Value> parts(op->getOperands());
  while (parts.size() > longestConcat) {
    SmallVector<Value> joined;
    for (size_t begin = 0; begin < parts.size(); begin += longestConcat) {
      ArrayRef<Value> some = ArrayRef(parts).slice(begin);
      FailureOr<ir::ConcatOp> part = join(some.take_front(longestConcat));
      if (failed(part))
        return failure();
      joined.push_back(*part);
    }
    parts = std::move(joined);
  }
  FailureOr<ir::ConcatOp> whole = join(parts);
  if (failed(whole))
    return failure();
  // Sizes that are only checked to be equal may be written in another way.
  results.push_back(whole->getResult());
  if (whole->getResult().getType() != op->getResult(0).getType())
    results.back() =
        ir::ReshapeOp::create(b, op->getLoc(), op->getResult(0).getType(), results.back());
  return success();
}

/// Parts are of their own, so that each can be fused with what reads it.
LogicalResult decomposeSplit(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto split = cast<ir::SplitOp>(op);
  unsigned axis = ir::axisOf(cast<RankedTensorType>(split.getX().getType()),
                             static_cast<int64_t>(split.getAxis()));
  Expr begin = constant(b, 0);
  for (Value part : split.getParts()) {
    Expr size = shapeOf(part)[axis];
    results.push_back(ir::NarrowOp::create(b, op->getLoc(), split.getX(), axis,
                                           ir::ExprAttr::get(b.getContext(), begin),
                                           ir::ExprAttr::get(b.getContext(), size)));
    begin = begin + size;
  }
  return success();
}

/// Repeats each run of the dimensions from `axis` on (`whole`) or behind it `count` times: x as
/// [a, 1, b], stretched to [a, count, b], with the dimension of `axis` that much larger.
Value repeatAlong(OpBuilder &b, Location loc, Value x, unsigned axis, Expr count, bool whole) {
  SmallVector<Expr> result(shapeOf(x));
  unsigned inner = whole ? axis : axis + 1;
  Expr outside = ir::elementCount(b.getContext(), ArrayRef(result).take_front(inner));
  Expr inside = ir::elementCount(b.getContext(), ArrayRef(result).drop_front(inner));
  result[axis] = result[axis] * count;
  // A run of one element needs no dimension: rows of one element would be slow.
  SmallVector<Expr> dims = {outside, constant(b, 1)};
  if (!inside.isConstant(1))
    dims.push_back(inside);
  x = ir::ReshapeOp::create(b, loc, x, dims);
  dims[1] = count;
  x = ir::BroadcastToOp::create(b, loc, x, ir::ShapeAttr::get(b.getContext(), dims));
  return ir::ReshapeOp::create(b, loc, x, result);
}

LogicalResult decomposeRepeat(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto repeat = cast<ir::RepeatOp>(op);
  unsigned axis = ir::axisOf(cast<RankedTensorType>(repeat.getX().getType()),
                             static_cast<int64_t>(repeat.getAxis()));
  results.push_back(repeatAlong(b, op->getLoc(), repeat.getX(), axis, repeat.getRepeats().getExpr(),
                                /*whole=*/false));
  return success();
}

LogicalResult decomposeTile(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto tile = cast<ir::TileOp>(op);
  Value x = tile.getX();
  // The innermost first, while the tensor is small.
  ArrayRef<Expr> repeats = tile.getRepeats().getDims();
  for (unsigned axis = repeats.size(); axis-- > 0;)
    if (!repeats[axis].isConstant(1))
      x = repeatAlong(b, op->getLoc(), x, axis, repeats[axis], /*whole=*/true);
  results.push_back(x);
  return success();
}

/// reshape, permute, reshape.
Value regroup(OpBuilder &b, Operation *op, ArrayRef<Expr> split, ArrayRef<int64_t> permutation) {
  Value x = ir::ReshapeOp::create(b, op->getLoc(), op->getOperand(0), split);
  x = ir::PermuteOp::create(b, op->getLoc(), x, b.getDenseI64ArrayAttr(permutation));
  return ir::ReshapeOp::create(b, op->getLoc(), op->getResult(0).getType(), x);
}

LogicalResult decomposeDepthToSpace(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto space = cast<ir::DepthToSpaceOp>(op);
  ArrayRef<Expr> dims = shapeOf(space.getX());
  Expr block = constant(b, static_cast<int64_t>(space.getBlockSize()));
  Expr channels = shapeOf(op->getResult(0))[1];
  if (space.getMode() == "DCR")
    results.push_back(
        regroup(b, op, {dims[0], block, block, channels, dims[2], dims[3]}, {0, 3, 4, 1, 5, 2}));
  else
    results.push_back(
        regroup(b, op, {dims[0], channels, block, block, dims[2], dims[3]}, {0, 1, 4, 2, 5, 3}));
  return success();
}

LogicalResult decomposeSpaceToDepth(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &results) {
  auto depth = cast<ir::SpaceToDepthOp>(op);
  ArrayRef<Expr> dims = shapeOf(depth.getX()), blocks = shapeOf(op->getResult(0));
  Expr block = constant(b, static_cast<int64_t>(depth.getBlockSize()));
  results.push_back(
      regroup(b, op, {dims[0], dims[1], blocks[2], block, blocks[3], block}, {0, 3, 5, 1, 2, 4}));
  return success();
}

LogicalResult decomposeDynamicStridedSlice(OpBuilder &b, Operation *op,
                                           SmallVectorImpl<Value> &results) {
  auto slice = cast<ir::DynamicStridedSliceOp>(op);
  auto type = cast<RankedTensorType>(slice.getX().getType());
  SmallVector<Expr> dims, sizes;
  for (int64_t named : slice.getAxes()) {
    unsigned axis = ir::axisOf(type, named);
    dims.push_back(ir::shapeOf(type)[axis]);
    if (!dims.back())
      return op->emitError("dimension ") << axis << " of x " << ir::shapeText(type)
                                         << " must be known; name it by relax.match_cast";
    sizes.push_back(shapeOf(op->getResult(0))[axis]);
  }
  SmallVector<int64_t> steps(dims.size(), 1);
  if (slice.getSteps())
    steps.assign(slice.getSteps()->begin(), slice.getSteps()->end());
  auto bounds = ir::SliceBoundsOp::create(b, op->getLoc(), slice.getStarts(), slice.getEnds(),
                                          ir::ShapeAttr::get(b.getContext(), dims),
                                          b.getDenseI64ArrayAttr(steps));
  ir::TensorToShapeOp::create(b, op->getLoc(), bounds.getLengths(), slice.getSymbolsAttr());
  results.push_back(ir::DynamicSliceOp::create(b, op->getLoc(), slice.getX(), bounds.getFirst(),
                                               ir::ShapeAttr::get(b.getContext(), sizes),
                                               slice.getAxesAttr(), b.getDenseI64ArrayAttr(steps)));
  return success();
}

} // namespace

ArrayRef<DecompositionEntry> arrangeDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.view", asReshape},
      {"relax.squeeze", asReshape},
      {"relax.unsqueeze", asReshape},
      {"relax.flatten", asReshape},
      {"relax.stack", decomposeStack},
      {"relax.concat", decomposeLongConcat, isLongConcat},
      {"relax.split", decomposeSplit},
      {"relax.repeat", decomposeRepeat},
      {"relax.tile", decomposeTile},
      {"relax.depth_to_space", decomposeDepthToSpace},
      {"relax.space_to_depth", decomposeSpaceToDepth},
      {"relax.dynamic_strided_slice", decomposeDynamicStridedSlice},
  };
  return entries;
}

} // namespace relax::kernels
