// float32 activations times packed weights, which are decoded in registers.

#include "compiler/kernels/contraction/Tiling.h"
#include "compiler/kernels/contraction/UnitReader.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using Values = VectorEmitter::Values;

/// Columns that one iteration of a float format's loop takes.
constexpr int64_t floatStep = 4;

class TileEmitter {
public:
  TileEmitter(const VectorEmitter &e, const ContractionShape &shape, const PackedOperands &operands)
      : e(e), shape(shape), operands(operands) {}

  Values emit(const Tile &tile) {
    VectorType floats = e.type(e.b.getF32Type(), e.unit.lanes);
    Values sums(tile.shape.tokens * tile.shape.vectors, e.real(floats, 0));
    if (!shape.layout.isFloat())
      return quantized(tile, sums);
    int64_t whole = shape.columns / floatStep * floatStep;
    sums =
        e.loop(e.index(0), e.index(whole), floatStep, sums, [&](Value column, ValueRange carried) {
          Values next(carried);
          for (int64_t i = 0; i < floatStep; ++i)
            floatColumn(tile, e.offset(column, i), next);
          return next;
        });
    for (int64_t column = whole; column < shape.columns; ++column)
      floatColumn(tile, e.index(column), sums);
    return sums;
  }

private:
  Values quantized(const Tile &tile, Values sums) {
    const PackedLayout &layout = shape.layout;
    return e.loop(e.index(0), e.index(layout.blocks(shape.columns)), 1, sums,
                  [&](Value block, ValueRange carried) {
                    Value start = e.scaled(block, layout.blockBytes);
                    Value first = e.scaled(block, layout.unitsPerBlock);
                    return e.loop(e.index(0), e.index(layout.unitsPerBlock), 1, carried,
                                  [&](Value number, ValueRange partial) {
                                    Value inBlock =
                                        e.scaled(number, layout.unitBytes, layout.headerBytes);
                                    return quantizedUnit(tile, start, e.add(start, inBlock),
                                                         e.add(first, number), Values(partial));
                                  });
                  });
  }

  /// The scale (or minimum) of each vector of rows in each of the unit's groups.
  SmallVector<Values> scaled(const Tile &tile, llvm::function_ref<Value(int64_t row)> real,
                             llvm::function_ref<Value(int64_t row)> pairs, UnitReader &reader) {
    SmallVector<Values> groups(shape.layout.groups());
    for (int64_t j = 0; j < tile.shape.vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      Value value = real(row), integers = shape.layout.hasIntegers() ? pairs(row) : Value();
      for (auto [group, values] : llvm::enumerate(groups))
        values.push_back(
            integers ? e.mulf(value, e.toFloat(reader.groupIntegers(integers, int64_t(group))))
                     : value);
    }
    return groups;
  }

  Values quantizedUnit(const Tile &tile, Value block, Value start, Value number, Values sums) {
    const PackedLayout &layout = shape.layout;
    UnitReader reader(e, layout, {operands.packed, tile.rowBlock, block, start});
    SmallVector<Values> scales = scaled(
        tile, [&](int64_t row) { return reader.scales(row); },
        [&](int64_t row) { return reader.scalePairs(row); }, reader);
    SmallVector<Values> minimums;
    if (layout.hasMinimum())
      minimums = scaled(
          tile, [&](int64_t row) { return reader.minimums(row); },
          [&](int64_t row) { return reader.minimumPairs(row); }, reader);
    for (int64_t column = 0; column < 32; ++column) {
      int64_t group = column / layout.format->group;
      Values weights;
      for (int64_t j = 0; j < tile.shape.vectors; ++j) {
        Value element = e.toFloat(reader.column(column, tile.firstRow + j * e.unit.lanes));
        weights.push_back(layout.hasMinimum() ? e.fma(scales[group][j], element, minimums[group][j])
                                              : e.mulf(scales[group][j], element));
      }
      accumulate(tile, e.scaled(number, 32, column), weights, sums);
    }
    return sums;
  }

  void floatColumn(const Tile &tile, Value column, Values &sums) {
    using Element = ir::BlockFormat::Element;
    const ir::BlockFormat &format = *shape.layout.format;
    int64_t bytes = format.bytesPerBlock;
    Type element = format.element == Element::F32   ? Type(e.b.getF32Type())
                   : format.element == Element::F16 ? Type(e.b.getF16Type())
                                                    : Type(e.b.getBF16Type());
    Values weights;
    for (int64_t j = 0; j < tile.shape.vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      Value start = e.scaled(column, shape.layout.unitBytes, row * bytes);
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
  const ContractionShape &shape;
  const PackedOperands &operands;
};

} // namespace

void emitPackedMatmul(const VectorEmitter &e, const ContractionShape &shape,
                      const PackedOperands &operands, Value begin, Value end, ResultSink sink) {
  TileEmitter tiles(e, shape, operands);
  int64_t vectors =
      std::min<int64_t>(e.unit.registers == 32 ? 1 : 2, PackedLayout::rows / e.unit.lanes);
  int64_t tokens = e.unit.registers == 32 ? 8 : 4;
  emitTiles(
      e, shape, operands.tokens, begin, end, {tokens, vectors},
      [&](const Tile &tile) { return tiles.emit(tile); }, sink);
}

} // namespace relax::kernels
