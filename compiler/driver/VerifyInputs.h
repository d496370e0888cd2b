//===- VerifyInputs.h - sizes and arguments that `relax verify` tries
//---------------------------===//
//
// Mistakes of kernels sit at edges: 0, 1, 2, one below, at and above a vector, a tile, a threshold
// between two ways to compute, and the bounds of a symbol. One symbol at a time goes through its
// edges while the others are small; then all are at an edge together.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/interpreter/Value.h"
#include "runtime/support/Status.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <map>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace relax::driver {

using SymbolValues = std::map<std::string, int64_t>;

/// "n = 3, m = 16"; "no symbols".
std::string symbolsText(const SymbolValues &values);

/// The numbers that the loops of scheduled kernels step by and that they compare sizes with.
std::set<int64_t> thresholdsOf(mlir::ModuleOp scheduled);

/// The values of a function's symbols to try, the likeliest to show a mistake first. No argument
/// has more than `maxElements` elements.
std::vector<SymbolValues> sweep(mlir::func::FuncOp function, const std::set<int64_t> &thresholds,
                                int64_t maxElements);

/// Random arguments that the function accepts: indices inside their ranges, page tables whose pages
/// differ, ragged batches that fit. An error where there are none for such symbols, or of a type
/// that can't be made.
Expected<std::vector<interpreter::Value>>
makeArguments(mlir::func::FuncOp function, const SymbolValues &symbols, std::mt19937_64 &random);

} // namespace relax::driver
