//===- VerifyPrograms.h - the rules on tensor programs ----------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace relax::transforms {

/// Checks rules R3, R12 and R20 (Verify.cpp lists them).
mlir::LogicalResult verifyProgram(mlir::func::FuncOp program);

} // namespace relax::transforms
