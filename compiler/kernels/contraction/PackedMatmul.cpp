// float32 activations times packed weights, which are decoded in registers.

#include "compiler/kernels/contraction/Tiling.h"
#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include <functional>

using namespace mlir;

namespace relax::kernels {
namespace {

using Values = VectorEmitter::Values;

/// Columns that one iteration of a loop over decoded weights takes.
constexpr int64_t columnsPerStep = 4;

class PackedTiles final : public TileKernel {
public:
  PackedTiles(const VectorEmitter &e, const ContractionShape &shape, const TilePlan &plan,
              const PackedOperands &operands)
      : e(e), layout(shape.layout), operands(operands), largestTile(plan.packedTokens.front()) {
    int64_t columns = plan.chunkBlocks * layout.unitsPerBlock * layout.unitColumns;
    if (plan.fewTokens >= 0)
      decoded = scratchBuffer(e, {columns, PackedLayout::rows}, e.b.getF32Type());
  }

  void unpack(Value rowBlock, const Chunk &chunk) override {
    Value from = firstColumn(chunk);
    for (int64_t row = 0; row < PackedLayout::rows; row += e.unit.lanes)
      eachUnit(rowBlock, row, 1, chunk, {},
               [&](Value column, const Weights &weights, ValueRange) -> Values {
                 for (int64_t i = 0; i < layout.unitColumns; ++i)
                   e.store(weights(i)[0], decoded,
                           {e.offset(e.sub(column, from), i), e.index(row)});
                 return {};
               });
  }

  Values tile(const Tile &tile, bool isUnpacked, Values sums) override {
    if (layout.isFloat())
      return floats(tile, sums);
    if (!isUnpacked)
      return eachUnit(tile.rowBlock, tile.firstRow, tile.shape.vectors, tile.chunk, sums,
                      [&](Value column, const Weights &weights, ValueRange carried) {
                        Values next(carried);
                        for (int64_t i = 0; i < layout.unitColumns; ++i)
                          accumulate(tile, e.offset(column, i), weights(i), next);
                        return next;
                      });
    Value from = firstColumn(tile.chunk), to = firstColumn(tile.chunk, tile.chunk.lastBlock);
    return e.loop(from, to, columnsPerStep, sums, [&](Value column, ValueRange carried) {
      Values next(carried);
      for (int64_t i = 0; i < columnsPerStep; ++i) {
        Value at = e.offset(column, i);
        Values weights;
        for (int64_t j = 0; j < tile.shape.vectors; ++j)
          weights.push_back(e.loadVector(
              decoded, {e.sub(at, from), e.index(tile.firstRow + j * e.unit.lanes)}, e.unit.lanes));
        accumulate(tile, at, weights, next);
      }
      return next;
    });
  }

private:
  /// The weights of a column of a unit, for each vector of rows.
  using Weights = std::function<Values(int64_t column)>;
  using UnitBody =
      llvm::function_ref<Values(Value column, const Weights &weights, ValueRange carried)>;

  Value firstColumn(const Chunk &chunk, Value block = {}) const {
    return e.scaled(block ? block : chunk.firstBlock, layout.unitsPerBlock * layout.unitColumns);
  }

  /// The float formats: a column is a block.
  Values floats(const Tile &tile, const Values &sums) {
    auto columns = [&](Value from, Value to, int64_t step, const Values &sums) {
      return e.loop(from, to, step, sums, [&](Value column, ValueRange carried) {
        Values next(carried);
        if (step == columnsPerStep && e.unit.registers < 32)
          prefetchNext(tile, column);
        for (int64_t i = 0; i < step; ++i)
          floatColumn(tile, e.offset(column, i), next);
        return next;
      });
    };
    Value count = e.sub(tile.chunk.lastBlock, tile.chunk.firstBlock);
    Value whole = e.sub(tile.chunk.lastBlock, e.maskBits(count, columnsPerStep - 1));
    return columns(whole, tile.chunk.lastBlock, 1,
                   columns(tile.chunk.firstBlock, whole, columnsPerStep, sums));
  }

  /// The first tiles of a block ask for the next row block, each for a part of every step, into the
  /// second-level cache: the first one is full of the row block at hand. Memory takes as long as
  /// the arithmetic of some tiles, so with fewer it is left to itself.
  void prefetchNext(const Tile &tile, Value column) const {
    Value number = arith::DivUIOp::create(e.b, e.loc, tile.inBlock, e.index(largestTile));
    Value blockTiles = arith::DivUIOp::create(e.b, e.loc, operands.tokens, e.index(largestTile));
    auto ask = [&](int64_t parts) {
      int64_t lines =
          llvm::divideCeil(columnsPerStep * layout.unitBytes, VectorEmitter::lineBytes * parts);
      e.branch(e.lessEqual(number, e.index(parts - 1)), [&] {
        Value begin = e.add(e.scaled(e.add(tile.chunk.lastBlock, column), layout.unitBytes),
                            e.scaled(number, lines * VectorEmitter::lineBytes));
        e.prefetchLines(operands.packed, tile.rowBlock, begin, lines, /*locality=*/2);
      });
    };
    e.branch(
        e.lessEqual(e.index(4), blockTiles), [&] { ask(4); },
        [&] { e.branch(e.lessEqual(e.index(2), blockTiles), [&] { ask(2); }); });
  }

