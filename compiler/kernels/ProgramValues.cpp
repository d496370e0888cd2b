// The parts of the pointwise emitter that give scalars, extents and the sources of views.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace relax::kernels {

LaneValue PointwiseEmitter::inEntry(llvm::function_ref<LaneValue()> emit) {
  OpBuilder::InsertionGuard guard(context.b);
  context.b.setInsertionPoint(context.entry().getInsertionBlock(),
                              context.entry().getInsertionPoint());
  int64_t outerLanes = std::exchange(lanes, 1);
  std::vector<Scope> outerScopes = std::exchange(scopes, std::vector<Scope>(1));
  LaneValue result = emit();
  lanes = outerLanes;
  scopes = std::move(outerScopes);
  return result;
}

Value PointwiseEmitter::scalar(Value v) {
  if (auto it = scalars.find(v); it != scalars.end())
    return it->second;
  Value result;
  if (isa<BlockArgument>(v)) {
    // A scalar argument of the program would have no memref; programs take tensors only.
    llvm::report_fatal_error("a tensor program has an argument that is not a tensor");
  }
  Operation *op = v.getDefiningOp();
  if (auto constant = constantInteger(v); constant && v.getType().isIndex()) {
    result = context.index(*constant);
  } else if (auto symbol = dyn_cast<ir::SymbolValueOp>(op)) {
    result = context.exprValue(symbol.getExpr().getExpr());
  } else if (auto dimOp = dyn_cast<tensor::DimOp>(op)) {
    std::optional<int64_t> dimension = dimOp.getConstantIndex();
    result = dim(dimOp.getSource(), *dimension);
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
    SmallVector<LaneValue> indices;
    for (Value index : extract.getIndices())
      indices.push_back(LaneValue::uniform(scalar(index)));
    result = inEntry([&] { return value(extract.getTensor(), indices); }).value;
  } else {
    IRMapping mapping;
    for (Value operand : op->getOperands())
      mapping.map(operand, scalar(operand));
    Operation *copy = context.entry().clone(*op, mapping);
    result = copy->getResult(cast<OpResult>(v).getResultNumber());
  }
  scalars[v] = result;
  return result;
}

/// The size operand number of a dynamic dimension among mixed static and dynamic sizes.
static unsigned dynamicPosition(ArrayRef<int64_t> shape, int64_t dimension) {
  return llvm::count_if(shape.take_front(dimension), ShapedType::isDynamic);
}

Value PointwiseEmitter::dim(Value tensor, int64_t dimension) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return context.index(type.getDimSize(dimension));
  if (symbolic::Expr expr = ir::shapeOf(type)[dimension])
    if (Value value = context.exprValue(expr))
      return value;
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return memref::DimOp::create(context.entry(), context.loc,
                                 context.input(argument.getArgNumber()), dimension);
  Operation *op = tensor.getDefiningOp();
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op))
    return dim(linalgOp.getDpsInitOperand(cast<OpResult>(tensor).getResultNumber())->get(),
               dimension);
  if (auto empty = dyn_cast<tensor::EmptyOp>(op))
    return scalar(empty.getDynamicSizes()[dynamicPosition(type.getShape(), dimension)]);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return scalar(splat.getDynamicSizes()[dynamicPosition(type.getShape(), dimension)]);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return dim(cast.getSource(), dimension);
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return scalar(
        expand.getOutputShape()[dynamicPosition(expand.getStaticOutputShape(), dimension)]);
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op)) {
    Value product = context.index(1);
    for (int64_t source : collapse.getReassociationIndices()[dimension])
      product = context.entry().createOrFold<arith::MulIOp>(context.loc, product,
                                                            dim(collapse.getSrc(), source));
    return product;
  }
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
    llvm::SmallBitVector dropped = slice.getDroppedDims();
    int64_t result = 0;
    for (auto [i, size] : llvm::enumerate(slice.getMixedSizes())) {
      if (dropped.test(i) || result++ != dimension)
        continue;
      if (auto constant = getConstantIntValue(size))
        return context.index(*constant);
      return scalar(cast<Value>(size));
    }
  }
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      return dim(operand, dimension);
  llvm::report_fatal_error("a dimension of a tensor program has no known extent");
}

SmallVector<LaneValue> PointwiseEmitter::expandedSource(tensor::ExpandShapeOp op,
                                                        ArrayRef<LaneValue> indices) {
  SmallVector<LaneValue> source;
  for (const ReassociationIndices &group : op.getReassociationIndices()) {
    LaneValue linear = indices[group.front()];
    for (int64_t d : ArrayRef(group).drop_front()) {
      LaneValue extent = LaneValue::uniform(dim(op.getResult(), d));
      linear = laneOp(LaneOp::Mul, linear, extent);
      linear = laneOp(LaneOp::Add, linear, indices[d]);
    }
    source.push_back(linear);
  }
  return source;
}

SmallVector<LaneValue> PointwiseEmitter::collapsedSource(tensor::CollapseShapeOp op,
                                                         ArrayRef<LaneValue> indices) {
  SmallVector<LaneValue> source(op.getSrcType().getRank());
  if (op.getReassociationIndices().empty())
    for (LaneValue &index : source)
      index = LaneValue::uniform(context.index(0));
  for (auto [group, index] : llvm::zip(op.getReassociationIndices(), indices)) {
    LaneValue rest = index;
    // Dimensions of extent 1 take no part; the first of the others takes what is left.
    SmallVector<int64_t> wide;
    for (int64_t d : group) {
      if (op.getSrcType().getDimSize(d) == 1)
        source[d] = LaneValue::uniform(context.index(0));
      else
        wide.push_back(d);
    }
    for (size_t i = wide.size(); i-- > 0;) {
      if (i == 0) {
        source[wide[0]] = rest;
        break;
      }
      LaneValue extent = LaneValue::uniform(dim(op.getSrc(), wide[i]));
      source[wide[i]] = laneOp(LaneOp::Mod, rest, extent);
      rest = laneOp(LaneOp::FloorDiv, rest, extent);
    }
  }
  return source;
}

SmallVector<LaneValue> PointwiseEmitter::slicedSource(tensor::ExtractSliceOp op,
                                                      ArrayRef<LaneValue> indices) {
  auto get = [&](OpFoldResult value) {
    if (auto constant = getConstantIntValue(value))
      return LaneValue::uniform(context.index(*constant));
    return LaneValue::uniform(scalar(cast<Value>(value)));
  };
  llvm::SmallBitVector dropped = op.getDroppedDims();
  SmallVector<LaneValue> source;
  size_t next = 0;
  for (auto [i, offset, stride] : llvm::enumerate(op.getMixedOffsets(), op.getMixedStrides())) {
    LaneValue position = get(offset);
    if (!dropped.test(i)) {
      LaneValue step = laneOp(LaneOp::Mul, indices[next++], get(stride));
      position = getConstantIntValue(offset) == 0 ? step : laneOp(LaneOp::Add, step, position);
    }
    source.push_back(position);
  }
  return source;
}

} // namespace relax::kernels
