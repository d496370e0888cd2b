#include "compiler/kernels/programs/Division.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace relax::kernels {
namespace {

/// Quotient and remainder of integers, towards zero.
struct Division {
  Value quotient, remainder;
};

Division divideIntegers(const Scalars &s, Value x, Value y) {
  Value zero = s.like(x, 0), one = s.like(x, 1);
  Value byZero = s.isZero(y);
  if (s.isUnsigned) {
    Value safe = s.select(byZero, one, y);
    return {s.select(byZero, zero, s.call<arith::DivUIOp>(x, safe)),
            s.call<arith::RemUIOp>(x, safe)};
  }
  // Neither 0 nor -1 is ever divided by: both trap, the latter with the lowest number.
  Value byMinusOne = s.equal(y, s.like(y, -1));
  Value safe = s.select(s.either(byZero, byMinusOne), one, y);
  Value quotient = s.select(byMinusOne, s.neg(x), s.call<arith::DivSIOp>(x, safe));
  return {s.select(byZero, zero, quotient), s.call<arith::RemSIOp>(x, safe)};
}

/// Do the signs differ, and is the remainder not 0? Then floor and trunc of the quotient differ.
Value roundsDown(const Scalars &s, Value rest, Value y) {
  return s.both(s.notEqual(rest, s.like(rest, 0)),
                s.exclusive(s.isNegative(rest), s.isNegative(y)));
}

/// |x| mod |y| by long division: in each step the quotient by y * 2^(k * digits) is taken off. A
/// step's product and difference are exact: the quotient has at most `digits` bits, so that for y
/// of 24 bits or fewer the product has 53; wider ones take a fused multiply-add. A quotient that
/// was rounded up leaves a negative rest, which the divisor corrects.
Value longRemainder(const Scalars &s, Value x, Value y, unsigned steps, unsigned digits,
                    bool fused) {
  Value rest = s.abs(x);
  SmallVector<Value> divisors = {s.abs(y)};
  Value factor = s.like(x, std::ldexp(1.0, static_cast<int>(digits)));
  for (unsigned i = 1; i < steps; ++i)
    divisors.push_back(s.mul(divisors.back(), factor));
  Value infinity = s.like(x, std::numeric_limits<double>::infinity());
  for (Value divisor : llvm::reverse(divisors)) {
    Value quotient = s.call<math::TruncOp>(s.div(rest, divisor));
    Value next = fused ? s.call<math::FmaOp>(s.neg(quotient), divisor, rest)
                       : s.sub(rest, s.mul(quotient, divisor));
    next = s.select(s.isNegative(next), s.add(next, divisor), next);
    // Everything is less than a divisor that has overflowed.
    rest = s.select(s.equal(divisor, infinity), rest, next);
  }
  // An infinite x has none: a finite y has made NaN of it above, by inf - inf.
  rest = s.select(s.equal(rest, infinity), s.sub(rest, rest), rest);
  return s.select(s.isNan(y), y, rest);
}

/// x mod y of floats with the sign of x, in float64. The quotient is below 2^(steps * digits).
Value floatRemainder(const Scalars &s, Value x, Value y, Type given) {
  Value rest;
  if (given.isF64())
    // From 2^1024 down to 2^-1074.
    rest = longRemainder(s, x, y, 42, 50, /*fused=*/true);
  else
    // float16 from 2^16 to 2^-24 would need two steps only, but arrives as float32: 2^128 to
    // 2^-149.
    rest = longRemainder(s, x, y, 10, 28, /*fused=*/false);
  return s.call<math::CopySignOp>(rest, x);
}

Value widen(const Scalars &s, Value x) { return s.convert(s.b.getF64Type(), x); }

} // namespace

Value divide(const Scalars &s, Value x, Value y) {
  return Scalars::isFloat(x) ? s.div(x, y) : divideIntegers(s, x, y).quotient;
}

Value remainder(const Scalars &s, Value x, Value y) {
  if (!Scalars::isFloat(x))
    return s.select(s.isZero(y), s.like(x, 0), divideIntegers(s, x, y).remainder);
  return floatRemainder(s, widen(s, x), widen(s, y), x.getType());
}

Value modulo(const Scalars &s, Value x, Value y) {
  Value rest = remainder(s, x, y);
  if (s.isUnsigned)
    return rest;
  if (!Scalars::isFloat(x))
    return s.select(roundsDown(s, rest, y), s.add(rest, y), rest);
  Value wide = widen(s, y);
  Value result = s.select(roundsDown(s, rest, wide), s.add(rest, wide), rest);
  return s.select(s.isZero(rest), s.call<math::CopySignOp>(rest, wide), result);
}

Value floorDivide(const Scalars &s, Value x, Value y) {
  if (!Scalars::isFloat(x)) {
    Division division = divideIntegers(s, x, y);
    if (s.isUnsigned)
      return division.quotient;
    Value down = roundsDown(s, division.remainder, y);
    Value result = s.select(down, s.sub(division.quotient, s.like(x, 1)), division.quotient);
    return s.select(s.isZero(y), s.like(x, 0), result);
  }
  Value wideX = widen(s, x), wideY = widen(s, y);
  Value rest = floatRemainder(s, wideX, wideY, x.getType());
  Value ratio = s.div(wideX, wideY);
  Value exact = s.div(s.sub(wideX, rest), wideY);
  exact = s.select(roundsDown(s, rest, wideY), s.sub(exact, s.like(exact, 1)), exact);
  // (x - rest) / y is an integer but for rounding.
  Value result = s.call<math::RoundEvenOp>(exact);
  result = s.select(s.isZero(result), s.call<math::CopySignOp>(s.like(result, 0), ratio), result);
  return s.select(s.isZero(wideY), ratio, result);
}

} // namespace relax::kernels
