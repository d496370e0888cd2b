//===- TensorView.h - a tensor that somebody else owns ----------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include <cstdint>
#include <span>

namespace relax::runtime {

using artifact::DType;

/// Row-major, contiguous elements at `data`, which is aligned for them. `data` may be null if there
/// are no elements; for a result that shares an argument's storage null means "wherever that is".
struct TensorView {
  void *data = nullptr;
  DType dtype = DType::F32;
  std::span<const int64_t> dims;
};

} // namespace relax::runtime
