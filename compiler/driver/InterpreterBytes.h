//===- InterpreterBytes.h - the interpreter's tensors as compiled code has them ---------------===//
#pragma once

#include "compiler/interpreter/Value.h"
#include "runtime/artifact/Artifact.h"

#include <cstdint>
#include <span>
#include <vector>

namespace relax::driver {

/// Row-major elements of `element`, each rounded to it. bool takes a byte.
std::vector<uint8_t> bytesOf(const interpreter::Tensor &tensor, mlir::Type element);

/// The tensor that such bytes are.
interpreter::TensorPointer tensorOf(mlir::Type element, std::vector<int64_t> dims,
                                    std::span<const uint8_t> bytes);

/// The runtime's name for an element type of tensors; nothing for one that it doesn't have.
std::optional<artifact::DType> runtimeType(mlir::Type element);

} // namespace relax::driver
