//===- InterpretModule.h - text IR in the interpreter, for relax_interpret --------------------===//
#pragma once

#include "runtime/compiler_api.h"
#include "runtime/support/Status.h"

#include <span>
#include <string>

namespace relax::driver {

/// See relax_interpret in runtime/compiler_api.h.
Status interpretModule(const std::string &path, const std::string &function,
                       std::span<const relax_interpreter_value> inputs,
                       relax_interpreter_result result, void *user);

} // namespace relax::driver
