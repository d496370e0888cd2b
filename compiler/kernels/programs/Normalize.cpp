// Softmax and normalisations. The programs work along the last axis; an op along another one is
// that between two permutations, and one over several axes that of a reshaped tensor. Sums and
// maxima are taken in float32 at least.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/NormalizeOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// A program over the rows of x: the last axis.
struct Rows {
  explicit Rows(ProgramBuilder &program)
      : program(program), x(program.inputs[0]), type(program.types[0]),
        element(type.getElementType()), accumulator(accumulatorOf(element)),
        axis(unsigned(type.getRank() - 1)) {}

  /// Reduces each row; body: x widened, the rows' values, the accumulator.
  Value reduce(TypedAttr init, ArrayRef<Value> rows,
               llvm::function_ref<Value(const Scalars &, ValueRange)> body) const {
    return reduceAxes(program, type, axis, init, operands(rows),
                      [&](OpBuilder &b, Location loc, ValueRange v) {
                        Scalars s(b, loc);
                        return body(s, widened(s, v));
                      });
  }
  Value maximum() const {
    return reduce(lowestOf(accumulator, false), {},
                  [](const Scalars &s, ValueRange v) { return s.max(v[0], v[1]); });
  }
  Value sum(ArrayRef<Value> rows,
            llvm::function_ref<Value(const Scalars &, ValueRange)> term) const {
    return reduce(zeroOf(accumulator), rows,
                  [&](const Scalars &s, ValueRange v) { return s.add(v.back(), term(s, v)); });
  }
  /// The result: x widened, the rows' values.
  Value result(ArrayRef<Value> rows,
               llvm::function_ref<Value(const Scalars &, ValueRange)> body) const {
    return alongAxes(program, type, axis, operands(rows),
                     [&](OpBuilder &b, Location loc, ValueRange v) {
                       Scalars s(b, loc);
                       return s.convert(element, body(s, widened(s, v)));
                     });
  }
  /// Of each row's value another one.
  Value each(Value rows, llvm::function_ref<Value(const Scalars &, Value)> body) const {
    return elementByElement(program, rows, accumulator, body);
  }
  Value count() const { return countAlong(program, type, axis); }

  ProgramBuilder &program;
  Value x;
  RankedTensorType type;
  Type element, accumulator;
  unsigned axis;

private:
  SmallVector<Value> operands(ArrayRef<Value> rows) const {
    SmallVector<Value> all = {x};
    llvm::append_range(all, rows);
    return all;
  }
  SmallVector<Value> widened(const Scalars &s, ValueRange v) const {
    SmallVector<Value> all(v);
    all[0] = s.convert(accumulator, v[0]);
    return all;
  }
};

Value expOfDifference(const Scalars &s, ValueRange v) {
  return s.call<math::ExpOp>(s.sub(v[0], v[1]));
}

/// exp(x - max x) / sum exp(x - max x): the largest exponent is 0, so nothing overflows. Where the
/// result has the precision of the sum, the exponentials are a tensor of their own, which is then
/// computed once.
SmallVector<Value> buildSoftmax(ProgramBuilder &program) {
  Rows rows(program);
  Value maximum = rows.maximum();
  if (rows.element == rows.accumulator) {
    Rows powers(program);
    powers.x = rows.result(maximum, expOfDifference);
    Value sum = powers.sum({}, [](const Scalars &, ValueRange v) { return v[0]; });
    return {powers.result(sum, [](const Scalars &s, ValueRange v) { return s.div(v[0], v[1]); })};
  }
  Value sum = rows.sum(maximum, expOfDifference);
  return {rows.result({maximum, sum}, [](const Scalars &s, ValueRange v) {
    return s.div(expOfDifference(s, v), v[2]);
  })};
}

SmallVector<Value> buildLogSoftmax(ProgramBuilder &program) {
  Rows rows(program);
  Value maximum = rows.maximum();
  Value log = rows.each(rows.sum(maximum, expOfDifference),
                        [](const Scalars &s, Value v) -> Value { return s.call<math::LogOp>(v); });
  return {rows.result({maximum, log}, [](const Scalars &s, ValueRange v) {
    return s.sub(s.sub(v[0], v[1]), v[2]);
  })};
}

SmallVector<Value> buildLpNorm(ProgramBuilder &program) {
  auto op = cast<ir::LpNormOp>(program.op);
  Rows rows(program);
  bool squared = op.getP() == 2;
  double epsilon = op.getEpsilon().convertToDouble();
  Value sum = rows.sum({}, [&](const Scalars &s, ValueRange v) {
    return squared ? s.mul(v[0], v[0]) : s.abs(v[0]);
  });
  Value divisor = rows.each(sum, [&](const Scalars &s, Value v) {
    Value norm = squared ? s.call<math::SqrtOp>(v) : v;
    norm = s.max(norm, s.like(norm, epsilon));
    // Zeros stay zeros.
    return s.select(s.isZero(norm), s.like(norm, 1), norm);
  });
  return {rows.result(divisor, [](const Scalars &s, ValueRange v) { return s.div(v[0], v[1]); })};
}

