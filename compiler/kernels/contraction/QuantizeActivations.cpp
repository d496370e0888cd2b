// float32 activations to int8 with a scale for each 32.
//
// The largest magnitude is taken on the bits without the sign, as integers: NaN is above infinity,
// infinity above everything finite, so both end up in the scale. Rounding half to even is the
// addition of 1.5 * 2^23, which leaves the integer in the low bits (|x| <= 127).

#include "compiler/kernels/contraction/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <limits>

using namespace mlir;

namespace relax::kernels {
namespace {

constexpr int64_t blockColumns = 32;
constexpr float roundingBias = 12582912.0f; // 1.5 * 2^23
constexpr int64_t roundingBiasBits = 0x4B400000;

class BlockQuantizer {
public:
  explicit BlockQuantizer(const VectorEmitter &e) : e(e) {
    floats = e.type(e.b.getF32Type(), blockColumns);
    words = e.type(e.b.getI32Type(), blockColumns);
  }

  using Values = VectorEmitter::Values;

  /// Quantises blocks and stores them at [token, plane, block], [token, plane, block + 1], ….
  /// Returns what is left of each, if wanted. One block waits for its largest magnitude and for two
  /// divisions, so each step is written for all blocks before the next one.
  Values emit(Values blocks, const QuantizeResults &results, Value token, int64_t plane,
              Value block, bool wantResidual) {
    OpBuilder &b = e.b;
    auto each = [&](auto step) {
      Values values;
      for (size_t i = 0; i < blocks.size(); ++i)
        values.push_back(step(i));
      return values;
    };
    Values scales = each([&](size_t i) -> Value {
      Value magnitudes = e.maskBits(e.bitcast(blocks[i], words), 0x7FFFFFFF);
      Value largest =
          vector::ReductionOp::create(b, e.loc, vector::CombiningKind::MAXUI, magnitudes);
      largest = arith::BitcastOp::create(b, e.loc, b.getF32Type(), largest);
      return arith::DivFOp::create(b, e.loc, largest, e.real(b.getF32Type(), 127));
    });
    // Where the scale is 0 (zeros, or so small that d underflows), infinite or NaN, q is 0.
    Values usable = each([&](size_t i) -> Value {
      Value positive = compare(arith::CmpFPredicate::OGT, scales[i], 0);
      Value finite =
          compare(arith::CmpFPredicate::OLT, scales[i], std::numeric_limits<float>::infinity());
      return arith::AndIOp::create(b, e.loc, positive, finite);
    });
    Values quants = each([&](size_t i) -> Value {
      Value one = e.real(b.getF32Type(), 1);
      Value divisor = arith::SelectOp::create(b, e.loc, usable[i], scales[i], one);
      Value ratio = arith::DivFOp::create(b, e.loc, blocks[i], e.splat(divisor, blockColumns));
      Value biased = arith::AddFOp::create(b, e.loc, ratio, e.real(floats, roundingBias));
      return e.sub(e.bitcast(biased, words), e.integer(words, roundingBiasBits));
    });
    quants = each([&](size_t i) -> Value {
      // A subnormal scale is coarse, so the ratio may exceed 127.
      Value atMost = arith::MinSIOp::create(b, e.loc, quants[i], e.integer(words, 127));
      Value atLeast = arith::MaxSIOp::create(b, e.loc, atMost, e.integer(words, -127));
      Value mask = arith::ExtSIOp::create(b, e.loc, b.getI32Type(), usable[i]);
      return arith::AndIOp::create(b, e.loc, atLeast, e.splat(mask, blockColumns));
    });
    Value planeIndex = e.index(plane);
    for (auto [i, q] : llvm::enumerate(quants)) {
      Value at = e.offset(block, static_cast<int64_t>(i));
      Value bytes = arith::TruncIOp::create(b, e.loc, e.type(b.getI8Type(), blockColumns), q);
      e.store(bytes, results.quants, {token, planeIndex, e.scaled(at, blockColumns)});
      e.store(scales[i], results.scales, {token, planeIndex, at});
      e.store(halfSums(q, bytes), results.sums, {token, planeIndex, at});
    }
    if (!wantResidual)
      return {};
    // x - d * q; where d is infinite or NaN the residual is NaN, and so is its scale.
    return each([&](size_t i) -> Value {
      Value negative = arith::NegFOp::create(b, e.loc, e.splat(scales[i], blockColumns));
      return e.fma(negative, e.toFloat(quants[i]), blocks[i]);
    });
  }

private:
  /// The sums of the two halves of 32 integers below 2^7, in 16 bits each.
  Value halfSums(Value quants, Value bytes) {
    auto shuffle = [&](Value lhs, Value rhs, ArrayRef<int64_t> lanes) -> Value {
      return vector::ShuffleOp::create(e.b, e.loc, lhs, rhs, lanes);
    };
    // Eight sums of four, those of the first half in the lower four lanes.
    Value fours;
    if (e.unit.dot == VectorUnit::Dot::Vnni && e.unit.lanes >= 8) {
      VectorType eight = e.type(e.b.getI32Type(), 8);
      fours = e.intrinsic(eight, "llvm.x86.avx512.vpdpbusd.256",
                          {e.integer(eight, 0), e.integer(bytes.getType(), 1), bytes});
    } else {
      auto part = [&](int64_t first) -> Value {
        return vector::ExtractStridedSliceOp::create(e.b, e.loc, quants, ArrayRef<int64_t>{first},
                                                     ArrayRef<int64_t>{8}, ArrayRef<int64_t>{1});
      };
      Value low = e.add(part(0), part(8)), high = e.add(part(16), part(24));
      fours = e.add(shuffle(low, high, {0, 1, 2, 3, 8, 9, 10, 11}),
                    shuffle(low, high, {4, 5, 6, 7, 12, 13, 14, 15}));
    }
    Value twos = e.add(fours, shuffle(fours, fours, {2, 3, 0, 1, 6, 7, 4, 5}));
    Value sums = e.add(twos, shuffle(twos, twos, {1, 0, 3, 2, 5, 4, 7, 6}));
    auto lane = [&](int64_t number) -> Value {
      return vector::ExtractOp::create(e.b, e.loc, sums, ArrayRef<int64_t>{number});
    };
    return e.bitOr(e.shiftLeft(lane(4), 16), e.maskBits(lane(0), 0xFFFF));
  }

