#include "compiler/driver/InterpreterBytes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using relax::artifact::DType;

namespace relax::driver {

std::vector<uint8_t> bytesOf(const interpreter::Tensor &tensor, Type element) {
  const size_t width = (element.getIntOrFloatBitWidth() + 7) / 8;
  std::vector<uint8_t> bytes(tensor.elements.size() * width);
  for (size_t i = 0; i != tensor.elements.size(); ++i)
    interpreter::writeElement(tensor.elements[i], bytes.data(), i, element);
  return bytes;
}

interpreter::TensorPointer tensorOf(Type element, std::vector<int64_t> dims,
                                    std::span<const uint8_t> bytes) {
  // The interpreter has uint8 as the signless i8 of its bits.
  if (element.isUnsignedInteger())
    element = IntegerType::get(element.getContext(), element.getIntOrFloatBitWidth());
  interpreter::TensorPointer tensor = interpreter::makeTensor(element, std::move(dims));
  for (size_t i = 0; i != tensor->elements.size(); ++i)
    tensor->elements[i] = interpreter::readElement(bytes.data(), i, element);
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
