// Powers and roots.
//
//   pow    e^(y ln x), with ln x to about 66 bits: 2 s + 2/3 s^3 + … of s = (m - 1) / (m + 1), the
//          first two terms as pairs of numbers
//   cbrt   a polynomial for the first 8 bits, then Halley's iteration twice

#include "compiler/kernels/math/Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <limits>

namespace relax::kernels::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

Pair product(Pair x, Pair y) {
  const FloatBuilder &f = *x.hi.f;
  Pair head = f.twoProduct(x.hi, y.hi);
  return f.fastTwoSum(head.hi, head.lo + (x.hi * y.lo + x.lo * y.hi));
}

Pair sum(Pair x, Pair y) {
  const FloatBuilder &f = *x.hi.f;
  Pair head = f.twoSum(x.hi, y.hi);
  return f.fastTwoSum(head.hi, head.lo + (x.lo + y.lo));
}

/// ln x of a finite x > 0.
Pair logPair(Real x) {
  const FloatBuilder &f = *x.f;
  auto [m, k] = splitForLog(x);
  // s = (m - 1) / (m + 1): both are exact (m + 1 with its error), so the quotient's error is known.
  Real numerator = m - 1.0;
  Pair denominator = f.twoSum(m, f.real(1.0));
  Real s = numerator / denominator.hi;
  Pair back = f.twoProduct(s, denominator.hi);
  Real rest = ((numerator - back.hi) - back.lo - s * denominator.lo) / denominator.hi;
  Pair quotient = f.fastTwoSum(s, rest);
  Pair square = product(quotient, quotient);
  Real z = square.hi;
  Real tail = f.polynomial(z, {0.10623477276739669, 0.10472288152327053, 0.11766073023707332,
                               0.13333314253346026, 0.15384615528882667, 0.18181818181283266,
                               0.22222222222222976, 0.2857142857142857});
  // 2/3 + z (2/5 + z tail)
  Pair third = {f.real(0.6666666666666666), f.real(3.700743415417188e-17)};
  Pair inner = f.fastTwoSum(third.hi, z * (0.4 + z * tail) + third.lo);
  Pair cubic = product(product(quotient, square), inner);
  Pair twice = {quotient.hi * 2.0, quotient.lo * 2.0};
  Pair mantissa = sum(twice, cubic);
  Pair exponent = f.fastTwoSum(k * 6.93147180369123816490e-01, k * 1.9082149292705877e-10);
  return sum(exponent, mantissa);
}

/// |x|^y for the magnitude of x, zero and infinity included; then the signs.
Real withSpecials(Real x, Real y, Real finite) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x), b = f.abs(y);
  Real zero = f.real(0), inf = f.real(infinity), one = f.real(1.0);
  Truth grows = y > 0;
  Real result = finite;
  result = f.select(a == 0, f.select(grows, zero, inf), result);
  result = f.select(a == infinity, f.select(grows, inf, zero), result);
  // |x|^infinity.
  Truth toZero = (a < 1.0) & grows, alsoToZero = (a > 1.0) & (y < 0);
  Real limit = f.select(toZero | alsoToZero, zero, inf);
  limit = f.select(a == 1.0, one, limit);
  result = f.select(b == infinity, limit, result);
  // A negative x: y must be an integer, and an odd one gives the sign.
  Truth isInteger = f.floor(y) == y;
  Real halves = y * 0.5;
  Truth isOdd = isInteger & !(f.floor(halves) == halves) & (b < infinity);
  Truth isNegative = f.copySign(one, x) < 0;
  result = f.select(isNegative & isOdd, -result, result);
  Truth finiteNegative = (x < 0) & (a < infinity) & (b < infinity);
  result = f.unless(finiteNegative & !isInteger, notANumber, result);
  result = f.select(f.isNan(x), x, f.select(f.isNan(y), y, result));
  return f.select((x == 1.0) | (y == 0), one, result);
}

} // namespace

Real pow(Real x, Real y) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  // Specials are put in later; here they must only not disturb.
  Truth isPlain = (a > 0) & (a < infinity);
  Pair logarithm = logPair(f.select(isPlain, a, f.real(1.0)));
  // Beyond this, every |x| but 1 gives 0 or infinity; and products of parts don't overflow.
  Real exponent = f.clamp(y, -1e20, 1e20);
  Pair head = f.twoProduct(logarithm.hi, exponent);
  Pair power = f.fastTwoSum(head.hi, head.lo + logarithm.lo * exponent);
  // The low part of a number that is out of range anyway could be large.
  Real low = f.select(f.abs(power.hi) < 800, power.lo, f.real(0));
  return withSpecials(x, y, expOfPair({power.hi, low}));
}

Real powOf32(Real x, Real y) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Truth isPlain = (a > 0) & (a < infinity);
  Real logarithm = log(f.select(isPlain, a, f.real(1.0)));
  return withSpecials(x, y, exp64(logarithm * f.clamp(y, -1e20, 1e20)));
}

Real rsqrt(Real x) { return 1.0 / x.f->sqrt(x); }

Real cbrt(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Truth isSubnormal = a < 2.2250738585072014e-308;
  Real scaled = f.select(isSubnormal, a * 18014398509481984.0, a); // 2^54
  Int bits = f.bits(scaled);
  // The exponent is 3 k + j; 43691 / 2^17 is a third, exactly enough for 12 bits.
  Int third = ((bits >> 52) * 43691) >> 17;
  // With k = third - 341 the exponent is 3 k + j, j in 0, 1, 2; m = scaled / 2^(3 k) in [1, 8).
  Int k = third - 341;
  Real m = f.fromBits(bits - ((k * 3) << 52));
  Real t = f.polynomial(m, {-0.0002882199346276574, 0.0069891694835587225, -0.06797280035500547,
                            0.4121814779629245, 0.6538962985569791});
  for (int i = 0; i < 2; ++i) {
    Real cube = t * t * t;
    t = t - t * ((cube - m) / (cube + (cube + m)));
  }
  Int shift = f.select(isSubnormal, f.integer(18), f.integer(0));
  Real result = t * f.powerOfTwo(k - shift);
  Truth isSpecial = (a == 0) | (a == infinity) | f.isNan(x);
  return f.select(isSpecial, x, f.copySign(result, x));
}

} // namespace relax::kernels::math
