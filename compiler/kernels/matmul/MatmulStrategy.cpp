// The strategy matmul: sums of products of plain tensors (see PlainContraction.h).
//
// A unit is a tile of the result, `rows` by 4 vectors. For each block of `depth` products, in the
// order of k, both operands' parts are copied to the stack in the accumulator's type, whatever they
// are computed from and however they lie: right as [k][n], left as it comes, [m][k] or [k][m]. Then
// 6 rows by 2 vectors at a time are accumulated in registers:
//
//   for k: b0, b1 = right[k]; for each row r: a = left[r][k]; c[r] += a * b
//
// So each element is one chain of additions in the order of k, whatever the tile, the batch and the
// threads; with fused multiply-add where the target has it. Rows and columns beyond the edge of the
// result are computed on zeros and not stored.

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/matmul/PlainContraction.h"
#include "compiler/kernels/matmul/TransposeBlock.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t registerRows = 6;
constexpr int64_t depth = 96;
constexpr int64_t stackBytes = 60 * 1024;

class Matmul {
public:
  Matmul(KernelContext &context, const PlainContraction &contraction)
      : context(context), b(context.b), loc(context.loc), contraction(contraction),
        emitter(context), lanes(context.vectorLanes(contraction.accumulator)), columns(4 * lanes),
        rows(4 * registerRows * 4) {
    int64_t size = contraction.accumulator.getIntOrFloatBitWidth() / 8;
    auto bytes = [&] { return size * (rows * depth + depth * columns + rows * columns); };
    while (rows > 4 * registerRows && bytes() > stackBytes)
      rows -= 4 * registerRows;
    // A program of few rows needs no more.
    if (!contraction.m || contraction.extent(*contraction.m).isConstant()) {
      int64_t count = contraction.m ? contraction.extent(*contraction.m).constantValue() : 1;
      rows = std::min(rows, std::max<int64_t>(1, count));
    }
    leftIsByRow = !contraction.m || !contraction.left.isContiguousIn(*contraction.m);
    left = emitScratch(context,
                       leftIsByRow ? SmallVector<int64_t>{rows, depth}
                                   : SmallVector<int64_t>{depth, rows},
                       contraction.accumulator);
    right = emitScratch(context, {depth, columns}, contraction.accumulator);
    sums = emitScratch(context, {rows, columns}, contraction.accumulator);
  }

  FailureOr<Schedule> build() {
    symbolic::Context &symbols = ir::symbolicContext(b.getContext());
    Expr one = symbols.constant(1);
    Expr m = contraction.m ? contraction.extent(*contraction.m) : one;
    Expr n = contraction.extent(contraction.n);
    Expr rowTiles = symbols.ceilDiv(m, symbols.constant(rows));
    Expr columnTiles = symbols.ceilDiv(n, symbols.constant(columns));
    SmallVector<Value> extents;
    Expr units = one, cost = m * n;
    for (unsigned loop : contraction.outer) {
      extents.push_back(context.exprValue(contraction.extent(loop)));
      units = units * contraction.extent(loop);
      cost = cost * contraction.extent(loop);
    }
    extents.push_back(context.exprValue(rowTiles));
    extents.push_back(context.exprValue(columnTiles));
    for (unsigned loop : contraction.outerReductions)
      cost = cost * contraction.extent(loop);
    cost = cost * (contraction.extent(contraction.k) + 1);
    rowExtent = context.exprValue(m);
    columnExtent = context.exprValue(n);
    iteration.resize(linalg::LinalgOp(contraction.op).getNumLoops());
    emitLoop(context, context.begin(), context.end(), context.index(1), [&](Value unit) {
      SmallVector<Value> position = emitDelinearize(context, unit, extents);
      for (auto [loop, value] : llvm::zip(contraction.outer, position))
        iteration[loop] = value;
      buildTile(position[position.size() - 2], position.back());
    });
    return Schedule{units * rowTiles * columnTiles, cost};
  }

private:
  Value add(Value x, Value y) { return b.createOrFold<arith::AddIOp>(loc, x, y); }
  Value sub(Value x, Value y) { return b.createOrFold<arith::SubIOp>(loc, x, y); }
  Value min(Value x, Value y) { return arith::MinSIOp::create(b, loc, x, y); }
  Value times(Value x, int64_t factor) {
    return arith::MulIOp::create(b, loc, x, context.index(factor));
  }
  Value zero(int64_t width) {
    Type type = contraction.accumulator;
    return emitConstant(context, width == 1 ? type : Type(VectorType::get({width}, type)), 0);
  }

