#include "compiler/kernels/contraction/Likeliest.h"

#include "compiler/kernels/contraction/Tiling.h"
#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace relax::kernels {
namespace {

using Dot = VectorUnit::Dot;
using Values = VectorEmitter::Values;
using arith::CmpFPredicate;

/// The middle of the low half's numbers, and how far they are from it at most.
constexpr double middle = 7.5;
/// The largest magnitude of a weight's integer.
constexpr double largest = 128;
/// The terms of a unit.
constexpr int64_t middleTerm = 0, boundTerm = 1, lowTerm = 2;
constexpr double infinity = std::numeric_limits<double>::infinity();

/// What is added for rounding, for a magnitude of 1: of the terms themselves, and of all sums.
double roundingOf(double factor, int64_t units) {
  return factor * 1e-5 + largest * (8.0 * static_cast<double>(units) + 64) * 0x1p-24;
}

/// What all four kernels do.
class LikeliestEmitter {
public:
  LikeliestEmitter(const VectorEmitter &e, const LikeliestOperands &operands)
      : e(e), b(e.b), loc(e.loc), operands(operands) {}

protected:
  Value tokens() const { return memref::DimOp::create(b, loc, operands.counts, 0); }
  Value index(Value integer) const {
    return arith::IndexCastOp::create(b, loc, b.getIndexType(), integer);
  }
  Value count(Value token) const { return index(e.load(operands.counts, {token})); }

  /// Whether some of the row's outputs suffice.
  Value isCounted(Value token) const {
    Value wanted = count(token);
    return arith::AndIOp::create(b, loc, e.lessEqual(e.index(1), wanted),
                                 e.lessEqual(wanted, e.index(mostLikeliest)));
  }
  Value isAnyCounted() const {
    Value no = e.integer(b.getI1Type(), 0);
    return e.loop(e.index(0), tokens(), 1, no, [&](Value token, ValueRange any) {
      return Values{arith::OrIOp::create(b, loc, any[0], isCounted(token))};
    })[0];
  }

  /// The operands of a full product of one token.
  QuantizedOperands single(Value token, Value packed) const {
    auto part = [&](Value memref) -> Value {
      auto type = cast<MemRefType>(memref.getType());
      SmallVector<OpFoldResult> offsets(3, b.getIndexAttr(0)), strides(3, b.getIndexAttr(1)),
          sizes = {b.getIndexAttr(1), b.getIndexAttr(type.getDimSize(1)),
                   b.getIndexAttr(type.getDimSize(2))};
      offsets[0] = token;
      return memref::SubViewOp::create(b, loc, memref, offsets, sizes, strides);
    };
    return {part(operands.product.quants), part(operands.product.scales),
            part(operands.product.sums), packed, e.index(1)};
  }

  Value compare(CmpFPredicate predicate, Value lhs, Value rhs) const {
    return arith::CmpFOp::create(b, loc, predicate, lhs, rhs);
  }
  Value number(double value) const { return e.real(b.getF32Type(), value); }
  Value lanesOf(Value scalar) const { return e.splat(scalar, e.unit.lanes); }

  const VectorEmitter &e;
  OpBuilder &b;
  Location loc;
  const LikeliestOperands &operands;
};

//===------------------------------------------------------------------------------------------===//
// Terms
//===------------------------------------------------------------------------------------------===//

class TermsEmitter : LikeliestEmitter {
public:
  TermsEmitter(const VectorEmitter &e, int64_t columns, const LikeliestOperands &operands)
      : LikeliestEmitter(e, operands), units(columns / unitColumns),
        rest(scratchBuffer(e, {std::max<int64_t>(units, 1)}, e.b.getF32Type())) {}

