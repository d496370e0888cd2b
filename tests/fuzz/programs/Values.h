//===- Values.h - arguments and results of both sides -----------------------------------------===//
//
// How far may a compiled result be from the interpreter's? That runs in float64, and where a result
// differs again, with every result rounded to its type as compiled code has it. Where both agree on
// a value that doesn't depend on rounding (integers, bools, shapes), the compiled one must be the
// same. A floating-point tensor may be away by a multiple of what rounding did to it in the
// interpreter, and of its type's epsilon at the scale of its largest number. Where rounding changed
// a shape or an integer, nothing can be said, and the tensor is left out.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "runtime/Module.h"

namespace relax::fuzz {

using Reference = interpreter::Value;
using Compiled = runtime::Value;

/// What was compared.
struct Tally {
  unsigned calls = 0;    ///< Calls whose results were compared.
  unsigned refused = 0;  ///< Calls that both sides refused.
  unsigned tensors = 0;  ///< Result tensors that were compared.
  unsigned unstable = 0; ///< Result tensors of which rounding decides.
  /// The program multiplies along an axis: in another order that may overflow on the way, and what
  /// comes of it can't be compared.
  bool hasProducts = false;
};

/// A value of the runtime with memory of its own.
Compiled toRuntime(const Reference &value);

/// What is wrong with a compiled result; empty if nothing is.
std::string compare(const Compiled &found, const Reference &exact, const Reference &rounded,
                    Tally &tally);

} // namespace relax::fuzz
