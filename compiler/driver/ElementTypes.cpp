#include "compiler/driver/ElementTypes.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Diagnostics.h"

using namespace mlir;
using relax::artifact::DType;

namespace relax::driver {

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

FailureOr<DType> dtypeOf(Type type, Location loc) {
  if (std::optional<DType> dtype = runtimeType(type))
    return *dtype;
  return emitError(loc, "tensors of ") << type << " can't be stored in an artifact";
}

} // namespace relax::driver