  void emit(Value begin, Value end) {
    e.loop(begin, end, 1, [&](Value token) {
      e.branch(isCounted(token), [&] {
        e.loop(e.index(0), e.index(units), 1, [&](Value unit) { emitUnit(token, unit); });
        e.loop(e.index(0), e.index(units), 1, [&](Value place) { emitPlace(token, place); });
      });
    });
  }

private:
  static constexpr int64_t unitColumns = ir::BlockFormat::unitElements;

  void emitUnit(Value token, Value unit) {
    VectorType words = e.type(b.getI32Type(), unitColumns);
    Value sum, magnitudes[2];
    for (int64_t number : {0, 1}) {
      Value plane = e.index(number);
      Value scale = e.load(operands.product.scales, {token, plane, unit});
      Value bytes =
          e.loadBytes(operands.product.quants, {token, plane, e.scaled(unit, unitColumns)},
                      unitColumns, b.getI8Type());
      Value q = arith::ExtSIOp::create(b, loc, words, bytes);
      auto total = [&](Value integers) -> Value {
        Value reduced = vector::ReductionOp::create(b, loc, vector::CombiningKind::ADD, integers);
        return e.mulf(scale, arith::SIToFPOp::create(b, loc, b.getF32Type(), reduced));
      };
      if (number == 0)
        sum = total(q);
      magnitudes[number] = total(math::AbsIOp::create(b, loc, q));
    }
    auto times = [&](Value magnitude, double factor) {
      return e.mulf(magnitude, number(factor + roundingOf(factor, units)));
    };
    Value bound =
        arith::AddFOp::create(b, loc, times(magnitudes[0], middle), times(magnitudes[1], largest));
    Value low = e.mulf(magnitudes[0], number(middle));
    e.store(e.mulf(sum, number(middle)), operands.terms, {token, e.index(middleTerm), unit});
    e.store(bound, operands.terms, {token, e.index(boundTerm), unit});
    e.store(low, operands.terms, {token, e.index(lowTerm), unit});
    e.store(low, rest, {unit});
  }

  /// The unit with the largest bound of those that have no place yet.
  void emitPlace(Value token, Value place) {
    Values best = e.loop(e.index(0), e.index(units), 1, {e.index(0), number(-1)},
                         [&](Value unit, ValueRange state) {
                           Value bound = e.load(rest, {unit});
                           Value isLarger = compare(CmpFPredicate::OGT, bound, state[1]);
                           auto choose = [&](Value yes, Value no) -> Value {
                             return arith::SelectOp::create(b, loc, isLarger, yes, no);
                           };
                           return Values{choose(unit, state[0]), choose(bound, state[1])};
                         });
    e.store(number(-1), rest, {best[0]});
    e.store(arith::IndexCastOp::create(b, loc, b.getI32Type(), best[0]), operands.order,
            {token, place});
  }

  int64_t units;
  Value rest; ///< Bounds of the units that have no place in the order; -1: it has.
};

//===------------------------------------------------------------------------------------------===//
// Bounds
//===------------------------------------------------------------------------------------------===//

class BoundsEmitter : LikeliestEmitter {
public:
  BoundsEmitter(const VectorEmitter &e, const ContractionShape &shape,
                const LikeliestOperands &operands)
      : LikeliestEmitter(e, operands), split(shape) {}

