//===- RunSignature.h - what a function takes, and inputs of fitting sizes --------------------===//
#pragma once

#include "tools/relax/RunInput.h"

namespace relax::tool {

/// The names of a function's symbols, in order.
std::vector<std::string> symbolNames(const artifact::Function &function);

/// The element type of a parameter that takes tensors of one.
std::optional<artifact::DType> parameterDType(const artifact::Function &function, size_t index);

/// "f32[n, 4]", "shape [n]", "(f32[n], i64[])": what a parameter takes.
std::string parameterText(const artifact::Function &function, size_t index);

/// Fills the inputs that aren't given (nothing) with random values of the sizes that follow from
/// `symbols` and from the inputs that are there. The error says which symbol or input is missing.
Status fillInputs(const artifact::Function &function, const SymbolValues &symbols, uint64_t seed,
                  std::vector<runtime::Value> &inputs);

} // namespace relax::tool