/// The last op of a normalisation: x, the rows' values, and vectors along the row, all widened.
Value scaledRows(const Rows &rows, ArrayRef<Value> perRow, ArrayRef<Value> alongRow,
                 llvm::function_ref<Value(const Scalars &, ValueRange)> body) {
  MLIRContext *context = rows.type.getContext();
  unsigned rank = unsigned(rows.type.getRank());
  AffineMap full = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<AffineMap> maps = {full};
  SmallVector<Value> operands = {rows.x};
  for (Value value : perRow) {
    operands.push_back(value);
    maps.push_back(leadingDims(context, rank, rank - 1));
  }
  for (Value value : alongRow) {
    operands.push_back(value);
    maps.push_back(full.getMinorSubMap(1));
  }
  maps.push_back(full);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return rows.program.generic(operands, rows.program.empty(rows.type), maps, iterators,
                              [&](OpBuilder &b, Location loc, ValueRange v) {
                                Scalars s(b, loc);
                                SmallVector<Value> wide;
                                for (Value value : v.drop_back())
                                  wide.push_back(s.convert(rows.accumulator, value));
                                return s.convert(rows.element, body(s, wide));
                              });
}

/// 1 / sqrt(sum / count + epsilon).
Value reciprocalRoot(const Rows &rows, Value sum, double epsilon) {
  Value count = rows.count();
  return rows.each(sum, [&](const Scalars &s, Value v) {
    Value mean = s.div(v, s.convert(rows.accumulator, count));
    Value root = s.call<math::SqrtOp>(s.add(mean, s.like(mean, epsilon)));
    return s.div(s.like(root, 1), root);
  });
}

/// x * weight / sqrt(mean(x^2) + epsilon) (Zhang and Sennrich, 2019).
SmallVector<Value> buildRmsNorm(ProgramBuilder &program) {
  Rows rows(program);
  Value squares = rows.sum({}, [](const Scalars &s, ValueRange v) { return s.mul(v[0], v[0]); });
  double epsilon = cast<ir::RmsNormOp>(program.op).getEpsilon().convertToDouble();
  return {
      scaledRows(rows, reciprocalRoot(rows, squares, epsilon), program.inputs[1],
                 [](const Scalars &s, ValueRange v) { return s.mul(s.mul(v[0], v[1]), v[2]); })};
}

/// The mean of each row, and 1 / sqrt(variance + epsilon).
std::pair<Value, Value> statistics(const Rows &rows, double epsilon) {
  Value count = rows.count();
  Value mean = rows.each(
      rows.sum({}, [](const Scalars &, ValueRange v) { return v[0]; }),
      [&](const Scalars &s, Value v) { return s.div(v, s.convert(rows.accumulator, count)); });
  Value squares = rows.sum(mean, [](const Scalars &s, ValueRange v) {
    Value difference = s.sub(v[0], v[1]);
    return s.mul(difference, difference);
  });
  return {mean, reciprocalRoot(rows, squares, epsilon)};
}

/// From x, the mean, the factor, and perhaps a scale and a bias.
Value normalized(const Scalars &s, ValueRange v) {
  Value result = s.mul(s.sub(v[0], v[1]), v[2]);
  if (v.size() > 3)
    result = s.mul(result, v[3]);
  return v.size() > 4 ? s.add(result, v[4]) : result;
}

/// (x - mean) / sqrt(variance + epsilon), then the scale and the bias (Ba et al., 2016).
SmallVector<Value> buildLayerNorm(ProgramBuilder &program) {
  Rows rows(program);
  double epsilon = cast<ir::LayerNormOp>(program.op).getEpsilon().convertToDouble();
  auto [mean, factor] = statistics(rows, epsilon);
  SmallVector<Value> parameters(program.inputs.drop_front());
  return {scaledRows(rows, {mean, factor}, parameters, normalized)};
}

