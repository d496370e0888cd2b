// Arithmetic on single numbers. Floating-point ops compute in float64 whatever their type; integer
// ops wrap at their width.

#include "compiler/interpreter/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/StringMap.h"

#include <bit>
#include <cmath>

using namespace mlir;

namespace relax::interpreter {
namespace {

using Operands = const Scalar *;

Type elementOf(Type type) { return getElementTypeOrSelf(type); }
unsigned widthOf(Type type) {
  type = elementOf(type);
  return type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
}
unsigned resultWidth(Operation *op) { return widthOf(op->getResult(0).getType()); }
unsigned operandWidth(Operation *op) { return widthOf(op->getOperand(0).getType()); }

/// The bits of an integer of the operand's width, as a number that is not negative.
uint64_t unsignedOf(Operation *op, int64_t value) {
  unsigned width = operandWidth(op);
  return width >= 64 ? static_cast<uint64_t>(value)
                     : static_cast<uint64_t>(value) & ((uint64_t(1) << width) - 1);
}

template <double (*function)(double)> Scalar unary(Operation *, Operands v) {
  return realScalar(function(v[0].real));
}
template <typename F> Scalar binary(Operands v, F f) { return realScalar(f(v[0].real, v[1].real)); }
template <typename F> Scalar wrapped(Operation *op, Operands v, F f) {
  auto a = static_cast<uint64_t>(v[0].integer), b = static_cast<uint64_t>(v[1].integer);
  return integerScalar(wrapToWidth(static_cast<int64_t>(f(a, b)), resultWidth(op)));
}
template <typename F> Scalar asUnsigned(Operation *op, Operands v, F f) {
  uint64_t value = f(unsignedOf(op, v[0].integer), unsignedOf(op, v[1].integer));
  return integerScalar(wrapToWidth(static_cast<int64_t>(value), resultWidth(op)));
}
template <typename F> Scalar asSigned(Operation *op, Operands v, F f) {
  return integerScalar(wrapToWidth(f(v[0].integer, v[1].integer), resultWidth(op)));
}

/// NaN if either is, as IEEE 754-2019 maximum and minimum say; -0 is less than +0.
double maximum(double a, double b) {
  if (std::isnan(a) || std::isnan(b))
    return std::nan("");
  if (a == b)
    return std::signbit(a) ? b : a;
  return a > b ? a : b;
}
double minimum(double a, double b) { return -maximum(-a, -b); }

Scalar compareReals(Operation *op, Operands v) {
  using P = arith::CmpFPredicate;
  double a = v[0].real, b = v[1].real;
  bool unordered = std::isnan(a) || std::isnan(b);
  auto answer = [&](bool orderedAnswer, bool whenUnordered) {
    return integerScalar(unordered ? whenUnordered : orderedAnswer);
  };
  switch (cast<arith::CmpFOp>(op).getPredicate()) {
  case P::AlwaysFalse:
    return integerScalar(0);
  case P::AlwaysTrue:
    return integerScalar(1);
  case P::OEQ:
    return answer(a == b, false);
  case P::OGT:
    return answer(a > b, false);
  case P::OGE:
    return answer(a >= b, false);
  case P::OLT:
    return answer(a < b, false);
  case P::OLE:
    return answer(a <= b, false);
  case P::ONE:
    return answer(a != b, false);
  case P::ORD:
    return integerScalar(!unordered);
  case P::UEQ:
    return answer(a == b, true);
  case P::UGT:
    return answer(a > b, true);
  case P::UGE:
    return answer(a >= b, true);
  case P::ULT:
    return answer(a < b, true);
  case P::ULE:
    return answer(a <= b, true);
  case P::UNE:
    return answer(a != b, true);
  case P::UNO:
    return integerScalar(unordered);
  }
  return integerScalar(0);
}

Scalar compareIntegers(Operation *op, Operands v) {
  using P = arith::CmpIPredicate;
  int64_t a = v[0].integer, b = v[1].integer;
  uint64_t ua = unsignedOf(op, a), ub = unsignedOf(op, b);
  // A signed comparison sees the bit of an i1 as -1.
  if (operandWidth(op) == 1) {
    a = -a;
    b = -b;
  }
  switch (cast<arith::CmpIOp>(op).getPredicate()) {
  case P::eq:
    return integerScalar(a == b);
  case P::ne:
    return integerScalar(a != b);
  case P::slt:
    return integerScalar(a < b);
  case P::sle:
    return integerScalar(a <= b);
  case P::sgt:
    return integerScalar(a > b);
  case P::sge:
    return integerScalar(a >= b);
  case P::ult:
    return integerScalar(ua < ub);
  case P::ule:
    return integerScalar(ua <= ub);
  case P::ugt:
    return integerScalar(ua > ub);
  case P::uge:
    return integerScalar(ua >= ub);
  }
  return integerScalar(0);
}

/// The quotient that a kernel would compute; 0 where the division has no value, which a program
/// that is right never uses.
int64_t divideSigned(int64_t a, int64_t b) {
  if (b == 0)
    return 0;
  return b == -1 ? static_cast<int64_t>(-static_cast<uint64_t>(a)) : a / b;
}
int64_t remainderSigned(int64_t a, int64_t b) { return b == 0 || b == -1 ? 0 : a % b; }
int64_t floorDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  return quotient - (b != 0 && remainderSigned(a, b) != 0 && (a < 0) != (b < 0));
}
int64_t ceilDivide(int64_t a, int64_t b) {
  int64_t quotient = divideSigned(a, b);
  return quotient + (b != 0 && remainderSigned(a, b) != 0 && (a < 0) == (b < 0));
}

Scalar realToInteger(Operation *op, Operands v, bool isSigned) {
  unsigned width = resultWidth(op);
  double limit = std::ldexp(1.0, static_cast<int>(width) - (isSigned ? 1 : 0));
  double x = std::trunc(v[0].real);
  // Outside the type the result has no value; programs guard it by a select.
  if (!(x < limit) || !(x >= (isSigned ? -limit : 0)))
    return integerScalar(0);
  int64_t value =
      isSigned ? static_cast<int64_t>(x) : static_cast<int64_t>(static_cast<uint64_t>(x));
  return integerScalar(wrapToWidth(value, width));
}

/// Reinterprets bits: through the bits of the source type into the number of the target's.
Scalar bitcast(Operation *op, Operands v) {
  Type from = elementOf(op->getOperand(0).getType()), to = elementOf(op->getResult(0).getType());
  llvm::APInt bits(widthOf(from), 0);
  if (auto real = dyn_cast<FloatType>(from)) {
    llvm::APFloat number(v[0].real);
    bool lossy = false;
    number.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    bits = number.bitcastToAPInt();
  } else {
    bits = llvm::APInt(widthOf(from), unsignedOf(op, v[0].integer));
  }
  if (auto real = dyn_cast<FloatType>(to))
    return realScalar(llvm::APFloat(real.getFloatSemantics(), bits).convertToDouble());
  return integerScalar(wrapToWidth(static_cast<int64_t>(bits.getZExtValue()), widthOf(to)));
}

double roundHalfAway(double x) { return std::round(x); }
double roundHalfEven(double x) { return std::nearbyint(x); }
double rsqrt(double x) { return 1 / std::sqrt(x); }

Scalar integerPower(Operation *op, Operands v) {
  uint64_t base = static_cast<uint64_t>(v[0].integer), result = 1;
  if (v[1].integer < 0)
    return integerScalar(v[0].integer == 1 || (v[0].integer == -1 && v[1].integer % 2 == 0)
                             ? 1
                             : (v[0].integer == -1 ? -1 : 0));
  for (auto exponent = static_cast<uint64_t>(v[1].integer); exponent; exponent >>= 1) {
    if (exponent & 1)
      result *= base;
    base *= base;
  }
  return integerScalar(wrapToWidth(static_cast<int64_t>(result), resultWidth(op)));
}

void addReals(llvm::StringMap<ScalarFunction> &table) {
  table["arith.addf"] = [](Operation *, Operands v) { return binary(v, std::plus<>()); };
  table["arith.subf"] = [](Operation *, Operands v) { return binary(v, std::minus<>()); };
  table["arith.mulf"] = [](Operation *, Operands v) { return binary(v, std::multiplies<>()); };
  table["arith.divf"] = [](Operation *, Operands v) { return binary(v, std::divides<>()); };
  table["arith.remf"] = [](Operation *, Operands v) {
    return realScalar(std::fmod(v[0].real, v[1].real));
  };
  table["arith.negf"] = [](Operation *, Operands v) { return realScalar(-v[0].real); };
  table["arith.maximumf"] = [](Operation *, Operands v) { return binary(v, maximum); };
  table["arith.minimumf"] = [](Operation *, Operands v) { return binary(v, minimum); };
  table["arith.maxnumf"] = [](Operation *, Operands v) {
    return realScalar(std::fmax(v[0].real, v[1].real));
  };
  table["arith.minnumf"] = [](Operation *, Operands v) {
    return realScalar(std::fmin(v[0].real, v[1].real));
  };
  table["arith.cmpf"] = compareReals;
  table["math.fma"] = [](Operation *, Operands v) {
    return realScalar(std::fma(v[0].real, v[1].real, v[2].real));
  };
  table["math.powf"] = [](Operation *, Operands v) {
    return realScalar(std::pow(v[0].real, v[1].real));
  };
  table["math.fpowi"] = [](Operation *, Operands v) {
    return realScalar(std::pow(v[0].real, static_cast<double>(v[1].integer)));
  };
  table["math.atan2"] = [](Operation *, Operands v) {
    return realScalar(std::atan2(v[0].real, v[1].real));
  };
  table["math.copysign"] = [](Operation *, Operands v) {
    return realScalar(std::copysign(v[0].real, v[1].real));
  };
  table["math.isnan"] = [](Operation *, Operands v) {
    return integerScalar(std::isnan(v[0].real));
  };
  table["math.isinf"] = [](Operation *, Operands v) {
    return integerScalar(std::isinf(v[0].real));
  };
  table["math.isfinite"] = [](Operation *, Operands v) {
    return integerScalar(std::isfinite(v[0].real));
  };
}

void addFunctions(llvm::StringMap<ScalarFunction> &table) {
  table["math.absf"] = unary<std::fabs>;
  table["math.acos"] = unary<std::acos>;
  table["math.acosh"] = unary<std::acosh>;
  table["math.asin"] = unary<std::asin>;
  table["math.asinh"] = unary<std::asinh>;
  table["math.atan"] = unary<std::atan>;
  table["math.atanh"] = unary<std::atanh>;
  table["math.cbrt"] = unary<std::cbrt>;
  table["math.ceil"] = unary<std::ceil>;
  table["math.cos"] = unary<std::cos>;
  table["math.cosh"] = unary<std::cosh>;
  table["math.erf"] = unary<std::erf>;
  table["math.erfc"] = unary<std::erfc>;
  table["math.exp"] = unary<std::exp>;
  table["math.exp2"] = unary<std::exp2>;
  table["math.expm1"] = unary<std::expm1>;
  table["math.floor"] = unary<std::floor>;
  table["math.log"] = unary<std::log>;
  table["math.log10"] = unary<std::log10>;
  table["math.log1p"] = unary<std::log1p>;
  table["math.log2"] = unary<std::log2>;
  table["math.round"] = unary<roundHalfAway>;
  table["math.roundeven"] = unary<roundHalfEven>;
  table["math.rsqrt"] = unary<rsqrt>;
  table["math.sin"] = unary<std::sin>;
  table["math.sinh"] = unary<std::sinh>;
  table["math.sqrt"] = unary<std::sqrt>;
  table["math.tan"] = unary<std::tan>;
  table["math.tanh"] = unary<std::tanh>;
  table["math.trunc"] = unary<std::trunc>;
}

void addIntegers(llvm::StringMap<ScalarFunction> &table) {
  table["arith.addi"] = [](Operation *op, Operands v) { return wrapped(op, v, std::plus<>()); };
  table["arith.subi"] = [](Operation *op, Operands v) { return wrapped(op, v, std::minus<>()); };
  table["arith.muli"] = [](Operation *op, Operands v) {
    return wrapped(op, v, std::multiplies<>());
  };
  table["arith.andi"] = [](Operation *op, Operands v) { return wrapped(op, v, std::bit_and<>()); };
  table["arith.ori"] = [](Operation *op, Operands v) { return wrapped(op, v, std::bit_or<>()); };
  table["arith.xori"] = [](Operation *op, Operands v) { return wrapped(op, v, std::bit_xor<>()); };
  table["arith.divsi"] = [](Operation *op, Operands v) { return asSigned(op, v, divideSigned); };
  table["arith.remsi"] = [](Operation *op, Operands v) { return asSigned(op, v, remainderSigned); };
  table["arith.floordivsi"] = [](Operation *op, Operands v) {
    return asSigned(op, v, floorDivide);
  };
  table["arith.ceildivsi"] = [](Operation *op, Operands v) { return asSigned(op, v, ceilDivide); };
  table["arith.maxsi"] = [](Operation *op, Operands v) {
    return asSigned(op, v, [](int64_t a, int64_t b) { return std::max(a, b); });
  };
  table["arith.minsi"] = [](Operation *op, Operands v) {
    return asSigned(op, v, [](int64_t a, int64_t b) { return std::min(a, b); });
  };
  table["arith.divui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return b ? a / b : 0; });
  };
  table["arith.ceildivui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return b ? a / b + (a % b != 0) : 0; });
  };
  table["arith.remui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return b ? a % b : 0; });
  };
  table["arith.maxui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return std::max(a, b); });
  };
  table["arith.minui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return std::min(a, b); });
  };
  // A shift by the width or more has no value; programs guard it.
  table["arith.shli"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return b < 64 ? a << b : 0; });
  };
  table["arith.shrui"] = [](Operation *op, Operands v) {
    return asUnsigned(op, v, [](uint64_t a, uint64_t b) { return b < 64 ? a >> b : 0; });
  };
  table["arith.shrsi"] = [](Operation *op, Operands v) {
    uint64_t places = unsignedOf(op, v[1].integer);
    return integerScalar(v[0].integer >> std::min<uint64_t>(places, 63));
  };
  table["arith.cmpi"] = compareIntegers;
  table["math.absi"] = [](Operation *op, Operands v) {
    uint64_t a = static_cast<uint64_t>(v[0].integer);
    return integerScalar(
        wrapToWidth(static_cast<int64_t>(v[0].integer < 0 ? -a : a), resultWidth(op)));
  };
  table["math.ipowi"] = integerPower;
  table["math.ctpop"] = [](Operation *op, Operands v) {
    return integerScalar(std::popcount(unsignedOf(op, v[0].integer)));
  };
  table["math.ctlz"] = [](Operation *op, Operands v) {
    return integerScalar(std::countl_zero(unsignedOf(op, v[0].integer)) -
                         (64 - static_cast<int>(operandWidth(op))));
  };
  table["math.cttz"] = [](Operation *op, Operands v) {
    uint64_t value = unsignedOf(op, v[0].integer);
    return integerScalar(value ? std::countr_zero(value) : operandWidth(op));
  };
}

