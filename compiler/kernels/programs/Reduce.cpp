// Reductions along axes. Neighbouring reduced axes are one axis of a reshaped tensor, and kept
// dimensions of 1 are a reshape of the result, so that most programs reduce the last axis.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/ReduceOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"
#include "compiler/kernels/programs/Cumulative.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

std::optional<ArrayRef<int64_t>> axesAttribute(Operation *op) {
  if (auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes"))
    return axes.asArrayRef();
  return std::nullopt;
}

/// One reduction: its operand, its axes, and the type in which it accumulates.
struct Reduction {
  explicit Reduction(ProgramBuilder &program)
      : program(program), x(program.inputs[0]), type(program.inputType(0)),
        element(type.getElementType()), accumulator(accumulatorOf(element)),
        isUnsigned(isUnsignedOperand(program.op, 0)),
        axes(ir::axesOf(type, axesAttribute(program.op))) {}

  using Step = llvm::function_ref<Value(const Scalars &, Value element, Value accumulator)>;

  /// Reduces x, widened.
  Value reduce(TypedAttr init, Step step) const {
    return reduceAxes(program, type, axes, init, ValueRange{x},
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, isUnsigned);
                        return step(s, s.convert(accumulator, v[0]), v[1]);
                      });
  }
  /// The same with a tensor that lacks the axes beside x.
  Value reduceWith(Value rows, TypedAttr init,
                   llvm::function_ref<Value(const Scalars &, Value, Value, Value)> step) const {
    return reduceAxes(program, type, axes, init, ValueRange{x, rows},
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc, isUnsigned);
                        return step(s, s.convert(accumulator, v[0]), v[1], v[2]);
                      });
  }
  Value sum(llvm::function_ref<Value(const Scalars &, Value)> term) const {
    return reduce(zeroOf(accumulator),
                  [&](const Scalars &s, Value v, Value a) { return s.add(a, term(s, v)); });
  }
  /// What `body` makes of each element of the reduced tensor, in the result's type.
  SmallVector<Value> finish(Value reduced,
                            llvm::function_ref<Value(const Scalars &, Value)> body) const {
    return {elementByElement(program, reduced, element, [&](const Scalars &s, Value v) {
      return s.convert(element, body(s, v));
    })};
  }
  SmallVector<Value> finish(Value reduced) const {
    if (element == accumulator)
      return {reduced};
    return finish(reduced, [](const Scalars &, Value v) { return v; });
  }
  Value count() const { return countAlong(program, type, axes); }

  ProgramBuilder &program;
  Value x;
  RankedTensorType type;
  Type element, accumulator;
  bool isUnsigned;
  SmallVector<unsigned> axes;
};

Value identity(const Scalars &, Value v) { return v; }
Value square(const Scalars &s, Value v) { return s.mul(v, v); }
Value magnitude(const Scalars &s, Value v) { return s.abs(v); }

SmallVector<Value> buildSum(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(reduction.sum(identity));
}

SmallVector<Value> buildProd(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(
      reduction.reduce(oneOf(reduction.accumulator),
                       [](const Scalars &s, Value v, Value a) { return s.mul(a, v); }));
}

SmallVector<Value> buildMax(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(
      reduction.reduce(lowestOf(reduction.accumulator, reduction.isUnsigned),
                       [](const Scalars &s, Value v, Value a) { return s.max(v, a); }));
}

SmallVector<Value> buildMin(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(
      reduction.reduce(highestOf(reduction.accumulator, reduction.isUnsigned),
                       [](const Scalars &s, Value v, Value a) { return s.min(v, a); }));
}

SmallVector<Value> buildAny(ProgramBuilder &program) {
  Reduction reduction(program);
  return {reduction.reduce(zeroOf(reduction.element),
                           [](const Scalars &s, Value v, Value a) { return s.either(v, a); })};
}

SmallVector<Value> buildAll(ProgramBuilder &program) {
  Reduction reduction(program);
  return {reduction.reduce(oneOf(reduction.element),
                           [](const Scalars &s, Value v, Value a) { return s.both(v, a); })};
}

SmallVector<Value> buildMean(ProgramBuilder &program) {
  Reduction reduction(program);
  Value count = reduction.count();
  return reduction.finish(reduction.sum(identity), [&](const Scalars &s, Value v) {
    return s.div(v, s.convert(reduction.accumulator, count));
  });
}

SmallVector<Value> buildL1Norm(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(reduction.sum(magnitude));
}

SmallVector<Value> buildL2Norm(ProgramBuilder &program) {
  Reduction reduction(program);
  return reduction.finish(reduction.sum(square), [](const Scalars &s, Value v) -> Value {
    return s.call<math::SqrtOp>(v);
  });
}

