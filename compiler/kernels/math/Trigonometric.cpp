// sin, cos, tan: reduction to |r| <= pi/4 with r in two parts, then fdlibm's polynomials (Sun
// Microsystems, 1993). Up to 10^6 the reduction subtracts n pi/2 in parts of 33 bits, whose
// products with n are exact; beyond, reduceLarge is exact for every number. A vector takes that
// path only where one of its lanes needs it.

#include "compiler/kernels/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace relax::kernels::math {

namespace {

constexpr double plainLimit = 1e6;

/// x = n pi/2 + rest for |x| <= plainLimit.
Reduced reducePlain(Real x) {
  const FloatBuilder &f = *x.f;
  auto [n, integer] = f.roundToInt(x * 6.36619772367581382433e-01);
  Real first = x - n * 1.57079632673412561417e+00;
  // Each later part is below the rounding of the one before; the errors add up in `low`.
  Real second = n * 6.07710050630396597660e-11;
  Real hi = first - second;
  Real low = (first - hi) - second;
  Pair third = f.twoSum(hi, -(n * 2.02226624871116645580e-21));
  low = low + third.lo - n * 8.47842766036889956997e-32;
  Pair rest = f.fastTwoSum(third.hi, low);
  // Zero keeps its sign.
  return {integer & 3, {f.select(x == 0, x, rest.hi), rest.lo}};
}

Reduced reduce(Real x) {
  const FloatBuilder &f = *x.f;
  Truth isLarge = f.abs(x) > plainLimit;
  Value any = isLarge.value;
  if (isa<VectorType>(any.getType()))
    any = vector::ReductionOp::create(f.b, f.loc, vector::CombiningKind::OR, any);
  auto branch = scf::IfOp::create(f.b, f.loc, TypeRange{f.intType(), f.type, f.type}, any,
                                  /*withElseRegion=*/true);
  {
    OpBuilder::InsertionGuard guard(f.b);
    auto yield = [&](Reduced result) {
      scf::YieldOp::create(
          f.b, f.loc,
          ValueRange{result.quadrant.value, result.rest.hi.value, result.rest.lo.value});
    };
    f.b.setInsertionPointToStart(branch.thenBlock());
    Reduced plain = reducePlain(x), exact = reduceLarge(x);
    yield({f.select(isLarge, exact.quadrant, plain.quadrant),
           {f.select(isLarge, exact.rest.hi, plain.rest.hi),
            f.select(isLarge, exact.rest.lo, plain.rest.lo)}});
    f.b.setInsertionPointToStart(branch.elseBlock());
    yield(reducePlain(x));
  }
  return {Int{&f, branch.getResult(0)}, {f.wrap(branch.getResult(1)), f.wrap(branch.getResult(2))}};
}

/// sin(r.hi + r.lo) for |r| <= pi/4.
Real sinOfRest(Pair r) {
  const FloatBuilder &f = *r.hi.f;
  Real x = r.hi, z = x * x, v = z * x;
  Real tail = f.polynomial(z, {1.58969099521155010221e-10, -2.50507602534068634195e-08,
                               2.75573137070700676789e-06, -1.98412698298579493134e-04,
                               8.33333333332248946124e-03});
  return x - ((z * (0.5 * r.lo - v * tail) - r.lo) + v * 1.66666666666666324348e-01);
}

/// cos(r.hi + r.lo) for |r| <= pi/4.
Real cosOfRest(Pair r) {
  const FloatBuilder &f = *r.hi.f;
  Real x = r.hi, z = x * x, half = 0.5 * z, w = 1.0 - half;
  Real tail = z * f.polynomial(z, {-1.13596475577881948265e-11, 2.08757232129817482790e-09,
                                   -2.75573143513906633035e-07, 2.48015872894767294178e-05,
                                   -1.38888888888741095749e-03, 4.16666666666666019037e-02});
  return w + (((1.0 - w) - half) + (z * tail - x * r.lo));
}

/// NaN for infinities.
Real finiteOnly(Real x, Real result) {
  const FloatBuilder &f = *x.f;
  Truth isInfinite = f.abs(x) == std::numeric_limits<double>::infinity();
  return f.unless(isInfinite, std::numeric_limits<double>::quiet_NaN(), result);
}

/// The sine of x + quadrant pi/2.
Real sineAt(Real x, int64_t offset) {
  const FloatBuilder &f = *x.f;
  auto [quadrant, rest] = reduce(x);
  Int n = quadrant + offset;
  Truth isEven = (n & 1) == 0, isUp = (n & 2) == 0;
  Real magnitude = f.select(isEven, sinOfRest(rest), cosOfRest(rest));
  return finiteOnly(x, f.select(isUp, magnitude, -magnitude));
}

} // namespace

Real sin(Real x) { return sineAt(x, 0); }
Real cos(Real x) { return sineAt(x, 1); }

Real tan(Real x) {
  const FloatBuilder &f = *x.f;
  auto [quadrant, rest] = reduce(x);
  Truth isEven = (quadrant & 1) == 0;
  Real sine = sinOfRest(rest), cosine = cosOfRest(rest);
  Real result = f.select(isEven, sine, -cosine) / f.select(isEven, cosine, sine);
  return finiteOnly(x, result);
}

} // namespace relax::kernels::math
