//===- Scalars.h - arithmetic on the elements inside a tensor program's body ------------------===//
//
// Programs say what they compute once for every element type: `s.add(x, y)` is arith.addf on
// floating-point numbers and arith.addi on integers, `s.less(x, y)` knows of unsigned ones. Inside
// programs integers are signless, so whoever makes a Scalars says whether they count as unsigned.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace relax::kernels {

class Scalars {
public:
  Scalars(mlir::OpBuilder &b, mlir::Location loc, bool isUnsigned = false)
      : b(b), loc(loc), isUnsigned(isUnsigned) {}

  /// An op whose results have the type of its operands: s.call<math::SqrtOp>(x).
  template <typename Op, typename... Operands> mlir::Value call(Operands... operands) const {
    return Op::create(b, loc, operands...);
  }

  static bool isFloat(mlir::Value x) { return mlir::isa<mlir::FloatType>(x.getType()); }
  static unsigned width(mlir::Value x) { return x.getType().getIntOrFloatBitWidth(); }

  /// `value` in a type: rounded for a float; for an integer its bits.
  mlir::Value number(mlir::Type type, double value) const;
  mlir::Value integer(mlir::Type type, const llvm::APInt &value) const;
  mlir::Value integer(mlir::Type type, int64_t value) const;
  mlir::Value like(mlir::Value x, double value) const { return number(x.getType(), value); }

  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value div(mlir::Value x, mlir::Value y) const; ///< Of floats.
  mlir::Value neg(mlir::Value x) const;
  mlir::Value abs(mlir::Value x) const;
  mlir::Value max(mlir::Value x, mlir::Value y) const; ///< NaN if either is.
  mlir::Value min(mlir::Value x, mlir::Value y) const; ///< NaN if either is.

  /// Comparisons are false with NaN, except notEqual.
  mlir::Value equal(mlir::Value x, mlir::Value y) const;
  mlir::Value notEqual(mlir::Value x, mlir::Value y) const;
  mlir::Value less(mlir::Value x, mlir::Value y) const;
  mlir::Value lessEqual(mlir::Value x, mlir::Value y) const;
  mlir::Value isNan(mlir::Value x) const;
  mlir::Value isZero(mlir::Value x) const { return equal(x, like(x, 0)); }
  mlir::Value isNegative(mlir::Value x) const { return less(x, like(x, 0)); }

  mlir::Value both(mlir::Value x, mlir::Value y) const;
  mlir::Value either(mlir::Value x, mlir::Value y) const;
  mlir::Value exclusive(mlir::Value x, mlir::Value y) const;
  mlir::Value negation(mlir::Value x) const; ///< Of every bit.
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const;

  mlir::Value shiftLeft(mlir::Value x, int64_t bits) const;
  mlir::Value shiftRight(mlir::Value x, int64_t bits) const; ///< Logical.
  mlir::Value bitcast(mlir::Type type, mlir::Value x) const;

  /// x in another element type, as relax.cast says. `fromUnsigned` and `toUnsigned` tell of the
  /// integers on either side.
  mlir::Value convert(mlir::Type to, mlir::Value x, bool fromUnsigned = false,
                      bool toUnsigned = false) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
  bool isUnsigned;

private:
  mlir::Value compare(mlir::arith::CmpFPredicate floats, mlir::arith::CmpIPredicate signedIntegers,
                      mlir::arith::CmpIPredicate unsignedIntegers, mlir::Value x,
                      mlir::Value y) const;
  mlir::Value convertFloat(mlir::FloatType to, mlir::Value x) const;
  mlir::Value floatToInteger(mlir::Type to, mlir::Value x, bool toUnsigned) const;
  mlir::Value integerToFloat(mlir::FloatType to, mlir::Value x, bool fromUnsigned) const;
  mlir::Value roundToOdd(mlir::Value x) const;
};

/// float16 and bfloat16, which are computed in float32.
inline bool isNarrowFloat(mlir::Type type) { return type.isF16() || type.isBF16(); }

} // namespace relax::kernels
