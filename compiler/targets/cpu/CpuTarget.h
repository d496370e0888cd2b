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

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <string>

namespace relax::targets {

/// The target named "x86-64-v2", "x86-64-v3", "x86-64-v4", one of these with an extension
/// ("x86-64-v3+avxvnni", "x86-64-v4+avx512vnni"), or "native" (the best level of this machine, with
/// its extensions). On an unknown name returns null and sets `error`.
ir::TargetAttr targetByName(mlir::MLIRContext *context, llvm::StringRef name, std::string &error);

/// Those of a list with commas, the one with the fewest features first, equal ones once. None, and
/// `error`, where a name is unknown.
llvm::SmallVector<ir::TargetAttr> targetsByNames(mlir::MLIRContext *context, llvm::StringRef names,
                                                 std::string &error);

/// Its name in such lists, other than "native".
std::string targetText(ir::TargetAttr target);

/// The target of this machine; "native" above.
ir::TargetAttr hostTarget(mlir::MLIRContext *context);

} // namespace relax::targets
