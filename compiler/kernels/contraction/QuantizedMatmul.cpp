// int8 activations times packed weights of up to 8 bits.
//
// Weights without a sign are the unsigned operand of vpdpbusd, which sums four products in 32 bits,
// or of pmaddubsw, which sums pairs of them in 16. There, sums of as many quads as surely fit are
// added up (eight of 4 bits: 8 * 2 * 15 * 127 = 30480); then one pmaddwd widens them, and its other
// operand is 1, or the group's integer scale, which so costs nothing. Weights with a sign (8 bits,
// codebooks) are w + 128 for vpdpbusd; for pmaddubsw |w| is the unsigned operand and the activation
// takes w's sign.
//
// What a format's offset (or those 128) adds too much is taken off before the first product, by
// what the sums begin with: -offset * (sum of the q that they will meet), which is the same for all
// rows. With vpdpbusd that is a number for each group, with pmaddubsw a pair for each run of quads,
// since its two 16-bit sums meet other q. Those may wrap around on the way: only what they end with
// must fit, so eight quads of 5 bits and an offset of 16 can be added up (16 * 16 * 127 = 32512).
// Minimums are added as m * M times d * (sum of q), or with a pmaddwd of (M, M'). The terms that
// are the same for all rows are computed once for a block of tokens, or for a chunk where those of
// whole rows would take too much of the first-level cache.

#include "compiler/kernels/contraction/Tiling.h"
#include "compiler/kernels/contraction/UnitWeights.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using Dot = VectorUnit::Dot;
using Values = VectorEmitter::Values;

/// Bytes ahead of the unit in use. Measured on Zen 3: 20 GB/s of 21 that a core reads, 15 without.
/// Zen 4 is faster without (33 GB/s of 33, 30 with), so CPUs with VNNI are left to themselves.
constexpr int64_t prefetchDistance = 2048;

/// The tokens of a block beside whose tiles the next chunk is asked for, spread over them evenly.
/// Measured on Zen 3: the products of eight tokens take 14 % less.
constexpr int64_t tokensBesideMemory = 8;

StringRef nameOf(int64_t lanes, StringRef x4, StringRef x8, StringRef x16) {
  return lanes == 4 ? x4 : lanes == 8 ? x8 : x16;
}

