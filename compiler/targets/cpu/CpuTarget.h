//===- CpuTarget.h - the x86-64 levels that kernels are compiled for --------------------------===//
//
// A CPU target is one of the published x86-64 levels (v2, v3, v4), plus the few extensions beyond
// its level that a strategy can use (VNNI). The list of features is what the artifact records and
// what the loader compares with the machine, so it names every feature that the code may use and
// nothing finer: two machines of one level run the same code.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Dialect.h"

#include "llvm/ADT/StringRef.h"

#include <string>

namespace relax::targets {

/// The target named "x86-64-v2", "x86-64-v3", "x86-64-v4" or "native" (the best level of this
/// machine, with its VNNI extensions). On an unknown name returns null and sets `error`.
ir::TargetAttr targetByName(mlir::MLIRContext *context, llvm::StringRef name, std::string &error);

/// The target of this machine; "native" above.
ir::TargetAttr hostTarget(mlir::MLIRContext *context);

} // namespace relax::targets
