// The strategy row-reduction: reductions along the last dimension, and elementwise work on the same
// rows before, between and behind them.
//
// A tensor of such a program is *full*, indexed (outer..., j), or of *rows*, indexed (outer...). A
// unit is one row: each reduction in the program's order is one loop over the row, whose result is
// then a scalar; what elementwise ops make of such scalars is computed once; the results are a last
// loop. Full intermediates are recomputed in each loop that needs them, but for one: what takes a
// math function and has the type of a result (softmax's exponentials) is stored in the result's
// memory by the first reduction that computes it, and read from there.
//
// Order of a reduction over n elements, the same whatever else the call does: `accumulators`
// vectors take vectors of the row in turn; what is left of whole vectors goes to the first; they
// are added in pairs, then the halves of the vector, again and again; then the last n mod lanes
// elements one by one; the initial value comes last.

#include "compiler/kernels/Cost.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/Schedules.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <bit>
#include <limits>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t accumulators = 4;

/// The op that combines the accumulator with an element, if the body ends in one that can be split
/// into partial results; null otherwise.
Operation *combinerOf(linalg::LinalgOp op) {
  if (op.getNumDpsInits() != 1)
    return nullptr;
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  Operation *combiner = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  if (!combiner || !accumulator.hasOneUse() || *accumulator.user_begin() != combiner)
    return nullptr;
  return isa<arith::AddFOp, arith::MulFOp, arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp,
             arith::MinNumFOp, arith::AddIOp, arith::MulIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::MaxUIOp, arith::MinUIOp, arith::AndIOp, arith::OrIOp, arith::XOrIOp>(combiner)
             ? combiner
             : nullptr;
}

/// What leaves every value as it is under `combiner`.
TypedAttr neutralElement(Operation *combiner) {
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

/// Which tensors of the program are of rows; fails where a program has another form.
class RowAnalysis {
public:
  explicit RowAnalysis(func::FuncOp program) {
    program.walk([&](linalg::LinalgOp op) {
      if (op.getNumReductionLoops() == 0)
        return;
      reductions.push_back(op);
      dependent.insert(op->getResults().begin(), op->getResults().end());
      rank = op.getNumLoops();
    });
    for (Operation &op : program.getBody().front().without_terminator())
      op.walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (dependent.contains(operand))
            dependent.insert(op.getResults().begin(), op.getResults().end());
      });
  }

  bool run(func::FuncOp program) {
    if (reductions.empty())
      return false;
    for (linalg::LinalgOp op : reductions)
      if (op.getNumLoops() != rank || !isRowReduction(op))
        return false;
    ArrayRef<Expr> rows;
    for (auto [i, result] :
         llvm::enumerate(program.getBody().front().getTerminator()->getOperands())) {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      if (!type || llvm::is_contained(ir::shapeOf(type), Expr()))
        return false;
      ArrayRef<Expr> shape = ir::shapeOf(type);
      bool rowResult = shape.size() + 1 == rank;
      if (!rowResult && shape.size() != rank)
        return false;
      if (i == 0)
        rows = shape.take_front(rank - 1);
      if (shape.take_front(rank - 1) != rows || !visit(result, rowResult) ||
          !PointwiseEmitter::check(result))
        return false;
    }
    return true;
  }

  bool isRow(Value v) const { return rowTensors.contains(v); }
  ArrayRef<linalg::LinalgOp> allReductions() const { return reductions; }

