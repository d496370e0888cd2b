//===- BodyEmitter.h - the body of one linalg op at one point of its iteration space ---------===//
//
// Part of the pointwise emitter. Goes from what the body yields to what that needs; an op that no
// wanted result uses is not emitted.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace relax::kernels {

class BodyEmitter {
public:
  /// `iteration` has a lane value for each loop of `op`. `accumulators`, in a reduction, are the
  /// present values of the outputs; empty where outputs are read from their init operands.
  BodyEmitter(PointwiseEmitter &emitter, mlir::linalg::LinalgOp op,
              llvm::ArrayRef<LaneValue> iteration, llvm::ArrayRef<LaneValue> accumulators)
      : emitter(emitter), op(op), iteration(iteration), accumulators(accumulators) {}

  /// The value that the body yields for result `result`.
  LaneValue yielded(unsigned result);

private:
  LaneValue value(mlir::Value v);
  LaneValue argument(mlir::BlockArgument argument);
  LaneValue operation(mlir::Operation *inner);
  /// Integer arithmetic that keeps a consecutive operand cheap; null where it can't.
  LaneValue integerOperation(mlir::Operation *inner, llvm::ArrayRef<LaneValue> operands);

  LaneValue conditional(mlir::scf::IfOp branch);
  /// What the branch yields; what is computed for it isn't known behind it.
  LaneValue yieldedBy(mlir::Region &region);
  LaneValue comparison(mlir::arith::CmpIOp compare, LaneValue lhs, LaneValue rhs);

  PointwiseEmitter &emitter;
  mlir::linalg::LinalgOp op;
  llvm::ArrayRef<LaneValue> iteration;
  llvm::ArrayRef<LaneValue> accumulators;
  llvm::DenseMap<mlir::Value, LaneValue> known;
};

} // namespace relax::kernels