/// Sums of two neighbouring products, 16 bits each, of bytes without a sign and bytes with one.
Value multiplyAddBytes(const VectorEmitter &e, Value weight, Value activation) {
  int64_t lanes = cast<VectorType>(weight.getType()).getNumElements() / 4;
  return e.intrinsic(e.type(e.b.getI16Type(), 2 * lanes),
                     nameOf(lanes, "llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw",
                            "llvm.x86.avx512.pmaddubs.w.512"),
                     {weight, activation});
}

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

  /// Quads are added up in runs; see Run.
  int64_t numRuns() const { return static_cast<int64_t>(runs.size()); }
  ArrayRef<int64_t> quadsOf(int64_t run) const { return runs[static_cast<size_t>(run)].quads; }

  /// The unit's sums, activation by activation: what initial(i, run) gives, which may be null, plus
  /// the products of activation i and vector j, times the group's scale. `activation(i, column)` is
  /// the word of four int8 at a column of the unit, in all lanes.
  Values sums(UnitWeights &weights, const UnitFields &fields, int64_t firstRow, int64_t vectors,
              int64_t activations, llvm::function_ref<Value(int64_t i, int64_t run)> initial,
              llvm::function_ref<Value(int64_t i, int64_t column)> activation) {
    auto field = [&](int64_t number, int64_t j) {
      return weights.field(number, firstRow + j * lanes);
    };
    bool isScaled = fields.groupScales >= 0, addsHalves = e.unit.dot == Dot::MultiplyAdd;
    Values totals(activations * vectors);
    for (auto [number, run] : llvm::enumerate(runs)) {
      // The sums of a single quad are widened at once: registers have no room for those of all
      // activations beside the totals.
      bool isSingle = addsHalves && run.quads.size() == 1;
      Values partial, quads;
      for (int64_t i = 0; i < activations; ++i)
        partial.append(vectors, initial(i, static_cast<int64_t>(number)));
      auto widen = [&](int64_t i, int64_t j) {
        Value factor = isScaled ? field(fields.groupScales + run.group, j) : e.integer(halves, 1);
        Value &sum = partial[i * vectors + j], &total = totals[i * vectors + j];
        Value wide = addsHalves ? multiplyAddHalves(sum, factor) : e.mul(sum, factor);
        total = total ? e.add(total, wide) : wide;
      };
      for (int64_t quad : run.quads) {
        quads.clear();
        for (int64_t j = 0; j < vectors; ++j)
          quads.push_back(field(fields.quads + quad, j));
        for (int64_t i = 0; i < activations; ++i) {
          Value q = activation(i, quad * PackedLayout::quad);
          for (int64_t j = 0; j < vectors; ++j) {
            accumulate(quads[j], q, partial[i * vectors + j]);
            if (isSingle)
              widen(i, j);
          }
        }
        e.fence(isSingle ? totals : partial);
      }
      if (!addsHalves && !isScaled)
        return partial;
      for (int64_t i = 0; !isSingle && i < activations; ++i)
        for (int64_t j = 0; j < vectors; ++j)
          widen(i, j);
    }
    return totals;
  }

  /// For each lane low * low' + high * high' of the halves of two vectors of pairs.
  Value multiplyAddHalves(Value lhs, Value rhs) const {
    if (e.unit.dot == Dot::Generic || (lanes == 16 && !e.unit.hasByteShuffle)) {
      Value a = e.bitcast(lhs, words), b = e.bitcast(rhs, words);
      auto low = [&](Value x) { return e.shiftRightSigned(e.shiftLeft(x, 16), 16); };
      return e.add(e.mul(low(a), low(b)),
                   e.mul(e.shiftRightSigned(a, 16), e.shiftRightSigned(b, 16)));
    }
    return e.intrinsic(words,
                       nameOf(lanes, "llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd",
                              "llvm.x86.avx512.pmaddw.d.512"),
                       {e.bitcast(lhs, halves), e.bitcast(rhs, halves)});
  }

