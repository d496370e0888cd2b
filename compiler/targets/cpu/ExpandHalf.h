//===- ExpandHalf.h - conversions of 16-bit floats by integer code ----------------------------===//
//
// x86 has instructions for float16 <-> float32 only with F16C; without it LLVM calls a library that
// an artifact doesn't have. This pass writes the conversions as integer arithmetic, on scalars and
// vectors alike: exact from 16 to 32 bits, round to nearest even from 32 to 16, subnormals,
// infinities and NaN included.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::targets {

std::unique_ptr<mlir::Pass> createExpandHalfPass();

} // namespace relax::targets