  void emit(Value begin, Value end) {
    e.branch(isAnyCounted(), [&] {
      ContractionShape high = split;
      high.layout = highLayout(split.layout);
      // Rows of padding are computed too: they are zeros.
      high.rows = split.layout.rowBlocks(split.rows) * PackedLayout::rows;
      high.planes = 1;
      QuantizedOperands product = operands.product;
      product.packed =
          strideView(e, split.layout, split.rows, split.columns, operands.product.packed);
      product.tokens = tokens();
      emitQuantizedMatmul(e, high, product, begin, end, [&](Value token, Value row, Value value) {
        emitRows(product.packed, token, row, value);
      });
    });
  }

private:
  /// Adds what is the same for all integers of a block to the products with high halves. Rows come
  /// vector by vector, the first of 16 first.
  void emitRows(Value high, Value token, Value row, Value product) {
    int64_t lanes = cast<VectorType>(product.getType()).getNumElements();
    Value rowBlock = arith::DivUIOp::create(b, loc, row, e.index(PackedLayout::rows));
    Value inBlock = arith::RemUIOp::create(b, loc, row, e.index(PackedLayout::rows));
    Value estimate = e.mulf(product, e.real(product.getType(), 16));
    auto sums = e.loop(
        e.index(0), e.index(split.layout.blocks(split.columns)), 1,
        {estimate, e.real(product.getType(), 0)}, [&](Value unit, ValueRange state) {
          Value at = e.add(e.scaled(unit, split.layout.blockBytes), e.scaled(inBlock, 2));
          Value scale = e.widen(e.loadBytes(high, {rowBlock, at}, 2 * lanes, b.getF16Type()));
          auto term = [&](int64_t number) {
            return e.splat(e.load(operands.terms, {token, e.index(number), unit}), lanes);
          };
          return Values{e.fma(scale, term(middleTerm), state[0]),
                        e.fma(math::AbsFOp::create(b, loc, scale), term(boundTerm), state[1])};
        });
    e.store(arith::AddFOp::create(b, loc, sums[0], sums[1]), operands.upper, {token, row});
    Value largest = vector::ReductionOp::create(b, loc, vector::CombiningKind::MAXNUMF, sums[0]);
    ++vectors;
    most = vectors == 1 ? largest : Value(arith::MaxNumFOp::create(b, loc, most, largest));
    if (vectors * lanes < PackedLayout::rows)
      return;
    e.store(most, operands.estimates, {token, rowBlock});
    vectors = 0;
  }

  const ContractionShape &split;
  int64_t vectors = 0; ///< Of the row block at hand that are done.
  Value most;          ///< Their largest estimate.
};

//===------------------------------------------------------------------------------------------===//
// Threshold
//===------------------------------------------------------------------------------------------===//

class ThresholdEmitter : LikeliestEmitter {
public:
  ThresholdEmitter(const VectorEmitter &e, const ContractionShape &shape,
                   const LikeliestOperands &operands)
      : LikeliestEmitter(e, operands), shape(shape),
        bestEstimates(scratchBuffer(e, {mostLikeliest}, e.b.getF32Type())),
        bestBlocks(scratchBuffer(e, {mostLikeliest}, e.b.getI32Type())),
        bestOutputs(scratchBuffer(e, {mostLikeliest}, e.b.getF32Type())) {}

  void emit(Value begin, Value end) {
    Value packed = strideView(e, shape.layout, shape.rows, shape.columns, operands.product.packed);
    e.loop(begin, end, 1,
           [&](Value token) { e.branch(isCounted(token), [&] { emitToken(token, packed); }); });
  }

private:
  void emitToken(Value token, Value packed) {
    Value wanted = count(token), none = e.integer(b.getI32Type(), -1);
    e.loop(e.index(0), wanted, 1, [&](Value place) {
      e.store(number(-infinity), bestEstimates, {place});
      e.store(number(-infinity), bestOutputs, {place});
      e.store(none, bestBlocks, {place});
    });
    e.loop(e.index(0), e.index(shape.layout.rowBlocks(shape.rows)), 1, [&](Value block) {
      insert(e.load(operands.estimates, {token, block}),
             arith::IndexCastOp::create(b, loc, b.getI32Type(), block), wanted);
    });
    // Fewer outputs than are wanted leave the threshold at minus infinity.
    e.loop(e.index(0), wanted, 1, [&](Value place) {
      Value block = index(e.load(bestBlocks, {place}));
      e.branch(e.lessEqual(e.index(0), block), [&] {
        emitQuantizedMatmul(e, shape, single(token, packed), block, e.offset(block, 1),
                            [&](Value, Value, Value value) { insertOutputs(value, wanted); });
      });
    });
    Value last = e.load(bestOutputs, {e.sub(wanted, e.index(1))});
    e.store(last, operands.threshold, {token, e.index(0)});
  }