  void buildTile(Value rowTile, Value columnTile) {
    firstRow = times(rowTile, rows);
    rowCount = min(sub(rowExtent, firstRow), context.index(rows));
    firstColumn = times(columnTile, columns);
    columnCount = min(sub(columnExtent, firstColumn), context.index(columns));
    linalg::LinalgOp op = contraction.op;
    OpOperand *init = op.getDpsInitOperand(0);
    AffineMap out = op.getMatchingIndexingMap(init);
    overTile([&](Value i, Value j, int64_t width) {
      setPlace(i, j);
      emitStore(context, emitter.evaluate(init->get(), indices(out), width), sums, {i, j});
    });
    reduce(0);
    overTile([&](Value i, Value j, int64_t width) {
      setPlace(i, j);
      emitter.bind(op->getResult(0), [&](ArrayRef<Value>, int64_t count) {
        return emitLoad(context, sums, {i, j}, count);
      });
      SmallVector<Value> results;
      for (unsigned r = 0; r < context.numOutputs(); ++r)
        results.push_back(context.result(r));
      SmallVector<Value> place = indices(out);
      SmallVector<Value> values = emitter.evaluate(results, place, width);
      for (auto [r, value] : llvm::enumerate(values))
        emitStore(context, value, context.output(r), place);
    });
    emitter.unbind(op->getResult(0));
  }

  /// Each row of the tile, in vectors and then single elements.
  void overTile(llvm::function_ref<void(Value, Value, int64_t)> body) {
    emitLoop(context, context.index(0), rowCount, context.index(1), [&](Value i) {
      emitVectorLoop(context, context.index(0), columnCount, lanes,
                     [&](Value j, int64_t width) { body(i, j, width); });
    });
  }

  /// Place (i, j) of the tile as values of the loops m and n.
  void setPlace(Value i, Value j) {
    if (contraction.m)
      iteration[*contraction.m] = add(firstRow, i);
    iteration[contraction.n] = add(firstColumn, j);
  }

