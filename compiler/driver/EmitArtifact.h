//===- EmitArtifact.h - from a planned module to the artifact's structs -----------------------===//
//
// The last step of the compiler. What it expects, and checks:
//   - planned functions consist of calls, views (reshape), checks, constants, states and a return;
//     each call's results have their storage (plan-memory). Those that are marked relax.general may
//     hold anything of the graph level but ops that need a kernel.
//   - kernels are scheduled (schedule-kernels)
// What it makes: functions with slots, guards, buffers and code, constants, states, and the list of
// kernels. The machine code is added by the caller.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>
#include <vector>

namespace relax::driver {

/// Fills `artifact` from `module`. Errors are diagnostics.
mlir::LogicalResult emitArtifact(mlir::ModuleOp module, artifact::Module &artifact);

} // namespace relax::driver