  void insertOutputs(Value value, Value wanted) {
    auto type = dyn_cast<VectorType>(value.getType());
    for (int64_t lane = 0; lane < (type ? type.getNumElements() : 1); ++lane) {
      Value output = type ? vector::ExtractOp::create(b, loc, value, lane).getResult() : value;
      insert(output, {}, wanted);
    }
  }

  /// Puts a value into its place among the `wanted` largest, which fall: an estimate with its
  /// block, or an output.
  void insert(Value value, Value block, Value wanted) {
    Value list = block ? bestEstimates : bestOutputs;
    Value last = e.sub(wanted, e.index(1));
    e.branch(compare(CmpFPredicate::OGT, value, e.load(list, {last})), [&] {
      auto whileOp = scf::WhileOp::create(b, loc, TypeRange{b.getIndexType()}, ValueRange{last});
      OpBuilder::InsertionGuard guard(b);
      Value place = b.createBlock(&whileOp.getBefore(), {}, b.getIndexType(), loc)->getArgument(0);
      // The one before the first is the first itself, which is not below itself.
      Value isFirst = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, place, e.index(0));
      Value before = arith::SelectOp::create(b, loc, isFirst, place, e.sub(place, e.index(1)));
      Value isBelow = compare(CmpFPredicate::OLT, e.load(list, {before}), value);
      Value yes = e.integer(b.getI1Type(), 1);
      Value goOn =
          arith::AndIOp::create(b, loc, isBelow, arith::XOrIOp::create(b, loc, isFirst, yes));
      scf::ConditionOp::create(b, loc, goOn, place);
      place = b.createBlock(&whileOp.getAfter(), {}, b.getIndexType(), loc)->getArgument(0);
      before = e.sub(place, e.index(1));
      e.store(e.load(list, {before}), list, {place});
      if (block)
        e.store(e.load(bestBlocks, {before}), bestBlocks, {place});
      scf::YieldOp::create(b, loc, before);
      b.setInsertionPointAfter(whileOp);
      e.store(value, list, {whileOp.getResult(0)});
      if (block)
        e.store(block, bestBlocks, {whileOp.getResult(0)});
    });
  }

  const ContractionShape &shape;
  Value bestEstimates, bestBlocks, bestOutputs;
};

//===------------------------------------------------------------------------------------------===//
// Products
//===------------------------------------------------------------------------------------------===//

/// The sums of a unit's low halves times its activations.
class LowDot {
public:
  explicit LowDot(const VectorEmitter &e)
      : e(e), words(e.type(e.b.getI32Type(), e.unit.lanes)),
        bytes(e.type(e.b.getI8Type(), 4 * e.unit.lanes)) {}