private:
  /// Quads of one group whose products are added up before they are widened and scaled: all of
  /// them, save with pmaddubsw where they could end beyond 16 bits.
  struct Run {
    int64_t group;
    SmallVector<int64_t> quads;
  };

  /// Quads that share words of the packed planes come after each other.
  void makeRuns() {
    int64_t groups = layout.groups(), length = 8 / groups;
    if (e.unit.dot == Dot::MultiplyAdd) {
      int64_t most = (1 << layout.bits()) - 1, offset = layout.offset();
      int64_t largest = layout.isSigned() ? 128 : std::max(offset, most - offset);
      int64_t fits = INT16_MAX / (2 * 127 * largest);
      while (length > 1 && length > fits)
        length /= 2;
    }
    for (int64_t first = 0; first < 8; first += length * groups)
      for (int64_t group = 0; group < groups; ++group) {
        Run run{group, {}};
        for (int64_t i = 0; i < length; ++i) {
          int64_t place = first / groups + i;
          run.quads.push_back(groups == 2          ? 4 * group + place
                              : layout.bits() == 8 ? place
                                                   : place / 2 + place % 2 * 4);
        }
        runs.push_back(run);
      }
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
      Value product = multiplyAddBytes(e, weight, activation);
      sum = sum ? e.add(e.bitcast(sum, halves), product) : product;
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

  Value copySign(Value magnitude, Value sign) {
    return e.intrinsic(bytes,
                       nameOf(lanes, "llvm.x86.ssse3.psign.b.128", "llvm.x86.avx2.psign.b", ""),
                       {magnitude, sign});
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  int64_t lanes;
  VectorType words, halves, bytes;
  SmallVector<Run> runs;
};

/// Bytes of terms that are kept for whole rows.
constexpr int64_t maxTermBytes = 32 * 1024;

class QuantizedTiles final : public TileKernel {
public:
  QuantizedTiles(const VectorEmitter &e, const ContractionShape &shape, const TilePlan &plan,
                 const QuantizedOperands &operands)
      : e(e), shape(shape), layout(shape.layout), operands(operands), dot(e, shape.layout),
        fields(shape.layout), largestTile(plan.unpackedTokens.front()),
        offset(remainingOffset(e.unit, shape.layout)) {
    int64_t chunkUnits = plan.chunkBlocks * layout.unitsPerBlock;
    int64_t units = shape.columns / layout.unitColumns;
    bool hasInitial = offset != 0;
    bool hasScaled = layout.hasMinimum() && fields.minimumPairs < 0;
    int64_t terms = (hasInitial ? dot.numRuns() : 0) + (hasScaled ? 1 : 0);
    // What sums in pairs begin with is dear to compute, so never for each row block anew.
    bool areDear = hasInitial && e.unit.dot == Dot::MultiplyAdd;
    termsOfRows = areDear || 4 * terms * plan.tokenBlock * shape.planes * units <= maxTermBytes;
    int64_t termUnits = termsOfRows ? units : chunkUnits;
    if (hasInitial)
      for (int64_t run = 0; run < dot.numRuns(); ++run)
        initialSums.push_back(
            scratchBuffer(e, {plan.tokenBlock, shape.planes, termUnits}, e.b.getI32Type()));
    if (hasScaled)
      scaledSums = scratchBuffer(e, {plan.tokenBlock, shape.planes, termUnits}, e.b.getF32Type());
    if (plan.fewTokens >= 0)
      unpacked = scratchBuffer(e, {chunkUnits * fields.bytes()}, e.b.getI8Type());
  }

  void beginTokens(Value first, Value last) override {
    if (termsOfRows)
      storeTerms(e.index(0), e.index(shape.columns / layout.unitColumns), first, last);
  }

  void beginChunk(const Chunk &chunk, Value first, Value last) override {
    if (!termsOfRows)
      storeTerms(firstUnit(chunk), firstUnit(chunk, chunk.lastBlock), first, last);
  }

  void unpack(Value rowBlock, const Chunk &chunk) override {
    Value from = firstUnit(chunk);
    eachUnit(chunk, {}, [&](Value block, Value start, Value number, ValueRange) {
      PackedUnitWeights weights(e, layout, fields, place(rowBlock, block, start, number));
      unpackUnit(e, fields, weights, unpacked, e.scaled(e.sub(number, from), fields.bytes()));
      return Values{};
    });
  }

  Values tile(const Tile &tile, bool isUnpacked, Values sums) override {
    if (isUnpacked) {
      Value from = firstUnit(tile.chunk);
      Value count = e.sub(firstUnit(tile.chunk, tile.chunk.lastBlock), from);
      return e.loop(e.index(0), count, 1, sums, [&](Value number, ValueRange carried) {
        // CPUs with VNNI are left to themselves.
        if (e.unit.dot != Dot::Vnni)
          prefetchNext(tile, number);
        CopiedUnitWeights weights(e, fields, unpacked, e.scaled(number, fields.bytes()));
        return addUnit(tile, weights, isUnpacked, e.add(from, number), Values(carried));
      });
    }
    return eachUnit(
        tile.chunk, sums, [&](Value block, Value start, Value number, ValueRange carried) {
          PackedUnitWeights weights(e, layout, fields, place(tile.rowBlock, block, start, number));
          // A few tokens wait for memory, not for arithmetic.
          if (e.unit.dot != Dot::Vnni)
            weights.prefetch(prefetchDistance);
          return addUnit(tile, weights, isUnpacked, number, Values(carried));
        });
  }

private:
  using UnitBody =
      llvm::function_ref<Values(Value block, Value start, Value number, ValueRange carried)>;

  int64_t bytesOfUnit() const { return layout.blockBytes / layout.unitsPerBlock; }
  /// Tiles that ask for the next chunk, each for a part of every unit.
  int64_t numParts() const { return llvm::divideCeil(tokensBesideMemory, largestTile); }
  int64_t linesOfPart() const {
    return llvm::divideCeil(llvm::divideCeil(bytesOfUnit(), VectorEmitter::lineBytes), numParts());
  }

  /// One of the first tiles of a block asks for its part of a unit of the chunk that comes next.
  void prefetchNext(const Tile &tile, Value number) const {
    Value part = arith::DivUIOp::create(e.b, e.loc, tile.inBlock, e.index(largestTile));
    e.branch(e.lessEqual(part, e.index(numParts() - 1)), [&] {
      Value begin = e.add(e.scaled(tile.chunk.lastBlock, layout.blockBytes),
                          e.add(e.scaled(part, linesOfPart() * VectorEmitter::lineBytes),
                                e.scaled(number, bytesOfUnit())));
      e.prefetchLines(operands.packed, tile.rowBlock, begin, linesOfPart());
    });
  }

  Value firstUnit(const Chunk &chunk, Value block = {}) const {
    return e.scaled(block ? block : chunk.firstBlock, layout.unitsPerBlock);
  }

  UnitPlace place(Value rowBlock, Value block, Value start, Value number) const {
    UnitPlace place{operands.packed, rowBlock, block, start};
    if (layout.isSplit)
      place.low = lowPlace(e, layout, shape.rows, shape.columns, rowBlock, number);
    return place;
  }

  /// The chunk's packed units: where the block and the unit begin, and the unit's number in the
  /// row.
  Values eachUnit(const Chunk &chunk, ValueRange inits, UnitBody body) const {
    return e.loop(
        chunk.firstBlock, chunk.lastBlock, 1, inits, [&](Value block, ValueRange carried) {
          Value start = e.scaled(block, layout.blockBytes);
          if (layout.unitsPerBlock == 1)
            return body(start, e.offset(start, layout.headerBytes), block, carried);
          Value first = e.scaled(block, layout.unitsPerBlock);
          return e.loop(e.index(0), e.index(layout.unitsPerBlock), 1, carried,
                        [&](Value number, ValueRange partial) {
                          Value inBlock = e.scaled(number, layout.unitBytes, layout.headerBytes);
                          return body(start, e.add(start, inBlock), e.add(first, number), partial);
                        });
        });
  }

  /// The terms of units [from, to) and tokens [first, last) that are the same for all rows.
  void storeTerms(Value from, Value to, Value first, Value last) {
    bool inRuns = !initialSums.empty() && e.unit.dot == Dot::MultiplyAdd;
    bool inGroups = !initialSums.empty() && !inRuns;
    if (initialSums.empty() && !scaledSums)
      return;
    e.loop(first, last, 1, [&](Value token) {
      for (int64_t plane = 0; plane < shape.planes; ++plane) {
        auto each = [&](Value begin, Value end, int64_t step, auto store) {
          e.loop(begin, end, step, [&](Value unit) {
            Value inTerms = termsOfRows ? unit : e.sub(unit, from);
            store({token, e.index(plane), unit}, {e.sub(token, first), e.index(plane), inTerms});
          });
        };
        if (inRuns)
          each(from, to, 1,
               [&](ArrayRef<Value> source, ArrayRef<Value> target) { storePairs(source, target); });
        Value at = from;
        for (int64_t lanes : {int64_t(16), int64_t(4), int64_t(1)}) {
          if (!inGroups && !scaledSums)
            break;
          Value count = e.sub(to, at), end = e.add(at, e.sub(count, e.maskBits(count, lanes - 1)));
          each(at, end, lanes, [&](ArrayRef<Value> source, ArrayRef<Value> target) {
            storeTerms(source, target, lanes, inGroups);
          });
          at = end;
        }
      }
    });
  }

  /// The same of `lanes` units of one plane of a token.
  void storeTerms(ValueRange source, ValueRange target, int64_t lanes, bool inGroups) {
    Value halves = e.loadVector(operands.sums, source, lanes);
    Value low = e.shiftRightSigned(e.shiftLeft(halves, 16), 16);
    Value high = e.shiftRightSigned(halves, 16), sum = e.add(low, high);
    Values groups = initialSums.size() == 2 ? Values{low, high} : Values{sum};
    if (inGroups)
      for (auto [group, memref] : llvm::zip(groups, initialSums))
        e.store(e.mul(group, e.integer(sum.getType(), -offset)), memref, target);
    if (scaledSums)
      e.store(e.mulf(e.loadVector(operands.scales, source, lanes), e.toFloat(sum)), scaledSums,
              target);
  }

  /// What the pairs of 16-bit sums of a unit's runs begin with.
  void storePairs(ArrayRef<Value> source, ArrayRef<Value> target) {
    int64_t bytes = 4 * std::min<int64_t>(e.unit.lanes, 8), count = bytes / 2;
    Value pairs;
    for (int64_t first = 0; first < layout.unitColumns; first += bytes) {
      Value q = e.loadBytes(operands.quants,
                            {source[0], source[1], e.scaled(source[2], layout.unitColumns, first)},
                            bytes, e.b.getI8Type());
      Value products = multiplyAddBytes(e, e.integer(q.getType(), offset), q);
      pairs = pairs ? shuffle(pairs, products, llvm::to_vector(llvm::seq<int64_t>(0, 2 * count)))
                    : products;
    }
    pairs = e.sub(e.integer(pairs.getType(), 0), pairs);
    for (auto [run, memref] : llvm::enumerate(initialSums)) {
      SmallVector<int64_t> lanes;
      for (int64_t quad : dot.quadsOf(static_cast<int64_t>(run)))
        lanes.append({2 * quad, 2 * quad + 1});
      Value sum = shuffle(pairs, pairs, lanes);
      for (int64_t half = static_cast<int64_t>(lanes.size()) / 2; half >= 2; half /= 2) {
        auto part = [&](int64_t first) {
          return shuffle(sum, sum, llvm::to_vector(llvm::seq(first, first + half)));
        };
        sum = e.add(part(0), part(half));
      }
      e.store(e.bitcast(sum, e.type(e.b.getI32Type(), 1)), memref, target);
    }
  }

  Value shuffle(Value lhs, Value rhs, ArrayRef<int64_t> lanes) const {
    return vector::ShuffleOp::create(e.b, e.loc, lhs, rhs, lanes);
  }

  /// Adds one unit to the accumulators. `number` counts units from the row's begin.
  Values addUnit(const Tile &tile, UnitWeights &weights, bool isUnpacked, Value number,
                 Values accumulators) {
    Value inTerms = termsOfRows ? number : e.sub(number, firstUnit(tile.chunk));
    int64_t vectors = tile.shape.vectors, activations = tile.shape.tokens * shape.planes;
    auto field = [&](int64_t field, int64_t j) {
      return weights.field(field, tile.firstRow + j * e.unit.lanes);
    };
    auto each = [&](int64_t number) {
      Values values(vectors);
      for (int64_t j = 0; number >= 0 && j < vectors; ++j)
        values[j] = field(number, j);
      return values;
    };
    auto splat = [&](Value memref, int64_t i, Value token, Value unit) {
      SmallVector<Value> place = {e.offset(token, i / shape.planes), e.index(i % shape.planes),
                                  unit};
      return e.splat(e.load(memref, place), e.unit.lanes);
    };
    Values scales, minimums, minimumPairs;
    auto askForScales = [&] {
      scales = each(fields.scale);
      minimums = each(fields.minimum);
      minimumPairs = each(fields.minimumPairs);
    };
    // Scales come before quants in memory, and are asked for in that order. In the first-level
    // cache no order matters, and registers hold them only while they are needed.
    if (!isUnpacked)
      askForScales();
    auto initial = [&](int64_t i, int64_t run) -> Value {
      return initialSums.empty() ? Value() : splat(initialSums[run], i, tile.inBlock, inTerms);
    };
    auto activation = [&](int64_t i, int64_t column) {
      Value token = e.offset(tile.token, i / shape.planes), plane = e.index(i % shape.planes);
      Value word = e.loadScalar(operands.quants, {token, plane, e.scaled(number, 32, column)},
                                e.b.getI32Type());
      return e.splat(word, e.unit.lanes);
    };
    Values sums =
        dot.sums(weights, fields, tile.firstRow, vectors, activations, initial, activation);
    if (isUnpacked)
      askForScales();
    for (int64_t i = 0; i < activations; ++i) {
      Value scale = splat(operands.scales, i, tile.token, number), quantSums, scaledSum;
      if (scaledSums)
        scaledSum = splat(scaledSums, i, tile.inBlock, inTerms);
      else if (layout.hasMinimum())
        quantSums = splat(operands.sums, i, tile.token, number);
      for (int64_t j = 0; j < vectors; ++j) {
        Value &accumulator = accumulators[i / shape.planes * vectors + j];
        accumulator =
            e.fma(e.toFloat(sums[i * vectors + j]), e.mulf(scales[j], scale), accumulator);
        if (!layout.hasMinimum())
          continue;
        Value term = scaledSum;
        if (quantSums)
          term = e.mulf(scale, e.toFloat(dot.multiplyAddHalves(quantSums, minimumPairs[j])));
        accumulator = e.fma(minimums[j], term, accumulator);
      }
    }
    return accumulators;
  }

  const VectorEmitter &e;
  const ContractionShape &shape;
  const PackedLayout &layout;
  const QuantizedOperands &operands;
  UnitDot dot;
  const UnitFields fields;
  const int64_t largestTile; ///< Of unpacked weights, in tokens.
  const int64_t offset;
  bool termsOfRows; ///< Terms are those of whole rows, not of a chunk.
  /// [tokens of a block, planes, units]; of each run (UnitDot); empty, null: none.
  Values initialSums;
  Value scaledSums;
  Value unpacked; ///< Bytes of a chunk's units; null: not taken apart.
};

/// Columns of a chunk: at 16 rows their weights fill half of a first-level cache.
constexpr int64_t chunkColumns = 640;
/// Bytes of activations of a block of tokens, about half of a second-level cache.
constexpr int64_t tokenBlockBytes = 512 * 1024;

TilePlan makePlan(const VectorUnit &unit, const ContractionShape &shape) {
  const PackedLayout &layout = shape.layout;
  TilePlan plan;
  // Integer accumulators of a unit, its weights and an activation fit the registers; the float
  // accumulators are needed once per unit.
  plan.vectors = std::min<int64_t>(unit.registers == 32 ? 1 : 2, PackedLayout::rows / unit.lanes);
  int64_t largest = (unit.registers == 32 ? 8 : 4) / shape.planes;
  plan.packedTokens = plan.unpackedTokens = tileSizes(largest);
  // With three tokens the float accumulators stay in registers, too. Measured on Zen 3: 8 % faster.
  if (unit.registers < 32 && largest == 4)
    plan.unpackedTokens = tileSizes(3);
  // Weights without columns are tiled as those of one are.
  int64_t columns = std::max<int64_t>(shape.columns, 1),
          blocks = std::max<int64_t>(layout.blocks(columns), 1);
  int64_t chunks = llvm::divideCeil(columns, chunkColumns);
  plan.chunkBlocks = llvm::divideCeil(blocks, std::min(chunks, blocks));
  // Three terms of four bytes for each unit of a chunk and plane, at most.
  int64_t termBytes = 12 * plan.chunkBlocks * layout.unitsPerBlock * shape.planes;
  int64_t tokens = std::min({tokenBlockBytes / (columns * shape.planes),
                             maxTermBytes / std::max<int64_t>(termBytes, 1), 128 / shape.planes});
  plan.tokenBlock = static_cast<int64_t>(llvm::bit_floor(uint64_t(std::max<int64_t>(tokens, 1))));
  int64_t unpackedBytes = plan.chunkBlocks * layout.unitsPerBlock * UnitFields(layout).bytes();
  if (unpackedBytes <= 24 * 1024)
    plan.fewTokens = largest;
  return plan;
}

} // namespace

void emitQuantizedMatmul(const VectorEmitter &emitter, const ContractionShape &shape,
                         const QuantizedOperands &operands, Value begin, Value end,
                         ResultSink sink) {
  VectorUnit unit = emitter.unit;
  // There is no 512-bit psignb.
  if (shape.layout.isSigned() && unit.dot == Dot::MultiplyAdd)
    unit.lanes = std::min<int64_t>(unit.lanes, 8);
  VectorEmitter e(emitter.b, emitter.loc, unit);
  TilePlan plan = makePlan(unit, shape);
  // A single token needs none of what serves many.
  if (getConstantIntValue(operands.tokens) == 1) {
    plan.packedTokens = plan.unpackedTokens = {1};
    plan.fewTokens = -1;
    plan.tokenBlock = 1;
  }
  QuantizedTiles tiles(e, shape, plan, operands);
  emitTiles(e, shape, plan, tiles, operands.tokens, begin, end, sink);
}

} // namespace relax::kernels
