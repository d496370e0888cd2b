// Merge sort from the bottom up, between two buffers: runs of 1, 2, 4, … elements of one are merged
// into the other. Two passes each time, so that the sorted vector ends in the first buffer. A merge
// has no branches: both candidates are loaded (from places that exist) and one is chosen.

#include "compiler/kernels/programs/search/Order.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::kernels {

Value Order::before(const LoopBuilder &l, Value x, Value y) const {
  if (!isa<FloatType>(x.getType())) {
    using P = arith::CmpIPredicate;
    P predicate = descending ? (isUnsigned ? P::ugt : P::sgt) : (isUnsigned ? P::ult : P::slt);
    return arith::CmpIOp::create(l.b, l.loc, predicate, x, y);
  }
  using P = arith::CmpFPredicate;
  Value ordered = arith::CmpFOp::create(l.b, l.loc, descending ? P::OGT : P::OLT, x, y);
  // A number comes before NaN.
  Value isNumber = arith::CmpFOp::create(l.b, l.loc, P::ORD, x, x);
  Value isNan = arith::CmpFOp::create(l.b, l.loc, P::UNO, y, y);
  return l.either(ordered, l.both(isNumber, isNan));
}

Order orderOf(Operation *op, unsigned i, bool descending) {
  Type element = getElementTypeOrSelf(op->getOperand(i).getType());
  return {descending, element.isUnsignedInteger() || element.isInteger(1)};
}

/// Merges runs of `width` of `from` into runs of 2 `width` of `to`.
static Value mergePass(const LoopBuilder &l, const Order &order, Value from, Value to, Value width,
                       Value count, llvm::function_ref<Value(Value)> key) {
  Value step = l.add(width, width), one = l.index(1);
  return l
      .loop(l.index(0), count, step, {to},
            [&](Value low, ValueRange outer) {
              Value middle = l.min(l.add(low, width), count), high = l.min(l.add(low, step), count);
              Value lastLeft = l.sub(middle, one), lastRight = l.sub(high, one);
              auto merged =
                  l.loop(low, high, one, {low, middle, outer[0]}, [&](Value k, ValueRange carried) {
                    Value i = carried[0], j = carried[1];
                    Value left = l.extract(from, l.min(i, lastLeft));
                    Value right = l.extract(from, l.min(j, lastRight));
                    Value isLess = order.before(l, key(right), key(left));
                    Value leftIsDone = l.isNot(l.less(i, middle));
                    Value takesRight = l.both(l.less(j, high), l.either(leftIsDone, isLess));
                    Value next = l.insert(l.select(takesRight, right, left), carried[2], k);
                    return LoopBuilder::Values{l.select(takesRight, i, l.add(i, one)),
                                               l.select(takesRight, l.add(j, one), j), next};
                  });
              return LoopBuilder::Values{merged[2]};
            })
      .front();
}

static LoopBuilder::Values mergeSort(const LoopBuilder &l, const Order &order, Value buffer,
                                     Value scratch, Value count,
                                     llvm::function_ref<Value(Value)> key) {
  auto sorted = l.loopWhile(
      {l.index(1), buffer, scratch}, [&](ValueRange v) { return l.less(v[0], count); },
      [&](ValueRange v) {
        Value width = v[0], twice = l.add(width, width);
        Value other = mergePass(l, order, v[1], v[2], width, count, key);
        Value back = mergePass(l, order, other, v[1], twice, count, key);
        return LoopBuilder::Values{l.add(twice, twice), back, other};
      });
  return {sorted[1], sorted[2]};
}

LoopBuilder::Values sortPositions(const LoopBuilder &l, const Order &order, Value positions,
                                  Value scratch, Value count,
                                  llvm::function_ref<Value(Value)> key) {
  Value start = l.loop(count, {positions}, [&](Value i, ValueRange carried) {
                   return LoopBuilder::Values{l.insert(l.toI64(i), carried[0], i)};
                 }).front();
  return mergeSort(l, order, start, scratch, count,
                   [&](Value position) { return key(l.toIndex(position)); });
}

LoopBuilder::Values sortElements(const LoopBuilder &l, const Order &order, Value x, Value sorted,
                                 Value scratch, Value count) {
  Value start = l.loop(count, {sorted}, [&](Value i, ValueRange carried) {
                   return LoopBuilder::Values{l.insert(l.extract(x, i), carried[0], i)};
                 }).front();
  return mergeSort(l, order, start, scratch, count, [](Value element) { return element; });
}

} // namespace relax::kernels
