//===- Interpolate.h - the program of relax.interpolate
//------------------------------------------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"

namespace relax::kernels {

llvm::SmallVector<mlir::Value> buildInterpolate(ProgramBuilder &program);

} // namespace relax::kernels
