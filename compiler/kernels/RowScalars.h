//===- RowScalars.h - the reductions of one row -----------------------------------------------===//
//
// For programs of rows (transforms/RowForm.h). A strategy that computes a row at a time first asks
// for its scalars: each reduction in the program's order is one loop over the row, whose result is
// then a scalar, and what elementwise ops make of such scalars is computed once. The emitter knows
// them until `unbind`, so that what follows along the row can be evaluated as if there were no
// reductions.
//
// Order of a reduction over n elements, the same whatever else the call does: `accumulators`
// vectors take vectors of the row in turn; what is left of whole vectors goes to the first; they
// are added in pairs, then the halves of the vector, again and again; then the last n mod lanes
// elements one by one; the initial value comes last.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/transforms/RowForm.h"

namespace relax::kernels {

class RowScalars {
public:
  RowScalars(KernelContext &context, const transforms::RowForm &form, PointwiseEmitter &emitter)
      : context(context), form(form), emitter(emitter) {}

  /// `tensor` is stored in `memref` by the reduction that reads it first, and read from there
  /// afterwards.
  void keep(mlir::Value tensor, mlir::linalg::LinalgOp firstReader, mlir::Value memref) {
    kept.push_back({tensor, firstReader, memref});
  }
  [[nodiscard]] bool isKept(mlir::Value tensor) const {
    return llvm::any_of(kept, [&](const Kept &k) { return k.tensor == tensor; });
  }

  /// Emits the reductions of the row at `row` and binds their results.
  void bind(llvm::ArrayRef<mlir::Value> row);
  /// Forgets what `bind` has told the emitter.
  void unbind();

private:
  struct Kept {
    mlir::Value tensor;
    mlir::linalg::LinalgOp firstReader;
    mlir::Value memref;
  };

  mlir::Value reduceRow(mlir::linalg::LinalgOp op, llvm::ArrayRef<mlir::Value> row);
  mlir::Value combine(mlir::Operation *combiner, mlir::Value a, mlir::Value b);
  mlir::Value horizontal(mlir::Operation *combiner, mlir::Value vector, int64_t lanes);

  KernelContext &context;
  const transforms::RowForm &form;
  PointwiseEmitter &emitter;
  llvm::SmallVector<Kept> kept;
};

} // namespace relax::kernels
