//===- Tensors.h - DLPack tensors as views ----------------------------------------------------===//
#pragma once

#include "runtime/c_api/dlpack.h"
#include "runtime/support/Status.h"
#include "runtime/vm/TensorView.h"

namespace relax::runtime {

DLDataType toDlpack(DType dtype);

/// The tensor's elements where they are. An error if it is not on the CPU, not row-major and
/// contiguous, of a dtype that artifacts don't have, or of more than maxRank dimensions.
Expected<TensorView> viewOf(const DLTensor *tensor);

} // namespace relax::runtime
