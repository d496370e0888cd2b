//===- KernelKind.h - what a tensor program does, as fusion sees it ---------------------------===//
//
// The kinds, from the most to the least fusible; a program's kind is that of its least fusible
// part:
//
//   elementwise     each element of the result from the elements at the same place: add, silu
//   broadcast       the same, and operands that lack dimensions of the result: a bias
//   injective       each element of the result from one element of each operand: permute, take,
//                   dequantize
//   reduction       sums, maxima along dimensions: softmax, rms_norm
//   output-fusible  contractions: sums of products; what is done to their results can be done
//   before
//                   they are stored
//   opaque          anything else
//
// Kinds are derived from the program itself: from its indexing maps, iterators and bodies, and of
// programs that are written as loops from their accesses (LoopNest.h). No operator has a hand-given
// kind, and a user's program is treated like ours.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <optional>

namespace relax::transforms {

enum class KernelKind { Elementwise, Broadcast, Injective, Reduction, OutputFusible, Opaque };

/// "elementwise", "output-fusible", …: the value of the attribute `relax.kind`.
llvm::StringRef kindName(KernelKind kind);
std::optional<KernelKind> parseKind(llvm::StringRef name);

/// Derives the kind of a tensor program.
KernelKind classify(mlir::func::FuncOp program);

/// Whether the program reads argument `index` only at the place of the element that it computes, so
/// that the argument's producer can hand over its elements one by one.
bool readsElementwise(mlir::func::FuncOp program, unsigned index);

} // namespace relax::transforms
