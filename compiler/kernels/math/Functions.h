//===- Functions.h - math functions as formulas -----------------------------------------------===//
//
// One function for each math op; the argument's builder says the type. Unless a function says
// otherwise it is for float64, and float32 goes through it (see ExpandMath.cpp). Errors, found by
// tests/unit/kernels/ExpandMathTest.cpp against a longer float, are below 2 units in the last
// place; those of sinh, tanh, acosh and atanh below 2.5, of erfc below 5. Special values are those
// of C's Annex F.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/math/FloatBuilder.h"

namespace relax::kernels::math {

// Exponential.cpp
Real exp32(Real x);
Real exp2Of32(Real x);
Real tanh32(Real x);
Real exp64(Real x);
Real exp2Of64(Real x);
Real expm1(Real x);
Real sinh(Real x);
Real cosh(Real x);
Real tanh(Real x);
/// e^(x.hi + x.lo), for a result without specials.
Real expOfPair(Pair x);

// Logarithm.cpp
Real log(Real x);
Real log2(Real x);
Real log10(Real x);
Real log1p(Real x);
Real asinh(Real x);
Real acosh(Real x);
Real atanh(Real x);
/// x = m * 2^exponent with m in [sqrt(1/2), sqrt(2)), for finite x > 0.
struct Split {
  Real mantissa, exponent;
};
Split splitForLog(Real x);

// Trigonometric.cpp
Real sin(Real x);
Real cos(Real x);
Real tan(Real x);
/// x = n pi/2 + (r.hi + r.lo), |r| <= pi/4, n modulo 4.
struct Reduced {
  Int quadrant;
  Pair rest;
};
/// For |x| beyond what the plain reduction takes: exact, with 1200 bits of 2/pi.
Reduced reduceLarge(Real x);

// InverseTrigonometric.cpp
Real asin(Real x);
Real acos(Real x);
Real atan(Real x);
Real atan2(Real y, Real x);

// Power.cpp
Real cbrt(Real x);
Real pow(Real x, Real y);
/// Good to float32's precision only.
Real powOf32(Real x, Real y);
/// 1 / sqrt(x), both correctly rounded; for both types.
Real rsqrt(Real x);

// ErrorFunction.cpp
Real erf(Real x);
Real erfc(Real x);

// Remainder.cpp: x - trunc(x / y) y, exactly; for both types.
Real remainder(Real x, Real y);

} // namespace relax::kernels::math
