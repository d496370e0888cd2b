// sort, argsort, topk along the last axis; rows in parallel.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/SearchOps.h"
#include "compiler/kernels/programs/search/Order.h"
#include "compiler/kernels/programs/search/SearchPrograms.h"

using namespace mlir;

namespace relax::kernels {

/// Up to this k, topk keeps the best so far in order; beyond, it sorts.
static constexpr int64_t largestKept = 64;

SmallVector<Value> buildSort(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Order order = orderOf(program.op, 0, cast<ir::SortOp>(program.op).getDescending());
  int64_t outer = program.types[0].getRank() - 1;
  return l.rows(program, program.types, outer, [&](ValueRange row, ValueRange parts) {
    Value x = l.slice(program.inputs[0], row);
    return sortElements(l, order, x, parts[0], parts[1], l.dim(x, 0));
  });
}

SmallVector<Type> sortBuffers(Operation *op) {
  Type type = op->getResult(0).getType();
  return {type, type};
}

SmallVector<Value> buildArgsort(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Order order = orderOf(program.op, 0, cast<ir::ArgsortOp>(program.op).getDescending());
  int64_t outer = program.types[0].getRank() - 1;
  return l.rows(program, program.types, outer, [&](ValueRange row, ValueRange parts) {
    Value x = l.slice(program.inputs[0], row);
    return sortPositions(l, order, parts[0], parts[1], l.dim(x, 0),
                         [&](Value place) { return l.extract(x, place); });
  });
}

SmallVector<Type> argsortBuffers(Operation *op) {
  Type type = op->getResult(0).getType();
  return {type, type};
}

static std::optional<int64_t> keptCount(Operation *op) {
  symbolic::Expr k = cast<ir::TopkOp>(op).getK().getExpr();
  if (k.isConstant() && k.constantValue() <= largestKept)
    return k.constantValue();
  return std::nullopt;
}

/// The best k of a row, kept in order: each element that is better than the last of them moves to
/// its place.
static LoopBuilder::Values keepBest(const LoopBuilder &l, const Order &order, Value x, int64_t k,
                                    ValueRange best) {
  if (k == 0)
    return LoopBuilder::Values(best);
  Value last = l.index(k - 1), one = l.index(1), zero = l.index(0);
  return l.loop(l.dim(x, 0), best, [&](Value i, ValueRange carried) {
    Value element = l.extract(x, i);
    Value isFilling = l.less(i, l.index(k));
    Value wanted = l.either(isFilling, order.before(l, element, l.extract(carried[0], last)));
    auto insertElement = [&]() -> LoopBuilder::Values {
      auto moved = l.loopWhile(
          {l.min(i, last), carried[0], carried[1]},
          [&](ValueRange v) {
            // Place 0 is compared with itself, and then not moved.
            Value before = l.select(l.less(zero, v[0]), l.sub(v[0], one), zero);
            return l.both(l.less(zero, v[0]), order.before(l, element, l.extract(v[1], before)));
          },
          [&](ValueRange v) -> LoopBuilder::Values {
            Value before = l.sub(v[0], one);
            return {before, l.insert(l.extract(v[1], before), v[1], v[0]),
                    l.insert(l.extract(v[2], before), v[2], v[0])};
          });
      return {l.insert(element, moved[1], moved[0]), l.insert(l.toI64(i), moved[2], moved[0])};
    };
    return l.choose(wanted, insertElement, [&] { return LoopBuilder::Values(carried); });
  });
}

SmallVector<Value> buildTopk(ProgramBuilder &program) {
  LoopBuilder l(program.b, program.loc);
  Order order = orderOf(program.op, 0, !cast<ir::TopkOp>(program.op).getSmallest());
  int64_t outer = program.types[0].getRank() - 1;
  return l.rows(
      program, program.types, outer, [&](ValueRange row, ValueRange parts) -> LoopBuilder::Values {
        Value x = l.slice(program.inputs[0], row);
        if (std::optional<int64_t> k = keptCount(program.op))
          return keepBest(l, order, x, *k, parts);
        auto sorted = sortPositions(l, order, parts[2], parts[3], l.dim(x, 0),
                                    [&](Value place) { return l.extract(x, place); });
        auto best = l.loop(l.dim(parts[0], 0), {parts[0], parts[1]},
                           [&](Value i, ValueRange carried) -> LoopBuilder::Values {
                             Value place = l.extract(sorted[0], i);
                             return {l.insert(l.extract(x, l.toIndex(place)), carried[0], i),
                                     l.insert(place, carried[1], i)};
                           });
        return {best[0], best[1], sorted[0], sorted[1]};
      });
}

SmallVector<Type> topkBuffers(Operation *op) {
  SmallVector<Type> types(op->getResultTypes());
  if (keptCount(op))
    return types;
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  Type positions =
      ir::tensorType(op->getContext(), ir::shapeOf(x), IntegerType::get(op->getContext(), 64));
  types.append(2, positions);
  return types;
}

static int64_t axisAttribute(Operation *op) {
  return cast<IntegerAttr>(op->getAttr("axis")).getInt();
}

bool hasInnerAxis(Operation *op) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  return ir::axisOf(x, axisAttribute(op)) + 1 != x.getRank();
}

LogicalResult alongLastAxis(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto x = cast<RankedTensorType>(op->getOperand(0).getType());
  unsigned axis = ir::axisOf(x, axisAttribute(op));
  // A swap is its own inverse.
  SmallVector<int64_t> permutation = llvm::to_vector(llvm::seq<int64_t>(0, x.getRank()));
  std::swap(permutation[axis], permutation.back());
  auto permuted = [&](Value value) -> Value {
    return ir::PermuteOp::create(b, op->getLoc(), value, permutation);
  };
  Value moved = permuted(op->getOperand(0));
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(moved);
  state.addAttributes(op->getAttrs());
  state.attributes.set("axis", b.getI64IntegerAttr(-1));
  for (Type type : op->getResultTypes()) {
    auto tensor = cast<RankedTensorType>(type);
    SmallVector<symbolic::Expr> dims(ir::shapeOf(tensor));
    std::swap(dims[axis], dims.back());
    state.addTypes(ir::tensorType(b.getContext(), dims, tensor.getElementType()));
  }
  Operation *sorted = b.create(state);
  for (Value result : sorted->getResults())
    values.push_back(permuted(result));
  return success();
}

} // namespace relax::kernels
