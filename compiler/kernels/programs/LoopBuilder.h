//===- LoopBuilder.h - tensor programs that are written as loops ------------------------------===//
//
// What can't be said by linalg (merging, searching, counting) is written as scf loops on tensors
// and scalars; the strategy `loops` (compiler/kernels/loops) runs them. A tensor that a loop
// changes is carried through it: every `insert` makes a new value, and the strategy gives all of
// them the memory of the first.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace relax::kernels {

class LoopBuilder {
public:
  using Values = llvm::SmallVector<mlir::Value>;

  LoopBuilder(mlir::OpBuilder &b, mlir::Location loc) : b(b), loc(loc) {}

  mlir::Value index(int64_t value) const;
  mlir::Value i64(int64_t value) const;
  mlir::Value boolean(bool value) const;
  mlir::Value toIndex(mlir::Value value) const;
  mlir::Value toI64(mlir::Value value) const;

  /// On indices or integers of one type.
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value half(mlir::Value x) const; ///< Of an index that isn't negative.
  mlir::Value min(mlir::Value x, mlir::Value y) const;
  mlir::Value less(mlir::Value x, mlir::Value y) const;
  mlir::Value both(mlir::Value x, mlir::Value y) const;
  mlir::Value either(mlir::Value x, mlir::Value y) const;
  mlir::Value isNot(mlir::Value x) const;
  mlir::Value select(mlir::Value condition, mlir::Value x, mlir::Value y) const;

  mlir::Value dim(mlir::Value tensor, int64_t dimension) const;
  mlir::Value extract(mlir::Value tensor, mlir::ValueRange position) const;
  mlir::Value insert(mlir::Value element, mlir::Value tensor, mlir::ValueRange position) const;
  /// The tensor with the first dimensions at `position`: of shape [a, b, n] at [i, j] a [n].
  mlir::Value slice(mlir::Value tensor, mlir::ValueRange position) const;

  /// for (i = lower; i < upper; i += step) carried = body(i, carried).
  Values loop(mlir::Value lower, mlir::Value upper, mlir::Value step, mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body) const;
  Values loop(mlir::Value upper, mlir::ValueRange inits,
              llvm::function_ref<Values(mlir::Value, mlir::ValueRange)> body) const {
    return loop(index(0), upper, index(1), inits, body);
  }
  /// while (condition(carried)) carried = body(carried).
  Values loopWhile(mlir::ValueRange inits,
                   llvm::function_ref<mlir::Value(mlir::ValueRange)> condition,
                   llvm::function_ref<Values(mlir::ValueRange)> body) const;
  Values choose(mlir::Value condition, llvm::function_ref<Values()> then,
                llvm::function_ref<Values()> otherwise) const;

  /// Computes tensors of `types` row by row, in parallel: `body` gets a row's position in the first
  /// `outer` dimensions and this row of each tensor, without content, and gives the rows.
  Values rows(const ProgramBuilder &program, llvm::ArrayRef<mlir::RankedTensorType> types,
              int64_t outer,
              llvm::function_ref<Values(mlir::ValueRange, mlir::ValueRange)> body) const;

  mlir::OpBuilder &b;
  mlir::Location loc;
};

} // namespace relax::kernels