  /// i32 of `lanes` rows from byte `at` of packed[rowBlock]; `activation(quad)` is a word of four.
  Value sum(Value packed, Value rowBlock, Value at,
            llvm::function_ref<Value(int64_t quad)> activation) const {
    Value sums = e.integer(
        e.unit.dot == Dot::MultiplyAdd ? e.type(e.b.getI16Type(), 2 * e.unit.lanes) : words, 0);
    for (int64_t word = 0; word < 4; ++word) {
      Value stored = e.loadBytes(
          packed, {rowBlock, e.offset(at, word * PackedLayout::quad * PackedLayout::rows)},
          4 * e.unit.lanes, e.b.getI8Type());
      add(e.maskBits(stored, 15), activation(word), sums);
      add(e.maskBits(e.shiftRight(stored, 4), 15), activation(word + 4), sums);
    }
    if (e.unit.dot != Dot::MultiplyAdd)
      return sums;
    // Eight quads: at most 8 * 2 * 15 * 127 in 16 bits.
    return e.intrinsic(
        words,
        name("llvm.x86.sse2.pmadd.wd", "llvm.x86.avx2.pmadd.wd", "llvm.x86.avx512.pmaddw.d.512"),
        {sums, e.integer(sums.getType(), 1)});
  }

private:
  void add(Value weights, Value word, Value &sums) const {
    Value q = e.splat(word, e.unit.lanes);
    if (e.unit.dot == Dot::Vnni) {
      std::string dot = "llvm.x86.avx512.vpdpbusd." + std::to_string(e.unit.lanes * 32);
      sums = e.intrinsic(words, dot, {sums, weights, e.bitcast(q, bytes)});
      return;
    }
    if (e.unit.dot == Dot::MultiplyAdd) {
      Value products =
          e.intrinsic(sums.getType(),
                      name("llvm.x86.ssse3.pmadd.ub.sw.128", "llvm.x86.avx2.pmadd.ub.sw",
                           "llvm.x86.avx512.pmaddubs.w.512"),
                      {weights, e.bitcast(q, bytes)});
      sums = e.add(sums, products);
      return;
    }
    Value unpacked = e.bitcast(weights, words);
    for (int64_t byte = 0; byte < 4; ++byte) {
      Value weight = e.maskBits(e.shiftRight(unpacked, 8 * byte), 255);
      Value activation = e.shiftRightSigned(e.shiftLeft(q, 24 - 8 * byte), 24);
      sums = e.add(sums, e.mul(weight, activation));
    }
  }

  llvm::StringRef name(llvm::StringRef x4, llvm::StringRef x8, llvm::StringRef x16) const {
    return e.unit.lanes == 4 ? x4 : e.unit.lanes == 8 ? x8 : x16;
  }

  const VectorEmitter &e;
  VectorType words, bytes;
};

class MatmulEmitter : LikeliestEmitter {
public:
  MatmulEmitter(const VectorEmitter &e, const ContractionShape &shape,
                const LikeliestOperands &operands, ResultSink sink)
      : LikeliestEmitter(e, operands), shape(shape), sink(sink), dot(e),
        numVectors(PackedLayout::rows / e.unit.lanes),
        units(shape.columns / shape.layout.unitColumns),
        left(scratchBuffer(e, {groupBlocks}, e.b.getI32Type())),
        bounds(scratchBuffer(e, {groupBlocks, PackedLayout::rows}, e.b.getF32Type())) {}

  void emit(Value begin, Value end) {
    packed = strideView(e, shape.layout, shape.rows, shape.columns, operands.product.packed);
    e.branch(
        isAnyCounted(),
        [&] {
          e.loop(begin, end, groupBlocks, [&](Value first) {
            Value last = e.minimum(e.offset(first, groupBlocks), end);
            e.loop(e.index(0), tokens(), 1, [&](Value token) { emitGroup(first, last, token); });
          });
        },
        [&] {
          QuantizedOperands product = operands.product;
          product.packed = packed;
          product.tokens = tokens();
          emitQuantizedMatmul(e, shape, product, begin, end, sink);
        });
  }

private:
  /// Row blocks that are made certain together, unit by unit. Those of one unit lie anywhere in
  /// memory: each is asked for as soon as it is known to be needed, while others are computed.
  static constexpr int64_t groupBlocks = 256;