/// The same with parameters by channel (Wu and He, 2018).
SmallVector<Value> buildNormalizeGroups(ProgramBuilder &program) {
  Rows rows(program);
  double epsilon = cast<ir::NormalizeGroupsOp>(program.op).getEpsilon().convertToDouble();
  auto [mean, factor] = statistics(rows, epsilon);
  symbolic::Context &symbols = ir::symbolicContext(program.b.getContext());
  ArrayRef<Expr> shape = ir::shapeOf(rows.type);
  Expr channels = ir::shapeOf(program.inputType(1))[0];
  Expr each = channels == shape[1] ? symbols.constant(1) : symbols.floorDiv(channels, shape[1]);
  // At least 1 where there is an element.
  Expr size = symbols.floorDiv(shape[2], symbols.max(each, symbols.constant(1)));
  Value eachValue = program.size(each);
  Value sizeValue = program.size(symbols.max(size, symbols.constant(1)));
  return {rows.result({mean, factor}, [&](const Scalars &s, ValueRange v) {
    Value channel = linalg::IndexOp::create(s.b, s.loc, 1);
    if (!each.isConstant(1)) {
      Value place = linalg::IndexOp::create(s.b, s.loc, 2);
      channel = arith::MulIOp::create(s.b, s.loc, channel, eachValue);
      channel = arith::AddIOp::create(s.b, s.loc, channel,
                                      arith::FloorDivSIOp::create(s.b, s.loc, place, sizeValue));
    }
    SmallVector<Value> all(v.take_front(3));
    for (Value parameter : program.inputs.drop_front()) {
      Value value = tensor::ExtractOp::create(s.b, s.loc, parameter, channel);
      all.push_back(s.convert(rows.accumulator, value));
    }
    return normalized(s, all);
  })};
}

/// Element by element, the parameters along axis 1.
Value byChannel(ProgramBuilder &program,
                llvm::function_ref<Value(const Scalars &, ValueRange)> body) {
  RankedTensorType type = program.types[0];
  MLIRContext *context = type.getContext();
  unsigned rank = unsigned(type.getRank());
  Type element = type.getElementType(), accumulator = accumulatorOf(element);
  SmallVector<AffineMap> maps(program.inputs.size() + 1,
                              AffineMap::get(rank, 0, getAffineDimExpr(1, context)));
  maps.front() = maps.back() = AffineMap::getMultiDimIdentityMap(rank, context);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return program.generic(program.inputs, program.empty(type), maps, iterators,
                         [&](OpBuilder &b, Location loc, ValueRange v) {
                           Scalars s(b, loc);
                           SmallVector<Value> wide;
                           for (Value value : v.drop_back())
                             wide.push_back(s.convert(accumulator, value));
                           return s.convert(element, body(s, wide));
                         });
}

/// Operands: x, scale, bias, mean, variance (Ioffe and Szegedy, 2015).
SmallVector<Value> buildBatchNorm(ProgramBuilder &program) {
  double epsilon = cast<ir::BatchNormOp>(program.op).getEpsilon().convertToDouble();
  return {byChannel(program, [&](const Scalars &s, ValueRange v) {
    Value root = s.call<math::SqrtOp>(s.add(v[4], s.like(v[4], epsilon)));
    return s.add(s.mul(s.div(s.sub(v[0], v[3]), root), v[1]), v[2]);
  })};
}

//===------------------------------------------------------------------------------------------===//
// Decomposition
//===------------------------------------------------------------------------------------------===//

/// A single row has a dimension in front of it, too, so that it is one of rows.
template <typename Op> bool isAlongOtherAxis(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() == 1 ||
         ir::axisOf(type, cast<Op>(op).getAxis()) + 1 != unsigned(type.getRank());
}

/// The op along the last axis, between two permutations.
template <typename Op>
LogicalResult decomposeAxis(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  unsigned axis = ir::axisOf(type, cast<Op>(op).getAxis());
  auto along = [&](Value x) -> Value {
    OperationState state(op->getLoc(), op->getName(), x, x.getType(), op->getAttrs());
    state.attributes.set("axis", b.getI64IntegerAttr(-1));
    return b.create(state)->getResult(0);
  };
  ArrayRef<Expr> dims = ir::shapeOf(type);
  if (dims.size() == 1) {
    Expr one = ir::symbolicContext(op->getContext()).constant(1);
    Value row = ir::ReshapeOp::create(b, op->getLoc(), op->getOperand(0), {one, dims[0]});
    values.push_back(ir::ReshapeOp::create(b, op->getLoc(), along(row), dims));
    return success();
  }
  SmallVector<int64_t> to, from(type.getRank());
  for (int64_t i = 0; i < type.getRank(); ++i)
    if (i != int64_t(axis))
      to.push_back(i);
  to.push_back(axis);
  for (auto [i, place] : llvm::enumerate(to))
    from[place] = int64_t(i);
  auto permuted = [&](Value x, ArrayRef<int64_t> permutation) -> Value {
    return ir::PermuteOp::create(b, op->getLoc(), x, permutation);
  };
  values.push_back(permuted(along(permuted(op->getOperand(0), to)), from));
  return success();
}

Expr product(ArrayRef<Expr> dims, MLIRContext *context) { return ir::elementCount(context, dims); }

