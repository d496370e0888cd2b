//===- LoopPrograms.h - the strategy for programs that are written as loops -------------------===//
//
// A tensor program may be written with scf.for, scf.while, scf.if and scf.forall on tensors and
// scalars, with tensor.extract, tensor.insert and slices, and linalg between them. Such a program
// says itself in which order it computes, so the strategy only gives its tensors memory:
//
//   BufferizeProgram.cpp  arguments and results become memrefs; one-shot bufferisation decides what
//                         is updated in place
//   LoopUnits.cpp         an outermost scf.forall becomes the units of the kernel
//   Workspace.cpp         what it needs beside, of symbolic size, is memory that its caller gives
//   LoopCost.cpp          about how much work it is
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace relax::kernels {

/// The value of an index of the program as an expression over the program's symbols; null where it
/// depends on anything else. Never negative: null where that isn't plain to see.
symbolic::Expr nonNegativeExpr(mlir::Value index);
symbolic::Expr nonNegativeExpr(mlir::OpFoldResult index, mlir::MLIRContext *context);

/// About how many scalar operations the program takes.
symbolic::Expr loopCost(mlir::func::FuncOp program);

/// The trip counts of the program's only outermost scf.forall, one a dimension; empty if there is
/// none, or more, or one whose counts aren't known before the call.
llvm::SmallVector<symbolic::Expr> forallExtents(mlir::func::FuncOp program);

/// Writes the program into the kernel, on memrefs. Values that `context` made may be gone
/// afterwards.
mlir::LogicalResult bufferizeProgram(KernelContext &context);

/// Divides the kernel's body into units. With `extents` not empty, the iterations of the only
/// scf.forall, if nothing else writes to memory; otherwise all is one unit. Returns whether there
/// are units by `extents`.
bool makeUnits(KernelContext &context, llvm::ArrayRef<symbolic::Expr> extents);

/// Bytes that a program needs beside its arguments and results: [shared by all units][unit 0][unit
/// 1]…
struct Workspace {
  symbolic::Expr shared, perUnit;
  symbolic::Expr units;
  /// A multiple of 64; constant 0 for none.
  symbolic::Expr bytes() const { return shared + perUnit * units; }
};

/// What the kernel, which bufferizeProgram and makeUnits have made, needs. `units`: of a kernel
/// that has several; else null. An error names a buffer whose size isn't known before the call, or
/// that outlives the trip of the loop that makes it.
mlir::FailureOr<Workspace> findWorkspace(KernelContext &context, symbolic::Expr units);

/// Replaces the kernel's allocations by parts of the workspace that its program returns last.
mlir::LogicalResult placeWorkspace(KernelContext &context, const Workspace &workspace);

/// Whether result `result` of a program is its workspace: the last one where the program has the
/// attribute `relax.workspace`.
bool isWorkspace(mlir::func::FuncOp program, unsigned result);
inline constexpr llvm::StringLiteral workspaceAttr = "relax.workspace";

} // namespace relax::kernels
