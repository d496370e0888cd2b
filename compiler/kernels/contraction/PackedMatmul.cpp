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
      return e.loop(e.index(0), e.index(shape.columns / 32), 1, sums,
                    [&](Value block, ValueRange carried) {
                      return quantizedUnit(tile, block, Values(carried));
                    });
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
  Values quantizedUnit(const Tile &tile, Value block, Values sums) {
    UnitReader reader(e, shape.layout, operands.packed, tile.rowBlock,
                      e.scaled(block, shape.layout.unitBytes));
    Values scales, minimums;
    for (int64_t j = 0; j < tile.shape.vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      scales.push_back(reader.scales(row));
      if (shape.layout.hasMin)
        minimums.push_back(reader.minimums(row));
    }
    for (int64_t column = 0; column < 32; ++column) {
      Values weights;
      for (int64_t j = 0; j < tile.shape.vectors; ++j) {
        Value element = e.toFloat(reader.column(column, tile.firstRow + j * e.unit.lanes));
        weights.push_back(shape.layout.hasMin ? e.fma(scales[j], element, minimums[j])
                                              : e.mulf(scales[j], element));
      }
      accumulate(tile, e.scaled(block, 32, column), weights, sums);
    }
    return sums;
  }

  void floatColumn(const Tile &tile, Value column, Values &sums) {
    int64_t bytes = shape.layout.bits / 8;
    Type element = shape.layout.element == PackedLayout::Element::F32   ? e.b.getF32Type()
                   : shape.layout.element == PackedLayout::Element::F16 ? Type(e.b.getF16Type())
                                                                        : e.b.getBF16Type();
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