  /// The place in a tensor of `map` at the present values of the loops.
  SmallVector<Value> indices(AffineMap map) {
    SmallVector<Value> result;
    for (AffineExpr expr : map.getResults()) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      result.push_back(dim ? iteration[dim.getPosition()] : context.index(0));
    }
    return result;
  }

  void reduce(size_t level) {
    Value zeroIndex = context.index(0);
    if (level < contraction.outerReductions.size()) {
      unsigned loop = contraction.outerReductions[level];
      emitLoop(context, zeroIndex, context.exprValue(contraction.extent(loop)), context.index(1),
               [&](Value i) {
                 iteration[loop] = i;
                 reduce(level + 1);
               });
      return;
    }
    Value extent = context.exprValue(contraction.extent(contraction.k));
    emitLoop(context, zeroIndex, extent, context.index(depth), [&](Value first) {
      firstProduct = first;
      productCount = min(sub(extent, first), context.index(depth));
      packRight();
      packLeft();
      multiply();
    });
  }

  /// Elements of a factor at the present values of the loops, as accumulators.
  Value element(const Factor &factor, int64_t width) {
    Value value = emitter.evaluate(factor.tensor, indices(factor.map), width);
    for (Operation *conversion : factor.conversions) {
      Type type = conversion->getResult(0).getType();
      if (width > 1)
        type = VectorType::get({width}, type);
      OperationState state(loc, conversion->getName());
      state.addOperands(value);
      state.addTypes(type);
      state.addAttributes(conversion->getAttrs());
      state.propertiesAttr = conversion->getPropertiesAsAttribute();
      value = b.create(state)->getResult(0);
    }
    return value;
  }

  void packRight() {
    const Factor &factor = contraction.right;
    auto at = [&](Value k, Value j, int64_t width) {
      iteration[contraction.k] = add(firstProduct, k);
      iteration[contraction.n] = add(firstColumn, j);
      return element(factor, width);
    };
    if (factor.isContiguousIn(contraction.k)) {
      packTransposed(at);
      return;
    }
    int64_t width = factor.isContiguousIn(contraction.n) ? lanes : 1;
    emitLoop(context, context.index(0), productCount, context.index(1), [&](Value k) {
      emitVectorLoop(context, context.index(0), columnCount, width, [&](Value j, int64_t count) {
        emitStore(context, at(k, j, count), right, {k, j});
      });
      emitLoop(context, columnCount, context.index(columns), context.index(1),
               [&](Value j) { emitStore(context, zero(1), right, {k, j}); });
    });
  }

  /// Where k lies side by side: blocks of lanes by lanes are turned in registers; the edges,
  /// element by element.
  void packTransposed(llvm::function_ref<Value(Value, Value, int64_t)> at) {
    Value step = context.index(lanes), one = context.index(1);
    auto single = [&](Value k, Value j) { emitStore(context, at(k, j, 1), right, {k, j}); };
    Value wholeColumns = times(arith::DivUIOp::create(b, loc, columnCount, step), lanes);
    Value wholeProducts = times(arith::DivUIOp::create(b, loc, productCount, step), lanes);
    emitLoop(context, context.index(0), wholeColumns, step, [&](Value j) {
      emitLoop(context, context.index(0), wholeProducts, step, [&](Value k) {
        SmallVector<Value> block;
        for (int64_t i = 0; i < lanes; ++i)
          block.push_back(at(k, add(j, context.index(i)), lanes));
        block = transposeBlock(b, loc, block);
        for (int64_t i = 0; i < lanes; ++i)
          emitStore(context, block[i], right, {add(k, context.index(i)), j});
      });
      emitLoop(context, wholeProducts, productCount, one, [&](Value k) {
        emitLoop(context, j, add(j, step), one, [&](Value inner) { single(k, inner); });
      });
    });
    emitLoop(context, wholeColumns, columnCount, one, [&](Value j) {
      emitLoop(context, context.index(0), productCount, one, [&](Value k) { single(k, j); });
    });
    emitLoop(context, columnCount, context.index(columns), one, [&](Value j) {
      emitLoop(context, context.index(0), productCount, one,
               [&](Value k) { emitStore(context, zero(1), right, {k, j}); });
    });
  }

  void packLeft() {
    const Factor &factor = contraction.left;
    Value one = context.index(1), none = context.index(0);
    auto at = [&](Value i, Value k, int64_t width) {
      iteration[contraction.k] = add(firstProduct, k);
      if (contraction.m)
        iteration[*contraction.m] = add(firstRow, i);
      return element(factor, width);
    };
    if (leftIsByRow) {
      int64_t width = factor.isContiguousIn(contraction.k) ? lanes : 1;
      emitLoop(context, none, rowCount, one, [&](Value i) {
        emitVectorLoop(context, none, productCount, width, [&](Value k, int64_t count) {
          emitStore(context, at(i, k, count), left, {i, k});
        });
      });
      return;
    }
    emitLoop(context, none, productCount, one, [&](Value k) {
      emitVectorLoop(context, none, rowCount, lanes, [&](Value i, int64_t count) {
        emitStore(context, at(i, k, count), left, {k, i});
      });
    });
  }

  void multiply() {
    Value none = context.index(0), one = context.index(1);
    Value whole = none;
    if (rows >= registerRows) {
      Value count = context.index(registerRows);
      whole = times(arith::DivUIOp::create(b, loc, rowCount, count), registerRows);
      emitLoop(context, none, whole, count, [&](Value i) {
        emitLoop(context, none, columnCount, context.index(2 * lanes),
                 [&](Value j) { multiplyBlock(i, j, registerRows, 2); });
      });
    }
    emitLoop(context, whole, rowCount, one,
             [&](Value i) { multiplyBlock(i, none, 1, columns / lanes); });
  }

  /// sums += left * right for `height` rows from i and `width` vectors from column j.
  void multiplyBlock(Value i, Value j, int64_t height, int64_t width) {
    auto place = [&](int64_t row, int64_t vector) {
      return SmallVector<Value>{add(i, context.index(row)), add(j, context.index(vector * lanes))};
    };
    SmallVector<Value> accumulators;
    for (int64_t row = 0; row < height; ++row)
      for (int64_t vector = 0; vector < width; ++vector)
        accumulators.push_back(emitLoad(context, sums, place(row, vector), lanes));
    accumulators = emitLoop(
        context, context.index(0), productCount, context.index(1), accumulators,
        [&](Value k, ValueRange carried) {
          SmallVector<Value> next, factors;
          for (int64_t vector = 0; vector < width; ++vector)
            factors.push_back(emitLoad(context, right, {k, place(0, vector)[1]}, lanes));
          for (int64_t row = 0; row < height; ++row) {
            Value r = place(row, 0)[0];
            SmallVector<Value> from =
                leftIsByRow ? SmallVector<Value>{r, k} : SmallVector<Value>{k, r};
            Value scalar = emitSplat(context, emitLoad(context, left, from, 1), lanes);
            for (int64_t vector = 0; vector < width; ++vector)
              next.push_back(multiplyAdd(scalar, factors[vector], carried[row * width + vector]));
          }
          return next;
        });
    for (int64_t row = 0; row < height; ++row)
      for (int64_t vector = 0; vector < width; ++vector)
        emitStore(context, accumulators[row * width + vector], sums, place(row, vector));
  }

  Value multiplyAdd(Value x, Value y, Value z) {
    if (isa<FloatType>(contraction.accumulator))
      return emitFma(context, x, y, z);
    return arith::AddIOp::create(b, loc, arith::MulIOp::create(b, loc, x, y), z);
  }

  KernelContext &context;
  OpBuilder &b;
  Location loc;
  const PlainContraction &contraction;
  PointwiseEmitter emitter;
  int64_t lanes, columns, rows;
  bool leftIsByRow = true;
  Value left, right, sums;
  Value rowExtent, columnExtent;
  /// Of the present tile, and of the present block of products.
  Value firstRow, rowCount, firstColumn, columnCount, firstProduct, productCount;
  /// The present values of the loops of the op.
  SmallVector<Value> iteration;
};

class MatmulStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "matmul"; }
  bool matches(func::FuncOp program) const override {
    return matchPlainContraction(program).has_value();
  }
  FailureOr<Schedule> build(KernelContext &context) const override {
    std::optional<PlainContraction> contraction = matchPlainContraction(context.program);
    if (!contraction)
      return context.program.emitError("is not a program of one contraction");
    return Matmul(context, *contraction).build();
  }
};

} // namespace

const KernelStrategy &matmulStrategy() {
  static const MatmulStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
