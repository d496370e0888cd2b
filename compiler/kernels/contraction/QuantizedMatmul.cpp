// int8 activations times packed weights of up to 8 bits.
//
// Weights without a sign are the unsigned operand of pmaddubsw, which sums pairs of products in 16
// bits. Sums of as many quads as surely fit are added up there (eight of 4 bits: 8 * 2 * 15 * 127 =
// 30480); then one pmaddwd widens them, and its other operand is 1, or the group's integer scale,
// which so costs nothing. Weights with a sign (8 bits, codebooks): |w| is the unsigned operand and
// the activation takes w's sign; vpdpbusd takes w + 128 instead. An offset o of a format is
// subtracted as the sum over the groups of o * S * (sum of q), and minimums are added likewise: one
// pmaddwd of (S, S') with the two sums of q that an activation block carries.

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
class UnitDot {
public:
  UnitDot(const VectorEmitter &e, const PackedLayout &layout) : e(e), layout(layout) {
    lanes = e.unit.lanes;
    words = e.type(e.b.getI32Type(), lanes);
    halves = e.type(e.b.getI16Type(), 2 * lanes);
    bytes = e.type(e.b.getI8Type(), 4 * lanes);
    makeRuns();
  }

  /// What the stored weight must be reduced by after `sums`.
  int64_t offset() const {
    return layout.isSigned() && e.unit.dot == Dot::Vnni ? 128 : layout.offset();
  }

  /// `activation(i, column)` is the word of four int8 at a column of the unit, in all lanes;
  /// `scales`, for each vector of weights, the unit's integer scales (UnitReader::scalePairs), or
  /// empty.
  Values sums(UnitReader &reader, int64_t firstRow, int64_t vectors, int64_t activations,
              ValueRange scales, llvm::function_ref<Value(int64_t i, int64_t column)> activation) {
    Values total(activations * vectors);
    for (const Run &run : runs) {
      Values partial(activations * vectors);
      for (int64_t quad : run.quads) {
        Values weights;
        for (int64_t j = 0; j < vectors; ++j)
          weights.push_back(weight(reader.quad(quad, firstRow + j * lanes)));
        for (int64_t i = 0; i < activations; ++i) {
          Value q = activation(i, quad * PackedLayout::quad);
          for (int64_t j = 0; j < vectors; ++j)
            accumulate(weights[j], q, partial[i * vectors + j]);
        }
        e.fence(partial);
      }
      Values factors;
      for (int64_t j = 0; j < vectors; ++j)
        factors.push_back(factor(reader, scales, j, run.group));
      for (int64_t i = 0; i < activations * vectors; ++i) {
        Value wide = widened(partial[i], factors[i % vectors]);
        total[i] = total[i] ? e.add(total[i], wide) : wide;
      }
    }
    return total;
  }

  /// For each lane low * low' + high * high' of the halves of two vectors of pairs.
  Value multiplyAddHalves(Value lhs, Value rhs) const {
    if (e.unit.dot == Dot::Generic || (lanes == 16 && !e.unit.hasByteShuffle)) {
      Value a = e.bitcast(lhs, words), b = e.bitcast(rhs, words);
      auto low = [&](Value x) { return e.shiftRightSigned(e.shiftLeft(x, 16), 16); };
      return e.add(e.mul(low(a), low(b)),
                   e.mul(e.shiftRightSigned(a, 16), e.shiftRightSigned(b, 16)));
    }
    return e.intrinsic(
        words,
        name("llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"),
        {e.bitcast(lhs, halves), e.bitcast(rhs, halves)});
  }

  VectorType pairs() const { return halves; }

private:
  /// Quads of one group whose products are added up before they are widened and scaled.
  struct Run {
    int64_t group;
    SmallVector<int64_t> quads;
  };

