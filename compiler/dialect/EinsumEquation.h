//===- EinsumEquation.h - the equation of einsum, read ----------------------------------------===//
//
//   "bij,bjk->bik"   inputs {"bij", "bjk"}, output "bik"
//
// Dimensions under `...` become letters of their own, '0' to '9', numbered from the last one, so
// that those of operands of different ranks align at the end: "...ij,...jk" on ranks 4 and 3 are
// "10ij" and "0jk", with the result "10ik".
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Deduction.h"

namespace relax::ir {

struct EinsumEquation {
  llvm::SmallVector<std::string> inputs;
  std::string output;

  /// Does this letter stand for a dimension under `...`?
  static bool isBroadcast(char letter) { return letter >= '0' && letter <= '9'; }
};

/// Reads `text` for operands of these types; errors say what is wrong with which group.
mlir::FailureOr<EinsumEquation> parseEquation(const Rule &rule, llvm::StringRef text,
                                              llvm::ArrayRef<mlir::RankedTensorType> operands);

} // namespace relax::ir
