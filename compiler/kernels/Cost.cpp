#include "compiler/kernels/Cost.h"

#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// About what one op costs beside an addition.
int64_t operationCost(Operation *op) {
  if (isa<math::SqrtOp, math::RsqrtOp, arith::DivFOp>(op))
    return 4;
  if (isa<math::FmaOp>(op))
    return 1;
  return isa<math::MathDialect>(op->getDialect()) ? 16 : 1;
}

Expr costOf(Value tensor, llvm::DenseMap<Value, Expr> &known) {
  symbolic::Context &symbols = ir::symbolicContext(tensor.getContext());
  if (auto it = known.find(tensor); it != known.end())
    return it->second;
  Expr cost = symbols.constant(1);
  Operation *op = tensor.getDefiningOp();
  if (!op)
    return known[tensor] = cost;
  for (Value operand : op->getOperands())
    if (isa<RankedTensorType>(operand.getType()))
      cost = cost + costOf(operand, known);
  auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
  if (!linalgOp)
    return known[tensor] = cost;
  for (Operation &top : linalgOp.getBlock()->without_terminator())
    top.walk([&](Operation *inner) {
      cost = cost + operationCost(inner);
      if (auto extract = dyn_cast<tensor::ExtractOp>(inner))
        cost = cost + costOf(extract.getTensor(), known);
    });
  SmallVector<unsigned> loops;
  linalgOp.getReductionDims(loops);
  for (unsigned loop : loops) {
    auto [operand, dimension] = loopExtent(linalgOp, loop);
    if (!operand)
      continue;
    if (Expr extent = ir::shapeOf(cast<RankedTensorType>(operand.getType()))[dimension])
      cost = cost * extent;
  }
  return known[tensor] = cost;
}

} // namespace

int64_t elementOperations(linalg::LinalgOp op) {
  int64_t operations = 0;
  op.getBlock()->walk([&](Operation *inner) { operations += operationCost(inner); });
  return operations;
}

Expr elementCost(Value tensor) {
  llvm::DenseMap<Value, Expr> known;
  return costOf(tensor, known);
}

Expr elementCount(Value tensor) {
  Expr count = ir::symbolicContext(tensor.getContext()).constant(1);
  for (Expr dim : ir::shapeOf(cast<RankedTensorType>(tensor.getType())))
    if (dim)
      count = count * dim;
  return count;
}

} // namespace relax::kernels
