// Arithmetic, elementary functions, comparisons and bits, as functions of elements.

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/kernels/programs/Division.h"
#include "compiler/kernels/programs/ElementFunctions.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace relax::kernels {
namespace {

/// An op of the math dialect, or another of one type.
template <typename Op> Value unary(const Scalars &s, ValueRange v, Operation *) {
  return s.call<Op>(v[0]);
}

using Binary = Value (Scalars::*)(Value, Value) const;
template <Binary method> Value binary(const Scalars &s, ValueRange v, Operation *) {
  return (s.*method)(v[0], v[1]);
}
/// a > b as b < a.
template <Binary method> Value swapped(const Scalars &s, ValueRange v, Operation *) {
  return (s.*method)(v[1], v[0]);
}

Value sign(const Scalars &s, ValueRange v, Operation *) {
  Value x = v[0], zero = s.like(x, 0);
  Value result = s.select(s.less(zero, x), s.like(x, 1), x);
  return s.isUnsigned ? result : s.select(s.less(x, zero), s.like(x, -1), result);
}

/// By squaring; a negative exponent is 1 / x^n, truncated.
Value integerPower(const Scalars &s, Value x, Value exponent) {
  Value one = s.like(x, 1), zero = s.like(x, 0);
  Value result = one, square = x;
  for (unsigned bit = 0; bit < Scalars::width(x); ++bit) {
    Value digit = s.both(s.shiftRight(exponent, bit), one);
    result = s.select(s.isZero(digit), result, s.mul(result, square));
    square = s.mul(square, square);
  }
  if (s.isUnsigned)
    return result;
  // Only 1 and -1 have an inverse; the powers of -1 are those of its inverse.
  Value unit = s.either(s.equal(x, one), s.equal(x, s.like(x, -1)));
  return s.select(s.both(s.isNegative(exponent), s.negation(unit)), zero, result);
}

Value power(const Scalars &s, ValueRange v, Operation *) {
  return Scalars::isFloat(v[0]) ? s.call<math::PowFOp>(v[0], v[1]) : integerPower(s, v[0], v[1]);
}

Value shift(const Scalars &s, ValueRange v, bool left) {
  unsigned bits = Scalars::width(v[0]);
  Scalars plain(s.b, s.loc, /*isUnsigned=*/true);
  Value inside = plain.less(v[1], s.integer(v[1].getType(), int64_t(bits)));
  Value most = s.integer(v[1].getType(), int64_t(bits) - 1);
  Value amount = s.select(inside, v[1], most);
  if (!left && !s.isUnsigned)
    return s.call<arith::ShRSIOp>(v[0], amount);
  Value result = left ? s.call<arith::ShLIOp>(v[0], amount) : s.call<arith::ShRUIOp>(v[0], amount);
  return s.select(inside, result, s.like(v[0], 0));
}

Value bound(const Scalars &s, Value x, Attribute attribute) {
  if (auto floating = dyn_cast<FloatAttr>(attribute))
    return s.like(x, floating.getValueAsDouble());
  return s.integer(x.getType(), cast<IntegerAttr>(attribute).getInt());
}

Value clip(const Scalars &s, ValueRange v, Operation *op) {
  auto clip = cast<ir::ClipOp>(op);
  Value result = v[0];
  if (Attribute min = clip.getMinAttr())
    result = s.max(result, bound(s, result, min));
  if (Attribute max = clip.getMaxAttr())
    result = s.min(result, bound(s, result, max));
  return result;
}

Value infinity(const Scalars &s, Value x) {
  return s.like(x, std::numeric_limits<double>::infinity());
}

} // namespace

