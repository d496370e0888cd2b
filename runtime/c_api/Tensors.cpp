//===- Tensors.cpp ----------------------------------------------------------------------------===//
#include "runtime/c_api/Tensors.h"

#include "runtime/support/Text.h"

#include <algorithm>
#include <optional>

namespace relax::runtime {
namespace {

Status invalid(std::string message) {
  return Status(StatusCode::InvalidArgument, std::move(message));
}

std::optional<DType> fromDlpack(DLDataType type) {
  for (uint8_t i = 0; i != artifact::numDTypes; ++i) {
    DLDataType candidate = toDlpack(static_cast<DType>(i));
    if (candidate.code == type.code && candidate.bits == type.bits && type.lanes == 1)
      return static_cast<DType>(i);
  }
  return std::nullopt;
}

/// Strides of dimensions with one element mean nothing, nor do any of an empty tensor.
Status checkStrides(const DLTensor &tensor) {
  if (!tensor.strides)
    return {};
  for (int32_t i = 0; i != tensor.ndim; ++i)
    if (tensor.shape[i] == 0)
      return {};
  int64_t expected = 1;
  for (int32_t i = tensor.ndim; i-- != 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != expected)
      return invalid(text("dimension ", i, ": found stride ", tensor.strides[i], ", expected ",
                          expected, ": tensors must be row-major and contiguous"));
    if (__builtin_mul_overflow(expected, tensor.shape[i], &expected))
      return invalid("its size does not fit 64 bits");
  }
  return {};
}

} // namespace

DLDataType toDlpack(DType dtype) {
  auto bits = static_cast<uint8_t>(artifact::byteSize(dtype) * 8);
  switch (dtype) {
  case DType::F32:
  case DType::F16:
  case DType::F64:
    return {kDLFloat, bits, 1};
  case DType::BF16:
    return {kDLBfloat, bits, 1};
  case DType::U8:
    return {kDLUInt, bits, 1};
  case DType::Bool:
    return {kDLBool, bits, 1};
  case DType::I8:
  case DType::I16:
  case DType::I32:
  case DType::I64:
    break;
  }
  return {kDLInt, bits, 1};
}

Expected<TensorView> viewOf(const DLTensor *tensor) {
  if (!tensor)
    return invalid("found a null pointer, expected a tensor");
  if (tensor->device.device_type != kDLCPU && tensor->device.device_type != kDLCUDAHost)
    return Status(StatusCode::Unsupported,
                  text("found a tensor on device type ",
                       static_cast<int>(tensor->device.device_type), ", expected the CPU (1)"));
  std::optional<DType> dtype = fromDlpack(tensor->dtype);
  if (!dtype)
    return invalid(text("found elements of DLPack type code ", tensor->dtype.code, " with ",
                        tensor->dtype.bits, " bits and ", tensor->dtype.lanes, " lanes"));
  if (tensor->ndim < 0 || tensor->ndim > static_cast<int32_t>(artifact::maxRank) ||
      (tensor->ndim > 0 && !tensor->shape))
    return invalid(text("found ", tensor->ndim, " dimensions",
                        tensor->shape ? "" : " without shape", "; expected 0 to ",
                        artifact::maxRank));
  RELAX_RETURN_IF_ERROR(checkStrides(*tensor));
  char *data = static_cast<char *>(tensor->data);
  return TensorView{data ? data + tensor->byte_offset : nullptr, *dtype,
                    std::span<const int64_t>(tensor->shape, static_cast<size_t>(tensor->ndim))};
}

} // namespace relax::runtime