  /// Quads that share words of the packed planes come after each other.
  void makeRuns() {
    int64_t groups = layout.groups(), most = 8 / groups;
    if (e.unit.dot == Dot::MultiplyAdd) {
      int64_t largest = layout.isSigned() ? 128 : (1 << layout.bits()) - 1;
      int64_t fits = INT16_MAX / (2 * 127 * largest);
      while (most > 1 && most > fits)
        most /= 2;
    }
    for (int64_t first = 0; first < 8; first += most * groups)
      for (int64_t group = 0; group < groups; ++group) {
        Run run{group, {}};
        for (int64_t i = 0; i < most; ++i) {
          int64_t place = first / groups + i;
          run.quads.push_back(groups == 2          ? 4 * group + place
                              : layout.bits() == 8 ? place
                                                   : place / 2 + place % 2 * 4);
        }
        runs.push_back(run);
      }
  }

  Value weight(Value stored) {
    if (layout.isSigned() && e.unit.dot == Dot::Vnni)
      return e.bitXor(stored, e.integer(bytes, 128));
    return stored;
  }

  /// What a run's sums are multiplied with: pairs, words, or null for 1.
  Value factor(UnitReader &reader, ValueRange scales, int64_t vector, int64_t group) {
    bool isPairs = e.unit.dot == Dot::MultiplyAdd;
    if (scales.empty())
      return isPairs ? e.integer(halves, 1) : Value();
    return isPairs ? reader.groupPairs(scales[vector], group)
                   : reader.groupIntegers(scales[vector], group);
  }

  Value widened(Value partial, Value factor) {
    if (e.unit.dot == Dot::MultiplyAdd)
      return multiplyAddHalves(partial, factor);
    return factor ? e.mul(partial, factor) : partial;
  }

