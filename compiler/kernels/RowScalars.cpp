#include "compiler/kernels/RowScalars.h"

#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace relax::kernels {

static constexpr int64_t accumulators = 4;

/// What leaves every value as it is under `combiner`.
static TypedAttr neutralElement(Operation *combiner) {
  Type type = combiner->getResult(0).getType();
  OpBuilder b(combiner->getContext());
  if (auto floatType = dyn_cast<FloatType>(type)) {
    auto infinity = [&](bool negative) {
      return FloatAttr::get(type, APFloat::getInf(floatType.getFloatSemantics(), negative));
    };
    if (isa<arith::AddFOp>(combiner))
      return FloatAttr::get(type, APFloat::getZero(floatType.getFloatSemantics(), true));
    if (isa<arith::MulFOp>(combiner))
      return b.getFloatAttr(type, 1.0);
    if (isa<arith::MaximumFOp>(combiner))
      return infinity(true);
    if (isa<arith::MinimumFOp>(combiner))
      return infinity(false);
    return FloatAttr::get(type, APFloat::getNaN(floatType.getFloatSemantics()));
  }
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  auto integer = [&](const APInt &value) { return IntegerAttr::get(type, value); };
  if (isa<arith::MulIOp>(combiner))
    return integer(APInt(bits, 1));
  if (isa<arith::MaxSIOp>(combiner))
    return integer(APInt::getSignedMinValue(bits));
  if (isa<arith::MinSIOp>(combiner))
    return integer(APInt::getSignedMaxValue(bits));
  if (isa<arith::MinUIOp, arith::AndIOp>(combiner))
    return integer(APInt::getAllOnes(bits));
  return integer(APInt::getZero(bits));
}

void RowScalars::bind(ArrayRef<Value> row) {
  for (Operation &op : context.program.getBody().front().without_terminator())
    for (Value result : op.getResults()) {
      if (!form.isRow(result))
        continue;
      auto linalgOp = cast<linalg::LinalgOp>(op);
      for (const Kept &k : kept)
        if (k.firstReader == linalgOp)
          emitter.storeTo(k.tensor, k.memref);
      Value scalar = linalgOp.getNumReductionLoops() > 0 ? reduceRow(linalgOp, row)
                                                         : emitter.evaluate(result, row, 1);
      for (const Kept &k : kept)
        if (k.firstReader == linalgOp) {
          emitter.storeTo(k.tensor, {});
          emitter.bindMemref(k.tensor, k.memref);
        }
      emitter.bind(result, [scalar](ArrayRef<Value>, int64_t) { return scalar; });
    }
}

void RowScalars::unbind() {
  for (Operation &op : context.program.getBody().front())
    for (Value result : op.getResults())
      emitter.unbind(result);
}

Value RowScalars::combine(Operation *combiner, Value a, Value b) {
  OperationState state(context.loc, combiner->getName());
  state.addOperands({a, b});
  state.addTypes(a.getType());
  state.addAttributes(combiner->getAttrs());
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return context.b.create(state)->getResult(0);
}

/// Halves `vector` until one element is left.
Value RowScalars::horizontal(Operation *combiner, Value vector, int64_t lanes) {
  OpBuilder &b = context.b;
  for (int64_t width = lanes / 2; width >= 1; width /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t i = 0; i < width; ++i) {
      low.push_back(i);
      high.push_back(width + i);
    }
    Value left = vector::ShuffleOp::create(b, context.loc, vector, vector, low);
    Value right = vector::ShuffleOp::create(b, context.loc, vector, vector, high);
    vector = combine(combiner, left, right);
  }
  return vector::ExtractOp::create(b, context.loc, vector, 0);
}

Value RowScalars::reduceRow(linalg::LinalgOp op, ArrayRef<Value> row) {
  OpBuilder &b = context.b;
  Operation *combiner = transforms::combinerOf(op);
  Type type = combiner->getResult(0).getType();
  bool isNarrow = !type.isIndex() && type.getIntOrFloatBitWidth() < 32;
  int64_t lanes = context.vectorLanes(isNarrow ? b.getF32Type() : type);
  auto [operand, dimension] = loopExtent(op, op.getNumLoops() - 1);
  Value length = emitter.dim(operand, dimension);
  auto at = [&](Value j, int64_t width, Value accumulator) {
    SmallVector<Value> iteration(row);
    iteration.push_back(j);
    return emitter.step(op, iteration, width, accumulator);
  };
  Value zero = context.index(0),
        neutral = arith::ConstantOp::create(b, context.loc, neutralElement(combiner));
  Value partial = neutral, done = zero;
  if (lanes > 1) {
    auto multiple = [&](int64_t size) -> Value {
      Value whole = emitLaneOp(b, context.loc, LaneOp::FloorDiv, LaneValue::uniform(length),
                               LaneValue::uniform(context.index(size)), 1)
                        .value;
      return b.createOrFold<arith::MulIOp>(context.loc, whole, context.index(size));
    };
    Value blocks = multiple(lanes * accumulators);
    SmallVector<Value> sums(accumulators, emitSplat(context, neutral, lanes));
    sums = emitLoop(context, zero, blocks, context.index(lanes * accumulators), sums,
                    [&](Value j, ValueRange carried) {
                      SmallVector<Value> next;
                      for (auto [i, sum] : llvm::enumerate(carried)) {
                        Value place =
                            arith::AddIOp::create(b, context.loc, j, context.index(i * lanes));
                        next.push_back(at(i == 0 ? j : place, lanes, sum));
                      }
                      return next;
                    });
    done = multiple(lanes);
    sums[0] = emitLoop(context, blocks, done, context.index(lanes), ValueRange{sums[0]},
                       [&](Value j, ValueRange carried) -> SmallVector<Value> {
                         return {at(j, lanes, carried[0])};
                       })
                  .front();
    Value all =
        combine(combiner, combine(combiner, sums[0], sums[1]), combine(combiner, sums[2], sums[3]));
    partial = horizontal(combiner, all, lanes);
  }
  partial = emitLoop(context, done, length, context.index(1), ValueRange{partial},
                     [&](Value j, ValueRange carried) -> SmallVector<Value> {
                       return {at(j, 1, carried[0])};
                     })
                .front();
  Value init = emitter.evaluate(op.getDpsInitOperand(0)->get(), row, 1);
  return combine(combiner, init, partial);
}

} // namespace relax::kernels
