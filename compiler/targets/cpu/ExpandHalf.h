//===- ExpandHalf.h - conversions of 16-bit floats by integer code ----------------------------===//
//
// x86 has instructions for float16 <-> float32 only with F16C; without it, and for float64 on every
// target, LLVM calls a library that an artifact doesn't have. This pass writes the conversions as
// arithmetic, on scalars and vectors alike: exact from 16 bits to more, round to nearest even to 16
// bits, subnormals, infinities and NaN included. float64 goes to 16 bits through a float32 that is
// rounded to odd, so that it is rounded once. bfloat16 <-> float32 is left to arith-expand.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/Pass.h"

#include <memory>

namespace relax::targets {

/// `hasF16c`: conversions between float16 and float32 stay.
std::unique_ptr<mlir::Pass> createExpandHalfPass(bool hasF16c);

/// For the LLVM dialect: bfloat16 becomes i16 everywhere. Nothing computes with it any more, and
/// LLVM, which has no register for it, would carry it as float32 from block to block and call a
/// library to get it back.
std::unique_ptr<mlir::Pass> createBfloatAsBitsPass();

} // namespace relax::targets
