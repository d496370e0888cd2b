#include "compiler/kernels/math/FloatBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace relax::kernels::math {

static Value splat(const FloatBuilder &f, Type type, TypedAttr element) {
  if (auto vector = dyn_cast<VectorType>(type))
    element = DenseElementsAttr::get(vector, Attribute(element));
  return arith::ConstantOp::create(f.b, f.loc, element);
}

bool FloatBuilder::isDouble() const { return getElementTypeOrSelf(type).isF64(); }

Type FloatBuilder::shaped(Type element) const {
  auto vector = dyn_cast<VectorType>(type);
  return vector ? Type(VectorType::get(vector.getShape(), element)) : element;
}

Type FloatBuilder::intType() const { return shaped(isDouble() ? b.getI64Type() : b.getI32Type()); }

Real FloatBuilder::real(double value) const {
  return wrap(splat(*this, type, b.getFloatAttr(getElementTypeOrSelf(type), value)));
}
Int FloatBuilder::integer(int64_t value) const {
  unsigned bits = isDouble() ? 64 : 32;
  auto attribute = IntegerAttr::get(getElementTypeOrSelf(intType()),
                                    APInt(64, static_cast<uint64_t>(value)).trunc(bits));
  return {this, splat(*this, intType(), attribute)};
}

Real FloatBuilder::fma(Real x, Real y, Real z) const {
  return hasFma ? wrap(mlir::math::FmaOp::create(b, loc, x.value, y.value, z.value)) : x * y + z;
}
Real FloatBuilder::sqrt(Real x) const { return wrap(mlir::math::SqrtOp::create(b, loc, x.value)); }
Real FloatBuilder::abs(Real x) const { return wrap(mlir::math::AbsFOp::create(b, loc, x.value)); }
Real FloatBuilder::copySign(Real x, Real y) const {
  return wrap(mlir::math::CopySignOp::create(b, loc, x.value, y.value));
}
Real FloatBuilder::floor(Real x) const {
  return wrap(mlir::math::FloorOp::create(b, loc, x.value));
}
Real FloatBuilder::select(Truth condition, Real x, Real y) const {
  return wrap(arith::SelectOp::create(b, loc, condition.value, x.value, y.value));
}
Int FloatBuilder::select(Truth condition, Int x, Int y) const {
  return {this, arith::SelectOp::create(b, loc, condition.value, x.value, y.value)};
}
Truth FloatBuilder::isNan(Real x) const { return compare(arith::CmpFPredicate::UNO, x, x); }
Truth FloatBuilder::compare(arith::CmpFPredicate predicate, Real x, Real y) const {
  return {this, arith::CmpFOp::create(b, loc, predicate, x.value, y.value)};
}
Truth FloatBuilder::compare(arith::CmpIPredicate predicate, Int x, Int y) const {
  return {this, arith::CmpIOp::create(b, loc, predicate, x.value, y.value)};
}

Real FloatBuilder::polynomial(Real x, ArrayRef<double> coefficients) const {
  Real result = real(coefficients.front());
  for (double coefficient : coefficients.drop_front())
    result = fma(result, x, real(coefficient));
  return result;
}

Int FloatBuilder::bits(Real x) const {
  return {this, arith::BitcastOp::create(b, loc, intType(), x.value)};
}
Real FloatBuilder::fromBits(Int x) const {
  return wrap(arith::BitcastOp::create(b, loc, type, x.value));
}

/// 1.5 * 2^23 or 2^52: adding it leaves no bits behind the point, and the integer then is the
/// difference of two bit patterns.
static Real magic(const FloatBuilder &f) {
  return f.real(f.isDouble() ? 6755399441055744.0 : 12582912.0);
}

Real FloatBuilder::fromSmall(Int n) const {
  return fromBits(n + bits(magic(*this))) - magic(*this);
}
Real FloatBuilder::powerOfTwo(Int n) const {
  return fromBits((n + bias()) << int64_t(mantissaBits()));
}
Real FloatBuilder::scale(Real mantissa, Int n) const {
  // Shifted as a number that isn't negative: vectors of 64 bits have no arithmetic shift.
  Int half = ((n + 4096) >> 1) - 2048;
  return mantissa * powerOfTwo(half) * powerOfTwo(n - half);
}
std::pair<Real, Int> FloatBuilder::roundToInt(Real x) const {
  Real shifted = x + magic(*this);
  return {shifted - magic(*this), bits(shifted) - bits(magic(*this))};
}
Real FloatBuilder::clamp(Real x, double low, double high) const {
  x = select(x > high, real(high), x);
  return select(x < low, real(low), x);
}