/// max + log(sum(exp(x - max))), with 0 in place of an infinite maximum.
SmallVector<Value> buildLogsumexp(ProgramBuilder &program) {
  Reduction reduction(program);
  Type accumulator = reduction.accumulator;
  Value maximum = reduction.reduce(lowestOf(accumulator, false),
                                   [](const Scalars &s, Value v, Value a) { return s.max(v, a); });
  Value shift = elementByElement(program, maximum, accumulator, [](const Scalars &s, Value v) {
    Value infinity = s.like(v, std::numeric_limits<double>::infinity());
    return s.select(s.equal(s.abs(v), infinity), s.like(v, 0), v);
  });
  Value sum = reduction.reduceWith(shift, zeroOf(accumulator),
                                   [](const Scalars &s, Value v, Value row, Value a) {
                                     return s.add(a, s.call<math::ExpOp>(s.sub(v, row)));
                                   });
  auto rows = cast<RankedTensorType>(sum.getType()).clone(reduction.element);
  return {program.pointwise(rows, ValueRange{sum, shift},
                            [&](OpBuilder &b, Location loc, ValueRange v) {
                              Scalars s(b, loc);
                              Value result = s.add(v[1], s.call<math::LogOp>(v[0]));
                              return s.convert(reduction.element, result);
                            })};
}

/// sum((x - mean)^2) / max(count - correction, 0), or its root.
SmallVector<Value> buildSpread(ProgramBuilder &program, int64_t correction, bool root) {
  Reduction reduction(program);
  Type accumulator = reduction.accumulator;
  Value count = reduction.count();
  Value mean = elementByElement(
      program, reduction.sum(identity), accumulator,
      [&](const Scalars &s, Value v) { return s.div(v, s.convert(accumulator, count)); });
  Value squares = reduction.reduceWith(mean, zeroOf(accumulator),
                                       [](const Scalars &s, Value v, Value row, Value a) {
                                         Value difference = s.sub(v, row);
                                         return s.add(a, s.mul(difference, difference));
                                       });
  return reduction.finish(squares, [&](const Scalars &s, Value v) -> Value {
    Value freedom = s.sub(count, s.like(count, double(correction)));
    freedom = s.max(freedom, s.like(count, 0));
    Value variance = s.div(v, s.convert(accumulator, freedom));
    return root ? s.call<math::SqrtOp>(variance) : variance;
  });
}

SmallVector<Value> buildVariance(ProgramBuilder &program) {
  return buildSpread(program, cast<ir::VarianceOp>(program.op).getCorrection(), false);
}

SmallVector<Value> buildStd(ProgramBuilder &program) {
  return buildSpread(program, cast<ir::StdOp>(program.op).getCorrection(), true);
}

//===------------------------------------------------------------------------------------------===//
// argmax, argmin
//===------------------------------------------------------------------------------------------===//

/// Two accumulators: the extreme element, and its index.
template <typename Op> SmallVector<Value> buildArg(ProgramBuilder &program) {
  constexpr bool largest = std::is_same_v<Op, ir::ArgmaxOp>;
  auto op = cast<Op>(program.op);
  RankedTensorType type = program.inputType(0);
  Type element = type.getElementType(), accumulator = accumulatorOf(element);
  bool isUnsigned = isUnsignedOperand(op, 0), last = op.getSelectLastIndex();
  unsigned axis = ir::axisOf(type, op.getAxis());
  MLIRContext *context = type.getContext();
  int64_t rank = type.getRank();
  TypedAttr start =
      largest ? lowestOf(accumulator, isUnsigned) : highestOf(accumulator, isUnsigned);
  Type i64 = program.b.getI64Type();
  Value best = program.filled(withoutAxes(type, axis, accumulator), start);
  Value place = program.filled(withoutAxes(type, axis, i64), zeroOf(i64));
  AffineMap full = AffineMap::getMultiDimIdentityMap(rank, context);
  AffineMap outer = full.dropResult(axis);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators[axis] = utils::IteratorType::reduction;
  auto generic = linalg::GenericOp::create(
      program.b, program.loc, TypeRange{best.getType(), place.getType()},
      ValueRange{program.inputs[0]}, ValueRange{best, place},
      ArrayRef<AffineMap>{full, outer, outer}, iterators,
      [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc, isUnsigned);
        Value x = s.convert(accumulator, v[0]), found = v[1];
        Value better = largest ? (last ? s.lessEqual(found, x) : s.less(found, x))
                               : (last ? s.lessEqual(x, found) : s.less(x, found));
        if (isa<FloatType>(accumulator)) {
          // A NaN beats every number, and for the last index another NaN, too.
          Value nan = s.isNan(x);
          better = s.either(better, last ? nan : s.both(nan, s.negation(s.isNan(found))));
        }
        Value index =
            arith::IndexCastOp::create(b, loc, i64, linalg::IndexOp::create(b, loc, axis));
        linalg::YieldOp::create(
            b, loc, ValueRange{s.select(better, x, found), s.select(better, index, v[2])});
      });
  return {generic.getResult(1)};
}

//===------------------------------------------------------------------------------------------===//
// Decomposition
//===------------------------------------------------------------------------------------------===//

bool neighbours(ArrayRef<unsigned> axes) {
  for (size_t i = 1; i < axes.size(); ++i)
    if (axes[i] == axes[i - 1] + 1)
      return true;
  return false;
}

bool isComposed(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  SmallVector<unsigned> axes = ir::axesOf(type, axesAttribute(op));
  return op->hasAttr("keep_dims") || axes.size() == size_t(type.getRank()) || axes.empty() ||
         neighbours(axes);
}

