//===- FloatBuilder.h - formulas on floats, as they are written in books ---------------------===//
//
// Math functions become arithmetic (see ExpandMath.cpp). A formula is written once, for a type that
// is float32, float64 or a vector of them:
//
//   Real square = x * x;
//   Real result = f.select(x < f.real(0), -square, f.fma(square, x, f.real(1)));
//
// Operators make one IEEE operation each and never fuse; `fma` is one operation where the target
// has it, a product and a sum elsewhere.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace relax::kernels::math {

class FloatBuilder;

/// A float32 or float64, or a vector of them.
struct Real {
  const FloatBuilder *f;
  mlir::Value value;
};
/// An integer of as many bits, or a vector of them; and of one bit: a condition.
struct Int {
  const FloatBuilder *f;
  mlir::Value value;
};
struct Truth {
  const FloatBuilder *f;
  mlir::Value value;
};

/// An unevaluated sum: about twice the precision of one number.
struct Pair {
  Real hi, lo;
};

class FloatBuilder {
public:
  FloatBuilder(mlir::OpBuilder &b, mlir::Location loc, mlir::Type type, bool hasFma)
      : b(b), loc(loc), type(type), hasFma(hasFma) {}

  Real wrap(mlir::Value value) const { return {this, value}; }
  Real real(double value) const;
  Int integer(int64_t value) const;

  Real fma(Real x, Real y, Real z) const;
  Real sqrt(Real x) const;
  Real abs(Real x) const;
  /// The magnitude of x with the sign of y.
  Real copySign(Real x, Real y) const;
  Real floor(Real x) const;
  Real select(Truth condition, Real x, Real y) const;
  Int select(Truth condition, Int x, Int y) const;
  /// `value` unless `condition` holds, then the constant.
  Real unless(Truth condition, double constant, Real value) const {
    return select(condition, real(constant), value);
  }
  Truth isNan(Real x) const;
  /// Equal, x < y and so on, with conditions that fail for NaN; unordered: see isNan.
  Truth compare(mlir::arith::CmpFPredicate predicate, Real x, Real y) const;
  Truth compare(mlir::arith::CmpIPredicate predicate, Int x, Int y) const;

  /// The coefficients from the highest power down.
  Real polynomial(Real x, llvm::ArrayRef<double> coefficients) const;

  Int bits(Real x) const;
  Real fromBits(Int x) const;
  /// The number of an integer of few bits, |n| < 2^22 for float32, 2^51 for float64.
  Real fromSmall(Int n) const;
  /// 2^n for an integer n in the range of normal exponents.
  Real powerOfTwo(Int n) const;
  /// mantissa * 2^n for |n| <= 252 (float32) or 2044 (float64), rounded once.
  Real scale(Real mantissa, Int n) const;
  /// Rounds x to an integer, |x| < 2^22 (2^51 for float64), half to even: as a float, and as an
  /// integer. For NaN the integer is some number.
  std::pair<Real, Int> roundToInt(Real x) const;
  /// x between two bounds; NaN stays.
  Real clamp(Real x, double low, double high) const;

  /// x + y, exactly; in the second form |x| >= |y|, or x is 0.
  Pair twoSum(Real x, Real y) const;
  Pair fastTwoSum(Real x, Real y) const;
  /// x * y, exactly, for numbers whose product and whose parts don't overflow.
  Pair twoProduct(Real x, Real y) const;

  bool isDouble() const;
  unsigned mantissaBits() const { return isDouble() ? 52 : 23; }
  int64_t bias() const { return isDouble() ? 1023 : 127; }
  mlir::Type intType() const;
  mlir::Type shaped(mlir::Type element) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  mlir::Type type;
  bool hasFma;
};

Real operator+(Real x, Real y);
Real operator-(Real x, Real y);
Real operator*(Real x, Real y);
Real operator/(Real x, Real y);
Real operator-(Real x);
inline Real operator+(Real x, double y) { return x + x.f->real(y); }
inline Real operator-(Real x, double y) { return x - x.f->real(y); }
inline Real operator*(Real x, double y) { return x * x.f->real(y); }
inline Real operator/(Real x, double y) { return x / x.f->real(y); }
inline Real operator+(double x, Real y) { return y.f->real(x) + y; }
inline Real operator-(double x, Real y) { return y.f->real(x) - y; }
inline Real operator*(double x, Real y) { return y.f->real(x) * y; }
inline Real operator/(double x, Real y) { return y.f->real(x) / y; }
Truth operator<(Real x, Real y);
Truth operator==(Real x, Real y);
inline Truth operator<(Real x, double y) { return x < x.f->real(y); }
inline Truth operator>(Real x, double y) { return x.f->real(y) < x; }
inline Truth operator>(Real x, Real y) { return y < x; }
inline Truth operator==(Real x, double y) { return x == x.f->real(y); }
/// Not less and not equal-by-negation: false for NaN.
Truth operator>=(Real x, double y);
Truth operator<=(Real x, double y);

Int operator+(Int x, Int y);
Int operator-(Int x, Int y);
Int operator*(Int x, Int y);
Int operator&(Int x, Int y);
Int operator|(Int x, Int y);
/// Shifts; to the right, zeros come in.
Int operator<<(Int x, int64_t count);
Int operator>>(Int x, int64_t count);
inline Int operator+(Int x, int64_t y) { return x + x.f->integer(y); }
inline Int operator-(Int x, int64_t y) { return x - x.f->integer(y); }
inline Int operator*(Int x, int64_t y) { return x * x.f->integer(y); }
inline Int operator&(Int x, int64_t y) { return x & x.f->integer(y); }
inline Int operator|(Int x, int64_t y) { return x | x.f->integer(y); }
Truth operator==(Int x, int64_t y);

Truth operator&(Truth x, Truth y);
Truth operator|(Truth x, Truth y);
Truth operator!(Truth x);

} // namespace relax::kernels::math
