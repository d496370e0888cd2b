//===- VerifyReduce.h - the modules in which `relax verify` runs kernels
//-----------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace relax::driver {

/// What @initialize computes, in the functions that use it, so that they run without it. What one
/// result needs stands right before its use: weights don't pile up.
void inlineStates(mlir::ModuleOp module);

/// Layers call the same kernels. Of the calls of one kernel at the same sizes each function of one
/// block keeps the first, whose results stand for those of the others too: of thirty layers about
/// one is left, with all that is around it. What isn't needed any more is gone, weights too;
/// arguments that nothing reads have no elements. A function doesn't compute the same afterwards,
/// but meets every kernel at the sizes that it did, with operands that really occur.
void keepDistinctCalls(mlir::ModuleOp module);

} // namespace relax::driver