private:
  bool isRowReduction(linalg::LinalgOp op) const {
    MLIRContext *context = op.getContext();
    AffineMap rows = AffineMap::getMultiDimIdentityMap(rank, context).getMajorSubMap(rank - 1);
    return op.getNumReductionLoops() == 1 && op.getNumDpsInits() == 1 &&
           op.getMatchingIndexingMap(op.getDpsInitOperand(0)) == rows && combinerOf(op) &&
           !dependent.contains(op.getDpsInitOperand(0)->get()) &&
           llvm::all_of(op.getDpsInputOperands(), [&](OpOperand *input) {
             return isContiguous(op.getMatchingIndexingMap(input));
           });
  }

  /// Does an operand of this map step through memory as the row does, or stay? (Otherwise lanes
  /// along another dimension are better.)
  bool isContiguous(AffineMap map) const {
    for (AffineExpr expr : map.getResults().drop_back(map.getNumResults() > 0))
      if (expr.isFunctionOfDim(rank - 1))
        return false;
    return true;
  }

  bool visit(Value v, bool row) {
    if (!dependent.contains(v))
      return true;
    auto op = v.getDefiningOp<linalg::LinalgOp>();
    if (!op)
      return false;
    if (row)
      rowTensors.insert(v);
    bool elsewhere = false;
    op->walk(
        [&](tensor::ExtractOp extract) { elsewhere |= dependent.contains(extract.getTensor()); });
    if (elsewhere)
      return false;
    unsigned loops = op.getNumLoops();
    AffineMap full = AffineMap::getMultiDimIdentityMap(loops, op.getContext());
    bool reduction = op.getNumReductionLoops() > 0;
    if (reduction ? !row : (loops != (row ? rank - 1 : rank)))
      return false;
    if (!reduction && op.getMatchingIndexingMap(
                          op.getDpsInitOperand(cast<OpResult>(v).getResultNumber())) != full)
      return false;
    for (OpOperand *input : op.getDpsInputOperands()) {
      if (!dependent.contains(input->get()))
        continue;
      AffineMap map = op.getMatchingIndexingMap(input);
      bool inputRow = loops == rank ? map == full.getMajorSubMap(rank - 1) : true;
      if (!inputRow && map != full)
        return false;
      if (loops + 1 == rank && map != full)
        return false;
      if (!visit(input->get(), inputRow))
        return false;
    }
    return llvm::none_of(op.getDpsInits(), [&](Value init) { return dependent.contains(init); });
  }

  SmallVector<linalg::LinalgOp> reductions;
  llvm::DenseSet<Value> dependent;
  llvm::DenseSet<Value> rowTensors;
  unsigned rank = 0;
};

class RowLoops {
public:
  RowLoops(KernelContext &context, const RowAnalysis &analysis)
      : context(context), analysis(analysis), emitter(context) {}

  FailureOr<Schedule> build() {
    linalg::LinalgOp first = analysis.allReductions().front();
    symbolic::Context &symbols = ir::symbolicContext(context.b.getContext());
    Expr rows = symbols.constant(1);
    SmallVector<Value> extents;
    for (Expr dim : rowShape(first)) {
      rows = rows * dim;
      extents.push_back(context.exprValue(dim));
    }
    findKept();
    emitLoop(context, context.begin(), context.end(), context.index(1),
             [&](Value unit) { buildRow(emitDelinearize(context, unit, extents)); });
    return Schedule{rows, rows * rowCost(first)};
  }

private:
  /// The outer dimensions, from a result of the program.
  SmallVector<Expr> rowShape(linalg::LinalgOp reduction) {
    SmallVector<Expr> shape(context.shape(context.result(0)));
    shape.resize(reduction.getNumLoops() - 1);
    return shape;
  }

  /// A tensor that is costly to compute, read by a reduction and again in place by a result of its
  /// type, which no other result's loop comes before.
  void findKept() {
    MLIRContext *mlirContext = context.b.getContext();
    for (unsigned i = 0; i < context.numOutputs(); ++i)
      if (context.shape(context.result(i)) != context.shape(context.result(0)))
        return;
    for (linalg::LinalgOp reduction : analysis.allReductions())
      for (OpOperand *input : reduction.getDpsInputOperands()) {
        auto producer = input->get().getDefiningOp<linalg::LinalgOp>();
        AffineMap full = AffineMap::getMultiDimIdentityMap(reduction.getNumLoops(), mlirContext);
        if (!producer || producer.getNumReductionLoops() > 0 || !isCostly(producer) ||
            reduction.getMatchingIndexingMap(input) != full)
          continue;
        for (unsigned i = 0; i < context.numOutputs(); ++i) {
          Value result = context.result(i);
          if (result != input->get() && result.getType() == input->get().getType() &&
              readsOnlyInPlace(result, input->get())) {
            kept = input->get();
            keptIn = context.output(i);
            keeper = reduction;
            return;
          }
        }
      }
  }

  static bool isCostly(linalg::LinalgOp op) {
    return llvm::any_of(*op.getBlock(), [](Operation &inner) {
      return isa<math::MathDialect>(inner.getDialect()) &&
             !isa<math::AbsFOp, math::FmaOp, math::SqrtOp, math::FloorOp, math::CeilOp>(inner);
    });
  }

