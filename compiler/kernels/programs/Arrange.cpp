// Each element of the result from one place of an operand: permutations, slices, pads and the like.
// What is only another view of the same memory, or is made of these, is in Decompose.cpp.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Requirements.h"
#include "compiler/dialect/SliceExtent.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/kernels/programs/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

ArrayRef<Expr> inputShape(const ProgramBuilder &program, unsigned i = 0) {
  return ir::shapeOf(program.inputType(i));
}

SmallVector<Value> buildPermute(ProgramBuilder &program) {
  ArrayRef<int64_t> permutation = cast<ir::PermuteOp>(program.op).getPermutation();
  MLIRContext *context = program.b.getContext();
  int64_t rank = program.types[0].getRank();
  // Dimension i of the result is dimension permutation[i] of the operand.
  SmallVector<AffineExpr> results(rank);
  for (int64_t i = 0; i < rank; ++i)
    results[permutation[i] < 0 ? permutation[i] + rank : permutation[i]] =
        getAffineDimExpr(i, context);
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, results, context),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return {program.generic(program.inputs, program.empty(program.types[0]), maps, iterators,
                          [](OpBuilder &, Location, ValueRange v) { return v[0]; })};
}

SmallVector<Value> buildBroadcastTo(ProgramBuilder &program) {
  MLIRContext *context = program.b.getContext();
  RankedTensorType type = program.types[0];
  ArrayRef<Expr> from = inputShape(program), to = ir::shapeOf(type);
  size_t skipped = to.size() - from.size();
  // Which dimensions are stretched may show at run time only.
  SmallVector<unsigned> undecided;
  SmallVector<AffineExpr> places;
  for (unsigned i = 0; i < from.size(); ++i) {
    bool stretched = from[i].isConstant(1);
    if (!stretched && from[i] != to[skipped + i] && !ir::provablyEqual(from[i], to[skipped + i]))
      undecided.push_back(i);
    places.push_back(stretched ? getAffineConstantExpr(0, context)
                               : getAffineDimExpr(skipped + i, context));
  }
  if (undecided.empty()) {
    SmallVector<AffineMap> maps = {AffineMap::get(to.size(), 0, places, context),
                                   AffineMap::getMultiDimIdentityMap(to.size(), context)};
    SmallVector<utils::IteratorType> iterators(to.size(), utils::IteratorType::parallel);
    return {program.generic(program.inputs, program.empty(type), maps, iterators,
                            [](OpBuilder &, Location, ValueRange v) { return v[0]; })};
  }
  Value x = program.inputs[0];
  SmallVector<Value> sizes;
  for (unsigned i : undecided)
    sizes.push_back(program.size(from[i]));
  Value one = arith::ConstantIndexOp::create(program.b, program.loc, 1);
  return {elementwiseFrom(
      program, type, [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) {
        Indexing at{b, loc};
        SmallVector<Value> place;
        for (unsigned i = 0; i < from.size(); ++i)
          place.push_back(from[i].isConstant(1) ? at.constant(0) : indices[skipped + i]);
        std::function<Value(OpBuilder &, size_t)> decide = [&](OpBuilder &inner,
                                                               size_t k) -> Value {
          if (k == undecided.size())
            return tensor::ExtractOp::create(inner, loc, x, place);
          Value single = arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::eq, sizes[k], one);
          Value own = place[undecided[k]];
          auto with = [&](OpBuilder &part, Value index) {
            place[undecided[k]] = index;
            Value result = decide(part, k + 1);
            place[undecided[k]] = own;
            return result;
          };
          return branch(
              inner, loc, single,
              [&](OpBuilder &part) { return with(part, Indexing{part, loc}.constant(0)); },
              [&](OpBuilder &part) { return with(part, own); });
        };
        return decide(b, 0);
      })};
}

SmallVector<Value> buildNarrow(ProgramBuilder &program) {
  auto op = cast<ir::NarrowOp>(program.op);
  unsigned axis = ir::axisOf(program.types[0], static_cast<int64_t>(op.getAxis()));
  Value start = program.size(program.rename(op.getStart().getExpr()));
  Value x = program.inputs[0];
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) -> Value {
                            SmallVector<Value> place(indices);
                            place[axis] = Indexing{b, loc}.add(place[axis], start);
                            return tensor::ExtractOp::create(b, loc, x, place);
                          })};
}

