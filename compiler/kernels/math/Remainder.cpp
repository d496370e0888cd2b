// The remainder of a division, as C's fmod: exact, with the sign of x.
//
// Long division in steps that are exact: while r >= |y|, r -= |y| 2^k with the largest such k. Each
// step takes at least one bit off r. A vector goes on until all lanes are done.

#include "compiler/kernels/math/Functions.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace relax::kernels::math {

namespace {

/// The biased exponent of a number that isn't negative, as if subnormals were normal.
Int exponentOf(Real x) {
  const FloatBuilder &f = *x.f;
  Truth isSubnormal = x < (f.isDouble() ? 2.2250738585072014e-308 : 1.1754943508222875e-38);
  int64_t shift = f.isDouble() ? 54 : 24;
  Real normal = f.select(isSubnormal, x * double(int64_t(1) << shift), x);
  Int exponent = f.bits(normal) >> int64_t(f.mantissaBits());
  return exponent - f.select(isSubnormal, f.integer(shift), f.integer(0));
}

/// y 2^n for n >= 0: in three factors, each of them a power that exists.
Real shifted(Real y, Int n) {
  const FloatBuilder &f = *y.f;
  Int third = (n * 43691) >> 17;
  Real power = f.powerOfTwo(third);
  return y * power * power * f.powerOfTwo(n - third - third);
}

} // namespace

Real remainder(Real x, Real y) {
  const FloatBuilder &f = *x.f;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  Real divisor = f.abs(y);
  Truth isPlain = (f.abs(x) < infinity) & (divisor > 0) & (divisor < infinity);
  // Where the division isn't done, the loop has nothing to do.
  Real start = f.select(isPlain, f.abs(x), f.real(0));
  Real safe = f.select(isPlain, divisor, f.real(1.0));
  auto loop = scf::WhileOp::create(f.b, f.loc, TypeRange{f.type}, ValueRange{start.value});
  {
    OpBuilder::InsertionGuard guard(f.b);
    Block *before = f.b.createBlock(&loop.getBefore(), {}, {f.type}, {f.loc});
    Truth more = !(f.wrap(before->getArgument(0)) < safe);
    Value any = more.value;
    if (isa<VectorType>(any.getType()))
      any = vector::ReductionOp::create(f.b, f.loc, vector::CombiningKind::OR, any);
    scf::ConditionOp::create(f.b, f.loc, any, before->getArguments());
    Block *after = f.b.createBlock(&loop.getAfter(), {}, {f.type}, {f.loc});
    Real r = f.wrap(after->getArgument(0));
    Int distance = exponentOf(r) - exponentOf(safe);
    distance = f.select(f.compare(arith::CmpIPredicate::slt, distance, f.integer(0)), f.integer(0),
                        distance);
    Real step = shifted(safe, distance);
    // One too far where r's digits are the smaller ones; an overflow can only be such a step.
    Int back = f.select(distance == 0, f.integer(0), f.integer(1));
    Real smaller = shifted(safe, distance - back);
    step = f.select(step > r, smaller, step);
    Real next = f.select(r < safe, r, r - step);
    scf::YieldOp::create(f.b, f.loc, next.value);
  }
  Real result = f.copySign(f.wrap(loop.getResult(0)), x);
  // x by infinity is x; infinity by y and x by 0 have no value.
  result = f.select((divisor == infinity) & (f.abs(x) < infinity), x, result);
  Truth isUndefined = (f.abs(x) == infinity) | (divisor == 0);
  result = f.unless(isUndefined, std::numeric_limits<double>::quiet_NaN(), result);
  return f.select(f.isNan(x), x, f.select(f.isNan(y), y, result));
}

} // namespace relax::kernels::math