ArrayRef<ElementFunction> arithmeticFunctions() {
  static const ElementFunction functions[] = {
      {"relax.add", binary<&Scalars::add>},
      {"relax.subtract", binary<&Scalars::sub>},
      {"relax.multiply", binary<&Scalars::mul>},
      {"relax.maximum", binary<&Scalars::max>},
      {"relax.minimum", binary<&Scalars::min>},
      {"relax.divide",
       [](const Scalars &s, ValueRange v, Operation *) { return divide(s, v[0], v[1]); }},
      {"relax.floor_divide",
       [](const Scalars &s, ValueRange v, Operation *) { return floorDivide(s, v[0], v[1]); }},
      {"relax.modulo",
       [](const Scalars &s, ValueRange v, Operation *) { return modulo(s, v[0], v[1]); }},
      {"relax.fmod",
       [](const Scalars &s, ValueRange v, Operation *) { return remainder(s, v[0], v[1]); }},
      {"relax.power", power},
      {"relax.atan2", [](const Scalars &s, ValueRange v,
                         Operation *) { return s.call<math::Atan2Op>(v[0], v[1]); }},

      {"relax.negate", [](const Scalars &s, ValueRange v, Operation *) { return s.neg(v[0]); }},
      {"relax.abs", [](const Scalars &s, ValueRange v, Operation *) { return s.abs(v[0]); }},
      {"relax.sign", sign},
      {"relax.square",
       [](const Scalars &s, ValueRange v, Operation *) { return s.mul(v[0], v[0]); }},
      {"relax.ceil", unary<math::CeilOp>},
      {"relax.floor", unary<math::FloorOp>},
      {"relax.round", unary<math::RoundEvenOp>},
      {"relax.trunc", unary<math::TruncOp>},
      {"relax.sqrt", unary<math::SqrtOp>},
      {"relax.rsqrt",
       [](const Scalars &s, ValueRange v, Operation *) {
         return s.div(s.like(v[0], 1), s.call<math::SqrtOp>(v[0]));
       }},
      {"relax.reciprocal",
       [](const Scalars &s, ValueRange v, Operation *) { return s.div(s.like(v[0], 1), v[0]); }},

      {"relax.exp", unary<math::ExpOp>},
      {"relax.exp2", unary<math::Exp2Op>},
      {"relax.expm1", unary<math::ExpM1Op>},
      {"relax.log", unary<math::LogOp>},
      {"relax.log2", unary<math::Log2Op>},
      {"relax.log10", unary<math::Log10Op>},
      {"relax.log1p", unary<math::Log1pOp>},
      {"relax.sin", unary<math::SinOp>},
      {"relax.cos", unary<math::CosOp>},
      {"relax.tan", unary<math::TanOp>},
      {"relax.asin", unary<math::AsinOp>},
      {"relax.acos", unary<math::AcosOp>},
      {"relax.atan", unary<math::AtanOp>},
      {"relax.sinh", unary<math::SinhOp>},
      {"relax.cosh", unary<math::CoshOp>},
      {"relax.tanh", unary<math::TanhOp>},
      {"relax.asinh", unary<math::AsinhOp>},
      {"relax.acosh", unary<math::AcoshOp>},
      {"relax.atanh", unary<math::AtanhOp>},
      {"relax.erf", unary<math::ErfOp>},

      {"relax.clip", clip},
      {"relax.equal", binary<&Scalars::equal>},
      {"relax.not_equal", binary<&Scalars::notEqual>},
      {"relax.less", binary<&Scalars::less>},
      {"relax.less_equal", binary<&Scalars::lessEqual>},
      {"relax.greater", swapped<&Scalars::less>},
      {"relax.greater_equal", swapped<&Scalars::lessEqual>},
      {"relax.is_nan", [](const Scalars &s, ValueRange v, Operation *) { return s.isNan(v[0]); }},
      {"relax.is_inf", [](const Scalars &s, ValueRange v,
                          Operation *) { return s.equal(s.abs(v[0]), infinity(s, v[0])); }},
      {"relax.is_finite", [](const Scalars &s, ValueRange v,
                             Operation *) { return s.less(s.abs(v[0]), infinity(s, v[0])); }},

      {"relax.logical_not",
       [](const Scalars &s, ValueRange v, Operation *) { return s.negation(v[0]); }},
      {"relax.logical_and", binary<&Scalars::both>},
      {"relax.logical_or", binary<&Scalars::either>},
      {"relax.logical_xor", binary<&Scalars::exclusive>},
      {"relax.bitwise_not",
       [](const Scalars &s, ValueRange v, Operation *) { return s.negation(v[0]); }},
      {"relax.bitwise_and", binary<&Scalars::both>},
      {"relax.bitwise_or", binary<&Scalars::either>},
      {"relax.bitwise_xor", binary<&Scalars::exclusive>},
      {"relax.shift_left",
       [](const Scalars &s, ValueRange v, Operation *) { return shift(s, v, /*left=*/true); }},
      {"relax.shift_right",
       [](const Scalars &s, ValueRange v, Operation *) { return shift(s, v, /*left=*/false); }},
      {"relax.where",
       [](const Scalars &s, ValueRange v, Operation *) { return s.select(v[0], v[1], v[2]); }},
  };
  return functions;
}

} // namespace relax::kernels