  /// Row blocks [first, last) of a token.
  void emitGroup(Value first, Value last, Value token) {
    Value counted = isCounted(token);
    Value threshold = arith::SelectOp::create(
        b, loc, counted, e.load(operands.threshold, {token, e.index(0)}), number(-infinity));
    auto orderAt = [&](Value place) { return index(e.load(operands.order, {token, place})); };
    // Rows that aren't counted reach minus infinity, whatever their bounds are.
    Value isUncounted = arith::XOrIOp::create(b, loc, counted, e.integer(b.getI1Type(), 1));
    Value firstUnit = orderAt(e.index(0));
    Value count = e.loop(first, last, 1, {e.index(0)}, [&](Value rowBlock, ValueRange state) {
      Value row = e.scaled(rowBlock, PackedLayout::rows);
      emitNothing(token, row);
      Values upper;
      for (int64_t j = 0; j < numVectors; ++j)
        upper.push_back(
            e.loadVector(operands.upper, {token, e.offset(row, j * e.unit.lanes)}, e.unit.lanes));
      Value stays = arith::OrIOp::create(b, loc, anyReaches(upper, threshold), isUncounted);
      return Values{keep(rowBlock, upper, stays, state[0], firstUnit)};
    })[0];

    Value limit = arith::SelectOp::create(b, loc, counted, e.index(units), e.index(0));
    count = whileAnyIsLeft(count, limit, [&](Value place, Value before) {
      Value unit = orderAt(place);
      Value next = orderAt(e.minimum(e.offset(place, 1), e.index(units - 1)));
      return e.loop(e.index(0), before, 1, {e.index(0)}, [&](Value i, ValueRange state) {
        Value rowBlock = index(e.load(left, {i}));
        Values upper;
        for (int64_t j = 0; j < numVectors; ++j) {
          int64_t row = j * e.unit.lanes;
          Value bound = e.loadVector(bounds, {i, e.index(row)}, e.unit.lanes);
          upper.push_back(refined(bound, row, rowBlock, token, unit));
        }
        return Values{keep(rowBlock, upper, anyReaches(upper, threshold), state[0], next)};
      })[0];
    });

    e.loop(e.index(0), count, 1, [&](Value i) {
      Value rowBlock = index(e.load(left, {i}));
      emitQuantizedMatmul(e, shape, single(token, packed), rowBlock, e.offset(rowBlock, 1),
                          [&](Value, Value at, Value value) { sink(token, at, value); });
    });
  }

  /// Appends a row block to the `count` that are left, if it `stays`, and asks for its unit that
  /// comes next. How many are left.
  Value keep(Value rowBlock, ValueRange upper, Value stays, Value count, Value nextUnit) const {
    e.store(arith::IndexCastOp::create(b, loc, b.getI32Type(), rowBlock), left, {count});
    for (int64_t j = 0; j < numVectors; ++j)
      e.store(upper[j], bounds, {count, e.index(j * e.unit.lanes)});
    e.branch(stays, [&] {
      const PackedLayout &layout = shape.layout;
      e.prefetchLines(packed, rowBlock, e.scaled(nextUnit, layout.blockBytes), 1);
      e.prefetchLines(packed, rowBlock,
                      lowPlace(e, layout, shape.rows, shape.columns, rowBlock, nextUnit),
                      layout.lowUnitBytes / VectorEmitter::lineBytes);
    });
    return e.add(count, arith::IndexCastUIOp::create(b, loc, b.getIndexType(), stays));
  }