  Value compare(arith::CmpFPredicate predicate, Value value, double bound) {
    return arith::CmpFOp::create(e.b, e.loc, predicate, value, e.real(e.b.getF32Type(), bound));
  }

  const VectorEmitter &e;
  VectorType floats, words;
};

} // namespace

void emitQuantizeActivations(const VectorEmitter &e, int64_t columns, int64_t planes,
                             llvm::function_ref<void(Value token)> beginRow,
                             llvm::function_ref<Value(Value token, Value column)> source,
                             const QuantizeResults &results, Value begin, Value end) {
  e.loop(begin, end, 1, [&](Value token) {
    beginRow(token);
    emitQuantizeBlocks(
        e, columns, planes, token, e.index(0), [&](Value column) { return source(token, column); },
        results);
  });
}

void emitQuantizeBlocks(const VectorEmitter &e, int64_t columns, int64_t planes, Value token,
                        Value firstBlock, llvm::function_ref<Value(Value column)> source,
                        const QuantizeResults &results) {
  BlockQuantizer quantizer(e);
  int64_t blocks = columns / blockColumns, pairs = blocks / 2 * 2;
  auto emitBlocks = [&](int64_t first, int64_t last, int64_t count) {
    e.loop(e.index(first), e.index(last), count, [&](Value block) {
      VectorEmitter::Values x;
      for (int64_t i = 0; i < count; ++i)
        x.push_back(source(e.scaled(block, blockColumns, i * blockColumns)));
      for (int64_t plane = 0; plane < planes; ++plane)
        x = quantizer.emit(x, results, token, plane, e.add(firstBlock, block),
                           /*wantResidual=*/plane + 1 < planes);
    });
  };
  emitBlocks(0, pairs, 2);
  if (pairs < blocks)
    emitBlocks(pairs, blocks, 1);
}

} // namespace relax::kernels
