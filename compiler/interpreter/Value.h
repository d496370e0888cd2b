//===- Value.h - what the interpreter computes with -------------------------------------------===//
//
// Floating-point elements of every type are held as float64, integers as int64: sign-extended from
// their width, bool as 0 or 1, uint8 as the signless i8 of its bits. So a value says nothing of the
// rounding that compiled code would do; what a program rounds on purpose (arith.truncf) is rounded.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Value.h"

#include <cstdint>
#include <memory>
#include <string>
#include <variant>
#include <vector>

namespace relax::interpreter {

/// One number: `real` of a floating-point type, `integer` of any other.
union Scalar {
  double real;
  int64_t integer;
};
inline Scalar realScalar(double value) { return Scalar{.real = value}; }
inline Scalar integerScalar(int64_t value) { return Scalar{.integer = value}; }

/// Row-major and contiguous.
struct Tensor {
  mlir::Type element;
  std::vector<int64_t> dims;
  std::vector<Scalar> elements;
  /// For packed weights, whose layout is the kernels' own affair: the stored bytes they were packed
  /// from, which is what the interpreter multiplies by.
  std::shared_ptr<const Tensor> packedFrom;
  /// The bytes that compiled code has in this place, for those who run kernels beside the
  /// interpreter (driver/VerifyKernels.h).
  std::shared_ptr<const std::vector<uint8_t>> compiled;

  [[nodiscard]] bool isReal() const { return mlir::isa<mlir::FloatType>(element); }
};
using TensorPointer = std::shared_ptr<Tensor>;

/// The number of elements; -1 if a dimension is negative or the product does not fit.
int64_t elementCount(llvm::ArrayRef<int64_t> dims);
/// Zeros.
TensorPointer makeTensor(mlir::Type element, std::vector<int64_t> dims);

struct Value;
struct Shape {
  std::vector<int64_t> dims;
};
struct Tuple {
  std::shared_ptr<std::vector<Value>> fields;
};
/// A graph function, by name.
struct Function {
  std::string name;
};

/// Nothing, a number, a tensor, a shape, a tuple or a function.
struct Value {
  std::variant<std::monostate, Scalar, TensorPointer, Shape, Tuple, Function> data;

  Value() = default;
  Value(Scalar scalar) : data(scalar) {}
  Value(TensorPointer tensor) : data(std::move(tensor)) {}
  Value(Shape shape) : data(std::move(shape)) {}
  Value(Tuple tuple) : data(std::move(tuple)) {}
  Value(Function function) : data(std::move(function)) {}

  [[nodiscard]] const TensorPointer &tensor() const { return std::get<TensorPointer>(data); }
  [[nodiscard]] Scalar scalar() const { return std::get<Scalar>(data); }
  [[nodiscard]] bool isTensor() const { return std::holds_alternative<TensorPointer>(data); }
};

/// `value` as an integer of `width` bits: the low bits, sign-extended; 0 or 1 for one bit.
int64_t wrapToWidth(int64_t value, unsigned width);
/// The nearest number of floating-point type `type`, half to even.
double roundToType(double value, mlir::Type type);

/// What happens to the results of ops (what a program rounds on purpose is rounded to nearest).
enum class Rounding {
  None,    ///< They stay float64.
  Nearest, ///< To the nearest number of their type, as compiled code may.
  /// To the other neighbour where their type doesn't hold them, as other code may; float64, which
  /// has no more digits to look at, to 45 bits. What the language leaves open besides, such as
  /// whether values that count 0 times are read, is done the other way, too.
  Farther,
  /// This and all that follow, mix(0), mix(1), …: to nearest or farther, by the digits of the
  /// number, of each two the second one the other way round than the first. float64 moves as far as
  /// with Farther, down or up.
  FirstMix,
};
constexpr Rounding mix(int number) { return Rounding(int(Rounding::FirstMix) + number); }
/// A result of floating-point type `type`, rounded.
double roundResult(double value, mlir::Type type, Rounding rounding);

/// Element `index` of an array in memory, as the runtime has it: bool in a byte, the others in
/// their own width.
Scalar readElement(const void *data, size_t index, mlir::Type element);
/// Writes it there, rounded to the nearest of its type.
void writeElement(Scalar value, void *data, size_t index, mlir::Type element);

} // namespace relax::interpreter