  /// The chunk's units of quantised weights, with the column at which each begins.
  Values eachUnit(Value rowBlock, int64_t firstRow, int64_t vectors, const Chunk &chunk,
                  ValueRange inits, UnitBody body) {
    return e.loop(
        chunk.firstBlock, chunk.lastBlock, 1, inits, [&](Value block, ValueRange carried) {
          Value start = e.scaled(block, layout.blockBytes);
          Value first = e.scaled(block, layout.unitsPerBlock);
          return e.loop(e.index(0), e.index(layout.unitsPerBlock), 1, carried,
                        [&](Value number, ValueRange partial) {
                          Value inBlock = e.scaled(number, layout.unitBytes, layout.headerBytes);
                          UnitReader reader(
                              e, layout, {operands.packed, rowBlock, start, e.add(start, inBlock)});
                          return body(e.scaled(e.add(first, number), layout.unitColumns),
                                      unitWeights(reader, firstRow, vectors), partial);
                        });
        });
  }

  Weights unitWeights(UnitReader &reader, int64_t firstRow, int64_t vectors) {
    SmallVector<Values> scales = scaled(
        reader, firstRow, vectors, [&](int64_t row) { return reader.scales(row); },
        [&](int64_t row) { return reader.scalePairs(row); });
    SmallVector<Values> minimums;
    if (layout.hasMinimum())
      minimums = scaled(
          reader, firstRow, vectors, [&](int64_t row) { return reader.minimums(row); },
          [&](int64_t row) { return reader.minimumPairs(row); });
    return [=, this, &reader](int64_t column) {
      int64_t group = column / layout.format->group;
      Values weights;
      for (int64_t j = 0; j < vectors; ++j) {
        Value element = e.toFloat(reader.column(column, firstRow + j * e.unit.lanes));
        weights.push_back(layout.hasMinimum() ? e.fma(scales[group][j], element, minimums[group][j])
                                              : e.mulf(scales[group][j], element));
      }
      return weights;
    };
  }

  /// The scale (or minimum) of each vector of rows in each of the unit's groups.
  SmallVector<Values> scaled(UnitReader &reader, int64_t firstRow, int64_t vectors,
                             llvm::function_ref<Value(int64_t row)> real,
                             llvm::function_ref<Value(int64_t row)> pairs) {
    SmallVector<Values> groups(layout.groups());
    for (int64_t j = 0; j < vectors; ++j) {
      int64_t row = firstRow + j * e.unit.lanes;
      Value value = real(row), integers = layout.hasIntegers() ? pairs(row) : Value();
      for (auto [group, values] : llvm::enumerate(groups))
        values.push_back(
            integers ? e.mulf(value, e.toFloat(reader.groupIntegers(integers, int64_t(group))))
                     : value);
    }
    return groups;
  }

  void floatColumn(const Tile &tile, Value column, Values &sums) {
    using Element = ir::BlockFormat::Element;
    const ir::BlockFormat &format = *layout.format;
    int64_t bytes = format.bytesPerBlock;
    Type element = format.element == Element::F32   ? Type(e.b.getF32Type())
                   : format.element == Element::F16 ? Type(e.b.getF16Type())
                                                    : Type(e.b.getBF16Type());
    Values weights;
    for (int64_t j = 0; j < tile.shape.vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      Value start = e.scaled(column, layout.unitBytes, row * bytes);
      weights.push_back(e.widen(
          e.loadBytes(operands.packed, {tile.rowBlock, start}, e.unit.lanes * bytes, element)));
    }
    accumulate(tile, column, weights, sums);
  }

  void accumulate(const Tile &tile, Value column, ValueRange weights, Values &sums) {
    for (int64_t i = 0; i < tile.shape.tokens; ++i) {
      Value x = e.load(operands.input, {e.offset(tile.token, i), column});
      x = e.splat(x, e.unit.lanes);
      for (int64_t j = 0; j < tile.shape.vectors; ++j) {
        Value &sum = sums[i * tile.shape.vectors + j];
        sum = e.fma(x, weights[j], sum);
      }
    }
    e.fence(sums);
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  const PackedOperands &operands;
  const int64_t largestTile;
  Value decoded; ///< f32 [columns of a chunk, rows of a row block]; null: not decoded.
};

/// Columns of a chunk: their decoded weights fill half of a first-level cache.
constexpr int64_t chunkColumns = 256;

} // namespace

void emitPackedMatmul(const VectorEmitter &e, const ContractionShape &shape,
                      const PackedOperands &operands, Value begin, Value end, ResultSink sink) {
  const PackedLayout &layout = shape.layout;
  TilePlan plan;
  plan.vectors =
      std::min<int64_t>(e.unit.registers == 32 ? 1 : 2, PackedLayout::rows / e.unit.lanes);
  plan.packedTokens = plan.unpackedTokens = tileSizes(e.unit.registers == 32 ? 8 : 4);
  plan.tokenBlock = 128;
  plan.chunkBlocks = layout.blocks(shape.columns);
  // Plain floats are decoded by one instruction.
  if (!layout.isFloat() && layout.format->blockSize <= chunkColumns) {
    plan.chunkBlocks = chunkColumns / layout.format->blockSize;
    plan.fewTokens = plan.packedTokens.front();
  }
  PackedTiles tiles(e, shape, plan, operands);
  emitTiles(e, shape, plan, tiles, operands.tokens, begin, end, sink);
}

} // namespace relax::kernels
