//===- Runner.h - a program compiled and interpreted, side by side ----------------------------===//
//
// How far may a compiled result be from the interpreter's? The interpreter runs twice, in float64
// and with every result rounded to its type as compiled code has it. Where the two agree on a value
// that doesn't depend on rounding (integers, bools, shapes), the compiled one must be the same. A
// floating-point tensor may be away by a multiple of what rounding did to it in the interpreter,
// and of its type's epsilon at the scale of its largest number. Where rounding changed a shape or
// an integer, nothing can be said, and the tensor is left out.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <string>

namespace relax::fuzz {

struct Outcome {
  std::string failure;   ///< What is wrong; empty if nothing is.
  unsigned calls = 0;    ///< Calls whose results were compared.
  unsigned refused = 0;  ///< Calls that both sides refused.
  unsigned tensors = 0;  ///< Result tensors that were compared.
  unsigned unstable = 0; ///< Result tensors of which rounding decides.
};

/// Checks the module (verifier, text round trip), compiles its text, and compares @f at several
/// sizes. `seed` is for the arguments. `file` is where the text goes.
Outcome runProgram(mlir::ModuleOp module, uint64_t seed, const std::string &file);

} // namespace relax::fuzz
