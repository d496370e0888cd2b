//===- Checks.h - does a call's arguments fit the signature -----------------------------------===//
//
// Messages say which argument and dimension, what was found, the expression that was expected with
// its value and the values of its symbols, and where it was written. They don't name the function;
// the caller puts that before.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/vm/TensorView.h"

#include <cstdint>
#include <span>
#include <string>

namespace relax::runtime {

/// `argument 1 "positions"`, `result 0 "logits"`.
std::string argumentText(const artifact::Function &function, size_t parameter);
std::string resultText(const artifact::Function &function, size_t result);

/// Rank, dtype, and no negative dimension.
Status checkKind(const artifact::TensorType &type, const TensorView &view);

/// Symbols are in their ranges and divisible, and each dimension of `arguments` is the value of its
/// slot; of those whose slots are among the first `known`.
Status checkDimensions(const artifact::Function &function, std::span<const TensorView> arguments,
                       std::span<const int64_t> values, size_t known);

/// The guards that look at shapes only.
Status checkShapeGuards(const artifact::Function &function, std::span<const int64_t> values);

/// The guards that read elements.
Status checkDataGuards(const artifact::Function &function, std::span<const TensorView> arguments,
                       std::span<const int64_t> values);

/// The error for slot `slot`, which has no value.
Status slotError(const artifact::Function &function, size_t slot, std::span<const int64_t> values);

/// Elements are there, and aligned for their type; `bytes` is the tensor's size.
Status checkStorage(const TensorView &view, uint64_t bytes);

} // namespace relax::runtime
