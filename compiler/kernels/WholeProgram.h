//===- WholeProgram.h - programs that are one op ----------------------------------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/STLExtras.h"

namespace relax::kernels {

/// The op of a program that is nothing but it: its operands are arguments, its results are
/// returned. Null if the program is another one.
template <typename Op> Op findWholeProgram(mlir::func::FuncOp program) {
  if (!program.getBody().hasOneBlock())
    return {};
  mlir::Block &body = program.getBody().front();
  if (!llvm::hasNItems(body, 2))
    return {};
  auto op = mlir::dyn_cast<Op>(body.front());
  bool isWhole = op && body.getTerminator()->getOperands() == op->getResults() &&
                 llvm::all_of(op->getOperands(), llvm::IsaPred<mlir::BlockArgument>);
  return isWhole ? op : Op();
}

} // namespace relax::kernels
