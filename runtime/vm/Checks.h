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

/// A symbol is in its range and divisible.
Status checkSymbol(const artifact::Function &function, const artifact::Symbol &symbol,
                   int64_t value);

/// A guard that looks at shapes only; any other holds.
Status checkShapeGuard(const artifact::Function &function, const artifact::Guard &guard,
                       std::span<const int64_t> values);
/// All of them.
Status checkShapeGuards(const artifact::Function &function, std::span<const int64_t> values);

/// A guard that reads elements of one tensor, or of two.
Status checkDataGuard(const artifact::Function &function, const artifact::Guard &guard,
                      const TensorView &first, const TensorView &second,
                      std::span<const int64_t> values);
/// All of them.
Status checkDataGuards(const artifact::Function &function, std::span<const TensorView> arguments,
                       std::span<const int64_t> values);

/// Element `index` of an array of an integer or bool dtype.
int64_t integerAt(DType dtype, const void *data, int64_t index);

/// Every one of `count` elements at `data`, of an integer dtype, is at least `lo` and less than
/// `hi`. The message begins with the guard's text and names the first element that isn't.
Status checkElements(const artifact::Guard &guard, DType dtype, const void *data, int64_t count,
                     int64_t lo, int64_t hi);

/// The error of a View or TensorToShape, with what must hold and where, from its guard.
Status shapeError(const artifact::Function &function, const artifact::Instruction &instruction,
                  const std::string &message);

/// The error for slot `slot`, which has no value.
Status slotError(const artifact::Function &function, size_t slot, std::span<const int64_t> values);

/// Elements are there, and aligned for their type; `bytes` is the tensor's size.
Status checkStorage(const TensorView &view, uint64_t bytes);

} // namespace relax::runtime
