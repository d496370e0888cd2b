// Branches of the pointwise emitter: an scf.if of a program's body in the kernel.

#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace relax::kernels {

LaneValue PointwiseEmitter::branch(Value condition, llvm::function_ref<LaneValue()> then,
                                   llvm::function_ref<LaneValue()> otherwise) {
  OpBuilder &b = context.b;
  Location loc = context.loc;
  // Whether the result is one scalar shows when both branches are there; until then they are those
  // of an op without results.
  auto draft = scf::IfOp::create(b, loc, TypeRange(), condition, /*withElseRegion=*/true);
  std::array<Region *, 2> regions = {&draft.getThenRegion(), &draft.getElseRegion()};
  std::array<LaneValue, 2> values;
  for (unsigned i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPoint(regions[i]->front().getTerminator());
    scopes.push_back({draft, true, {}});
    values[i] = i == 0 ? then() : otherwise();
    scopes.pop_back();
  }
  bool uniform = values[0].isUniform() && values[1].isUniform();
  for (unsigned i = 0; i < 2; ++i) {
    OpBuilder::InsertionGuard guard(b);
    Operation *terminator = regions[i]->front().getTerminator();
    b.setInsertionPoint(terminator);
    Value result = uniform ? values[i].value : emitVector(b, loc, values[i], lanes);
    scf::YieldOp::create(b, loc, result);
    terminator->erase();
    values[i] = uniform ? LaneValue::uniform(result) : LaneValue::vector(result);
  }
  b.setInsertionPoint(draft);
  auto final = scf::IfOp::create(b, loc, values[0].value.getType(), condition,
                                 /*addThenBlock=*/false, /*addElseBlock=*/false);
  final.getThenRegion().takeBody(*regions[0]);
  final.getElseRegion().takeBody(*regions[1]);
  b.setInsertionPointAfter(draft);
  draft.erase();
  Value result = final.getResult(0);
  return uniform ? LaneValue::uniform(result) : LaneValue::vector(result);
}

LaneValue PointwiseEmitter::laneByLane(Type elementType,
                                       llvm::function_ref<LaneValue(Value)> element) {
  int64_t count = lanes;
  Value start = emitConstant(context, VectorType::get({count}, elementType), 0);
  SmallVector<Value> result =
      emitLoop(context, context.index(0), context.index(count), context.index(1), start,
               [&](Value lane, ValueRange carried) -> SmallVector<Value> {
                 lanes = 1;
                 scopes.push_back({lane.getParentBlock()->getParentOp(), false, {}});
                 Value value = element(lane).value;
                 scopes.pop_back();
                 lanes = count;
                 return {vector::InsertOp::create(context.b, context.loc, value, carried[0],
                                                  OpFoldResult(lane))};
               });
  return LaneValue::vector(result[0]);
}

} // namespace relax::kernels
