//===- Cumulative.h - the programs of running sums, products and maxima
//--------------------------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"

namespace relax::kernels {

llvm::SmallVector<mlir::Value> buildCumulative(ProgramBuilder &program);
/// Is the op along anything but the middle axis of three?
bool isOtherCumulative(mlir::Operation *op);
/// Then it is, on x reshaped: what is in front of the axis, the axis, and what is behind it.
mlir::LogicalResult decomposeCumulative(mlir::OpBuilder &b, mlir::Operation *op,
                                        llvm::SmallVectorImpl<mlir::Value> &values);

} // namespace relax::kernels