/// `op` on x, without keep_dims, with these axes.
Value reduceOf(OpBuilder &b, Operation *op, Value x, ArrayRef<unsigned> axes) {
  SmallVector<symbolic::Expr> dims;
  for (auto [i, dim] : llvm::enumerate(ir::shapeOf(cast<RankedTensorType>(x.getType()))))
    if (!llvm::is_contained(axes, unsigned(i)))
      dims.push_back(dim);
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  OperationState state(op->getLoc(), op->getName(), ValueRange{x},
                       ir::tensorType(op->getContext(), dims, element), op->getAttrs());
  state.attributes.erase("keep_dims");
  state.attributes.set("axes", b.getDenseI64ArrayAttr(SmallVector<int64_t>(axes)));
  return b.create(state)->getResult(0);
}

LogicalResult decomposeReduction(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  Value x = op->getOperand(0);
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<unsigned> axes = ir::axesOf(type, axesAttribute(op));
  // Each run of reduced axes becomes one; none becomes a last one of length 1.
  SmallVector<Expr> dims;
  SmallVector<unsigned> merged;
  for (auto [i, dim] : llvm::enumerate(ir::shapeOf(type))) {
    bool reduced = llvm::is_contained(axes, unsigned(i));
    if (reduced && !merged.empty() && i > 0 && llvm::is_contained(axes, unsigned(i - 1))) {
      dims.back() = dims.back() * dim;
      continue;
    }
    if (reduced)
      merged.push_back(unsigned(dims.size()));
    dims.push_back(dim);
  }
  Expr one = ir::symbolicContext(op->getContext()).constant(1);
  if (axes.empty()) {
    merged.push_back(unsigned(dims.size()));
    dims.push_back(one);
  }
  // What is reduced altogether is one row of one.
  if (dims.size() == 1) {
    dims.insert(dims.begin(), one);
    merged = {1};
  }
  if (ArrayRef(dims) != ir::shapeOf(type))
    x = ir::ReshapeOp::create(b, op->getLoc(), x, dims);
  Value result = reduceOf(b, op, x, merged);
  auto resultType = cast<RankedTensorType>(op->getResult(0).getType());
  if (result.getType() != resultType)
    result = ir::ReshapeOp::create(b, op->getLoc(), result, ir::shapeOf(resultType));
  values.push_back(result);
  return success();
}

bool keepsDims(Operation *op) { return op->hasAttr("keep_dims"); }

template <typename Op>
LogicalResult decomposeArg(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  unsigned axis = ir::axisOf(type, cast<Op>(op).getAxis());
  OperationState state(op->getLoc(), op->getName(), op->getOperands(),
                       withoutAxes(type, axis, type.getElementType()), op->getAttrs());
  state.attributes.erase("keep_dims");
  Value index = b.create(state)->getResult(0);
  values.push_back(ir::ReshapeOp::create(b, op->getLoc(), index, ir::shapeOf(type)));
  return success();
}

} // namespace

ArrayRef<ProgramEntry> reducePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.sum", buildSum},
      {"relax.prod", buildProd},
      {"relax.max", buildMax},
      {"relax.min", buildMin},
      {"relax.mean", buildMean},
      {"relax.any", buildAny},
      {"relax.all", buildAll},
      {"relax.logsumexp", buildLogsumexp},
      {"relax.l1_norm", buildL1Norm},
      {"relax.l2_norm", buildL2Norm},
      {"relax.variance", buildVariance},
      {"relax.std", buildStd},
      {"relax.argmax", buildArg<ir::ArgmaxOp>},
      {"relax.argmin", buildArg<ir::ArgminOp>},
      {"relax.cumsum", buildCumulative},
      {"relax.cumprod", buildCumulative},
      {"relax.cummax", buildCumulative},
  };
  return entries;
}

ArrayRef<DecompositionEntry> reduceDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.sum", decomposeReduction, isComposed},
      {"relax.prod", decomposeReduction, isComposed},
      {"relax.max", decomposeReduction, isComposed},
      {"relax.min", decomposeReduction, isComposed},
      {"relax.mean", decomposeReduction, isComposed},
      {"relax.any", decomposeReduction, isComposed},
      {"relax.all", decomposeReduction, isComposed},
      {"relax.logsumexp", decomposeReduction, isComposed},
      {"relax.l1_norm", decomposeReduction, isComposed},
      {"relax.l2_norm", decomposeReduction, isComposed},
      {"relax.variance", decomposeReduction, isComposed},
      {"relax.std", decomposeReduction, isComposed},
      {"relax.argmax", decomposeArg<ir::ArgmaxOp>, keepsDims},
      {"relax.argmin", decomposeArg<ir::ArgminOp>, keepsDims},
      {"relax.cumsum", decomposeCumulative, isOtherCumulative},
      {"relax.cumprod", decomposeCumulative, isOtherCumulative},
      {"relax.cummax", decomposeCumulative, isOtherCumulative},
  };
  return entries;
}

} // namespace relax::kernels
