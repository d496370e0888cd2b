// Along the last dimension: softmax and normalisation. Sums and maxima are taken in float32 at
// least.

#include "compiler/dialect/ops/NormalizeOps.h"
#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace relax::kernels {
namespace {

/// The type in which rows of `element` are accumulated.
FloatType accumulatorType(OpBuilder &b, Type element) {
  return element.isF64() ? FloatType(b.getF64Type()) : FloatType(b.getF32Type());
}

Value widen(OpBuilder &b, Location loc, Type to, Value x) {
  return x.getType() == to ? x : Value(arith::ExtFOp::create(b, loc, to, x));
}

Value narrow(OpBuilder &b, Location loc, Type to, Value x) {
  return x.getType() == to ? x : Value(arith::TruncFOp::create(b, loc, to, x));
}

/// `type` without its last dimension.
RankedTensorType rowsOf(RankedTensorType type, Type element) {
  return ir::tensorType(type.getContext(), ir::shapeOf(type).drop_back(), element);
}

/// `operand`'s elements, or those of the row they are in.
SmallVector<AffineMap> rowMaps(MLIRContext *context, int64_t rank, ArrayRef<bool> perRow) {
  AffineMap full = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<AffineMap> maps;
  for (bool row : perRow)
    maps.push_back(row ? full.getMajorSubMap(rank - 1) : full);
  maps.push_back(full);
  return maps;
}

} // namespace

/// exp(x - max x) / sum exp(x - max x): the largest exponent is 0, so nothing overflows.
static SmallVector<Value> buildSoftmax(ProgramBuilder &program) {
  Value x = program.inputs[0];
  RankedTensorType type = program.types[0];
  MLIRContext *context = type.getContext();
  FloatType accumulator = accumulatorType(program.b, type.getElementType());
  RankedTensorType rows = rowsOf(type, accumulator);
  auto shifted = [&](OpBuilder &b, Location loc, Value element, Value maximum) -> Value {
    return math::ExpOp::create(
        b, loc, arith::SubFOp::create(b, loc, widen(b, loc, accumulator, element), maximum));
  };
  Value maximum = program.reduceLast(
      rows, program.b.getFloatAttr(accumulator, -std::numeric_limits<double>::infinity()),
      ValueRange{x}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        return arith::MaximumFOp::create(b, loc, widen(b, loc, accumulator, v[0]), v[1]);
      });
  Value sum =
      program.reduceLast(rows, program.b.getFloatAttr(accumulator, 0), ValueRange{x, maximum},
                         [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                           return arith::AddFOp::create(b, loc, v[2], shifted(b, loc, v[0], v[1]));
                         });
  SmallVector<utils::IteratorType> iterators(type.getRank(), utils::IteratorType::parallel);
  return {program.generic(ValueRange{x, maximum, sum}, program.empty(type),
                          rowMaps(context, type.getRank(), {false, true, true}), iterators,
                          [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            Value quotient =
                                arith::DivFOp::create(b, loc, shifted(b, loc, v[0], v[1]), v[2]);
                            return narrow(b, loc, type.getElementType(), quotient);
                          })};
}

/// x * weight / sqrt(mean(x^2) + epsilon) (Zhang and Sennrich, 2019).
static SmallVector<Value> buildRmsNorm(ProgramBuilder &program) {
  Value x = program.inputs[0], weight = program.inputs[1];
  RankedTensorType type = program.types[0];
  MLIRContext *context = type.getContext();
  double epsilon = cast<ir::RmsNormOp>(program.op).getEpsilon().convertToDouble();
  FloatType accumulator = accumulatorType(program.b, type.getElementType());
  RankedTensorType rows = rowsOf(type, accumulator);
  Value squares = program.reduceLast(rows, program.b.getFloatAttr(accumulator, 0), ValueRange{x},
                                     [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                                       Value wide = widen(b, loc, accumulator, v[0]);
                                       return arith::AddFOp::create(
                                           b, loc, v[1], arith::MulFOp::create(b, loc, wide, wide));
                                     });
  Value length = ir::SymbolValueOp::create(program.b, program.loc, ir::shapeOf(type).back());
  Value scale = program.pointwise(
      rows, ValueRange{squares}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value count = arith::IndexCastOp::create(b, loc, b.getI64Type(), length);
        Value mean = arith::DivFOp::create(b, loc, v[0],
                                           arith::SIToFPOp::create(b, loc, accumulator, count));
        Value root = math::SqrtOp::create(
            b, loc, arith::AddFOp::create(b, loc, mean, program.constant(b, accumulator, epsilon)));
        return arith::DivFOp::create(b, loc, program.constant(b, accumulator, 1), root);
      });
  int64_t rank = type.getRank();
  SmallVector<AffineMap> maps = rowMaps(context, rank, {false, true, false});
  maps[2] = AffineMap::get(rank, 0, getAffineDimExpr(rank - 1, context));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return {program.generic(
      ValueRange{x, scale, weight}, program.empty(type), maps, iterators,
      [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        Value scaled = arith::MulFOp::create(b, loc, widen(b, loc, accumulator, v[0]), v[1]);
        Value result = arith::MulFOp::create(b, loc, scaled, widen(b, loc, accumulator, v[2]));
        return narrow(b, loc, type.getElementType(), result);
      })};
}

ArrayRef<ProgramEntry> normalizePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.softmax", buildSoftmax},
      {"relax.rms_norm", buildRmsNorm},
  };
  return entries;
}

ArrayRef<DecompositionEntry> normalizeDecompositions() { return {}; }

} // namespace relax::kernels
