// erf and erfc: for |x| < 1 an odd polynomial; beyond, erfc(x) = e^(-x^2) g(x), where g(x) is a
// polynomial in 1 / (x + 3). From 6 on erf is 1, from 27 on erfc is 0.

#include "compiler/kernels/math/Functions.h"

namespace relax::kernels::math {

namespace {

/// erf(x) / x - 1 of z = x^2 <= 1, within 1.4e-19.
Real smallTail(Real z) {
  return z.f->polynomial(z, {5.957176147748911e-11, -1.1372848856791674e-09, 1.4659775274047436e-08,
                             -1.6350312701054695e-07, 1.6461000484121368e-06,
                             -1.4925595266831182e-05, 0.0001205533111164271, -0.000854832698083379,
                             0.0052239776248180145, -0.026866170645076792, 0.11283791670954879,
                             -0.3761263890318375, 0.1283791670955126});
}

} // namespace

Real erf(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  Real small = a + a * smallTail(a * a);
  Real bounded = f.clamp(a, 0.5, 6.0);
  // Good to 5e-18 of 1 from 1 to 6.
  Real u = 14.4 / (bounded + 3.0) - 2.6;
  Real g = f.polynomial(u, {-6.697645564790815e-15, 6.043792147788813e-12, -6.02173256030324e-12,
                            -2.5700407551346905e-10, 2.637756022974126e-10, 1.133933573114706e-08,
                            4.5267318133461335e-09, -5.54127309801664e-07, -2.425557485042923e-06,
                            1.956358319778174e-05, 0.0003316029605792838, 0.002479314697086253,
                            0.012713147695691918, 0.04969844540339414, 0.15436117429436919,
                            0.20798329133342885});
  Real large = 1.0 - exp64(-(bounded * bounded)) * g;
  return f.copySign(f.select(a < 1.0, small, large), x);
}

Real erfc(Real x) {
  const FloatBuilder &f = *x.f;
  Real a = f.abs(x);
  // 1 - erf(x), where x isn't small as 1/2 - (erf(x) - 1/2).
  Real product = x * smallTail(x * x);
  Real near = f.select(x < 0.25, 1.0 - (x + product), 0.5 - (product + (x - 0.5)));
  Real bounded = f.clamp(a, 0.5, 28.0);
  Real t = 1.0 / (bounded + 3.0);
  // e^(x^2) erfc(x) (x + 3), within 3e-17 of itself from 1 to 27.
  Real g = f.polynomial(
      9.2307692307692307692 * t - 1.3076923076923076923,
      {4.235172864100914e-11, -3.806559890032872e-11, -6.654705983523339e-10, 7.402818498569998e-10,
       8.341710723339257e-09, -8.907918336806452e-09, -1.1377221386464558e-07,
       4.778411248952097e-08, 1.7336581697338327e-06, 1.906342896976637e-06, -2.551911122791793e-05,
       -0.00010782034659419193, 0.00011778567380086674, 0.0030868264436225965, 0.01773187129158813,
       0.0672329742408702, 0.19677699161113751, 0.47172910619609393, 0.9537885150980818});
  // The error of x^2 would be that of the result's exponent.
  Pair square = f.twoProduct(bounded, bounded);
  Real tail = expOfPair({-square.hi, -square.lo}) * (g * t);
  Real far = f.select(x < 0, 2.0 - tail, tail);
  return f.select(a < 1.0, near, far);
}

} // namespace relax::kernels::math
