//===- ProgramCost.h - how much a tensor program computes and moves ---------------------------===//
//
// Read off the program: from the extents of its loops and what their bodies do. In the program's
// symbols, so that a caller can ask for any sizes, and a profiler can say how near a kernel is to
// the machine's limits.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace relax::transforms {

struct ProgramCost {
  /// Floating-point operations: a sum, product, quotient, maximum or function is one, a fused
  /// multiply-add two. Null where a loop's extent isn't known.
  symbolic::Expr flops;
  /// Bytes that must be moved at least: every result is written once, and every argument read once,
  /// or as much of it as the program looks up.
  symbolic::Expr bytes;
  /// The arguments each of whose elements is read exactly once.
  llvm::SmallVector<int64_t> readOnce;
};

ProgramCost costOf(mlir::func::FuncOp program);

} // namespace relax::transforms