/// Several normalised axes are one of a reshaped tensor.
LogicalResult decomposeLayerNorm(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto norm = cast<ir::LayerNormOp>(op);
  auto type = cast<RankedTensorType>(norm.getX().getType());
  unsigned axis = ir::axisOf(type, norm.getAxis());
  SmallVector<Expr> dims(ir::shapeOf(type).take_front(axis));
  if (dims.empty())
    dims.push_back(ir::symbolicContext(op->getContext()).constant(1));
  dims.push_back(product(ir::shapeOf(type).drop_front(axis), op->getContext()));
  SmallVector<Value> parameters;
  for (Value parameter : norm.getParameters()) {
    ArrayRef<Expr> shape = ir::shapeOf(cast<RankedTensorType>(parameter.getType()));
    parameters.push_back(
        ir::ReshapeOp::create(b, op->getLoc(), parameter, product(shape, op->getContext())));
  }
  Value rows = ir::ReshapeOp::create(b, op->getLoc(), norm.getX(), dims);
  OperationState state(op->getLoc(), op->getName());
  state.addOperands(rows);
  state.addOperands(parameters);
  state.addTypes(rows.getType());
  state.addAttribute("axis", b.getI64IntegerAttr(-1));
  state.addAttribute("epsilon", norm.getEpsilonAttr());
  Value result = b.create(state)->getResult(0);
  values.push_back(ir::ReshapeOp::create(b, op->getLoc(), result, ir::shapeOf(type)));
  return success();
}

/// x [n, c, ...] normalised in rows: [n, groups, c / groups * ...].
LogicalResult normalizeGroups(OpBuilder &b, Operation *op, ValueRange parameters, Expr groups,
                              FloatAttr epsilon, SmallVectorImpl<Value> &values) {
  MLIRContext *context = op->getContext();
  symbolic::Context &symbols = ir::symbolicContext(context);
  Value x = op->getOperand(0);
  ArrayRef<Expr> shape = ir::shapeOf(cast<RankedTensorType>(x.getType()));
  // That the groups divide the channels is the op's own constraint, proved or checked before.
  Expr each = groups == shape[1] ? symbols.constant(1) : symbols.floorDiv(shape[1], groups);
  SmallVector<Expr> dims = {shape[0], groups, each * product(shape.drop_front(2), context)};
  Value rows = ir::ReshapeOp::create(b, op->getLoc(), x, dims);
  OperationState state(op->getLoc(), parameters.empty()
                                         ? ir::LayerNormOp::getOperationName()
                                         : ir::NormalizeGroupsOp::getOperationName());
  state.addOperands(rows);
  state.addOperands(parameters);
  state.addTypes(rows.getType());
  state.addAttribute("epsilon", epsilon);
  if (parameters.empty())
    state.addAttribute("axis", b.getI64IntegerAttr(-1));
  Value result = b.create(state)->getResult(0);
  values.push_back(ir::ReshapeOp::create(b, op->getLoc(), result, shape));
  return success();
}

LogicalResult decomposeGroupNorm(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto norm = cast<ir::GroupNormOp>(op);
  Expr groups = ir::symbolicContext(op->getContext()).constant(norm.getNumGroups());
  return normalizeGroups(b, op, norm.getParameters(), groups, norm.getEpsilonAttr(), values);
}

LogicalResult decomposeInstanceNorm(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto norm = cast<ir::InstanceNormOp>(op);
  Expr channels = ir::shapeOf(cast<RankedTensorType>(norm.getX().getType()))[1];
  return normalizeGroups(b, op, norm.getParameters(), channels, norm.getEpsilonAttr(), values);
}

} // namespace

ArrayRef<ProgramEntry> normalizePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.softmax", buildSoftmax},
      {"relax.log_softmax", buildLogSoftmax},
      {"relax.lp_norm", buildLpNorm},
      {"relax.rms_norm", buildRmsNorm},
      {"relax.layer_norm", buildLayerNorm},
      {"relax.batch_norm", buildBatchNorm},
      {"relax.normalize_groups", buildNormalizeGroups},
  };
  return entries;
}

ArrayRef<DecompositionEntry> normalizeDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.softmax", decomposeAxis<ir::SoftmaxOp>, isAlongOtherAxis<ir::SoftmaxOp>},
      {"relax.log_softmax", decomposeAxis<ir::LogSoftmaxOp>, isAlongOtherAxis<ir::LogSoftmaxOp>},
      {"relax.lp_norm", decomposeAxis<ir::LpNormOp>, isAlongOtherAxis<ir::LpNormOp>},
      {"relax.layer_norm", decomposeLayerNorm, isAlongOtherAxis<ir::LayerNormOp>},
      {"relax.group_norm", decomposeGroupNorm},
      {"relax.instance_norm", decomposeInstanceNorm},
  };
  return entries;
}

} // namespace relax::kernels
