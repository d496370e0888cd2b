#include "compiler/kernels/attention/DenseAttention.h"

#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/WholeProgram.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <cmath>
#include <limits>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t blockKeys = 32;
/// Rows that are multiplied together, so that each loaded vector serves all of them.
constexpr int64_t rowsTogether = 4;
constexpr double infinity = std::numeric_limits<double>::infinity();

ArrayRef<Expr> shapeOf(Value tensor) {
  return ir::shapeOf(cast<RankedTensorType>(tensor.getType()));
}

/// Writes one kernel.
class DenseAttention {
public:
  DenseAttention(KernelContext &context, ir::AttentionOp op)
      : context(context), b(context.b), loc(context.loc), op(op),
        element(getElementTypeOrSelf(op.getQuery().getType())),
        wide(element.isF64() ? Type(b.getF64Type()) : Type(b.getF32Type())),
        lanes(std::min<int64_t>(context.vectorLanes(wide), blockKeys)),
        depth(shapeOf(op.getQuery())[3].constantValue()),
        width(shapeOf(op.getValue())[3].constantValue()),
        tile(depth <= 128 && width <= 128 && !element.isF64() ? 16 : 4) {
    queries = emitScratch(context, {tile, depth}, wide);
    sums = emitScratch(context, {tile, width}, wide);
    scores = emitScratch(context, {tile, blockKeys}, wide);
    keys = emitScratch(context, {depth, blockKeys}, wide);
    maxima = emitScratch(context, {tile}, wide);
    totals = emitScratch(context, {tile}, wide);
  }