void addConversions(llvm::StringMap<ScalarFunction> &table) {
  auto same = [](Operation *, Operands v) { return v[0]; };
  table["arith.extf"] = same;
  table["arith.truncf"] = [](Operation *op, Operands v) {
    return realScalar(roundToType(v[0].real, elementOf(op->getResult(0).getType())));
  };
  auto signExtended = [](Operation *op, Operands v) {
    int64_t value = operandWidth(op) == 1 ? -v[0].integer : v[0].integer;
    return integerScalar(wrapToWidth(value, resultWidth(op)));
  };
  auto zeroExtended = [](Operation *op, Operands v) {
    return integerScalar(
        wrapToWidth(static_cast<int64_t>(unsignedOf(op, v[0].integer)), resultWidth(op)));
  };
  table["arith.extsi"] = signExtended;
  table["arith.index_cast"] = signExtended;
  table["arith.extui"] = zeroExtended;
  table["arith.index_castui"] = zeroExtended;
  table["arith.trunci"] = [](Operation *op, Operands v) {
    return integerScalar(wrapToWidth(v[0].integer, resultWidth(op)));
  };
  table["arith.sitofp"] = [](Operation *op, Operands v) {
    return realScalar(static_cast<double>(operandWidth(op) == 1 ? -v[0].integer : v[0].integer));
  };
  table["arith.uitofp"] = [](Operation *op, Operands v) {
    return realScalar(static_cast<double>(unsignedOf(op, v[0].integer)));
  };
  table["arith.fptosi"] = [](Operation *op, Operands v) { return realToInteger(op, v, true); };
  table["arith.fptoui"] = [](Operation *op, Operands v) { return realToInteger(op, v, false); };
  table["arith.bitcast"] = bitcast;
  table["arith.select"] = [](Operation *, Operands v) { return v[0].integer ? v[1] : v[2]; };
}

llvm::StringMap<ScalarFunction> makeTable() {
  llvm::StringMap<ScalarFunction> table;
  addReals(table);
  addFunctions(table);
  addIntegers(table);
  addConversions(table);
  return table;
}

} // namespace

ScalarFunction scalarFunctionFor(Operation *op) {
  static const llvm::StringMap<ScalarFunction> table = makeTable();
  return table.lookup(op->getName().getStringRef());
}

Type roundedType(Operation *op) {
  Type type = elementOf(op->getResult(0).getType());
  return isa<FloatType>(type) ? type : Type();
}

Scalar scalarOf(Attribute attribute) {
  if (auto real = dyn_cast<FloatAttr>(attribute)) {
    llvm::APFloat number = real.getValue();
    bool lossy = false;
    number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    return realScalar(number.convertToDouble());
  }
  auto integer = cast<IntegerAttr>(attribute);
  if (integer.getType().isInteger(1))
    return integerScalar(integer.getValue().getZExtValue());
  return integerScalar(integer.getValue().getSExtValue());
}

} // namespace relax::interpreter
