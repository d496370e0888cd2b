// Element by element: arithmetic, activations, conversions.

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels {
namespace {

template <typename FloatOp, typename IntegerOp>
Value floatOrInteger(OpBuilder &b, Location loc, Value x, Value y) {
  if (isa<FloatType>(x.getType()))
    return FloatOp::create(b, loc, x, y);
  return IntegerOp::create(b, loc, x, y);
}

/// 1 / (1 + e^-x).
Value sigmoid(const ProgramBuilder &program, OpBuilder &b, Location loc, Value x) {
  Value one = program.constant(b, x.getType(), 1);
  Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, x));
  return arith::DivFOp::create(b, loc, one, arith::AddFOp::create(b, loc, one, power));
}

/// 0.5 x (1 + tanh(sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, 2016).
Value gelu(const ProgramBuilder &program, OpBuilder &b, Location loc, Value x) {
  auto times = [&](Value a, Value c) -> Value { return arith::MulFOp::create(b, loc, a, c); };
  auto plus = [&](Value a, Value c) -> Value { return arith::AddFOp::create(b, loc, a, c); };
  Type type = x.getType();
  Value cube = times(times(x, x), x);
  Value inner = times(program.constant(b, type, std::sqrt(2 / M_PI)),
                      plus(x, times(program.constant(b, type, 0.044715), cube)));
  Value tanh = math::TanhOp::create(b, loc, inner);
  return times(times(program.constant(b, type, 0.5), x), plus(program.constant(b, type, 1), tanh));
}

Value compute(const ProgramBuilder &program, OpBuilder &b, Location loc, ValueRange v) {
  Operation *op = program.op;
  if (isa<ir::AddOp>(op))
    return floatOrInteger<arith::AddFOp, arith::AddIOp>(b, loc, v[0], v[1]);
  if (isa<ir::SubtractOp>(op))
    return floatOrInteger<arith::SubFOp, arith::SubIOp>(b, loc, v[0], v[1]);
  if (isa<ir::MultiplyOp>(op))
    return floatOrInteger<arith::MulFOp, arith::MulIOp>(b, loc, v[0], v[1]);
  if (isa<ir::DivideOp>(op))
    return arith::DivFOp::create(b, loc, v[0], v[1]);
  if (isa<ir::MaximumOp>(op))
    return floatOrInteger<arith::MaximumFOp, arith::MaxSIOp>(b, loc, v[0], v[1]);
  if (isa<ir::MinimumOp>(op))
    return floatOrInteger<arith::MinimumFOp, arith::MinSIOp>(b, loc, v[0], v[1]);
  if (isa<ir::NegateOp>(op))
    return arith::NegFOp::create(b, loc, v[0]);
  if (isa<ir::ExpOp>(op))
    return math::ExpOp::create(b, loc, v[0]);
  if (isa<ir::SqrtOp>(op))
    return math::SqrtOp::create(b, loc, v[0]);
  if (isa<ir::RsqrtOp>(op))
    return arith::DivFOp::create(b, loc, program.constant(b, v[0].getType(), 1),
                                 math::SqrtOp::create(b, loc, v[0]));
  if (isa<ir::ReluOp>(op))
    return arith::MaximumFOp::create(b, loc, v[0], program.constant(b, v[0].getType(), 0));
  if (isa<ir::SigmoidOp>(op))
    return sigmoid(program, b, loc, v[0]);
  if (isa<ir::TanhOp>(op))
    return math::TanhOp::create(b, loc, v[0]);
  if (isa<ir::SiluOp>(op)) {
    // x / (1 + e^-x): no product of infinity and zero.
    Value one = program.constant(b, v[0].getType(), 1);
    Value power = math::ExpOp::create(b, loc, arith::NegFOp::create(b, loc, v[0]));
    return arith::DivFOp::create(b, loc, v[0], arith::AddFOp::create(b, loc, one, power));
  }
  return gelu(program, b, loc, v[0]);
}

/// 16-bit floats are computed in 32 bits and rounded once at the end.
bool isNarrowFloat(Type type) { return type.isF16() || type.isBF16(); }

Value convertFloat(OpBuilder &b, Location loc, FloatType from, FloatType to, Value x) {
  if (from == to)
    return x;
  if (from.getWidth() < to.getWidth())
    return arith::ExtFOp::create(b, loc, to, x);
  if (from.getWidth() > to.getWidth())
    return arith::TruncFOp::create(b, loc, to, x);
  Value wide = arith::ExtFOp::create(b, loc, b.getF32Type(), x);
  return arith::TruncFOp::create(b, loc, to, wide);
}

