//===- VerifyModel.h - compiled code beside the interpreter, at many sizes
//----------------------===//
//
// `relax verify`. A model or program is compiled as it always is. Then, for the sizes of
// VerifyInputs.h and random arguments, each of its functions runs
//
//   - kernel by kernel (VerifyKernels.h): each compiled kernel against its own tensor program, on
//     the operands that it meets in the function;
//   - as a whole: the artifact in the runtime, against its own kernels called one by one, bit by
//   bit
//     (models); and against the program as it came in, in float64. Of a model with quantised
//     activations, which a last bit can send another way, the same with float32 activations is
//     compared with float64: it differs from the other in the kernels that quantise and multiply.
//
// What rounding explains isn't guessed: a second run of the interpreter rounds every step.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/CompileModel.h"
#include "runtime/support/Status.h"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>

namespace relax::driver {

struct VerifyOptions {
  CompileOptions compile;
  std::string kernel;   ///< Only this kernel; empty: all, and the program as a whole.
  std::string function; ///< Only this function; empty: all.
  uint64_t seed = 0;
  double budget = 300;    ///< Seconds after which no new case is begun.
  std::string reproducer; ///< A folder for what shows the first difference; empty: none.
};

/// Of the object "verify" (runtime/compiler_api.h).
Expected<VerifyOptions> parseVerifyOptions(const nlohmann::json &object);

/// The report, as runtime/compiler_api.h describes it.
Expected<nlohmann::json> verifyModel(const VerifyOptions &options, const CompileObserver &observer);

} // namespace relax::driver
