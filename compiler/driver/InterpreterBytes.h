//===- InterpreterBytes.h - the interpreter's tensors as compiled code has them ---------------===//
#pragma once

#include "compiler/interpreter/Value.h"

#include <cstdint>
#include <span>
#include <vector>

namespace relax::driver {

/// Row-major elements of `element`, each rounded to it. bool takes a byte.
std::vector<uint8_t> bytesOf(const interpreter::Tensor &tensor, mlir::Type element);

/// The tensor that such bytes are.
interpreter::TensorPointer tensorOf(mlir::Type element, std::vector<int64_t> dims,
                                    std::span<const uint8_t> bytes);

} // namespace relax::driver
