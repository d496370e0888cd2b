//===- FusionGroups.h - which calls of a block become one -------------------------------------===//
//
// Groups grow from the last call upwards: a call takes in what computes its operands, with what
// that has taken in before, as long as FusionRules.h allows it. A group stands where its last call
// stands, so
//
//   - nothing outside may read a result of the group before that place, other than views and
//     tuples, which move behind it: then no path leads out of the group and back in
//   - between a call and that place nothing may take over the storage of what the call reads, and
//     nothing may have effects
//
// Then calls that don't depend on each other, and read the same tensor, become one (siblings): q, k
// and v, gate and up. They stand where the first of them stood; between them are few calls, and
// nothing that checks or has effects.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/transforms/FusionRules.h"

namespace relax::transforms {

struct PlannedGroup {
  KernelGroup group;
  /// The group's call stands before this op, one of its calls.
  mlir::Operation *place = nullptr;
};

/// The groups of more than one call in `block`, in order of place.
llvm::SmallVector<PlannedGroup> planGroups(mlir::Block &block, FusionRules &rules,
                                           const mlir::SymbolTable &table);

/// Gives each consumer of a result that is cheaper to compute again than to read (a conversion to
/// more bytes, a fill) a call of its own, so that it can be merged with each. True if one changed.
bool duplicateCheapProducers(mlir::Block &block, FusionRules &rules);

/// Whether an op only arranges values (a reshape, a tuple, a constant), so that it can stand
/// anywhere between its operands and its users.
bool isMovable(mlir::Operation *op);

} // namespace relax::transforms
