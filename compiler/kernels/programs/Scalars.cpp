#include "compiler/kernels/programs/Scalars.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels {

Value Scalars::number(Type type, double value) const {
  if (auto floating = dyn_cast<FloatType>(type))
    return arith::ConstantOp::create(b, loc, b.getFloatAttr(floating, value));
  return integer(type, static_cast<int64_t>(value));
}

Value Scalars::integer(Type type, const llvm::APInt &value) const {
  return arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, value));
}

Value Scalars::integer(Type type, int64_t value) const {
  if (type.isIndex())
    return arith::ConstantIndexOp::create(b, loc, value);
  return integer(type, llvm::APInt(type.getIntOrFloatBitWidth(), static_cast<uint64_t>(value),
                                   /*isSigned=*/false, /*implicitTrunc=*/true));
}

Value Scalars::add(Value x, Value y) const {
  return isFloat(x) ? call<arith::AddFOp>(x, y) : call<arith::AddIOp>(x, y);
}
Value Scalars::sub(Value x, Value y) const {
  return isFloat(x) ? call<arith::SubFOp>(x, y) : call<arith::SubIOp>(x, y);
}
Value Scalars::mul(Value x, Value y) const {
  return isFloat(x) ? call<arith::MulFOp>(x, y) : call<arith::MulIOp>(x, y);
}
Value Scalars::div(Value x, Value y) const { return call<arith::DivFOp>(x, y); }
Value Scalars::neg(Value x) const {
  return isFloat(x) ? call<arith::NegFOp>(x) : sub(like(x, 0), x);
}
Value Scalars::abs(Value x) const {
  if (isFloat(x))
    return call<math::AbsFOp>(x);
  return isUnsigned ? x : select(isNegative(x), neg(x), x);
}
Value Scalars::max(Value x, Value y) const {
  if (isFloat(x))
    return call<arith::MaximumFOp>(x, y);
  return isUnsigned ? call<arith::MaxUIOp>(x, y) : call<arith::MaxSIOp>(x, y);
}
Value Scalars::min(Value x, Value y) const {
  if (isFloat(x))
    return call<arith::MinimumFOp>(x, y);
  return isUnsigned ? call<arith::MinUIOp>(x, y) : call<arith::MinSIOp>(x, y);
}

Value Scalars::compare(arith::CmpFPredicate floats, arith::CmpIPredicate signedIntegers,
                       arith::CmpIPredicate unsignedIntegers, Value x, Value y) const {
  if (isFloat(x))
    return arith::CmpFOp::create(b, loc, floats, x, y);
  // The one bit of a bool would be a sign.
  bool asUnsigned = isUnsigned || x.getType().isInteger(1);
  return arith::CmpIOp::create(b, loc, asUnsigned ? unsignedIntegers : signedIntegers, x, y);
}

Value Scalars::equal(Value x, Value y) const {
  return compare(arith::CmpFPredicate::OEQ, arith::CmpIPredicate::eq, arith::CmpIPredicate::eq, x,
                 y);
}
Value Scalars::notEqual(Value x, Value y) const {
  return compare(arith::CmpFPredicate::UNE, arith::CmpIPredicate::ne, arith::CmpIPredicate::ne, x,
                 y);
}
Value Scalars::less(Value x, Value y) const {
  return compare(arith::CmpFPredicate::OLT, arith::CmpIPredicate::slt, arith::CmpIPredicate::ult, x,
                 y);
}
Value Scalars::lessEqual(Value x, Value y) const {
  return compare(arith::CmpFPredicate::OLE, arith::CmpIPredicate::sle, arith::CmpIPredicate::ule, x,
                 y);
}
Value Scalars::isNan(Value x) const {
  return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNO, x, x);
}

Value Scalars::both(Value x, Value y) const { return call<arith::AndIOp>(x, y); }
Value Scalars::either(Value x, Value y) const { return call<arith::OrIOp>(x, y); }
Value Scalars::exclusive(Value x, Value y) const { return call<arith::XOrIOp>(x, y); }
Value Scalars::negation(Value x) const { return exclusive(x, integer(x.getType(), -1)); }
Value Scalars::select(Value condition, Value x, Value y) const {
  return call<arith::SelectOp>(condition, x, y);
}

Value Scalars::shiftLeft(Value x, int64_t bits) const {
  return call<arith::ShLIOp>(x, integer(x.getType(), bits));
}
Value Scalars::shiftRight(Value x, int64_t bits) const {
  return call<arith::ShRUIOp>(x, integer(x.getType(), bits));
}
Value Scalars::bitcast(Type type, Value x) const {
  return arith::BitcastOp::create(b, loc, type, x);
}

//===------------------------------------------------------------------------------------------===//
// Conversion
//===------------------------------------------------------------------------------------------===//

