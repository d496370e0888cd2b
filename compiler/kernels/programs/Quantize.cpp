// Conversion from and to quantised integers: a scale and a zero point for each element.

#include "compiler/dialect/ops/CreateOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/QuantizeOps.h"
#include "compiler/kernels/programs/Programs.h"
#include "compiler/kernels/programs/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels {
namespace {

Type elementOf(Type tensor) { return cast<RankedTensorType>(tensor).getElementType(); }

/// Where the parameters of each element of x are.
class Parameters {
public:
  template <typename Op>
  Parameters(ProgramBuilder &program, Op op)
      : program(program), rank(program.types[0].getRank()), blockSize(op.getBlockSize()) {
    auto given = static_cast<int64_t>(op.getAxis());
    axis = given < 0 ? given + rank : given;
  }

  using Element = llvm::function_ref<Value(const Scalars &, ValueRange v)>;
  /// The result, from x, the scale and, where there is one, the zero point.
  Value compute(bool isUnsigned, Element element) const {
    MLIRContext *context = program.b.getContext();
    SmallVector<AffineMap> maps;
    for (Value input : program.inputs) {
      int64_t inputRank = cast<RankedTensorType>(input.getType()).getRank();
      maps.push_back(inputRank == rank && maps.empty()
                         ? AffineMap::getMultiDimIdentityMap(rank, context)
                         : parameterMap(inputRank));
    }
    maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    return program.generic(program.inputs, program.empty(program.types[0]), maps, iterators,
                           [&](OpBuilder &b, Location loc, ValueRange v) {
                             Scalars s(b, loc, isUnsigned);
                             return s.convert(program.types[0].getElementType(),
                                              element(s, v.drop_back()));
                           });
  }

private:
  AffineMap parameterMap(int64_t parameterRank) const {
    MLIRContext *context = program.b.getContext();
    if (blockSize == 0)
      return parameterRank == 0 ? AffineMap::get(rank, 0, context)
                                : AffineMap::get(rank, 0, getAffineDimExpr(axis, context));
    SmallVector<AffineExpr> indices;
    for (int64_t i = 0; i < rank; ++i) {
      AffineExpr index = getAffineDimExpr(i, context);
      indices.push_back(i == axis ? index.floorDiv(blockSize) : index);
    }
    return AffineMap::get(rank, 0, indices, context);
  }

  ProgramBuilder &program;
  int64_t rank, axis, blockSize;
};

/// The type in which x / scale is computed.
Type computeType(OpBuilder &b, Type scale) {
  return scale.isF64() ? Type(b.getF64Type()) : Type(b.getF32Type());
}

SmallVector<Value> buildQuantize(ProgramBuilder &program) {
  auto op = cast<ir::QuantizeLinearOp>(program.op);
  Type target = elementOf(op.getResult().getType());
  unsigned bits = target.getIntOrFloatBitWidth();
  bool isUnsigned = target.isUnsignedInteger();
  return {Parameters(program, op).compute(isUnsigned, [&](const Scalars &s, ValueRange v) {
    Type wide = s.b.getF64Type(), type = computeType(s.b, v[1].getType());
    Value ratio = s.div(s.convert(type, v[0]), s.convert(type, v[1]));
    // In float64 the sum with a zero point is exact for all that isn't saturated.
    Value sum = s.convert(wide, s.call<math::RoundEvenOp>(ratio));
    if (v.size() > 2)
      sum = s.add(sum, s.convert(wide, v[2], isUnsigned));
    double lowest = isUnsigned ? 0 : -std::ldexp(1.0, static_cast<int>(bits) - 1);
    double highest = std::ldexp(1.0, static_cast<int>(bits) - (isUnsigned ? 0 : 1)) - 1;
    Value low = s.like(sum, lowest), high = s.like(sum, highest);
    // A comparison with NaN is false.
    sum = s.select(s.less(low, sum), sum, low);
    sum = s.select(s.less(high, sum), high, sum);
    return s.convert(program.types[0].getElementType(), sum, isUnsigned, isUnsigned);
  })};
}

SmallVector<Value> buildDequantize(ProgramBuilder &program) {
  auto op = cast<ir::DequantizeLinearOp>(program.op);
  bool isUnsigned = elementOf(op.getX().getType()).isUnsignedInteger();
  return {Parameters(program, op).compute(isUnsigned, [&](const Scalars &s, ValueRange v) {
    Type type = computeType(s.b, v[1].getType()), integer = s.b.getI64Type();
    Value difference = s.convert(integer, v[0], isUnsigned);
    if (v.size() > 2)
      difference = s.sub(difference, s.convert(integer, v[2], isUnsigned));
    return s.mul(s.convert(type, difference), s.convert(type, v[1]));
  })};
}

/// Of other graph ops, for it reduces the whole of x first.
LogicalResult decomposeDynamic(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  Location loc = op->getLoc();
  Value x = op->getOperand(0);
  auto scalar = RankedTensorType::get({}, b.getF32Type());
  auto number = [&](float value) -> Value {
    return ir::FullOp::create(b, loc, ir::ShapeAttr::get(b.getContext(), {}),
                              TypedAttr(b.getF32FloatAttr(value)));
  };
  auto reduce = [&](StringRef name) -> Value {
    OperationState state(loc, name, x, scalar);
    return b.create(state)->getResult(0);
  };
  Value zero = number(0);
  Value high = ir::MaximumOp::create(b, loc, reduce("relax.max"), zero);
  Value low = ir::MinimumOp::create(b, loc, reduce("relax.min"), zero);
  Value range = ir::SubtractOp::create(b, loc, high, low);
  Value scale = ir::DivideOp::create(b, loc, range, number(255));
  Value none = ir::EqualOp::create(b, loc, scale, zero);
  scale = ir::WhereOp::create(b, loc, none, number(1), scale);
  Value place = ir::DivideOp::create(b, loc, ir::SubtractOp::create(b, loc, zero, low), scale);
  Value zeroPoint = ir::CastOp::create(b, loc, ir::RoundOp::create(b, loc, place),
                                       elementOf(op->getResult(2).getType()));
  Value result = ir::QuantizeLinearOp::create(b, loc, x, scale, zeroPoint, /*axis=*/uint64_t(1),
                                              /*block_size=*/uint64_t(0), TypeAttr());
  values.assign({result, scale, zeroPoint});
  return success();
}

} // namespace

ArrayRef<ProgramEntry> quantizePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.quantize_linear", buildQuantize},
      {"relax.dequantize_linear", buildDequantize},
  };
  return entries;
}

ArrayRef<DecompositionEntry> quantizeDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.dynamic_quantize_linear", decomposeDynamic},
  };
  return entries;
}

} // namespace relax::kernels