  /// Each reduction and each full result is one pass over the row.
  Expr rowCost(linalg::LinalgOp first) {
    symbolic::Context &symbols = ir::symbolicContext(context.b.getContext());
    auto [operand, dimension] = loopExtent(first, first.getNumLoops() - 1);
    Expr length = context.shape(operand)[dimension];
    int64_t operations = 0;
    context.program.walk([&](Operation *op) { operations += isa<linalg::YieldOp>(op) ? 0 : 1; });
    if (!length)
      length = symbols.constant(1);
    int64_t transcendental = 0;
    context.program.walk([&](math::ExpOp) { transcendental += 16; });
    return length * (operations + transcendental + 1) + 1;
  }

  void buildRow(ArrayRef<Value> row) {
    for (Operation &op : context.program.getBody().front().without_terminator())
      for (Value result : op.getResults()) {
        if (!analysis.isRow(result))
          continue;
        auto linalgOp = cast<linalg::LinalgOp>(op);
        if (linalgOp == keeper)
          emitter.storeTo(kept, keptIn);
        Value scalar = linalgOp.getNumReductionLoops() > 0 ? reduceRow(linalgOp, row)
                                                           : emitter.evaluate(result, row, 1);
        if (linalgOp == keeper) {
          emitter.storeTo(kept, {});
          emitter.bindMemref(kept, keptIn);
        }
        emitter.bind(result, [scalar](ArrayRef<Value>, int64_t) { return scalar; });
      }
    SmallVector<unsigned> full;
    for (unsigned i = 0; i < context.numOutputs(); ++i) {
      if (context.shape(context.result(i)).size() == row.size())
        emitStore(context, emitter.evaluate(context.result(i), row, 1), context.output(i), row);
      else
        full.push_back(i);
    }
    while (!full.empty()) {
      // Results of one length share a loop.
      Expr length = context.shape(context.result(full.front())).back();
      SmallVector<unsigned> group;
      llvm::erase_if(full, [&](unsigned i) {
        bool same = context.shape(context.result(i)).back() == length;
        if (same)
          group.push_back(i);
        return same;
      });
      buildResults(group, row, length);
    }
    for (Operation &op : context.program.getBody().front())
      for (Value result : op.getResults())
        emitter.unbind(result);
  }

  void buildResults(ArrayRef<unsigned> group, ArrayRef<Value> row, Expr length) {
    SmallVector<Value> tensors;
    for (unsigned i : group)
      tensors.push_back(context.result(i));
    emitVectorLoop(context, context.index(0), context.exprValue(length),
                   context.vectorLanes(context.b.getF32Type()), [&](Value j, int64_t lanes) {
                     SmallVector<Value> indices(row);
                     indices.push_back(j);
                     SmallVector<Value> values = emitter.evaluate(tensors, indices, lanes);
                     for (auto [i, value] : llvm::zip_equal(group, values))
                       emitStore(context, value, context.output(i), indices);
                   });
  }

  Value combine(Operation *combiner, Value a, Value b) {
    OperationState state(context.loc, combiner->getName());
    state.addOperands({a, b});
    state.addTypes(a.getType());
    state.addAttributes(combiner->getAttrs());
    state.propertiesAttr = combiner->getPropertiesAsAttribute();
    return context.b.create(state)->getResult(0);
  }

  /// Halves `vector` until one element is left.
  Value horizontal(Operation *combiner, Value vector, int64_t lanes) {
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

  Value reduceRow(linalg::LinalgOp op, ArrayRef<Value> row) {
    OpBuilder &b = context.b;
    Operation *combiner = combinerOf(op);
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
      Value all = combine(combiner, combine(combiner, sums[0], sums[1]),
                          combine(combiner, sums[2], sums[3]));
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

  KernelContext &context;
  const RowAnalysis &analysis;
  PointwiseEmitter emitter;
  /// What is stored by the reduction `keeper`, and where; null: nothing.
  Value kept, keptIn;
  linalg::LinalgOp keeper;
};

class RowReductionStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "row-reduction"; }
  bool matches(func::FuncOp program) const override { return RowAnalysis(program).run(program); }
  FailureOr<Schedule> build(KernelContext &context) const override {
    RowAnalysis analysis(context.program);
    if (!analysis.run(context.program))
      return context.program.emitError("is not a program of row reductions");
    return RowLoops(context, analysis).build();
  }
};

} // namespace

const KernelStrategy &rowReductionStrategy() {
  static const RowReductionStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
