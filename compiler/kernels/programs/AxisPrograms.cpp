#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace relax::kernels {

RankedTensorType withoutAxes(RankedTensorType type, ArrayRef<unsigned> axes, Type element) {
  SmallVector<symbolic::Expr> dims;
  for (auto [i, dim] : llvm::enumerate(ir::shapeOf(type)))
    if (!llvm::is_contained(axes, unsigned(i)))
      dims.push_back(dim);
  return ir::tensorType(type.getContext(), dims, element);
}

/// The map of a full operand, or of one that lacks the axes.
static SmallVector<AffineMap> axisMaps(MLIRContext *context, int64_t rank, ArrayRef<unsigned> axes,
                                       ValueRange operands) {
  SmallVector<AffineExpr> kept;
  for (unsigned i = 0; i < rank; ++i)
    if (!llvm::is_contained(axes, i))
      kept.push_back(getAffineDimExpr(i, context));
  AffineMap full = AffineMap::getMultiDimIdentityMap(rank, context);
  AffineMap outer = AffineMap::get(rank, 0, kept, context);
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(cast<RankedTensorType>(operand.getType()).getRank() == rank ? full : outer);
  maps.push_back(outer);
  return maps;
}

Value reduceAxes(const ProgramBuilder &program, RankedTensorType full, ArrayRef<unsigned> axes,
                 TypedAttr init, ValueRange operands, ProgramBuilder::Body body) {
  int64_t rank = full.getRank();
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  for (unsigned axis : axes)
    iterators[axis] = utils::IteratorType::reduction;
  RankedTensorType type = withoutAxes(full, axes, init.getType());
  return program.generic(operands, program.filled(type, init),
                         axisMaps(full.getContext(), rank, axes, operands), iterators, body);
}

Value alongAxes(const ProgramBuilder &program, RankedTensorType full, ArrayRef<unsigned> axes,
                ValueRange operands, ProgramBuilder::Body body) {
  int64_t rank = full.getRank();
  SmallVector<AffineMap> maps = axisMaps(full.getContext(), rank, axes, operands);
  maps.back() = AffineMap::getMultiDimIdentityMap(rank, full.getContext());
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return program.generic(operands, program.empty(full), maps, iterators, body);
}

Value elementByElement(const ProgramBuilder &program, Value x, Type element,
                       llvm::function_ref<Value(const Scalars &, Value)> body) {
  auto type = cast<RankedTensorType>(x.getType());
  return program.pointwise(
      ir::tensorType(type.getContext(), ir::shapeOf(type), element), ValueRange{x},
      [&](OpBuilder &b, Location loc, ValueRange v) { return body(Scalars(b, loc), v[0]); });
}

Value countAlong(const ProgramBuilder &program, RankedTensorType full, ArrayRef<unsigned> axes) {
  symbolic::Expr count = ir::symbolicContext(full.getContext()).constant(1);
  for (unsigned axis : axes)
    count = count * ir::shapeOf(full)[axis];
  return arith::IndexCastOp::create(program.b, program.loc, program.b.getI64Type(),
                                    program.size(count));
}

TypedAttr zeroOf(Type element) { return Builder(element.getContext()).getZeroAttr(element); }

TypedAttr oneOf(Type element) { return Builder(element.getContext()).getOneAttr(element); }

AffineMap leadingDims(MLIRContext *context, unsigned loops, unsigned results) {
  SmallVector<AffineExpr> exprs;
  for (unsigned i = 0; i < results; ++i)
    exprs.push_back(getAffineDimExpr(i, context));
  return AffineMap::get(loops, 0, exprs, context);
}

static TypedAttr endOf(Type element, bool isUnsigned, bool lowest) {
  if (auto number = dyn_cast<FloatType>(element))
    return FloatAttr::get(element, APFloat::getInf(number.getFloatSemantics(), lowest));
  unsigned bits = element.getIntOrFloatBitWidth();
  if (isUnsigned)
    return IntegerAttr::get(element, lowest ? APInt::getZero(bits) : APInt::getMaxValue(bits));
  return IntegerAttr::get(element,
                          lowest ? APInt::getSignedMinValue(bits) : APInt::getSignedMaxValue(bits));
}

TypedAttr lowestOf(Type element, bool isUnsigned) { return endOf(element, isUnsigned, true); }
TypedAttr highestOf(Type element, bool isUnsigned) { return endOf(element, isUnsigned, false); }

} // namespace relax::kernels
