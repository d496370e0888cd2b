// int8 activations times packed 4-, 5- and 8-bit weights.
//
// Weights are the unsigned operand, bytes 0..15 or 0..31, so pmaddubsw sums pairs of products
// without overflow, and sums of eight (4 bits: 8 * 2 * 15 * 127 = 30480) or four quads still fit 16
// bits: one pmaddwd for 32 columns. q8_0 weights are signed: |w| is the unsigned operand and the
// activation takes w's sign; vpdpbusd takes w + 128 instead. An offset o of a format is
// subtracted as o * (sum of q) afterwards.

#include "compiler/kernels/contraction/Tiling.h"
#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using Dot = VectorUnit::Dot;
using Values = VectorEmitter::Values;

/// Bytes ahead of the unit in use. Measured on Zen 3: 20 GB/s of 21 that a core reads, 15 without.
constexpr int64_t prefetchDistance = 2048;

/// The integer sums of one unit for `activations` rows of int8 times `vectors` vectors of weights.
/// Subclasses differ in the instruction.
class UnitDot {
public:
  UnitDot(const VectorEmitter &e, const PackedLayout &layout) : e(e), layout(layout) {
    lanes = e.unit.lanes;
    words = e.type(e.b.getI32Type(), lanes);
    halves = e.type(e.b.getI16Type(), 2 * lanes);
    bytes = e.type(e.b.getI8Type(), 4 * lanes);
  }

  /// What the stored weight must be reduced by after `sums`.
  int64_t offset() const {
    return layout.bits == 8 && e.unit.dot == Dot::Vnni ? 128 : layout.offset;
  }

  /// `activation(i, column)` is the word of four int8 at a column of the unit, in all lanes.
  Values sums(UnitReader &reader, int64_t firstRow, int64_t vectors, int64_t activations,
              llvm::function_ref<Value(int64_t i, int64_t column)> activation) {
    int64_t group = e.unit.dot == Dot::MultiplyAdd ? (layout.bits == 4 ? 8 : 4) : 1;
    if (layout.bits == 8)
      group = 1;
    Values total(activations * vectors);
    Values partial(activations * vectors);
    for (int64_t step = 0; step < 8; ++step) {
      int64_t quad = layout.bits == 8 ? step : step / 2 + step % 2 * 4;
      Values weights;
      for (int64_t j = 0; j < vectors; ++j)
        weights.push_back(weight(reader.quad(quad, firstRow + j * lanes)));
      for (int64_t i = 0; i < activations; ++i) {
        Value q = activation(i, quad * PackedLayout::quad);
        for (int64_t j = 0; j < vectors; ++j)
          accumulate(weights[j], q, partial[i * vectors + j], total[i * vectors + j]);
      }
      e.fence(e.unit.dot == Dot::MultiplyAdd ? partial : total);
      if (e.unit.dot == Dot::MultiplyAdd && (step + 1) % group == 0)
        for (auto [sum, part] : llvm::zip(total, partial)) {
          Value wide = multiplyAddHalves(part, e.integer(halves, 1));
          sum = sum ? e.add(sum, wide) : wide;
          part = {};
        }
    }
    return total;
  }

private:
  Value weight(Value stored) {
    if (layout.bits == 8 && e.unit.dot == Dot::Vnni)
      return e.bitXor(stored, e.integer(bytes, 128));
    return stored;
  }

  /// Adds a quad's products to `total`, or to `partial` where 16-bit sums are kept.
  void accumulate(Value weight, Value q, Value &partial, Value &total) {
    switch (e.unit.dot) {
    case Dot::Vnni: {
      if (!total)
        total = e.integer(words, 0);
      std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(lanes * 32);
      total = e.intrinsic(words, name, {total, weight, e.bitcast(q, bytes)});
      return;
    }
    case Dot::MultiplyAdd: {
      Value activation = e.bitcast(q, bytes);
      if (layout.bits == 8) {
        activation = copySign(activation, weight);
        weight = math::AbsIOp::create(e.b, e.loc, weight);
      }
      Value product = multiplyAddBytes(weight, activation);
      partial = partial ? e.add(partial, product) : product;
      return;
    }
    case Dot::Generic:
      for (int64_t byte = 0; byte < 4; ++byte) {
        auto extract = [&](Value word, bool isSigned) {
          Value top = e.shiftLeft(word, 24 - 8 * byte);
          return isSigned ? e.shiftRightSigned(top, 24) : e.shiftRight(top, 24);
        };
        Value product = e.mul(extract(e.bitcast(weight, words), layout.bits == 8),
                              extract(q, /*isSigned=*/true));
        total = total ? e.add(total, product) : product;
      }
    }
  }