  /// Adds a quad's products to the sums of a run: 16 bits with MultiplyAdd, else 32.
  void accumulate(Value weight, Value q, Value &sum) {
    switch (e.unit.dot) {
    case Dot::Vnni: {
      if (!sum)
        sum = e.integer(words, 0);
      std::string name = "llvm.x86.avx512.vpdpbusd." + std::to_string(lanes * 32);
      sum = e.intrinsic(words, name, {sum, weight, e.bitcast(q, bytes)});
      return;
    }
    case Dot::MultiplyAdd: {
      Value activation = e.bitcast(q, bytes);
      if (layout.isSigned()) {
        activation = copySign(activation, weight);
        weight = math::AbsIOp::create(e.b, e.loc, weight);
      }
      Value product = multiplyAddBytes(weight, activation);
      sum = sum ? e.add(sum, product) : product;
      return;
    }
    case Dot::Generic:
      for (int64_t byte = 0; byte < 4; ++byte) {
        auto extract = [&](Value word, bool isSigned) {
          Value top = e.shiftLeft(word, 24 - 8 * byte);
          return isSigned ? e.shiftRightSigned(top, 24) : e.shiftRight(top, 24);
        };
        Value product = e.mul(extract(e.bitcast(weight, words), layout.isSigned()),
                              extract(q, /*isSigned=*/true));
        sum = sum ? e.add(sum, product) : product;
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
  Value copySign(Value magnitude, Value sign) {
    return e.intrinsic(bytes, name("llvm.x86.ssse3.psign.b.128", "llvm.x86.avx2.psign.b", ""),
                       {magnitude, sign});
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  int64_t lanes;
  VectorType words, halves, bytes;
  SmallVector<Run> runs;
};

class TileEmitter {
public:
  TileEmitter(const VectorEmitter &e, const ContractionShape &shape,
              const QuantizedOperands &operands)
      : e(e), shape(shape), operands(operands), dot(e, shape.layout) {}

  Values emit(const Tile &tile) {
    const PackedLayout &layout = shape.layout;
    VectorType floats = e.type(e.b.getF32Type(), e.unit.lanes);
    Values zeros(tile.shape.tokens * tile.shape.vectors, e.real(floats, 0));
    return e.loop(
        e.index(0), e.index(layout.blocks(shape.columns)), 1, zeros,
        [&](Value block, ValueRange sums) {
          Value start = e.scaled(block, layout.blockBytes);
          if (layout.unitsPerBlock == 1)
            return unit(tile, start, e.offset(start, layout.headerBytes), block, Values(sums));
          Value first = e.scaled(block, layout.unitsPerBlock);
          return e.loop(e.index(0), e.index(layout.unitsPerBlock), 1, sums,
                        [&](Value number, ValueRange partial) {
                          Value inBlock = e.scaled(number, layout.unitBytes, layout.headerBytes);
                          return unit(tile, start, e.add(start, inBlock), e.add(first, number),
                                      Values(partial));
                        });
        });
  }

private:
  /// What the weights of a unit bring along, for each vector of rows.
  struct Weights {
    Values scales, minimums;               ///< f32.
    Values integerScales, integerMinimums; ///< Pairs; none in formats without.
    Values offsets;                        ///< Pairs of offset * S; none where there is no offset.
  };

  Weights readWeights(UnitReader &reader, const Tile &tile) {
    Weights weights;
    for (int64_t j = 0; j < tile.shape.vectors; ++j) {
      int64_t row = tile.firstRow + j * e.unit.lanes;
      weights.scales.push_back(reader.scales(row));
      if (shape.layout.hasMinimum())
        weights.minimums.push_back(reader.minimums(row));
      if (!shape.layout.hasIntegers())
        continue;
      Value pairs = reader.scalePairs(row);
      weights.integerScales.push_back(pairs);
      if (dot.offset() != 0)
        weights.offsets.push_back(e.mul(pairs, e.integer(dot.pairs(), dot.offset())));
      if (shape.layout.format->minimums.exists())
        weights.integerMinimums.push_back(reader.minimumPairs(row));
    }
    return weights;
  }

  /// Adds one unit to the accumulators. `block` and `start` are where the format's block and the
  /// unit begin, `number` counts units from the row's begin.
  Values unit(const Tile &tile, Value block, Value start, Value number, Values accumulators) {
    const PackedLayout &layout = shape.layout;
    int64_t vectors = tile.shape.vectors;
    int64_t activations = tile.shape.tokens * shape.planes;
    UnitReader reader(e, layout, {operands.packed, tile.rowBlock, block, start});
    // One or two tokens wait for memory, not for arithmetic.
    if (tile.shape.tokens <= 2)
      reader.prefetch(prefetchDistance);
    Weights weights = readWeights(reader, tile);
    Values sums =
        dot.sums(reader, tile.firstRow, vectors, activations, weights.integerScales,
                 [&](int64_t i, int64_t column) {
                   Value word = e.loadScalar(
                       operands.quants, {token(tile, i), plane(i), e.scaled(number, 32, column)},
                       e.b.getI32Type());
                   return e.splat(word, e.unit.lanes);
                 });
    for (int64_t i = 0; i < activations; ++i) {
      SmallVector<Value> where = {token(tile, i), plane(i), number};
      Value scale = e.splat(e.load(operands.scales, where), e.unit.lanes);
      Value quantSums, quantSum, scaledSum;
      if (layout.hasMinimum() || dot.offset() != 0)
        quantSums = e.splat(e.load(operands.sums, where), e.unit.lanes);
      if (quantSums && !layout.hasIntegers()) {
        quantSum = dot.multiplyAddHalves(quantSums, e.integer(dot.pairs(), 1));
        if (layout.hasMinimum())
          scaledSum = e.mulf(scale, e.toFloat(quantSum));
        if (dot.offset() != 0)
          quantSum = e.mul(quantSum, e.integer(quantSum.getType(), dot.offset()));
      }
      for (int64_t j = 0; j < vectors; ++j) {
        Value &accumulator = accumulators[i / shape.planes * vectors + j];
        Value sum = sums[i * vectors + j];
        if (dot.offset() != 0)
          sum =
              e.sub(sum, layout.hasIntegers() ? dot.multiplyAddHalves(quantSums, weights.offsets[j])
                                              : quantSum);
        accumulator = e.fma(e.toFloat(sum), e.mulf(weights.scales[j], scale), accumulator);
        if (!layout.hasMinimum())
          continue;
        Value minimumSum = scaledSum;
        if (layout.hasIntegers())
          minimumSum = e.mulf(
              scale, e.toFloat(dot.multiplyAddHalves(quantSums, weights.integerMinimums[j])));
        accumulator = e.fma(weights.minimums[j], minimumSum, accumulator);
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
  if (shape.layout.isSigned() && unit.dot == Dot::MultiplyAdd)
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