SmallVector<Value> buildSlice(ProgramBuilder &program) {
  auto op = cast<ir::SliceOp>(program.op);
  ArrayRef<Expr> dims = inputShape(program);
  symbolic::Facts facts;
  ir::addSizeFacts(dims, facts);
  int64_t rank = program.types[0].getRank();
  SmallVector<Value> starts(rank), steps(rank);
  for (auto [i, axis] : llvm::enumerate(op.getAxes())) {
    unsigned dim = ir::axisOf(program.inputType(0), axis);
    int64_t step = op.getSteps() ? (*op.getSteps())[i] : 1;
    Expr start = ir::sliceExtent(dims[dim], program.rename(op.getStarts().getDims()[i]),
                                 program.rename(op.getEnds().getDims()[i]), step, facts)
                     .start;
    if (!start.isConstant(0))
      starts[dim] = program.size(start);
    if (step != 1)
      steps[dim] = arith::ConstantIndexOp::create(program.b, program.loc, step);
  }
  Value x = program.inputs[0];
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) -> Value {
                            Indexing at{b, loc};
                            SmallVector<Value> place(indices);
                            for (int64_t i = 0; i < rank; ++i) {
                              if (steps[i])
                                place[i] = at.mul(place[i], steps[i]);
                              if (starts[i])
                                place[i] = at.add(place[i], starts[i]);
                            }
                            return tensor::ExtractOp::create(b, loc, x, place);
                          })};
}

SmallVector<Value> buildDynamicSlice(ProgramBuilder &program) {
  auto op = cast<ir::DynamicSliceOp>(program.op);
  ArrayRef<Expr> dims = inputShape(program);
  SmallVector<int64_t> axes;
  for (size_t i = 0; i < op.getSizes().getDims().size(); ++i)
    axes.push_back(op.getAxes() ? ir::axisOf(program.inputType(0), (*op.getAxes())[i])
                                : static_cast<int64_t>(i));
  // Where the first element can be at most, and at least.
  SmallVector<Value> highest, lowest;
  SmallVector<int64_t> steps;
  for (auto [i, axis] : llvm::enumerate(axes)) {
    int64_t step = op.getSteps() ? (*op.getSteps())[i] : 1;
    Expr size = program.rename(op.getSizes().getDims()[i]);
    Expr reach = (size - 1) * (step < 0 ? -step : step);
    steps.push_back(step);
    highest.push_back(program.size(step > 0 ? dims[axis] - 1 - reach : dims[axis] - 1));
    lowest.push_back(step > 0 ? program.size(reach.getContext().constant(0)) : program.size(reach));
  }
  Value x = program.inputs[0], first = program.inputs[1];
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) -> Value {
                            Indexing at{b, loc};
                            SmallVector<Value> place(indices);
                            for (auto [i, axis] : llvm::enumerate(axes)) {
                              Value start = tensor::ExtractOp::create(
                                  b, loc, first, at.constant(static_cast<int64_t>(i)));
                              start = arith::IndexCastOp::create(b, loc, b.getIndexType(), start);
                              start = at.max(at.min(start, highest[i]), lowest[i]);
                              if (steps[i] != 1)
                                place[axis] = at.mul(place[axis], at.constant(steps[i]));
                              place[axis] = at.add(place[axis], start);
                            }
                            return tensor::ExtractOp::create(b, loc, x, place);
                          })};
}

/// The first position and the number of elements of each slice, as sliceExtent says.
SmallVector<Value> buildSliceBounds(ProgramBuilder &program) {
  auto op = cast<ir::SliceBoundsOp>(program.op);
  MLIRContext *context = program.b.getContext();
  ArrayRef<Expr> dims = op.getDims().getDims();
  AffineMap map = AffineMap::getMultiDimIdentityMap(1, context);
  SmallVector<Value> sizes;
  for (Expr dim : dims)
    sizes.push_back(program.size(program.rename(dim)));
  SmallVector<Value> results;
  for (bool wantsLength : {false, true}) {
    results.push_back(elementwiseFrom(
        program, program.types[0],
        [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange elements) -> Value {
          Indexing at{b, loc};
          // One entry for each axis: which one, is a chain of selects.
          Value size = at.constant(0), step = at.constant(1);
          for (auto [i, value] : llvm::enumerate(sizes)) {
            Value here = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, indices[0],
                                               at.constant(static_cast<int64_t>(i)));
            size = at.select(here, value, size);
            step = at.select(here, at.constant(op.getSteps()[i]), step);
          }
          Value zero = at.constant(0), one = at.constant(1);
          Value up = at.less(zero, step);
          Value low = at.select(up, zero, at.constant(-1)), high = at.add(size, low);
          auto clamp = [&](Value v) { return at.max(low, at.min(at.position(v, size), high)); };
          Value start = clamp(elements[0]), end = clamp(elements[1]);
          Value distance = at.select(up, at.sub(end, start), at.sub(start, end));
          Value stride = at.select(up, step, at.sub(zero, step));
          Value length = arith::DivSIOp::create(
              b, loc, at.add(at.max(distance, zero), at.sub(stride, one)), stride);
          return arith::IndexCastOp::create(b, loc, b.getI64Type(), wantsLength ? length : start);
        },
        program.inputs, {map, map}));
  }
  return results;
}

