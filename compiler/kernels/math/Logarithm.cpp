// Logarithms, and the inverse hyperbolic functions that they give. After fdlibm (Sun Microsystems,
// 1993): x = 2^k m, s = (m - 1) / (m + 1), and a polynomial in s^2.

#include "compiler/kernels/math/Functions.h"

#include <limits>

namespace relax::kernels::math {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// ln m - (m - 1) + (m - 1)^2 / 2 and the parts that it is added to.
struct LogParts {
  Real f, halfSquare, tail;
};

LogParts logOfMantissa(Real m) {
  const FloatBuilder &b = *m.f;
  Real f = m - 1.0;
  Real halfSquare = 0.5 * f * f;
  Real s = f / (2.0 + f);
  Real z = s * s, w = z * z;
  Real even = w * b.polynomial(w, {1.531383769920937332e-01, 2.222219843214978396e-01,
                                   3.999999999940941908e-01});
  Real odd = z * b.polynomial(w, {1.479819860510658591e-01, 1.818357216161805012e-01,
                                  2.857142874366239149e-01, 6.666666666666735130e-01});
  return {f, halfSquare, s * (halfSquare + (even + odd))};
}

/// What a logarithm is outside the finite positive numbers.
Real withSpecials(Real x, Real finite) {
  const FloatBuilder &f = *x.f;
  Real result = f.unless(x == infinity, infinity, finite);
  result = f.unless(x == 0, -infinity, result);
  result = f.unless(x < 0, notANumber, result);
  return f.select(f.isNan(x), x, result);
}

} // namespace

Split splitForLog(Real x) {
  const FloatBuilder &f = *x.f;
  Truth isSubnormal = x < 2.2250738585072014e-308;
  x = f.select(isSubnormal, x * 18014398509481984.0, x); // 2^54
  constexpr int64_t one = 0x3ff0000000000000, root = 0x3fe6a09e667f3bcd;
  Int bits = f.bits(x);
  Int k = ((bits + (one - root)) >> 52) - 1023;
  Real m = f.fromBits(bits - (k << 52));
  Int zero = f.integer(0), shift = f.integer(54);
  return {m, f.fromSmall(k - f.select(isSubnormal, shift, zero))};
}

Real log(Real x) {
  auto [m, k] = splitForLog(x);
  LogParts parts = logOfMantissa(m);
  Real low = parts.tail + k * 1.90821492927058770002e-10;
  return withSpecials(x, k * 6.93147180369123816490e-01 - ((parts.halfSquare - low) - parts.f));
}

Real log2(Real x) {
  auto [m, k] = splitForLog(x);
  LogParts parts = logOfMantissa(m);
  Real natural = parts.f - (parts.halfSquare - parts.tail);
  return withSpecials(x, x.f->fma(natural, x.f->real(1.44269504088896338700), k));
}

Real log10(Real x) {
  auto [m, k] = splitForLog(x);
  LogParts parts = logOfMantissa(m);
  Real natural = parts.f - (parts.halfSquare - parts.tail);
  Real low = k * 3.69423907715893078616e-13 + natural * 4.34294481903251816668e-01;
  return withSpecials(x, k * 3.01029995663611771306e-01 + low);
}

Real log1p(Real x) {
  const FloatBuilder &f = *x.f;
  auto [u, error] = f.twoSum(f.real(1.0), x);
  // ln(u + error) = ln u + error / u.
  Real result = log(u) + error / u;
  result = f.unless(x == infinity, infinity, result);
  result = f.unless(x == -1, -infinity, result);
  return f.copySign(result, x);
}

namespace {
constexpr double ln2 = 6.93147180559945286227e-01;
constexpr double large = 67108864.0; // 2^26
} // namespace

Real asinh(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Truth isLarge = a > large;
  Real bounded = f.select(isLarge, f.real(1.0), a), square = bounded * bounded;
  Real argument = bounded + square / (1.0 + f.sqrt(square + 1.0));
  // For large x it is ln 2x = ln(1 + (x - 1)) + ln 2.
  Real result = log1p(f.select(isLarge, a - 1.0, argument));
  return f.copySign(f.select(isLarge, result + ln2, result), x);
}

Real acosh(Real x) {
  const FloatBuilder &f = *x.f;
  Truth isLarge = x > large;
  Real t = f.select(isLarge, f.real(1.0), x - 1.0);
  Real argument = t + f.sqrt(2.0 * t + t * t);
  Real result = log1p(f.select(isLarge, x - 1.0, argument));
  result = f.select(isLarge, result + ln2, result);
  return f.unless(x < 1, notANumber, result);
}

Real atanh(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Real result = 0.5 * log1p(2.0 * a / (1.0 - a));
  return f.copySign(f.unless(a > 1, notANumber, result), x);
}

} // namespace relax::kernels::math
