//===- BlockFormatReader.h - a weight format from its text ------------------------------------===//
#pragma once

#include "compiler/dialect/BlockFormat.h"

namespace relax::ir {

/// Reads and checks a record (see BlockFormat.h). Errors name the format, the key, what was found
/// and what is expected.
mlir::FailureOr<BlockFormat> readBlockFormat(mlir::MLIRContext *context, llvm::StringRef name,
                                             llvm::StringRef text);

} // namespace relax::ir
