// relax.interpolate: each element of the result from the elements around its coordinate. Along each
// spatial dimension there are taps, an index and a weight each (nearest 1, linear 2, cubic 4); the
// result is the sum over all their combinations.

#include "compiler/kernels/programs/Interpolate.h"
#include "compiler/dialect/ops/ConvolutionOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// One tap along a dimension; the weight is an f64, null for 1.
struct Tap {
  Value index, weight;
};

/// One spatial dimension in the body of the program.
class Axis {
public:
  Axis(const Scalars &s, ir::InterpolateOp op, Value position, Value input, Value output,
       Value scale)
      : s(s), op(op), f64(s.b.getF64Type()), position(position), input(input), output(output),
        scale(scale) {}

  SmallVector<Tap> taps() {
    Value x = coordinate();
    if (op.getMode() == "nearest")
      return {{clamped(toIndex(rounded(x))), Value()}};
    Value floor = s.call<math::FloorOp>(x), fraction = s.sub(x, floor);
    Value below = toIndex(floor);
    if (op.getMode() == "linear")
      return {{clamped(below), s.sub(number(1), fraction)}, {clamped(shift(below, 1)), fraction}};
    // The convolution kernel of Keys (1981) with a = -0.75.
    return {{clamped(shift(below, -1)), outer(s.add(fraction, number(1)))},
            {clamped(below), inner(fraction)},
            {clamped(shift(below, 1)), inner(s.sub(number(1), fraction))},
            {clamped(shift(below, 2)), outer(s.sub(number(2), fraction))}};
  }

private:
  Value number(double value) { return s.number(f64, value); }
  Value toFloat(Value index) {
    return s.convert(f64, arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index));
  }
  Value toIndex(Value x) {
    return arith::IndexCastOp::create(s.b, s.loc, s.b.getIndexType(),
                                      arith::FPToSIOp::create(s.b, s.loc, s.b.getI64Type(), x));
  }
  Value shift(Value index, int64_t by) {
    return arith::AddIOp::create(s.b, s.loc, index, arith::ConstantIndexOp::create(s.b, s.loc, by));
  }
  Value clamped(Value index) {
    Value zero = arith::ConstantIndexOp::create(s.b, s.loc, 0);
    index = arith::MinSIOp::create(s.b, s.loc, index, shift(input, -1));
    return arith::MaxSIOp::create(s.b, s.loc, index, zero);
  }

  Value coordinate() {
    Value i = toFloat(position), half = number(0.5);
    StringRef mode = op.getCoordinates();
    if (mode == "asymmetric")
      return s.div(i, scale);
    Value single = arith::CmpIOp::create(s.b, s.loc, arith::CmpIPredicate::eq, output,
                                         arith::ConstantIndexOp::create(s.b, s.loc, 1));
    if (mode == "align_corners") {
      Value last = toFloat(shift(input, -1)), steps = toFloat(shift(output, -1));
      return s.select(single, number(0), s.div(s.mul(i, last), steps));
    }
    Value centre = s.sub(s.div(s.add(i, half), scale), half);
    return mode == "pytorch_half_pixel" ? s.select(single, number(0), centre) : centre;
  }

  /// To an integer, as nearest_mode says.
  Value rounded(Value x) {
    StringRef mode = op.getNearestMode();
    if (mode == "floor")
      return s.call<math::FloorOp>(x);
    if (mode == "ceil")
      return s.call<math::CeilOp>(x);
    if (mode == "round_prefer_floor")
      return s.call<math::CeilOp>(s.sub(x, number(0.5)));
    return s.call<math::FloorOp>(s.add(x, number(0.5)));
  }

  /// (a + 2) t^3 - (a + 3) t^2 + 1, for t <= 1.
  Value inner(Value t) {
    Value factor = s.sub(s.mul(number(1.25), t), number(2.25));
    return s.add(s.mul(s.mul(factor, t), t), number(1));
  }
  /// a t^3 - 5 a t^2 + 8 a t - 4 a, for 1 <= t <= 2.
  Value outer(Value t) {
    Value sum = s.add(s.mul(number(-0.75), t), number(3.75));
    sum = s.sub(s.mul(sum, t), number(6));
    return s.add(s.mul(sum, t), number(3));
  }

  const Scalars &s;
  ir::InterpolateOp op;
  Type f64;
  Value position, input, output, scale;
};

/// The sum over all combinations of taps from dimension `depth` on.
Value combine(const Scalars &s, Value x, Type accumulator, ArrayRef<SmallVector<Tap>> taps,
              SmallVector<Value> &indices) {
  size_t depth = indices.size() - 2;
  if (depth == taps.size()) {
    Value element = tensor::ExtractOp::create(s.b, s.loc, x, indices);
    return s.convert(accumulator, element);
  }
  Value sum;
  for (const Tap &tap : taps[depth]) {
    indices.push_back(tap.index);
    Value term = combine(s, x, accumulator, taps, indices);
    indices.pop_back();
    if (tap.weight)
      term = s.mul(s.convert(accumulator, tap.weight), term);
    sum = sum ? s.add(sum, term) : term;
  }
  return sum;
}

} // namespace

SmallVector<Value> buildInterpolate(ProgramBuilder &program) {
  auto op = cast<ir::InterpolateOp>(program.op);
  RankedTensorType type = program.types[0], input = program.inputType(0);
  Type element = type.getElementType(), accumulator = accumulatorOf(element);
  Value x = program.inputs[0];
  auto spatial = unsigned(type.getRank() - 2);
  SmallVector<Value> inputs, outputs;
  for (unsigned i = 0; i < spatial; ++i) {
    inputs.push_back(program.size(ir::shapeOf(input)[2 + i]));
    outputs.push_back(program.size(ir::shapeOf(type)[2 + i]));
  }
  return {program.pointwise(type, {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Scalars s(b, loc);
    Type f64 = b.getF64Type();
    auto toFloat = [&](Value index) {
      return s.convert(f64, arith::IndexCastOp::create(b, loc, b.getI64Type(), index));
    };
    SmallVector<SmallVector<Tap>> taps;
    for (unsigned i = 0; i < spatial; ++i) {
      Value scale = op.getScales() ? s.number(f64, (*op.getScales())[i])
                                   : s.div(toFloat(outputs[i]), toFloat(inputs[i]));
      Value position = linalg::IndexOp::create(b, loc, 2 + i);
      taps.push_back(Axis(s, op, position, inputs[i], outputs[i], scale).taps());
    }
    SmallVector<Value> indices = {linalg::IndexOp::create(b, loc, 0),
                                  linalg::IndexOp::create(b, loc, 1)};
    Value sum = combine(s, x, accumulator, taps, indices);
    return s.convert(element, sum);
  })};
}

} // namespace relax::kernels
