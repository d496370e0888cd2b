//===- AliasAnalysis.h - which results of a tensor program may take over an operand's memory --===//
//
// A kernel may write result r where its operand o lies, if it reads each element of o only to
// compute the element of r at the same place, and everything that is read there is read before that
// element is written. Then an operand that dies at the call needs no memory beside the result.
//
// The answer follows from the tensor program alone, so every strategy has to keep this promise:
//
//   For a program and an argument o that mayShareMemory allows, the kernel computes each element of
//   the result, or each vector of elements, from what it reads, of o at that place only, and then
//   stores it; it stores to a place once, and doesn't read o there again.
//
// What computes its results element by element from arguments (PointwiseEmitter) does so: the
// strategies elementwise and fallback, and the epilogues of contractions. A strategy that keeps
// intermediate values in a result's memory (row-reduction) does not, so programs that reduce
// without being contractions are never allowed. Whoever adds a strategy, or lets one store earlier,
// checks it against this list, and tests/unit/kernels/AliasTest.cpp, which runs what is allowed in
// place.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace relax::transforms {

/// Whether result `result` of the tensor program may be written where its argument `argument` lies.
/// The shapes of both are equal then, and their elements equally wide.
bool mayShareMemory(mlir::func::FuncOp program, unsigned result, unsigned argument);

} // namespace relax::transforms
