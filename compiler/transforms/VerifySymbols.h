//===- VerifySymbols.h - the rules on symbols of a graph function -----------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace relax::transforms {

/// Checks rules R2, R13, R15, R16, R18 and R19 (Verify.cpp lists them) in one walk.
mlir::LogicalResult verifyGraphSymbols(mlir::func::FuncOp function,
                                       mlir::SymbolTableCollection &tables);

/// Whether the op has effects other than those of run-time checks.
bool hasEffects(mlir::Operation *op);

} // namespace relax::transforms
