//===- EmitGuards.h - constraints as guards of an artifact ------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/driver/SlotTable.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace relax::driver {

/// Gives an expression its slot, or reports why there is none.
using SlotFunction =
    llvm::function_ref<mlir::FailureOr<artifact::Slot>(symbolic::Expr, mlir::Location)>;

/// The guard that checks `constraint`, which `text` explains; written at `loc`.
mlir::FailureOr<artifact::Guard> makeGuard(ir::ConstraintAttr constraint, llvm::StringRef text,
                                           mlir::Location loc, SlotTable &slots,
                                           SlotFunction slotOf);

/// The guards of arguments' values: relax.values and relax.ragged.
mlir::LogicalResult makeValueGuards(mlir::func::FuncOp function,
                                    std::vector<artifact::Guard> &guards, SlotFunction slotOf);

/// What a relax.check_values says when it fails.
artifact::Guard elementsGuard(ir::CheckValuesOp op);

/// Fills an instruction's symbols, extent and cost for the call of a kernel with these symbols; the
/// buffers and the target are the caller's.
mlir::LogicalResult describeKernelCall(mlir::Operation *call, mlir::ArrayAttr symbols,
                                       mlir::func::FuncOp scheduled,
                                       artifact::Instruction &instruction, SlotTable &slots,
                                       SlotFunction slotOf);

/// The slot that says whether a call with an alternative goes to the library: not 0.
mlir::FailureOr<artifact::Slot> libraryCondition(ir::CallLibraryOp call,
                                                 llvm::ArrayRef<uint32_t> thresholds,
                                                 SlotTable &slots, SlotFunction slotOf);

/// A call of the library where `condition` isn't 0, else the call that does the same.
void appendChoice(std::vector<artifact::Instruction> &code, artifact::Slot condition,
                  artifact::Instruction library, artifact::Instruction own);

} // namespace relax::driver
