// Running reductions of x [outer, n, inner] along the middle axis, as loops: for each place outside
// the axis one pass along it, with an accumulator.
//
//   %r = scf.forall (%a, %c) in (%outer, %inner) shared_outs(%out = %empty) {
//     %row = tensor.extract_slice %out[%a, 0, %c] [1, %n, 1] [1, 1, 1]
//     %done:2 = scf.for %j = 0 to %n iter_args(%sum = 0, %to = %row) {
//       %x = tensor.extract %in[%a, %j, %c]
//       …
//     }
//     scf.forall.in_parallel { tensor.parallel_insert_slice %done#1 into %out[%a, 0, %c] … }
//   }

#include "compiler/kernels/programs/Cumulative.h"
#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/ReduceOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// What the ops have in common.
struct CumulativeOp {
  explicit CumulativeOp(Operation *op) {
    auto read = [&](auto typed) {
      axis = int64_t(typed.getAxis());
      exclusive = typed.getExclusive();
      reverse = typed.getReverse();
    };
    if (auto sum = dyn_cast<ir::CumsumOp>(op))
      read(sum);
    else if (auto product = dyn_cast<ir::CumprodOp>(op))
      read(product);
    else
      read(cast<ir::CummaxOp>(op));
  }
  int64_t axis = 0;
  bool exclusive = false, reverse = false;
};

TypedAttr identityOf(Operation *op, Type accumulator) {
  if (isa<ir::CumsumOp>(op))
    return zeroOf(accumulator);
  return isa<ir::CumprodOp>(op) ? oneOf(accumulator)
                                : lowestOf(accumulator, isUnsignedOperand(op, 0));
}

Value combine(Operation *op, const Scalars &s, Value sum, Value x) {
  if (isa<ir::CumsumOp>(op))
    return s.add(sum, x);
  return isa<ir::CumprodOp>(op) ? s.mul(sum, x) : s.max(sum, x);
}

/// The loop along one row; gives the finished row.
Value alongRow(ProgramBuilder &program, OpBuilder &b, Value row, Value outer, Value inner,
               Value length) {
  Location loc = program.loc;
  CumulativeOp op(program.op);
  Type element = program.types[0].getElementType(), accumulator = accumulatorOf(element);
  Value x = program.inputs[0];
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  Value start = arith::ConstantOp::create(b, loc, identityOf(program.op, accumulator));
  Value last = arith::SubIOp::create(b, loc, length, one);
  auto loop = scf::ForOp::create(
      b, loc, zero, length, one, ValueRange{start, row},
      [&](OpBuilder &in, Location where, Value j, ValueRange carried) {
        Scalars s(in, where, isUnsignedOperand(program.op, 0));
        Value place = op.reverse ? Value(arith::SubIOp::create(in, where, last, j)) : j;
        Value value = tensor::ExtractOp::create(in, where, x, ValueRange{outer, place, inner});
        Value next = combine(program.op, s, carried[0], s.convert(accumulator, value));
        Value result = s.convert(element, op.exclusive ? carried[0] : next);
        Value to = tensor::InsertOp::create(in, where, result, carried[1], place);
        scf::YieldOp::create(in, where, ValueRange{next, to});
      });
  return loop.getResult(1);
}

} // namespace

SmallVector<Value> buildCumulative(ProgramBuilder &program) {
  OpBuilder &b = program.b;
  Location loc = program.loc;
  RankedTensorType type = program.types[0];
  ArrayRef<Expr> dims = ir::shapeOf(type);
  RankedTensorType rowType = ir::tensorType(type.getContext(), dims[1], type.getElementType());
  Value length = program.size(dims[1]);
  OpFoldResult one = b.getIndexAttr(1), zero = b.getIndexAttr(0);
  OpFoldResult extent = dims[1].isConstant() ? OpFoldResult(b.getIndexAttr(dims[1].constantValue()))
                                             : OpFoldResult(length);
  SmallVector<OpFoldResult> sizes = {one, extent, one}, strides(3, one);
  SmallVector<OpFoldResult> bounds = {program.size(dims[0]), program.size(dims[2])};
  auto forall = scf::ForallOp::create(
      b, loc, bounds, ValueRange{program.empty(type)}, std::nullopt,
      [&](OpBuilder &in, Location where, ValueRange arguments) {
        Value outer = arguments[0], inner = arguments[1], out = arguments[2];
        SmallVector<OpFoldResult> offsets = {outer, zero, inner};
        Value row =
            tensor::ExtractSliceOp::create(in, where, rowType, out, offsets, sizes, strides);
        Value done = alongRow(program, in, row, outer, inner, length);
        auto parallel = scf::InParallelOp::create(in, where);
        in.setInsertionPointToStart(parallel.getBody());
        tensor::ParallelInsertSliceOp::create(in, where, done, out, offsets, sizes, strides);
      });
  return {forall.getResult(0)};
}

bool isOtherCumulative(Operation *op) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  return type.getRank() != 3 || ir::axisOf(type, CumulativeOp(op).axis) != 1;
}

LogicalResult decomposeCumulative(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  unsigned axis = ir::axisOf(type, CumulativeOp(op).axis);
  ArrayRef<Expr> dims = ir::shapeOf(type);
  Value x =
      ir::ReshapeOp::create(b, op->getLoc(), op->getOperand(0),
                            {ir::elementCount(op->getContext(), dims.take_front(axis)), dims[axis],
                             ir::elementCount(op->getContext(), dims.drop_front(axis + 1))});
  OperationState state(op->getLoc(), op->getName(), x, x.getType(), op->getAttrs());
  state.attributes.set("axis", b.getI64IntegerAttr(1));
  Value result = b.create(state)->getResult(0);
  values.push_back(ir::ReshapeOp::create(b, op->getLoc(), result, dims));
  return success();
}

} // namespace relax::kernels
