//===- LoopNest.h - what a nest of loops on a tensor does -------------------------------------===//
//
// A tensor program may be written with loops:
//
//   %w = scf.for %k = 0 to 128 iter_args(%a = %empty) {
//          scf.for %j = 0 to 256 iter_args(%b = %a) {
//            … %v …;  tensor.insert %v into %b[%k, %j] } }
//
// If the loops run over every element of the tensor, each iteration stores one element at its own
// place, and none reads what the loops make, then each element is computed on its own: the nest is
// a linalg.generic with parallel loops. If an element is the result of an inner loop that carries a
// scalar, the nest reduces; such loops keep the order that they say.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace relax::transforms {

enum class LoopNestKind { Parallel, Reduction, Other };

/// What the nest under `loop` does.
LoopNestKind classifyLoops(mlir::scf::ForOp loop);

/// Replaces a parallel nest by a linalg.generic. Elements that are read at the loops' own indices
/// become its operands. Null, and nothing changed, if it is none.
mlir::linalg::GenericOp raiseLoops(mlir::scf::ForOp loop);

} // namespace relax::transforms
