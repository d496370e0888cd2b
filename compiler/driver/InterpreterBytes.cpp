#include "compiler/driver/InterpreterBytes.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;

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

} // namespace relax::driver