SmallVector<Value> buildConcat(ProgramBuilder &program) {
  auto op = cast<ir::ConcatOp>(program.op);
  unsigned axis = ir::axisOf(program.types[0], static_cast<int64_t>(op.getAxis()));
  // Where each operand begins. Those of many operands are sums of sums: as expressions, each of
  // them would be as long as there are operands before.
  constexpr size_t maxSymbolic = 16;
  Expr offset = ir::symbolicContext(program.b.getContext()).constant(0);
  SmallVector<Value> begins = {program.size(offset)};
  for (unsigned i = 0; i + 1 < program.inputs.size(); ++i) {
    Expr size = inputShape(program, i)[axis];
    if (i < maxSymbolic)
      begins.push_back(program.size(offset = offset + size));
    else
      begins.push_back(Indexing{program.b, program.loc}.add(begins.back(), program.size(size)));
  }
  return {elementwiseFrom(
      program, program.types[0], [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) {
        // A binary search for the operand that has the element.
        std::function<Value(OpBuilder &, size_t, size_t)> find = [&](OpBuilder &inner, size_t first,
                                                                     size_t last) -> Value {
          Indexing at{inner, loc};
          if (first + 1 == last) {
            SmallVector<Value> place(indices);
            if (first > 0)
              place[axis] = at.sub(place[axis], begins[first]);
            return tensor::ExtractOp::create(inner, loc, program.inputs[first], place);
          }
          size_t middle = first + (last - first) / 2;
          return branch(
              inner, loc, at.less(indices[axis], begins[middle]),
              [&](OpBuilder &part) { return find(part, first, middle); },
              [&](OpBuilder &part) { return find(part, middle, last); });
        };
        return find(b, 0, program.inputs.size());
      })};
}

/// What a pad copies for position `i` of a dimension of `size` elements, which is outside it.
Value padSource(const Indexing &at, StringRef mode, Value i, Value size) {
  Value zero = at.constant(0), one = at.constant(1);
  if (mode == "edge")
    return at.max(zero, at.min(i, at.sub(size, one)));
  if (mode == "wrap")
    return at.mod(i, size);
  // The mirror images repeat with twice the distance between the edges.
  Value period = at.mul(at.sub(size, one), at.constant(2));
  Value place = at.mod(i, at.max(period, one));
  return at.min(place, at.sub(period, place));
}

