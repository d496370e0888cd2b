#include "compiler/interpreter/Value.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/bit.h"

#include <cstring>

using namespace mlir;

namespace relax::interpreter {

int64_t elementCount(ArrayRef<int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    if (dim == 0)
      count = 0;
  for (int64_t dim : dims)
    if (dim < 0 || __builtin_mul_overflow(count, dim, &count))
      return -1;
  return count;
}

TensorPointer makeTensor(Type element, std::vector<int64_t> dims) {
  auto tensor = std::make_shared<Tensor>();
  tensor->element = element;
  tensor->elements.resize(static_cast<size_t>(elementCount(dims)), integerScalar(0));
  tensor->dims = std::move(dims);
  return tensor;
}

int64_t wrapToWidth(int64_t value, unsigned width) {
  if (width >= 64)
    return value;
  if (width == 1)
    return value & 1;
  unsigned shift = 64 - width;
  return static_cast<int64_t>(static_cast<uint64_t>(value) << shift) >> shift;
}

double roundToType(double value, Type type) {
  if (type.isF64())
    return value;
  if (type.isF32())
    return static_cast<double>(static_cast<float>(value));
  llvm::APFloat number(value);
  bool lossy = false;
  number.convert(cast<FloatType>(type).getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven,
                 &lossy);
  return number.convertToDouble();
}

namespace {

/// The neighbour of `value` in type `type` that is not the nearest; `value` if it is of the type.
double fartherNeighbour(double value, Type type) {
  if (!std::isfinite(value))
    return value;
  // float64 as the nearest number of 45 bits: a product with 2^8 + 1 splits it (Veltkamp).
  if (type.isF64()) {
    double product = value * 257;
    return std::isfinite(product) ? product - (product - value) : value;
  }
  const double nearest = roundToType(value, type);
  if (nearest == value)
    return value;
  llvm::APFloat number(value);
  bool lossy = false;
  number.convert(
      cast<FloatType>(type).getFloatSemantics(),
      nearest < value ? llvm::APFloat::rmTowardPositive : llvm::APFloat::rmTowardNegative, &lossy);
  double other = number.convertToDouble();
  return std::isfinite(other) ? other : nearest;
}

} // namespace

double roundResult(double value, Type type, Rounding rounding) {
  if (rounding == Rounding::None)
    return value;
  if (rounding == Rounding::Nearest)
    return roundToType(value, type);
  const double farther = fartherNeighbour(value, type);
  if (rounding == Rounding::Farther)
    return farther;
  const auto number = static_cast<uint64_t>(rounding) - static_cast<uint64_t>(Rounding::FirstMix);
  // The highest bit of a product depends on all digits, and for each odd factor in another way.
  const uint64_t factor = 0x9E3779B97F4A7C15u * (2 * (number / 2) + 1);
  if ((llvm::bit_cast<uint64_t>(value) * factor >> 63) == number % 2)
    return farther;
  return type.isF64() && std::isfinite(value) ? value - (farther - value)
                                              : roundToType(value, type);
}

Scalar readElement(const void *data, size_t index, Type element) {
  const unsigned width = element.getIntOrFloatBitWidth();
  const size_t bytes = (width + 7) / 8;
  uint64_t bits = 0;
  std::memcpy(&bits, static_cast<const char *>(data) + index * bytes, bytes);
  if (element.isF32())
    return realScalar(llvm::bit_cast<float>(static_cast<uint32_t>(bits)));
  if (element.isF64())
    return realScalar(llvm::bit_cast<double>(bits));
  if (auto real = dyn_cast<FloatType>(element))
    return realScalar(
        llvm::APFloat(real.getFloatSemantics(), llvm::APInt(width, bits)).convertToDouble());
  if (width == 1)
    return integerScalar(bits != 0);
  return integerScalar(wrapToWidth(static_cast<int64_t>(bits), width));
}

void writeElement(Scalar value, void *data, size_t index, Type element) {
  const size_t bytes = (element.getIntOrFloatBitWidth() + 7) / 8;
  uint64_t bits = 0;
  if (element.isF32()) {
    bits = llvm::bit_cast<uint32_t>(static_cast<float>(value.real));
  } else if (element.isF64()) {
    bits = llvm::bit_cast<uint64_t>(value.real);
  } else if (auto real = dyn_cast<FloatType>(element)) {
    llvm::APFloat number(value.real);
    bool lossy = false;
    number.convert(real.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
    bits = number.bitcastToAPInt().getZExtValue();
  } else {
    bits = static_cast<uint64_t>(value.integer);
  }
  std::memcpy(static_cast<char *>(data) + index * bytes, &bits, bytes); // The low bytes.
}

} // namespace relax::interpreter
