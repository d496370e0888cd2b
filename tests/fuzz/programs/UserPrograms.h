//===- UserPrograms.h - functions of the host that random programs call -----------------------===//
//
//   call_library "fuzz.twice"      (f32 of any shape) -> the same shape: 2 * x
//   call_packed  "fuzz.positive"   (f32 of any shape) -> f32 [?]: the elements above 0
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Interpreter.h"
#include "runtime/vm/Registry.h"

namespace relax::fuzz {

/// For the interpreter.
std::map<std::string, interpreter::HostFunction> interpretedHostFunctions();
/// For compiled programs.
const runtime::Registry &hostFunctions();

} // namespace relax::fuzz