  Schedule build() {
    ArrayRef<Expr> query = shapeOf(op.getQuery()), key = shapeOf(op.getKey());
    symbolic::Context &symbols = ir::symbolicContext(b.getContext());
    Expr tiles = symbols.ceilDiv(query[2], symbols.constant(tile));
    numQueries = context.exprValue(query[2]);
    numKeys = context.exprValue(key[2]);
    group = context.exprValue(query[1] == key[1] ? symbols.constant(1)
                                                 : symbols.floorDiv(query[1], key[1]));
    Expr offsetExpr = symbols.constant(op.getCausalOffset());
    if (op.getAlignEnd())
      offsetExpr = offsetExpr + key[2] - query[2];
    offset = context.exprValue(offsetExpr);
    SmallVector<Value> extents = {context.exprValue(query[0]), context.exprValue(query[1]),
                                  context.exprValue(tiles)};
    emitLoop(context, context.begin(), context.end(), context.index(1), [&](Value unit) {
      SmallVector<Value> place = emitDelinearize(context, unit, extents);
      batch = place[0];
      head = place[1];
      keyHead = arith::DivUIOp::create(b, loc, head, group);
      first = mul(place[2], context.index(tile));
      count = min(sub(numQueries, first), context.index(tile));
      buildTile();
    });
    return {query[0] * query[1] * tiles,
            query[0] * query[1] * query[2] * (key[2] * (2 * (depth + width) + 20) + 1)};
  }

private:
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value mul(Value x, Value y) { return b.createOrFold<arith::MulIOp>(loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value max(Value x, Value y) { return arith::MaxSIOp::create(b, loc, x, y); }
  Type vectorType(int64_t n) { return n == 1 ? wide : Type(VectorType::get({n}, wide)); }
  Value number(double value, int64_t n = 1) { return emitConstant(context, vectorType(n), value); }
  template <typename Op> Value apply(Value x, Value y) { return Op::create(b, loc, x, y); }

  Value widened(Value value) {
    if (element == wide)
      return value;
    auto vector = dyn_cast<VectorType>(value.getType());
    return arith::ExtFOp::create(b, loc, vectorType(vector ? vector.getNumElements() : 1), value);
  }

  /// Elements [j, j + n) of a row of an operand, widened.
  Value load(Value memref, ArrayRef<Value> row, Value j, int64_t n) {
    SmallVector<Value> indices(row);
    indices.push_back(j);
    return widened(emitLoad(context, memref, indices, n));
  }

  void rows(llvm::function_ref<void(Value)> body) {
    emitLoop(context, context.index(0), count, context.index(1), body);
  }

  /// The first key that the query at `row` may see, and the one behind the last.
  Value lowerKey(Value row) {
    if (op.getWindow() == 0)
      return context.index(0);
    Value position = add(add(first, row), offset);
    return max(sub(position, context.index(int64_t(op.getWindow()) - 1)), context.index(0));
  }
  Value upperKey(Value row) {
    if (!op.getCausal())
      return numKeys;
    Value behind = add(add(add(first, row), offset), context.index(1));
    return min(max(behind, context.index(0)), numKeys);
  }

  void buildTile() {
    rows([&](Value row) {
      double scale = op.getScale() ? op.getScale()->convertToDouble()
                                   : 1 / std::sqrt(static_cast<double>(depth));
      SmallVector<Value> from = {batch, head, add(first, row)};
      emitVectorLoop(
          context, context.index(0), context.index(depth), lanes, [&](Value d, int64_t n) {
            Value query = load(context.input(0), from, d, n);
            emitStore(context, apply<arith::MulFOp>(query, number(scale, n)), queries, {row, d});
          });
      emitVectorLoop(context, context.index(0), context.index(width), lanes,
                     [&](Value e, int64_t n) { emitStore(context, number(0, n), sums, {row, e}); });
      emitStore(context, number(-infinity), maxima, {row});
      emitStore(context, number(0), totals, {row});
    });
    // Keys that some row of the tile sees.
    Value size = context.index(blockKeys);
    Value low =
        mul(arith::DivUIOp::create(b, loc, min(lowerKey(context.index(0)), numKeys), size), size);
    Value high = upperKey(sub(count, context.index(1)));
    emitLoop(context, low, high, size, [&](Value key) {
      firstKey = key;
      keyCount = min(sub(numKeys, key), size);
      packKeys();
      together([&](Value row, int64_t n) { multiplyKeys(row, n); });
      rows([&](Value row) { weigh(row); });
      multiplyValues();
    });
    rows([&](Value row) { finish(row); });
  }

  /// All rows of the tile: several at a time, then the rest.
  void together(llvm::function_ref<void(Value, int64_t)> body) {
    Value step = context.index(rowsTogether);
    Value whole = mul(arith::DivUIOp::create(b, loc, count, step), step);
    emitLoop(context, context.index(0), whole, step, [&](Value row) { body(row, rowsTogether); });
    emitLoop(context, whole, count, context.index(1), [&](Value row) { body(row, 1); });
  }

  /// keys[d][j] = K[first key + j][d], zeros behind the last.
  void packKeys() {
    emitLoop(context, context.index(0), context.index(blockKeys), context.index(1), [&](Value j) {
      Value inside = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, j, keyCount);
      Value key = add(firstKey, min(j, sub(keyCount, context.index(1))));
      emitLoop(context, context.index(0), context.index(depth), context.index(1), [&](Value d) {
        Value x = load(context.input(1), {batch, keyHead, key}, d, 1);
        x = arith::SelectOp::create(b, loc, inside, x, number(0));
        emitStore(context, x, keys, {d, j});
      });
    });
  }

  /// Scores of `n` rows from `row` on.
  void multiplyKeys(Value row, int64_t n) {
    int64_t vectors = std::min<int64_t>(2, blockKeys / lanes);
    for (int64_t column = 0; column < blockKeys; column += vectors * lanes) {
      SmallVector<Value> accumulators(n * vectors, number(0, lanes));
      accumulators = emitLoop(
          context, context.index(0), context.index(depth), context.index(1), accumulators,
          [&](Value d, ValueRange carried) {
            SmallVector<Value> loaded, next;
            for (int64_t v = 0; v < vectors; ++v)
              loaded.push_back(
                  emitLoad(context, keys, {d, context.index(column + v * lanes)}, lanes));
            for (int64_t r = 0; r < n; ++r) {
              Value query = emitSplat(
                  context, emitLoad(context, queries, {add(row, context.index(r)), d}, 1), lanes);
              for (int64_t v = 0; v < vectors; ++v)
                next.push_back(emitFma(context, query, loaded[v], carried[r * vectors + v]));
            }
            return next;
          });
      for (int64_t r = 0; r < n; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          emitStore(context, accumulators[r * vectors + v], scores,
                    {add(row, context.index(r)), context.index(column + v * lanes)});
    }
  }

  /// The mask's element for a query and a key.
  Value maskAt(Value row, Value key) {
    Value mask = op.getMask();
    ArrayRef<Expr> dims = shapeOf(mask);
    SmallVector<Value> place = {batch, head, add(first, row), key}, indices;
    for (auto [i, dim] : llvm::enumerate(dims)) {
      size_t axis = 4 - dims.size() + i;
      indices.push_back(dim.isConstant(1) ? context.index(0) : place[axis]);
    }
    return emitLoad(context, context.input(3), indices, 1);
  }

  void applyMask(Value row) {
    bool hides = getElementTypeOrSelf(op.getMask().getType()).isInteger();
    emitLoop(context, context.index(0), keyCount, context.index(1), [&](Value j) {
      Value value = maskAt(row, add(firstKey, j));
      Value score = emitLoad(context, scores, {row, j}, 1);
      if (hides) {
        Value seen = value.getType().isInteger(1)
                         ? value
                         : arith::CmpIOp::create(
                               b, loc, arith::CmpIPredicate::ne, value,
                               arith::ConstantOp::create(b, loc, b.getZeroAttr(value.getType())))
                               .getResult();
        score = arith::SelectOp::create(b, loc, seen, score, number(-infinity));
      } else {
        score = apply<arith::AddFOp>(score, widened(value));
      }
      emitStore(context, score, scores, {row, j});
    });
  }

  /// From scores to weights, and what they change of the row's maximum, total and sums.
  void weigh(Value row) {
    double cap = op.getSoftcap().convertToDouble();
    if (cap > 0)
      overBlock([&](Value j) {
        Value x = emitLoad(context, scores, {row, j}, lanes);
        x = apply<arith::DivFOp>(x, number(cap, lanes));
        x = apply<arith::MulFOp>(number(cap, lanes), math::TanhOp::create(b, loc, x));
        emitStore(context, x, scores, {row, j});
      });
    if (op.getMask())
      applyMask(row);
    // What the row doesn't see is minus infinity.
    Value low = sub(lowerKey(row), firstKey),
          high = sub(min(upperKey(row), add(firstKey, keyCount)), firstKey);
    Value block = number(-infinity, lanes);
    overBlock([&](Value j) {
      Value x = emitLoad(context, scores, {row, j}, lanes);
      Value places = steps(j);
      Value seen = arith::AndIOp::create(
          b, loc, arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, places, splat(low)),
          arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, places, splat(high)));
      x = arith::SelectOp::create(b, loc, seen, x, number(-infinity, lanes));
      emitStore(context, x, scores, {row, j});
      block = apply<arith::MaximumFOp>(block, x);
    });
    Value before = emitLoad(context, maxima, {row}, 1);
    Value largest =
        lanes == 1 ? block
                   : vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXIMUMF, block)
                         .getResult();
    largest = apply<arith::MaximumFOp>(before, largest);
    emitStore(context, largest, maxima, {row});
    // Of a row that has seen nothing, nothing is subtracted.
    Value none =
        arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, largest, number(-infinity));
    Value shift = arith::SelectOp::create(b, loc, none, number(0), largest);
    Value factor = math::ExpOp::create(b, loc, apply<arith::SubFOp>(before, shift));
    Value wideShift = emitSplat(context, shift, lanes), total = number(0, lanes);
    overBlock([&](Value j) {
      Value x = emitLoad(context, scores, {row, j}, lanes);
      Value weight = math::ExpOp::create(b, loc, apply<arith::SubFOp>(x, wideShift));
      emitStore(context, weight, scores, {row, j});
      total = apply<arith::AddFOp>(total, weight);
    });
    Value sum = total;
    for (int64_t n = lanes / 2; n >= 1; n /= 2) {
      SmallVector<int64_t> left, right;
      for (int64_t i = 0; i < n; ++i) {
        left.push_back(i);
        right.push_back(n + i);
      }
      sum = apply<arith::AddFOp>(vector::ShuffleOp::create(b, loc, sum, sum, left),
                                 vector::ShuffleOp::create(b, loc, sum, sum, right));
    }
    if (lanes > 1)
      sum = vector::ExtractOp::create(b, loc, sum, 0);
    Value old = emitLoad(context, totals, {row}, 1);
    emitStore(context, apply<arith::AddFOp>(apply<arith::MulFOp>(old, factor), sum), totals, {row});
    emitVectorLoop(context, context.index(0), context.index(width), lanes, [&](Value e, int64_t n) {
      Value x = emitLoad(context, sums, {row, e}, n);
      x = apply<arith::MulFOp>(x, emitSplat(context, factor, n));
      emitStore(context, x, sums, {row, e});
    });
  }

  /// Each vector of a block, written out.
  void overBlock(llvm::function_ref<void(Value)> body) {
    for (int64_t j = 0; j < blockKeys; j += lanes)
      body(context.index(j));
  }
  Value splat(Value index) {
    return lanes == 1 ? index
                      : vector::BroadcastOp::create(
                            b, loc, VectorType::get({lanes}, b.getIndexType()), index)
                            .getResult();
  }
  /// j, j + 1, …
  Value steps(Value j) {
    if (lanes == 1)
      return j;
    auto type = VectorType::get({lanes}, b.getIndexType());
    Value step = vector::StepOp::create(b, loc, type);
    return arith::AddIOp::create(b, loc, step, splat(j));
  }

  /// sums += weights * values, over the keys that a row sees, in their order.
  void multiplyValues() {
    Value zero = context.index(0);
    auto low = [&](Value row) { return max(sub(lowerKey(row), firstKey), zero); };
    auto high = [&](Value row) {
      return sub(min(upperKey(row), add(firstKey, keyCount)), firstKey);
    };
    together([&](Value row, int64_t n) {
      if (n == 1) {
        accumulate(row, 1, low(row), high(row));
        return;
      }
      // The rows' common keys are those of the last and the first: bounds rise with the row.
      Value last = add(row, context.index(n - 1));
      Value from = low(last), to = max(high(row), from);
      for (int64_t r = 0; r < n; ++r) {
        Value one = add(row, context.index(r));
        accumulate(one, 1, low(one), min(from, high(one)));
      }
      accumulate(row, n, from, min(to, max(high(row), zero)));
      for (int64_t r = 0; r < n; ++r) {
        Value one = add(row, context.index(r));
        accumulate(one, 1, max(max(high(row), from), low(one)), high(one));
      }
    });
  }

  void accumulate(Value row, int64_t n, Value low, Value high) {
    int64_t whole = width / lanes * lanes;
    auto columns = [&](Value e, int64_t vectors, int64_t size) {
      SmallVector<Value> start;
      for (int64_t r = 0; r < n; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          start.push_back(emitLoad(
              context, sums, {add(row, context.index(r)), add(e, context.index(v * size))}, size));
      SmallVector<Value> done =
          emitLoop(context, low, high, context.index(1), start, [&](Value j, ValueRange carried) {
            SmallVector<Value> loaded, next;
            for (int64_t v = 0; v < vectors; ++v)
              loaded.push_back(load(context.input(2), {batch, keyHead, add(firstKey, j)},
                                    add(e, context.index(v * size)), size));
            for (int64_t r = 0; r < n; ++r) {
              Value weight = emitSplat(
                  context, emitLoad(context, scores, {add(row, context.index(r)), j}, 1), size);
              for (int64_t v = 0; v < vectors; ++v)
                next.push_back(emitFma(context, weight, loaded[v], carried[r * vectors + v]));
            }
            return next;
          });
      for (int64_t r = 0; r < n; ++r)
        for (int64_t v = 0; v < vectors; ++v)
          emitStore(context, done[r * vectors + v], sums,
                    {add(row, context.index(r)), add(e, context.index(v * size))});
    };
    int64_t pairs = whole / (2 * lanes) * (2 * lanes);
    emitLoop(context, context.index(0), context.index(pairs), context.index(2 * lanes),
             [&](Value e) { columns(e, 2, lanes); });
    if (whole > pairs)
      columns(context.index(pairs), 1, lanes);
    emitLoop(context, context.index(whole), context.index(width), context.index(1),
             [&](Value e) { columns(e, 1, 1); });
  }

  void finish(Value row) {
    Value total = emitLoad(context, totals, {row}, 1);
    // A row that sees no key has sums and a total of 0; so has one where there are no keys.
    Value empty;
    if (op.getHiddenIsNan())
      empty = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, numKeys, context.index(0));
    else
      empty = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OEQ, total, number(0));
    Value divisor = arith::SelectOp::create(b, loc, empty, number(1), total);
    emitVectorLoop(context, context.index(0), context.index(width), lanes, [&](Value e, int64_t n) {
      Value x = emitLoad(context, sums, {row, e}, n);
      x = apply<arith::DivFOp>(x, emitSplat(context, divisor, n));
      if (element != wide)
        x = arith::TruncFOp::create(b, loc, n == 1 ? element : Type(VectorType::get({n}, element)),
                                    x);
      emitStore(context, x, context.output(0), {batch, head, add(first, row), e});
    });
  }

  KernelContext &context;
  OpBuilder &b;
  Location loc;
  ir::AttentionOp op;
  Type element, wide;
  int64_t lanes, depth, width, tile;
  Value queries, sums, scores, keys, maxima, totals;
  Value numQueries, numKeys, group, offset;
  /// Of the present unit, and of the present block.
  Value batch, head, keyHead, first, count, firstKey, keyCount;
};

class DenseAttentionStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "attention"; }

  bool matches(func::FuncOp program) const override { return static_cast<bool>(find(program)); }

  FailureOr<Schedule> build(KernelContext &context) const override {
    return DenseAttention(context, find(context.program)).build();
  }

private:
  static ir::AttentionOp find(func::FuncOp program) {
    auto op = findWholeProgram<ir::AttentionOp>(program);
    bool fits = op && op->getOperands() == program.getArguments() && ir::isWholeAttention(op);
    return fits ? op : ir::AttentionOp();
  }
};

} // namespace

const KernelStrategy &denseAttentionStrategy() {
  static const DenseAttentionStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
