// Loops and branches of tensor programs. Tensors that a loop carries are changed in place: whatever
// nothing reads any more is moved on, not copied.

#include "compiler/interpreter/Evaluator.h"

using namespace mlir;

namespace relax::interpreter {

static void assign(ValueRange targets, std::vector<Value> values, Frame &frame) {
  for (auto [target, value] : llvm::zip_equal(targets, values))
    frame.values[target] = std::move(value);
}

Status Evaluator::executeFor(scf::ForOp op, Frame &frame) {
  int64_t lower = integerAt(op.getLowerBound(), frame),
          upper = integerAt(op.getUpperBound(), frame);
  int64_t step = integerAt(op.getStep(), frame);
  if (step <= 0)
    return error(op, "the step is " + std::to_string(step));
  std::vector<Value> carried = takeAll(op.getInitArgsMutable(), frame);
  Block &body = *op.getBody();
  for (int64_t i = lower; i < upper; i += step) {
    RELAX_RETURN_IF_ERROR(spend(op, 1));
    frame.values[op.getInductionVar()] = integerScalar(i);
    assign(op.getRegionIterArgs(), std::move(carried), frame);
    RELAX_RETURN_IF_ERROR(runBlock(body, frame));
    carried = takeAll(cast<scf::YieldOp>(body.getTerminator()).getResultsMutable(), frame);
    if (upper - i <= step)
      break;
  }
  assign(op.getResults(), std::move(carried), frame);
  return {};
}

Status Evaluator::executeWhile(scf::WhileOp op, Frame &frame) {
  std::vector<Value> carried = takeAll(op.getInitsMutable(), frame);
  Block &before = *op.getBeforeBody(), &after = *op.getAfterBody();
  while (true) {
    RELAX_RETURN_IF_ERROR(spend(op, 1));
    assign(before.getArguments(), std::move(carried), frame);
    RELAX_RETURN_IF_ERROR(runBlock(before, frame));
    scf::ConditionOp condition = op.getConditionOp();
    bool goOn = integerAt(condition.getCondition(), frame) != 0;
    carried = takeAll(condition.getArgsMutable(), frame);
    if (!goOn)
      break;
    assign(after.getArguments(), std::move(carried), frame);
    RELAX_RETURN_IF_ERROR(runBlock(after, frame));
    carried = takeAll(op.getYieldOp().getResultsMutable(), frame);
  }
  assign(op.getResults(), std::move(carried), frame);
  return {};
}

/// One trip after the other: what a trip writes is its own, so the order doesn't matter.
Status Evaluator::executeForall(scf::ForallOp op, Frame &frame) {
  std::vector<int64_t> lower = mixed(op.getMixedLowerBound(), frame);
  std::vector<int64_t> upper = mixed(op.getMixedUpperBound(), frame);
  std::vector<int64_t> step = mixed(op.getMixedStep(), frame);
  std::vector<int64_t> trips;
  for (size_t i = 0; i != lower.size(); ++i) {
    if (step[i] <= 0)
      return error(op, "a step is " + std::to_string(step[i]));
    trips.push_back(upper[i] > lower[i] ? llvm::divideCeilSigned(upper[i] - lower[i], step[i]) : 0);
  }
  std::vector<TensorPointer> outputs;
  for (OpOperand &output : op.getOutputsMutable())
    outputs.push_back(takeTensor(output, frame));
  // What a trip reads of an output is what it was before the loop.
  std::vector<TensorPointer> before;
  before.reserve(outputs.size());
  for (const TensorPointer &output : outputs)
    before.push_back(std::make_shared<Tensor>(*output));
  SmallVector<int64_t> trip(trips.size(), 0);
  bool any = elementCount(trips) > 0;
  Block &body = *op.getBody();
  while (any) {
    RELAX_RETURN_IF_ERROR(spend(op, 1));
    for (auto [i, argument] : llvm::enumerate(op.getInductionVars()))
      frame.values[argument] = integerScalar(lower[i] + trip[i] * step[i]);
    for (auto [argument, tensor] : llvm::zip_equal(op.getRegionIterArgs(), before))
      frame.values[argument] = tensor;
    RELAX_RETURN_IF_ERROR(runBlock(body, frame));
    for (Operation &inner : op.getTerminator().getYieldingOps()) {
      auto insert = cast<tensor::ParallelInsertSliceOp>(inner);
      auto argument = cast<BlockArgument>(insert.getDest());
      Tensor &output =
          *outputs[argument.getArgNumber() - static_cast<unsigned>(op.getInductionVars().size())];
      RELAX_RETURN_IF_ERROR(
          insertSlice(insert, tensorAt(insert.getSource(), frame), output, insert, frame));
    }
    any = nextIndices(trip, trips);
  }
  for (auto [result, output] : llvm::zip_equal(op.getResults(), outputs))
    frame.values[result] = std::move(output);
  return {};
}

Status Evaluator::executeLoop(Operation *op, Frame &frame) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return executeFor(loop, frame);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return executeWhile(loop, frame);
  if (auto loop = dyn_cast<scf::ForallOp>(op))
    return executeForall(loop, frame);
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool chosen = integerAt(branch.getCondition(), frame) != 0;
    Region &region = chosen ? branch.getThenRegion() : branch.getElseRegion();
    if (region.empty())
      return {};
    RELAX_RETURN_IF_ERROR(runBlock(region.front(), frame));
    assign(op->getResults(),
           takeAll(cast<scf::YieldOp>(region.front().getTerminator()).getResultsMutable(), frame),
           frame);
    return {};
  }
  return error(op, "the interpreter doesn't know this op");
}

} // namespace relax::interpreter
