//===- KernelSymbols.h - the symbols of a tensor program --------------------------------------===//
//
// A program names its symbols s0, s1, ... in the order in which its types or calls name those of
// the function around it, so that equal programs have equal texts.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "llvm/ADT/SetVector.h"

namespace relax::transforms {

/// Symbol names in order of appearance; they live as long as the MLIRContext.
using SymbolNames = llvm::SetVector<llvm::StringRef>;

/// Adds the symbols of `expr` that aren't there yet.
void appendSymbols(symbolic::Expr expr, SymbolNames &names);

struct KernelSymbols {
  std::map<std::string, symbolic::Expr> renaming; ///< From the function's names to the program's.
  mlir::ArrayAttr own;                            ///< The program's relax.kernel_symbols.
  mlir::ArrayAttr values;                         ///< The call's symbols.
};
KernelSymbols nameKernelSymbols(mlir::MLIRContext *context, const SymbolNames &names);

} // namespace relax::transforms