SmallVector<Value> buildPad(ProgramBuilder &program) {
  auto op = cast<ir::PadOp>(program.op);
  StringRef mode = op.getMode();
  ArrayRef<Expr> dims = inputShape(program);
  int64_t rank = program.types[0].getRank();
  Expr zero = ir::symbolicContext(program.b.getContext()).constant(0);
  symbolic::Facts facts;
  ir::addSizeFacts(dims, facts);
  struct Side {
    Value low, size;     // Both null where nothing is added or taken away.
    bool before, behind; // Can there be positions outside?
  };
  SmallVector<Side> sides(rank);
  for (int64_t i = 0; i < rank; ++i) {
    Expr low = program.rename(op.getLow().getDims()[i]),
         high = program.rename(op.getHigh().getDims()[i]);
    auto adds = [&](Expr amount) {
      return symbolic::proveLessEqual(amount, zero, facts) != symbolic::Proof::Proved;
    };
    if (low != zero || high != zero)
      sides[i] = {program.size(low), program.size(dims[i]), adds(low), adds(high)};
  }
  Value x = program.inputs[0];
  Type element = program.types[0].getElementType();
  Value fill;
  if (mode == "constant" && !op.getValue())
    fill = program.constant(program.b, element, 0);
  return {elementwiseFrom(
      program, program.types[0], [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) {
        SmallVector<Value> place(indices);
        std::function<Value(OpBuilder &, int64_t)> along = [&](OpBuilder &inner,
                                                               int64_t axis) -> Value {
          Indexing at{inner, loc};
          if (axis == rank)
            return tensor::ExtractOp::create(inner, loc, x, place);
          const Side &side = sides[axis];
          if (!side.low)
            return along(inner, axis + 1);
          Value own = at.sub(indices[axis], side.low);
          auto with = [&](OpBuilder &part, Value index) {
            place[axis] = index;
            return along(part, axis + 1);
          };
          // One formula where it costs little; along the last axis what is inside is read in a row.
          if (mode != "constant" && axis + 1 < rank)
            return with(inner, padSource(at, mode, own, side.size));
          auto outside = [&](OpBuilder &part) -> Value {
            if (mode != "constant")
              return with(part, padSource({part, loc}, mode, own, side.size));
            return fill ? fill
                        : tensor::ExtractOp::create(part, loc, program.inputs[1], ValueRange());
          };
          auto inside = [&](OpBuilder &part) { return with(part, own); };
          auto beforeEnd = [&](OpBuilder &part) {
            return side.behind ? branch(part, loc, Indexing{part, loc}.less(own, side.size), inside,
                                        outside)
                               : inside(part);
          };
          return side.before ? branch(inner, loc, at.less(own, at.constant(0)), outside, beforeEnd)
                             : beforeEnd(inner);
        };
        return along(b, 0);
      })};
}

SmallVector<Value> buildFlip(ProgramBuilder &program) {
  auto op = cast<ir::FlipOp>(program.op);
  ArrayRef<Expr> dims = inputShape(program);
  SmallVector<Value> last(dims.size());
  for (int64_t named : op.getAxes()) {
    unsigned axis = ir::axisOf(program.inputType(0), named);
    last[axis] = program.size(dims[axis] - 1);
  }
  Value x = program.inputs[0];
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) -> Value {
                            SmallVector<Value> place(indices);
                            for (auto [index, end] : llvm::zip(place, last))
                              if (end)
                                index = Indexing{b, loc}.sub(end, index);
                            return tensor::ExtractOp::create(b, loc, x, place);
                          })};
}

SmallVector<Value> buildRoll(ProgramBuilder &program) {
  auto op = cast<ir::RollOp>(program.op);
  ArrayRef<Expr> dims = inputShape(program);
  symbolic::Context &symbols = ir::symbolicContext(program.b.getContext());
  SmallVector<Value> shifts(dims.size()), sizes(dims.size());
  for (auto [named, shift] : llvm::zip(op.getAxes(), op.getShifts().getDims())) {
    unsigned axis = ir::axisOf(program.inputType(0), named);
    // 0 <= shift < size, wherever there is an element.
    shifts[axis] = program.size(
        symbols.mod(program.rename(shift), symbols.max(symbols.constant(1), dims[axis])));
    sizes[axis] = program.size(dims[axis]);
  }
  Value x = program.inputs[0];
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) {
                            SmallVector<Value> place(indices);
                            std::function<Value(OpBuilder &, size_t)> along =
                                [&](OpBuilder &inner, size_t axis) -> Value {
                              Indexing at{inner, loc};
                              if (axis == dims.size())
                                return tensor::ExtractOp::create(inner, loc, x, place);
                              if (!shifts[axis])
                                return along(inner, axis + 1);
                              Value own = at.sub(indices[axis], shifts[axis]);
                              auto with = [&](OpBuilder &part, Value index) {
                                place[axis] = index;
                                return along(part, axis + 1);
                              };
                              return branch(
                                  inner, loc, at.less(own, at.constant(0)),
                                  [&](OpBuilder &part) {
                                    return with(part, Indexing{part, loc}.add(own, sizes[axis]));
                                  },
                                  [&](OpBuilder &part) { return with(part, own); });
                            };
                            return along(b, 0);
                          })};
}

} // namespace

ArrayRef<ProgramEntry> arrangePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.permute", buildPermute},
      {"relax.broadcast_to", buildBroadcastTo},
      {"relax.narrow", buildNarrow},
      {"relax.slice", buildSlice},
      {"relax.dynamic_slice", buildDynamicSlice},
      {"relax.slice_bounds", buildSliceBounds},
      {"relax.concat", buildConcat},
      {"relax.pad", buildPad},
      {"relax.flip", buildFlip},
      {"relax.roll", buildRoll},
  };
  return entries;
}

} // namespace relax::kernels