  llvm::StringRef name(llvm::StringRef x4, llvm::StringRef x8, llvm::StringRef x16) const {
    return lanes == 4 ? x4 : lanes == 8 ? x8 : x16;
  }
  Value multiplyAddBytes(Value weight, Value activation) {
    return e.intrinsic(halves,
                       name("llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw",
                            "llvm.x86.avx512.pmaddubs.w.512"),
                       {weight, activation});
  }
  Value multiplyAddHalves(Value lhs, Value rhs) {
    return e.intrinsic(
        words,
        name("llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"),
        {lhs, rhs});
  }
  Value copySign(Value magnitude, Value sign) {
    return e.intrinsic(bytes, name("llvm.x86.ssse3.psign.b.128", "llvm.x86.avx2.psign.b", ""),
                       {magnitude, sign});
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  int64_t lanes;
  VectorType words, halves, bytes;
};

class TileEmitter {
public:
  TileEmitter(const VectorEmitter &e, const ContractionShape &shape,
              const QuantizedOperands &operands)
      : e(e), shape(shape), operands(operands), dot(e, shape.layout) {}

  Values emit(const Tile &tile) {
    int64_t units = shape.layout.units(shape.columns);
    VectorType floats = e.type(e.b.getF32Type(), e.unit.lanes);
    Values zeros(tile.shape.tokens * tile.shape.vectors, e.real(floats, 0));
    return e.loop(e.index(0), e.index(units), 1, zeros,
                  [&](Value block, ValueRange sums) { return unit(tile, block, Values(sums)); });
  }

private:
  /// Adds one unit to the accumulators.
  Values unit(const Tile &tile, Value block, Values accumulators) {
    int64_t vectors = tile.shape.vectors;
    int64_t activations = tile.shape.tokens * shape.planes;
    UnitReader reader(e, shape.layout, operands.packed, tile.rowBlock,
                      e.scaled(block, shape.layout.unitBytes));
    // One or two tokens wait for memory, not for arithmetic.
    if (tile.shape.tokens <= 2)
      reader.prefetch(prefetchDistance);
    Values weightScales, weightMinimums;
    for (int64_t j = 0; j < vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      weightScales.push_back(reader.scales(row));
      if (shape.layout.hasMin)
        weightMinimums.push_back(reader.minimums(row));
    }
    Values sums =
        dot.sums(reader, tile.firstRow, vectors, activations, [&](int64_t i, int64_t column) {
          Value word =
              e.loadScalar(operands.quants, {token(tile, i), plane(i), e.scaled(block, 32, column)},
                           e.b.getI32Type());
          return e.splat(word, e.unit.lanes);
        });
    for (int64_t i = 0; i < activations; ++i) {
      SmallVector<Value> where = {token(tile, i), plane(i), block};
      Value scale = e.splat(e.load(operands.scales, where), e.unit.lanes);
      Value quantSum;
      if (shape.layout.hasMin || dot.offset() != 0)
        quantSum = e.splat(e.load(operands.sums, where), e.unit.lanes);
      for (int64_t j = 0; j < vectors; ++j) {
        Value &accumulator = accumulators[i / shape.planes * vectors + j];
        Value sum = sums[i * vectors + j];
        if (dot.offset() != 0)
          sum = e.sub(sum, e.mul(quantSum, e.integer(quantSum.getType(), dot.offset())));
        accumulator = e.fma(e.toFloat(sum), e.mulf(weightScales[j], scale), accumulator);
        if (shape.layout.hasMin)
          accumulator = e.fma(weightMinimums[j], e.mulf(scale, e.toFloat(quantSum)), accumulator);
      }
    }
    return accumulators;
  }

  Value token(const Tile &tile, int64_t i) { return e.offset(tile.token, i / shape.planes); }
  Value plane(int64_t i) { return e.index(i % shape.planes); }

  const VectorEmitter &e;
  const ContractionShape &shape;
  const QuantizedOperands &operands;
  UnitDot dot;
};

} // namespace

void emitQuantizedMatmul(const VectorEmitter &emitter, const ContractionShape &shape,
                         const QuantizedOperands &operands, Value begin, Value end,
                         ResultSink sink) {
  VectorUnit unit = emitter.unit;
  // There is no 512-bit psignb.
  if (shape.layout.bits == 8 && unit.dot == Dot::MultiplyAdd)
    unit.lanes = std::min<int64_t>(unit.lanes, 8);
  VectorEmitter e(emitter.b, emitter.loc, unit);
  TileEmitter tiles(e, shape, operands);
  // Integer accumulators of a unit, its weights and an activation fit the registers; the float
  // accumulators are needed once per unit.
  int64_t vectors =
      std::min<int64_t>(unit.registers == 32 ? 1 : 2, PackedLayout::rows / unit.lanes);
  int64_t activations = unit.registers == 32 ? 8 : 4;
  emitTiles(
      e, shape, operands.tokens, begin, end, {activations / shape.planes, vectors},
      [&](const Tile &tile) { return tiles.emit(tile); }, sink);
}

} // namespace relax::kernels
