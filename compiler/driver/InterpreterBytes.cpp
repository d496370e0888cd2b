#include "compiler/driver/InterpreterBytes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace mlir;
using relax::artifact::DType;

namespace relax::driver {
namespace {

size_t byteSize(Type element) { return std::max<size_t>(1, element.getIntOrFloatBitWidth() / 8); }

uint64_t bitsOf(double value, FloatType type) {
  llvm::APFloat number(value);
  bool lossy = false;
  number.convert(type.getFloatSemantics(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.bitcastToAPInt().getZExtValue();
}

double realOf(uint64_t bits, FloatType type) {
  llvm::APFloat number(type.getFloatSemantics(), llvm::APInt(type.getWidth(), bits));
  bool lossy = false;
  number.convert(llvm::APFloat::IEEEdouble(), llvm::APFloat::rmNearestTiesToEven, &lossy);
  return number.convertToDouble();
}

} // namespace

std::vector<uint8_t> bytesOf(const interpreter::Tensor &tensor, Type element) {
  const size_t size = byteSize(element);
  std::vector<uint8_t> bytes(tensor.elements.size() * size);
  auto real = dyn_cast<FloatType>(element);
  for (size_t i = 0; i != tensor.elements.size(); ++i) {
    uint64_t bits = 0;
    if (element.isF32())
      bits = llvm::bit_cast<uint32_t>(static_cast<float>(tensor.elements[i].real));
    else if (element.isF64())
      bits = llvm::bit_cast<uint64_t>(tensor.elements[i].real);
    else if (real)
      bits = bitsOf(tensor.elements[i].real, real);
    else
      bits = static_cast<uint64_t>(tensor.elements[i].integer);
    std::memcpy(&bytes[i * size], &bits, size); // Little-endian: the low bytes.
  }
  return bytes;
}

interpreter::TensorPointer tensorOf(Type element, std::vector<int64_t> dims,
                                    std::span<const uint8_t> bytes) {
  // The interpreter has uint8 as the signless i8 of its bits.
  if (element.isUnsignedInteger())
    element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  interpreter::TensorPointer tensor = interpreter::makeTensor(element, std::move(dims));
  const size_t size = byteSize(element);
  auto real = dyn_cast<FloatType>(element);
  for (size_t i = 0; i != tensor->elements.size(); ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, &bytes[i * size], size);
    interpreter::Scalar &to = tensor->elements[i];
    if (element.isF32())
      to = interpreter::realScalar(llvm::bit_cast<float>(static_cast<uint32_t>(bits)));
    else if (element.isF64())
      to = interpreter::realScalar(llvm::bit_cast<double>(bits));
    else if (real)
      to = interpreter::realScalar(realOf(bits, real));
    else if (element.isInteger(1))
      to = interpreter::integerScalar(bits != 0);
    else
      to = interpreter::integerScalar(
          interpreter::wrapToWidth(static_cast<int64_t>(bits), element.getIntOrFloatBitWidth()));
  }
  return tensor;
}

std::optional<DType> runtimeType(Type element) {
  if (element.isF64())
    return DType::F64;
  if (element.isF32())
    return DType::F32;
  if (element.isF16())
    return DType::F16;
  if (element.isBF16())
    return DType::BF16;
  if (element.isUnsignedInteger(8))
    return DType::U8;
  if (element.isInteger(1))
    return DType::Bool;
  if (element.isInteger(8))
    return DType::I8;
  if (element.isInteger(16))
    return DType::I16;
  if (element.isInteger(32))
    return DType::I32;
  if (element.isInteger(64))
    return DType::I64;
  return std::nullopt;
}

} // namespace relax::driver