/// Towards zero, saturating; NaN becomes 0.
Value floatToInteger(const ProgramBuilder &program, OpBuilder &b, Location loc, Value x,
                     IntegerType to) {
  Type wide = b.getF64Type();
  if (!x.getType().isF64())
    x = arith::ExtFOp::create(b, loc, wide, x);
  if (to.getWidth() == 1)
    return arith::CmpFOp::create(b, loc, arith::CmpFPredicate::UNE, x,
                                 program.constant(b, wide, 0));
  bool isUnsigned = to.isUnsigned();
  double limit = std::ldexp(1.0, static_cast<int>(to.getWidth()) - (isUnsigned ? 0 : 1));
  double lowest = isUnsigned ? 0 : -limit;
  auto compare = [&](arith::CmpFPredicate predicate, Value a, Value c) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, a, c);
  };
  auto select = [&](Value condition, Value a, Value c) -> Value {
    return arith::SelectOp::create(b, loc, condition, a, c);
  };
  auto integer = [&](const llvm::APInt &value) -> Value {
    return arith::ConstantOp::create(b, loc, b.getIntegerAttr(to, value));
  };
  Value low = program.constant(b, wide, lowest), high = program.constant(b, wide, limit);
  Value inside = b.createOrFold<arith::AndIOp>(loc, compare(arith::CmpFPredicate::OGE, x, low),
                                               compare(arith::CmpFPredicate::OLT, x, high));
  Value safe = select(inside, x, program.constant(b, wide, 0));
  Value result = isUnsigned ? Value(arith::FPToUIOp::create(b, loc, to, safe))
                            : Value(arith::FPToSIOp::create(b, loc, to, safe));
  unsigned width = to.getWidth();
  Value most =
      integer(isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width));
  Value least =
      integer(isUnsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width));
  result = select(compare(arith::CmpFPredicate::OGE, x, high), most, result);
  return select(compare(arith::CmpFPredicate::OLT, x, low), least, result);
}

Value convertInteger(OpBuilder &b, Location loc, IntegerType from, IntegerType to, Value x) {
  if (from.getWidth() == to.getWidth())
    return x;
  if (from.getWidth() > to.getWidth())
    return arith::TruncIOp::create(b, loc, to, x);
  if (from.getWidth() == 1 || from.isUnsigned())
    return arith::ExtUIOp::create(b, loc, to, x);
  return arith::ExtSIOp::create(b, loc, to, x);
}

} // namespace

static SmallVector<Value> buildElementwise(ProgramBuilder &program) {
  return {program.pointwise(program.types[0], program.inputs,
                            [&](OpBuilder &b, Location loc, ValueRange arguments) {
                              Type element = program.types[0].getElementType();
                              SmallVector<Value> operands(arguments.drop_back());
                              if (!isNarrowFloat(element))
                                return compute(program, b, loc, operands);
                              for (Value &operand : operands)
                                operand = arith::ExtFOp::create(b, loc, b.getF32Type(), operand);
                              Value result = compute(program, b, loc, operands);
                              return Value(arith::TruncFOp::create(b, loc, element, result));
                            })};
}

static SmallVector<Value> buildCast(ProgramBuilder &program) {
  Type from = program.inputType(0).getElementType(), to = program.types[0].getElementType();
  return {program.pointwise(
      program.types[0], program.inputs, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        auto fromFloat = dyn_cast<FloatType>(from), toFloat = dyn_cast<FloatType>(to);
        if (fromFloat && toFloat)
          return convertFloat(b, loc, fromFloat, toFloat, v[0]);
        if (fromFloat)
          return floatToInteger(program, b, loc, v[0], cast<IntegerType>(to));
        auto fromInteger = cast<IntegerType>(from);
        if (!toFloat)
          return convertInteger(b, loc, fromInteger, cast<IntegerType>(to), v[0]);
        if (fromInteger.getWidth() == 1 || fromInteger.isUnsigned())
          return arith::UIToFPOp::create(b, loc, to, v[0]);
        return arith::SIToFPOp::create(b, loc, to, v[0]);
      })};
}

ArrayRef<ProgramEntry> elementwisePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.add", buildElementwise},      {"relax.subtract", buildElementwise},
      {"relax.multiply", buildElementwise}, {"relax.divide", buildElementwise},
      {"relax.maximum", buildElementwise},  {"relax.minimum", buildElementwise},
      {"relax.negate", buildElementwise},   {"relax.exp", buildElementwise},
      {"relax.sqrt", buildElementwise},     {"relax.rsqrt", buildElementwise},
      {"relax.relu", buildElementwise},     {"relax.sigmoid", buildElementwise},
      {"relax.tanh", buildElementwise},     {"relax.silu", buildElementwise},
      {"relax.gelu", buildElementwise},     {"relax.cast", buildCast},
  };
  return entries;
}

} // namespace relax::kernels
