// searchsorted, bincount.

#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/SearchOps.h"
#include "compiler/dialect/ops/ShapeOps.h"
#include "compiler/kernels/programs/search/Order.h"
#include "compiler/kernels/programs/search/SearchPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

/// Each value by itself, by bisection.
SmallVector<Value> buildSearchsorted(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  bool right = cast<ir::SearchsortedOp>(program.op).getRight();
  Order order = orderOf(program.op, 0, false);
  Value sorted = program.inputs[0], values = program.inputs[1];
  return l.rows(program, program.types, 1, [&](ValueRange row, ValueRange parts) {
    Value value = l.extract(values, row);
    auto bounds = l.loopWhile(
        {l.index(0), l.dim(sorted, 0)}, [&](ValueRange v) { return l.less(v[0], v[1]); },
        [&](ValueRange v) -> LoopBuilder::Values {
          Value middle = l.half(l.add(v[0], v[1]));
          Value element = l.extract(sorted, middle);
          Value isBelow =
              right ? l.isNot(order.before(l, value, element)) : order.before(l, element, value);
          return {l.select(isBelow, l.add(middle, l.index(1)), v[0]),
                  l.select(isBelow, v[1], middle)};
        });
    return LoopBuilder::Values{l.insert(l.toI64(bounds[0]), parts[0], {})};
  });
}

bool isNotPlainBincount(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() != 1 || !type.getElementType().isSignlessInteger(64);
}

LogicalResult makePlainBincount(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  Value x = op->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  if (!type.getElementType().isSignlessInteger(64))
    x = ir::CastOp::create(b, op->getLoc(),
                           ir::tensorType(b.getContext(), ir::shapeOf(type), b.getI64Type()), x);
  FailureOr<Value> flat = flattened(b, op, x);
  if (failed(flat))
    return failure();
  values.push_back(
      ir::BincountOp::create(b, op->getLoc(), *flat, cast<ir::BincountOp>(op).getLength()));
  return success();
}

LogicalResult checkBincount(OpBuilder &b, Operation *op) {
  if (isNotPlainBincount(op))
    return success();
  symbolic::Expr zero = ir::symbolicContext(b.getContext()).constant(0);
  auto range =
      ir::ValuesAttr::get(b.getContext(), zero, cast<ir::BincountOp>(op).getLength().getExpr());
  ir::CheckValuesOp::create(b, op->getLoc(), op->getOperand(0), range, "bincount");
  return success();
}

SmallVector<Value> buildBincount(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Value x = program.inputs[0];
  Value zeros = program.filled(program.types[0], l.b.getI64IntegerAttr(0));
  return l.loop(l.dim(x, 0), {zeros}, [&](Value i, ValueRange carried) {
    Value number = l.toIndex(l.extract(x, i));
    Value count = l.add(l.extract(carried[0], number), l.i64(1));
    return LoopBuilder::Values{l.insert(count, carried[0], number)};
  });
}

} // namespace relax::kernels