Pair FloatBuilder::twoSum(Real x, Real y) const {
  Real sum = x + y;
  Real part = sum - x;
  return {sum, (x - (sum - part)) + (y - part)};
}
Pair FloatBuilder::fastTwoSum(Real x, Real y) const {
  Real sum = x + y;
  return {sum, y - (sum - x)};
}
Pair FloatBuilder::twoProduct(Real x, Real y) const {
  Real product = x * y;
  if (hasFma)
    return {product, fma(x, y, -product)};
  // Veltkamp and Dekker: halves of 26 (12) bits multiply exactly.
  double factor = isDouble() ? 134217729.0 : 4097.0;
  auto split = [&](Real v) -> Pair {
    Real scaled = v * factor;
    Real hi = scaled - (scaled - v);
    return {hi, v - hi};
  };
  Pair a = split(x), c = split(y);
  Real error = ((a.hi * c.hi - product) + a.hi * c.lo + a.lo * c.hi) + a.lo * c.lo;
  return {product, error};
}

template <typename Op> static Real make(Real x, Real y) {
  return x.f->wrap(Op::create(x.f->b, x.f->loc, x.value, y.value));
}
template <typename Op, typename T> static T makeInt(T x, T y) {
  return {x.f, Op::create(x.f->b, x.f->loc, x.value, y.value)};
}

Real operator+(Real x, Real y) { return make<arith::AddFOp>(x, y); }
Real operator-(Real x, Real y) { return make<arith::SubFOp>(x, y); }
Real operator*(Real x, Real y) { return make<arith::MulFOp>(x, y); }
Real operator/(Real x, Real y) { return make<arith::DivFOp>(x, y); }
Real operator-(Real x) { return x.f->wrap(arith::NegFOp::create(x.f->b, x.f->loc, x.value)); }
Truth operator<(Real x, Real y) { return x.f->compare(arith::CmpFPredicate::OLT, x, y); }
Truth operator==(Real x, Real y) { return x.f->compare(arith::CmpFPredicate::OEQ, x, y); }
Truth operator>=(Real x, double y) {
  return x.f->compare(arith::CmpFPredicate::OGE, x, x.f->real(y));
}
Truth operator<=(Real x, double y) {
  return x.f->compare(arith::CmpFPredicate::OLE, x, x.f->real(y));
}

Int operator+(Int x, Int y) { return makeInt<arith::AddIOp>(x, y); }
Int operator-(Int x, Int y) { return makeInt<arith::SubIOp>(x, y); }
Int operator*(Int x, Int y) { return makeInt<arith::MulIOp>(x, y); }
Int operator&(Int x, Int y) { return makeInt<arith::AndIOp>(x, y); }
Int operator|(Int x, Int y) { return makeInt<arith::OrIOp>(x, y); }
Int operator<<(Int x, int64_t count) { return makeInt<arith::ShLIOp>(x, x.f->integer(count)); }
Int operator>>(Int x, int64_t count) { return makeInt<arith::ShRUIOp>(x, x.f->integer(count)); }
Truth operator==(Int x, int64_t y) {
  return x.f->compare(arith::CmpIPredicate::eq, x, x.f->integer(y));
}

Truth operator&(Truth x, Truth y) { return makeInt<arith::AndIOp>(x, y); }
Truth operator|(Truth x, Truth y) { return makeInt<arith::OrIOp>(x, y); }
Truth operator!(Truth x) {
  const FloatBuilder &f = *x.f;
  Value all = splat(f, f.shaped(f.b.getI1Type()), f.b.getBoolAttr(true));
  return {&f, arith::XOrIOp::create(f.b, f.loc, x.value, all)};
}

} // namespace relax::kernels::math
