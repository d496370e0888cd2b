//===- MergePrograms.h - several calls of tensor programs as one program ----------------------===//
//
// Calls that follow from each other, and the reshapes between them, become the body of one tensor
// program. Its symbols are those of the function that holds the calls, in order of appearance: two
// programs that knew `2 * n` by one name each now share `n`, which becomes an argument even where
// no tensor has it as a dimension. Its inputs are what the calls take from outside, in the order in
// which they take it, so that equal groups give equal programs.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Ops.h"
#include "compiler/transforms/KernelSymbols.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace relax::transforms {

/// Marks a function that relax-group-kernels has made, or that is written like one: calls of tensor
/// programs and reshapes, to become one program.
inline constexpr llvm::StringLiteral groupAttr = "relax.group";

/// What may stand in a group: calls of tensor programs, and reshapes that `isFusibleReshape` takes.
struct KernelGroup {
  llvm::SmallVector<mlir::Operation *> ops; ///< In an order in which they can be computed.
  llvm::SmallVector<mlir::Value> results;   ///< What is needed outside.

  /// What the ops take from outside, in order of use.
  llvm::SmallVector<mlir::Value> inputs() const;
  llvm::SmallVector<ir::CallKernelOp> calls() const;
  /// Names of the called programs, joined; short enough to read.
  std::string name() const;
};

/// A reshape that only splits dimensions, or only joins them.
bool isFusibleReshape(ir::ReshapeOp reshape);

struct MergedProgram {
  mlir::func::FuncOp program;            ///< Not in a module yet.
  llvm::SmallVector<mlir::Value> inputs; ///< Of the call.
  mlir::ArrayAttr symbols;               ///< Of the call.
  mlir::DenseI64ArrayAttr donates;       ///< Of the call; null: nothing.
};

/// The program of a group. `table` finds the called programs; the result is named `group.name()`.
MergedProgram mergePrograms(const KernelGroup &group, const mlir::SymbolTable &table);

} // namespace relax::transforms
