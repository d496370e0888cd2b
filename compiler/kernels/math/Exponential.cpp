// e^x and what is made of it.
//
//   exp    x = n ln 2 + r, |r| <= ln 2 / 2 (Cody and Waite, ln 2 in two parts); a polynomial in r;
//          times 2^n in two factors, so that subnormal results round once and large ones overflow
//   exp2   2^x the same way, with r = (x - n) ln 2
//   expm1  2^n (e^r - 1) + (2^n - 1)
//   sinh, cosh, tanh   from expm1 and e^x / 2, after fdlibm (Sun Microsystems, 1993)

#include "compiler/kernels/math/Functions.h"

namespace relax::kernels::math {

namespace {

/// (e^r - 1 - r) / r^2 for |r| <= ln 2 / 2, within 2.2e-19 of what it is used for.
Real exponentialTail(Real r) {
  return r.f->polynomial(r, {2.0916212837493853e-09, 2.5107353767261877e-08, 2.7557269903215795e-07,
                             2.755725016302918e-06, 2.4801587328555858e-05, 0.00019841269879033045,
                             0.001388888888888287, 0.008333333333324906, 0.04166666666666667,
                             0.1666666666666667, 0.5});
}

struct Reduced64 {
  Int n;
  Real r;
};

/// The first part of ln 2 has 33 bits, so that its product with n is exact.
Reduced64 reduce64(Real x) {
  const FloatBuilder &f = *x.f;
  auto [n, integer] = f.roundToInt(x * 1.44269504088896341);
  Real r = x - n * 6.93147180369123816490e-01;
  return {integer, r - n * 1.90821492927058770002e-10};
}

Real mantissa64(Real r) { return 1.0 + r.f->fma(r * r, exponentialTail(r), r); }

/// e^r for |r| <= ln 2 / 2 in float32, within 3.2e-9.
Real mantissa32(Real r) {
  return r.f->polynomial(r, {1.3814093065780614e-3, 8.368960354875776e-3, 4.166841175489026e-2,
                             0.16666518618372786, 0.4999999331173588, 1.0, 1.0});
}

/// e^x / 2, which overflows where sinh and cosh do.
Real halfExp(Real x) {
  auto [n, r] = reduce64(x.f->clamp(x, -746, 711));
  return x.f->scale(mantissa64(r), n - 1);
}

} // namespace

Real exp32(Real x) {
  const FloatBuilder &f = *x.f;
  // Below -104 the result is 0, above 89 infinite, also after rounding.
  x = f.clamp(x, -104.0, 89.0);
  auto [n, integer] = f.roundToInt(x * 1.44269504088896341);
  // The first part of ln 2 has 15 bits, so that its product with n is exact.
  Real r = f.fma(n, f.real(-0.693359375), x);
  r = f.fma(n, f.real(2.12194440e-4), r);
  return f.scale(mantissa32(r), integer);
}

Real exp2Of32(Real x) {
  const FloatBuilder &f = *x.f;
  x = f.clamp(x, -151.0, 129.0);
  auto [n, integer] = f.roundToInt(x);
  return f.scale(mantissa32((x - n) * 0.69314718055994531), integer);
}

Real tanh32(Real x) {
  const FloatBuilder &f = *x.f;
  Real magnitude = f.abs(x), square = x * x;
  // Cephes' polynomial for |x| < 0.625.
  Real odd = f.polynomial(square, {-5.70498872745e-3, 2.06390887954e-2, -5.37397155531e-2,
                                   1.33314422036e-1, -3.33332819422e-1});
  Real small = f.fma(odd * square, x, x);
  // From 10 on the result is 1; the clamp keeps NaN.
  Real e = exp32(f.clamp(magnitude, 0.0, 10.0) * 2.0);
  Real large = 1.0 - 2.0 / (e + 1.0);
  // The sign also for -0, which the sums lose.
  return f.copySign(f.select(magnitude < 0.625, small, large), x);
}

Real exp64(Real x) {
  auto [n, r] = reduce64(x.f->clamp(x, -746, 710));
  return x.f->scale(mantissa64(r), n);
}

Real exp2Of64(Real x) {
  const FloatBuilder &f = *x.f;
  x = f.clamp(x, -1076, 1025);
  auto [n, integer] = f.roundToInt(x);
  return f.scale(mantissa64((x - n) * 0.69314718055994531), integer);
}

Real expOfPair(Pair x) {
  const FloatBuilder &f = *x.hi.f;
  Real hi = f.clamp(x.hi, -746, 710);
  auto [n, r] = reduce64(hi);
  return f.scale(mantissa64(r + x.lo), n);
}

Real expm1(Real x) {
  const FloatBuilder &f = *x.f;
  auto [n, r] = reduce64(f.clamp(x, -40, 710));
  Real part = f.fma(r * r, exponentialTail(r), r);
  // From 2^56 on the -1 is lost, and 2^1024 alone would be too large.
  Int most = f.integer(60);
  Int few = f.select(f.compare(mlir::arith::CmpIPredicate::slt, most, n), most, n);
  Real power = f.powerOfTwo(few);
  Real near = power * part + (power - 1.0);
  Real far = f.scale(1.0 + part, n);
  Truth isFar = f.compare(mlir::arith::CmpIPredicate::sgt, n, f.integer(56));
  return f.copySign(f.select(isFar, far, near), x);
}

Real sinh(Real x) {
  const FloatBuilder &f = *x.f;
  Real magnitude = f.abs(x);
  Real t = expm1(f.clamp(magnitude, 0, 30));
  Real near = 0.5 * (t + t / (t + 1.0));
  return f.copySign(f.select(magnitude < 22, near, halfExp(magnitude)), x);
}

Real cosh(Real x) {
  Real half = halfExp(x.f->abs(x));
  return half + 0.25 / half;
}

Real tanh(Real x) {
  const FloatBuilder &f = *x.f;
  Real magnitude = f.clamp(f.abs(x), 0, 22);
  Truth isLarge = magnitude >= 1;
  Real t = expm1(f.select(isLarge, 2.0 * magnitude, -2.0 * magnitude));
  Real large = 1.0 - 2.0 / (t + 2.0);
  Real small = -t / (t + 2.0);
  return f.copySign(f.select(isLarge, large, small), x);
}

} // namespace relax::kernels::math
