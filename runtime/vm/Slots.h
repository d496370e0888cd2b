//===- Slots.h - the values that depend on shapes ---------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace relax::runtime {

using artifact::Slot;

/// Computes slots in order. `dims` holds the dimensions of all arguments, one argument after the
/// other; `firstDim[p]` is where those of argument p begin. Returns how many slots got a value:
/// all, or the number of the one that overflowed or divided by less than 1.
size_t evaluateSlots(const artifact::Function &function, std::span<const int64_t> dims,
                     std::span<const uint32_t> firstDim, std::span<int64_t> values);

/// What a call of a kernel computes or moves, with such numbers: the value of `slot`, one of
/// kernel.flops and kernel.bytes. None where the artifact doesn't say, or it doesn't fit 64 bits.
std::optional<int64_t> kernelCost(const artifact::Kernel &kernel, Slot slot,
                                  std::span<const int64_t> numbers);

/// The value of an operation on two slots; false on overflow or a division by less than 1.
bool applySlot(artifact::SlotOp::Kind kind, int64_t a, int64_t b, int64_t &out);

/// "dimension 1" for a Dimension slot; "element 1" if its argument is a shape.
std::string dimensionText(const artifact::Function &function, const artifact::SlotOp &op);

/// The expression of a slot in terms of symbols, as it is written in the IR: "2 * n + 1". A slot
/// that is a symbol's is its name; a dimension without a symbol is "dim(argument, axis)", what is
/// read from register 3 "dim(%3, axis)" or "%3[index]"; what is nested too deep is "…".
std::string slotText(const artifact::Function &function, Slot slot);

/// The expression with its value: "m + 1 = 5"; just "5" for a constant.
std::string valueText(const artifact::Function &function, Slot slot,
                      std::span<const int64_t> values);

/// Where the symbols of a slot come from, for the end of a message:
/// `, where n = 4 is dimension 0 of "x"`, or nothing if it has none.
std::string symbolsText(const artifact::Function &function, std::span<const Slot> slots,
                        std::span<const int64_t> values);

} // namespace relax::runtime
