#include "compiler/kernels/contraction/Tiling.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// Tokens whose activations are walked over again for each row block; they should stay in the L2
/// cache.
constexpr int64_t tokenBlock = 128;

class TileLoops {
public:
  TileLoops(const VectorEmitter &e, const ContractionShape &shape, TileBody body, ResultSink sink)
      : e(e), shape(shape), body(body), sink(sink) {}

  /// All tiles of one row block over tokens [first, last).
  void rowBlock(Value rowBlock, Value first, Value last, TileShape largest) {
    Value from = first;
    for (int64_t tokens = largest.tokens; tokens >= 1; tokens /= 2) {
      Value count = e.sub(last, from);
      Value covered = e.sub(count, e.maskBits(count, tokens - 1));
      Value to = tokens == 1 ? last : e.add(from, covered);
      e.loop(from, to, tokens,
             [&](Value token) { rows(Tile{{tokens, largest.vectors}, token, rowBlock, 0}); });
      from = to;
    }
  }

private:
  /// All rows of the row block, a tile after the other.
  void rows(Tile tile) {
    int64_t step = tile.shape.vectors * e.unit.lanes;
    for (tile.firstRow = 0; tile.firstRow < PackedLayout::rows; tile.firstRow += step) {
      VectorEmitter::Values results = body(tile);
      if (shape.rows % PackedLayout::rows == 0) {
        storeWhole(tile, results);
        continue;
      }
      Value firstRow = e.scaled(tile.rowBlock, PackedLayout::rows, tile.firstRow);
      Value fits = e.lessEqual(e.offset(firstRow, step), e.index(shape.rows));
      e.branch(fits, [&] { storeWhole(tile, results); }, [&] { storePart(tile, results); });
    }
  }

  void storeWhole(const Tile &tile, ValueRange results) {
    for (int64_t i = 0; i < tile.shape.tokens; ++i)
      for (int64_t j = 0; j < tile.shape.vectors; ++j)
        sink(e.offset(tile.token, i),
             e.scaled(tile.rowBlock, PackedLayout::rows, tile.firstRow + j * e.unit.lanes),
             results[i * tile.shape.vectors + j]);
  }

  /// The last row block: rows below shape.rows, one by one.
  void storePart(const Tile &tile, ValueRange results) {
    int64_t step = tile.shape.vectors * e.unit.lanes;
    Value buffer = scratch();
    for (int64_t i = 0; i < tile.shape.tokens; ++i)
      for (int64_t j = 0; j < tile.shape.vectors; ++j)
        e.store(results[i * tile.shape.vectors + j], buffer,
                {e.index(i * step + j * e.unit.lanes)});
    Value firstRow = e.scaled(tile.rowBlock, PackedLayout::rows, tile.firstRow);
    Value count = e.minimum(e.sub(e.index(shape.rows), firstRow), e.index(step));
    e.loop(e.index(0), e.index(tile.shape.tokens), 1, [&](Value i) {
      e.loop(e.index(0), count, 1, [&](Value j) {
        Value value = e.load(buffer, {e.add(e.scaled(i, step), j)});
        sink(e.add(tile.token, i), e.add(firstRow, j), value);
      });
    });
  }

  /// One buffer, in the function's entry block, for every partial tile.
  Value scratch() {
    if (!buffer) {
      OpBuilder::InsertionGuard guard(e.b);
      Operation *parent = e.b.getInsertionBlock()->getParentOp();
      auto function = dyn_cast<func::FuncOp>(parent);
      if (!function)
        function = parent->getParentOfType<func::FuncOp>();
      e.b.setInsertionPointToStart(&function.front());
      auto type = MemRefType::get({PackedLayout::rows * 16}, e.b.getF32Type());
      buffer = memref::AllocaOp::create(e.b, e.loc, type, e.b.getI64IntegerAttr(64));
    }
    return buffer;
  }

  const VectorEmitter &e;
  const ContractionShape &shape;
  TileBody body;
  ResultSink sink;
  Value buffer;
};

} // namespace

void emitTiles(const VectorEmitter &e, const ContractionShape &shape, Value tokens, Value begin,
               Value end, TileShape largest, TileBody body, ResultSink sink) {
  TileLoops loops(e, shape, body, sink);
  e.loop(e.index(0), tokens, tokenBlock, [&](Value first) {
    Value last = e.minimum(e.offset(first, tokenBlock), tokens);
    e.loop(begin, end, 1, [&](Value rowBlock) { loops.rowBlock(rowBlock, first, last, largest); });
  });
}

} // namespace relax::kernels