/// A float64 as a float32 that a second rounding to fewer bits, by at least two, treats as it would
/// the float64: the neighbour towards zero, with its last bit set if digits were lost (Boldo and
/// Melquiond, "When double rounding is odd", 2005).
Value Scalars::roundToOdd(Value x) const {
  Type bitsType = b.getI32Type();
  Value near = arith::TruncFOp::create(b, loc, b.getF32Type(), x);
  Value wide = arith::ExtFOp::create(b, loc, b.getF64Type(), near);
  Value inexact = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::ONE, wide, x);
  Value beyond = both(inexact, less(abs(x), abs(wide)));
  Value bits = bitcast(bitsType, near);
  bits = sub(bits, arith::ExtUIOp::create(b, loc, bitsType, beyond));
  bits = either(bits, arith::ExtUIOp::create(b, loc, bitsType, inexact));
  return bitcast(b.getF32Type(), bits);
}

Value Scalars::convertFloat(FloatType to, Value x) const {
  auto from = cast<FloatType>(x.getType());
  if (from == to)
    return x;
  // There is one step between 16 bits and 32, and one between 32 and 64.
  Type single = b.getF32Type();
  if (from.getWidth() == 16)
    return convertFloat(to, arith::ExtFOp::create(b, loc, single, x));
  if (from.isF32())
    return to.getWidth() > 32 ? Value(arith::ExtFOp::create(b, loc, to, x))
                              : Value(arith::TruncFOp::create(b, loc, to, x));
  if (to.isF32())
    return arith::TruncFOp::create(b, loc, to, x);
  return arith::TruncFOp::create(b, loc, to, roundToOdd(x));
}

/// Towards zero, saturating; NaN becomes 0.
Value Scalars::floatToInteger(Type to, Value x, bool toUnsigned) const {
  x = convertFloat(b.getF64Type(), x);
  unsigned bits = to.getIntOrFloatBitWidth();
  if (bits == 1)
    return notEqual(x, like(x, 0));
  double limit = std::ldexp(1.0, static_cast<int>(bits) - (toUnsigned ? 0 : 1));
  Value low = like(x, toUnsigned ? 0 : -limit), high = like(x, limit);
  Value inside = both(lessEqual(low, x), less(x, high));
  Value safe = select(inside, x, like(x, 0));
  Value result = toUnsigned ? Value(arith::FPToUIOp::create(b, loc, to, safe))
                            : Value(arith::FPToSIOp::create(b, loc, to, safe));
  auto most = toUnsigned ? llvm::APInt::getMaxValue(bits) : llvm::APInt::getSignedMaxValue(bits);
  auto least = toUnsigned ? llvm::APInt::getMinValue(bits) : llvm::APInt::getSignedMinValue(bits);
  result = select(lessEqual(high, x), integer(to, most), result);
  return select(less(x, low), integer(to, least), result);
}

/// Rounds once. Through float64 where that holds every value of x, or what decides its rounding.
Value Scalars::integerToFloat(FloatType to, Value x, bool fromUnsigned) const {
  bool asUnsigned = fromUnsigned || x.getType().isInteger(1);
  auto direct = [&](Type type, Value v) -> Value {
    return asUnsigned ? Value(arith::UIToFPOp::create(b, loc, type, v))
                      : Value(arith::SIToFPOp::create(b, loc, type, v));
  };
  if (to.getWidth() > 16)
    return direct(to, x);
  if (width(x) == 64) {
    // More than 53 bits: the last 11 become one bit that says whether any is set.
    Type type = x.getType();
    Value last = integer(type, 2047);
    Value rest = both(x, last);
    Value sticky = select(isZero(rest), rest, integer(type, 1024));
    Value rounded = either(both(x, negation(last)), sticky);
    Value magnitude = select(less(x, integer(type, 0)), sub(integer(type, 0), x), x);
    Value large = call<arith::ShRUIOp>(magnitude, integer(type, 53));
    x = select(isZero(large), x, rounded);
  }
  return convertFloat(to, direct(b.getF64Type(), x));
}

Value Scalars::convert(Type to, Value x, bool fromUnsigned, bool toUnsigned) const {
  auto toFloat = dyn_cast<FloatType>(to);
  if (isFloat(x))
    return toFloat ? convertFloat(toFloat, x) : floatToInteger(to, x, toUnsigned);
  if (toFloat)
    return integerToFloat(toFloat, x, fromUnsigned);
  unsigned from = width(x), bits = to.getIntOrFloatBitWidth();
  if (from == bits)
    return x;
  if (bits == 1)
    return notEqual(x, like(x, 0));
  if (from > bits)
    return arith::TruncIOp::create(b, loc, to, x);
  if (from == 1 || fromUnsigned)
    return arith::ExtUIOp::create(b, loc, to, x);
  return arith::ExtSIOp::create(b, loc, to, x);
}

} // namespace relax::kernels
