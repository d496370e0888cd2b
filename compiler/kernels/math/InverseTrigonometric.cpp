// asin, acos, atan, atan2, after fdlibm (Sun Microsystems, 1993).

#include "compiler/kernels/math/Functions.h"

#include <limits>

namespace relax::kernels::math {

namespace {

constexpr double halfPi = 1.57079632679489655800e+00, halfPiLow = 6.12323399573676603587e-17;
constexpr double notANumber = std::numeric_limits<double>::quiet_NaN();

/// (asin(x) - x) / x of z = x^2 <= 1/4.
Real asinTail(Real z) {
  const FloatBuilder &f = *z.f;
  Real p = z * f.polynomial(z, {3.47933107596021167570e-05, 7.91534994289814532176e-04,
                                -4.00555345006794114027e-02, 2.01212532134862925881e-01,
                                -3.25565818622400915405e-01, 1.66666666666666657415e-01});
  Real q = f.polynomial(z, {7.70381505559019352791e-02, -6.88283971605453293030e-01,
                            2.02094576023350569471e+00, -2.40339491173441421878e+00, 1.0});
  return p / q;
}

/// For |x| > 1/2: z = (1 - |x|) / 2, its root, and the root in two parts of which the first has few
/// bits.
struct Root {
  Real z, root;
  Pair parts;
};
Root rootOf(Real magnitude) {
  const FloatBuilder &f = *magnitude.f;
  Real z = (1.0 - magnitude) * 0.5;
  Real root = f.sqrt(z);
  Real head = f.fromBits(f.bits(root) & int64_t(0xffffffff00000000));
  Real rest = (z - head * head) / (root + head);
  return {z, root, {head, f.unless(z == 0, 0, rest)}};
}

} // namespace

Real asin(Real x) {
  const FloatBuilder &f = *x.f;
  Real magnitude = f.abs(x);
  Truth isSmall = magnitude < 0.5;
  Root root = rootOf(magnitude);
  Real tail = asinTail(f.select(isSmall, x * x, root.z));
  Real small = magnitude + magnitude * tail;
  Real low = 2.0 * root.root * tail - (halfPiLow - 2.0 * root.parts.lo);
  Real large = 0.5 * halfPi - (low - (0.5 * halfPi - 2.0 * root.parts.hi));
  Real result = f.copySign(f.select(isSmall, small, large), x);
  return f.unless(magnitude > 1, notANumber, result);
}

Real acos(Real x) {
  const FloatBuilder &f = *x.f;
  Real magnitude = f.abs(x);
  Truth isSmall = magnitude < 0.5;
  Root root = rootOf(magnitude);
  Real tail = asinTail(f.select(isSmall, x * x, root.z));
  Real small = halfPi - (x - (halfPiLow - x * tail));
  Real positive = 2.0 * (root.parts.hi + (root.root * tail + root.parts.lo));
  Real negative = 2.0 * (halfPi - (root.root + (root.root * tail - halfPiLow)));
  Real result = f.select(isSmall, small, f.select(x < 0, negative, positive));
  return f.unless(magnitude > 1, notANumber, result);
}

Real atan(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Truth direct = a < 0.4375, half = a < 0.6875, one = a < 1.1875, threeHalves = a < 2.4375;
  // tan(u - v) = (x - c) / (1 + c x) with atan(c) known, for c = 0, 1/2, 1, 3/2, infinity.
  auto choose = [&](Real r0, Real r1, Real r2, Real r3, Real r4) {
    return f.select(direct, r0,
                    f.select(half, r1, f.select(one, r2, f.select(threeHalves, r3, r4))));
  };
  auto constants = [&](double c0, double c1, double c2, double c3, double c4) {
    return choose(f.real(c0), f.real(c1), f.real(c2), f.real(c3), f.real(c4));
  };
  Real numerator = choose(a, 2.0 * a - 1.0, a - 1.0, a - 1.5, f.real(-1.0));
  Real denominator = choose(f.real(1.0), 2.0 + a, a + 1.0, 1.0 + 1.5 * a, a);
  Real t = numerator / denominator;
  Real hi = constants(0, 4.63647609000806093515e-01, 7.85398163397448278999e-01,
                      9.82793723247329054082e-01, halfPi);
  Real lo = constants(0, 2.26987774529616870924e-17, 3.06161699786838301793e-17,
                      1.39033110312309984516e-17, halfPiLow);
  Real z = t * t, w = z * z;
  Real even = z * f.polynomial(w, {1.62858201153657823623e-02, 4.97687799461593236017e-02,
                                   6.66107313738753120669e-02, 9.09088713343650656196e-02,
                                   1.42857142725034663711e-01, 3.33333333333329318027e-01});
  Real odd = w * f.polynomial(w, {-3.65315727442169155270e-02, -5.83357013379057348645e-02,
                                  -7.69187620504482999495e-02, -1.11111104054623557880e-01,
                                  -1.99999999998764832476e-01});
  Real result = hi - ((t * (even + odd) - lo) - t);
  return f.copySign(f.select(f.isNan(x), x, result), x);
}

Real atan2(Real y, Real x) {
  const FloatBuilder &f = *x.f;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Real a = f.abs(y), b = f.abs(x);
  // The quotient where it has no value: 0 / 0 counts as 0, infinity / infinity as 1.
  Real quotient = a / b;
  quotient = f.unless(a == 0, 0, quotient);
  quotient = f.unless((a == infinity) & (b == infinity), 1, quotient);
  Real angle = atan(quotient);
  // The sign of x also for -0.
  Truth isLeft = f.copySign(f.real(1.0), x) < 0;
  constexpr double pi = 3.1415926535897931160e+00, piLow = 1.2246467991473531772e-16;
  Real left = pi - (angle - piLow);
  Real result = f.copySign(f.select(isLeft, left, angle), y);
  return f.select(f.isNan(x), x, f.select(f.isNan(y), y, result));
}

} // namespace relax::kernels::math
