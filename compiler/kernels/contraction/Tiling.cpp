#include "compiler/kernels/contraction/Tiling.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace relax::kernels {
namespace {

class TileLoops {
public:
  TileLoops(const VectorEmitter &e, const ContractionShape &shape, const TilePlan &plan,
            TileKernel &kernel, ResultSink sink)
      : e(e), shape(shape), plan(plan), kernel(kernel), sink(sink),
        sums(scratchBuffer(e, {plan.tokenBlock, PackedLayout::rows}, e.b.getF32Type())) {}

  void emit(Value tokens, Value begin, Value end) {
    e.loop(e.index(0), tokens, plan.tokenBlock, [&](Value first) {
      Value last = e.minimum(e.offset(first, plan.tokenBlock), tokens);
      kernel.beginTokens(first, last);
      e.loop(begin, end, 1, [&](Value rowBlock) {
        int64_t blocks = shape.layout.blocks(shape.columns);
        e.loop(e.index(0), e.index(blocks), plan.chunkBlocks, [&](Value firstBlock) {
          Value lastBlock = e.minimum(e.offset(firstBlock, plan.chunkBlocks), e.index(blocks));
          chunk({firstBlock, lastBlock}, rowBlock, tokens, first, last);
        });
        results(rowBlock, first, last);
      });
    });
  }

private:
  void chunk(const Chunk &chunk, Value rowBlock, Value tokens, Value first, Value last) {
    kernel.beginChunk(chunk, first, last);
    if (plan.fewTokens < 0)
      return tiles(chunk, rowBlock, first, last, /*isUnpacked=*/false);
    e.branch(
        e.lessEqual(tokens, e.index(plan.fewTokens)),
        [&] { tiles(chunk, rowBlock, first, last, /*isUnpacked=*/false); },
        [&] {
          kernel.unpack(rowBlock, chunk);
          tiles(chunk, rowBlock, first, last, /*isUnpacked=*/true);
        });
  }

  /// All tiles of a row block's chunk over tokens [first, last).
  void tiles(const Chunk &chunk, Value rowBlock, Value first, Value last, bool isUnpacked) {
    Value from = first;
    for (int64_t tokens : isUnpacked ? plan.unpackedTokens : plan.packedTokens) {
      Value count = e.sub(last, from);
      Value to = tokens == 1 ? last : e.add(from, e.sub(count, e.remainder(count, tokens)));
      e.loop(from, to, tokens, [&](Value token) {
        Tile tile{{tokens, plan.vectors}, token, e.sub(token, first), rowBlock, 0, chunk};
        for (; tile.firstRow < PackedLayout::rows; tile.firstRow += plan.vectors * e.unit.lanes)
          addTile(tile, isUnpacked);
      });
      from = to;
    }
  }

  void addTile(const Tile &tile, bool isUnpacked) {
    SmallVector<SmallVector<Value>> places;
    TileKernel::Values values;
    Value zero = e.real(e.type(e.b.getF32Type(), e.unit.lanes), 0);
    Value isFirst = e.lessEqual(tile.chunk.firstBlock, e.index(0));
    for (int64_t i = 0; i < tile.shape.tokens; ++i)
      for (int64_t j = 0; j < tile.shape.vectors; ++j) {
        places.push_back({e.offset(tile.inBlock, i), e.index(tile.firstRow + j * e.unit.lanes)});
        Value sum = e.loadVector(sums, places.back(), e.unit.lanes);
        values.push_back(arith::SelectOp::create(e.b, e.loc, isFirst, zero, sum));
      }
    values = kernel.tile(tile, isUnpacked, values);
    for (auto [place, value] : llvm::zip_equal(places, values))
      e.store(value, sums, place);
  }

  void results(Value rowBlock, Value first, Value last) {
    Value firstRow = e.scaled(rowBlock, PackedLayout::rows);
    e.loop(first, last, 1, [&](Value token) {
      Value inBlock = e.sub(token, first);
      auto whole = [&] {
        for (int64_t row = 0; row < PackedLayout::rows; row += e.unit.lanes)
          sink(token, e.offset(firstRow, row),
               e.loadVector(sums, {inBlock, e.index(row)}, e.unit.lanes));
      };
      if (shape.rows % PackedLayout::rows == 0)
        return whole();
      // The last row block: rows below shape.rows, one by one.
      Value fits = e.lessEqual(e.offset(firstRow, PackedLayout::rows), e.index(shape.rows));
      e.branch(fits, whole, [&] {
        Value count = e.sub(e.index(shape.rows), firstRow);
        e.loop(e.index(0), count, 1,
               [&](Value row) { sink(token, e.add(firstRow, row), e.load(sums, {inBlock, row})); });
      });
    });
  }

  const VectorEmitter &e;
  const ContractionShape &shape;
  const TilePlan &plan;
  TileKernel &kernel;
  ResultSink sink;
  Value sums; ///< f32 [tokens of a block, rows of a row block]
};

} // namespace

SmallVector<int64_t> tileSizes(int64_t largest) {
  SmallVector<int64_t> sizes = {largest};
  for (int64_t tokens : {2, 1})
    if (tokens < largest)
      sizes.push_back(tokens);
  return sizes;
}

void emitTiles(const VectorEmitter &e, const ContractionShape &shape, const TilePlan &plan,
               TileKernel &kernel, Value tokens, Value begin, Value end, ResultSink sink) {
  TileLoops(e, shape, plan, kernel, sink).emit(tokens, begin, end);
}

Value scratchBuffer(const VectorEmitter &e, ArrayRef<int64_t> shape, Type element) {
  OpBuilder::InsertionGuard guard(e.b);
  Operation *parent = e.b.getInsertionBlock()->getParentOp();
  auto function = dyn_cast<func::FuncOp>(parent);
  if (!function)
    function = parent->getParentOfType<func::FuncOp>();
  e.b.setInsertionPointToStart(&function.front());
  return memref::AllocaOp::create(e.b, e.loc, MemRefType::get(shape, element),
                                  e.b.getI64IntegerAttr(64));
}

} // namespace relax::kernels