  /// count = body(place, count) for place = 0, 1, …, limit - 1, until count is 0. The last count.
  Value whileAnyIsLeft(Value count, Value limit,
                       llvm::function_ref<Value(Value place, Value count)> body) const {
    SmallVector<Type> types(2, b.getIndexType());
    SmallVector<Location> locations(2, loc);
    auto whileOp = scf::WhileOp::create(b, loc, types, ValueRange{e.index(0), count});
    OpBuilder::InsertionGuard guard(b);
    auto carried = b.createBlock(&whileOp.getBefore(), {}, types, locations)->getArguments();
    Value isMore = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, carried[0], limit);
    Value isLeft = e.lessEqual(e.index(1), carried[1]);
    scf::ConditionOp::create(b, loc, arith::AndIOp::create(b, loc, isMore, isLeft), carried);
    carried = b.createBlock(&whileOp.getAfter(), {}, types, locations)->getArguments();
    Value next = body(carried[0], carried[1]);
    scf::YieldOp::create(b, loc, ValueRange{e.offset(carried[0], 1), next});
    return whileOp.getResult(1);
  }

  /// Whether a bound is at least the threshold, or one of the two is NaN.
  Value anyReaches(ValueRange upper, Value threshold) const {
    Value any;
    for (Value bound : upper) {
      Value reaches = compare(CmpFPredicate::UGE, bound, lanesOf(threshold));
      any = any ? arith::OrIOp::create(b, loc, any, reaches).getResult() : reaches;
    }
    return vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, any);
  }

  /// `upper` of rows firstRow, … with the unit's low half in place of its middle and its bound.
  /// What was added for rounding and for the activations' second plane stays.
  Value refined(Value upper, int64_t firstRow, Value rowBlock, Value token, Value unit) const {
    const PackedLayout &layout = shape.layout;
    int64_t lanes = e.unit.lanes;
    Value low = lowPlace(e, layout, shape.rows, shape.columns, rowBlock, unit);
    Value plane = e.index(0);
    Value products =
        dot.sum(packed, rowBlock, e.offset(low, PackedLayout::quad * firstRow), [&](int64_t quad) {
          Value column = e.scaled(unit, layout.unitColumns, quad * PackedLayout::quad);
          return e.loadScalar(operands.product.quants, {token, plane, column}, b.getI32Type());
        });
    Value step = lanesOf(e.load(operands.product.scales, {token, plane, unit}));
    Value sum = e.mulf(e.toFloat(products), step);
    auto term = [&](int64_t number) {
      return lanesOf(e.load(operands.terms, {token, e.index(number), unit}));
    };
    Value at = e.offset(e.scaled(unit, layout.blockBytes), 2 * firstRow);
    Value scale = e.widen(e.loadBytes(packed, {rowBlock, at}, 2 * lanes, b.getF16Type()));
    Value bound = e.mulf(math::AbsFOp::create(b, loc, scale), term(lowTerm));
    Value exact = arith::SubFOp::create(b, loc, sum, term(middleTerm));
    return e.fma(scale, exact, arith::SubFOp::create(b, loc, upper, bound));
  }

  void emitNothing(Value token, Value row) {
    auto whole = [&] {
      for (int64_t j = 0; j < numVectors; ++j)
        sink(token, e.offset(row, j * e.unit.lanes), lanesOf(number(-infinity)));
    };
    if (shape.rows % PackedLayout::rows == 0)
      return whole();
    e.branch(e.lessEqual(e.offset(row, PackedLayout::rows), e.index(shape.rows)), whole, [&] {
      e.loop(row, e.index(shape.rows), 1, [&](Value at) { sink(token, at, number(-infinity)); });
    });
  }

  const ContractionShape &shape;
  ResultSink sink;
  LowDot dot;
  int64_t numVectors, units;
  /// Of the row blocks of a group that can still be among the largest: their numbers, and the
  /// bounds of their rows.
  Value left, bounds;
  Value packed;
};

} // namespace

void emitLikeliestTerms(const VectorEmitter &e, int64_t columns, const LikeliestOperands &operands,
                        Value begin, Value end) {
  TermsEmitter(e, columns, operands).emit(begin, end);
}

void emitLikeliestBounds(const VectorEmitter &e, const ContractionShape &shape,
                         const LikeliestOperands &operands, Value begin, Value end) {
  BoundsEmitter(e, shape, operands).emit(begin, end);
}

void emitLikeliestThreshold(const VectorEmitter &e, const ContractionShape &shape,
                            const LikeliestOperands &operands, Value begin, Value end) {
  ThresholdEmitter(e, shape, operands).emit(begin, end);
}

void emitLikeliestMatmul(const VectorEmitter &e, const ContractionShape &shape,
                         const LikeliestOperands &operands, Value begin, Value end,
                         ResultSink sink) {
  MatmulEmitter(e, shape, operands, sink).emit(begin, end);
}

} // namespace relax::kernels
