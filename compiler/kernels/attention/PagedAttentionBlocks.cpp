#include "compiler/kernels/attention/PagedAttentionEmitter.h"
#include "runtime/kv_cache/CacheType.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>
#include <numbers>
#include <numeric>

using namespace mlir;

namespace relax::kernels::attention {

void PagedAttentionEmitter::emitBlock(const Segment &segment, const Page &page, Value token,
                                      int64_t tokens) {
  Value firstRow = mul(token, unitHeads);
  Value firstSlot = add(segment.firstSlot, token);
  SmallVector<RowChunk> chunks = chunksOfRows(tokens * unitHeads);
  emitScores(page, firstRow, chunks);
  SmallVector<Visible> visible;
  for (int64_t i = 0; i < tokens; ++i) {
    visible.push_back(visibleSlots(page, add(firstSlot, i)));
    loop(zero, index(unitHeads), 1, [&](Value head) {
      Value scoreRow = add(head, i * unitHeads);
      emitSoftmaxRow(add(firstRow, scoreRow), scoreRow, visible.back());
    });
  }
  emitWeightedValues(page, firstRow, chunks, visible);
}

void PagedAttentionEmitter::emitScores(const Page &page, Value firstRow,
                                       ArrayRef<RowChunk> chunks) {
  for (RowChunk chunk : chunks)
    blocks(params.pageSize, slotLanes, vectorsFor(chunk.count), [&](ArrayRef<Run> slots) {
      SmallVector<Value> rows, zeros(chunk.count * slots.size(), f32(0, slotLanes));
      for (int64_t r = 0; r < chunk.count; ++r)
        rows.push_back(add(firstRow, chunk.row + r));
      bool prefetches = page.next && chunk.row == 0;
      auto products = isQuantized ? emitScaledProducts(page, rows, slots, prefetches)
                                  : emitProducts(page, rows, slots, prefetches, zero,
                                                 index(params.headDim), zeros);
      for (int64_t r = 0; r < chunk.count; ++r)
        for (auto [v, run] : llvm::enumerate(slots))
          store(capped(products[r * slots.size() + v]), scores, {index(chunk.row + r), run.offset});
    });
}

SmallVector<Value> PagedAttentionEmitter::emitProducts(const Page &page, ArrayRef<Value> rows,
                                                       ArrayRef<Run> slots, bool prefetches,
                                                       Value first, Value last, ValueRange sums) {
  return loop(first, last, sums, [&](Value dim, ValueRange state) {
    if (prefetches)
      emitPrefetch(/*isKeys=*/true, page.next, dim, slots);
    // Each loaded vector is used up before the next, so that registers suffice.
    SmallVector<Value> next(state.size()), multipliers;
    for (Value row : rows)
      multipliers.push_back(loadSplat(queries, {row, dim}, slotLanes));
    for (auto [v, run] : llvm::enumerate(slots)) {
      Value key = loadKeys(page, dim, run);
      for (size_t r = 0; r < rows.size(); ++r) {
        size_t at = r * slots.size() + v;
        next[at] = fma(multipliers[r], key, state[at]);
      }
    }
    return next;
  });
}

/// Each block's products with integers are summed on their own, and then scaled.
SmallVector<Value> PagedAttentionEmitter::emitScaledProducts(const Page &page, ArrayRef<Value> rows,
                                                             ArrayRef<Run> slots, bool prefetches) {
  SmallVector<Value> zeros(rows.size() * slots.size(), f32(0, slotLanes));
  return loop(zero, index(quantizedKeys.blocks()), zeros, [&](Value block, ValueRange totals) {
    Value first = mul(block, runtime::cacheBlock);
    Value last = min(add(first, runtime::cacheBlock), index(params.headDim));
    if (prefetches)
      quantizedKeys.prefetch(*this, page.next, kvHead,
                             quantizedKeys.scaleByte(*this, block, slots[0].offset));
    auto sums = emitProducts(page, rows, slots, prefetches, first, last, zeros);
    for (auto [v, run] : llvm::enumerate(slots)) {
      Value scales =
          quantizedKeys.loadScales(*this, page.number, kvHead, block, run.offset, run.lanes);
      for (size_t r = 0; r < rows.size(); ++r) {
        size_t at = r * slots.size() + v;
        sums[at] = fma(sums[at], scales, totals[at]);
      }
    }
    return sums;
  });
}

/// cap * log2(e) * tanh(score): with t = 2^(-2 log2(e) |score|), tanh is (1 - t) / (1 + t) and has
/// the sign of the score. NaN stays NaN.
Value PagedAttentionEmitter::capped(Value score) {
  if (params.softCap <= 0)
    return score;
  int64_t lanes = slotLanes;
  Value magnitude = math::AbsFOp::create(b, score);
  Value t = exp2NonPositive(mulF(magnitude, f32(-2 * std::numbers::log2e, lanes)));
  Value one = f32(params.softCap * std::numbers::log2e, lanes);
  Value ratio = arith::DivFOp::create(b, mulF(subF(f32(1, lanes), t), one), addF(f32(1, lanes), t));
  return math::CopySignOp::create(b, ratio, score);
}

void PagedAttentionEmitter::emitMask(Value scoreRow, Visible visible) {
  Type type = vectorOf(b.getI32Type(), slotLanes);
  auto bound = [&](Value slot) {
    return splat(arith::IndexCastOp::create(b, b.getI32Type(), slot), slotLanes);
  };
  Value limit = bound(visible.last);
  Value hidden = f32(-std::numeric_limits<double>::infinity(), slotLanes);
  for (Piece piece : splitIntoPieces(params.pageSize, slotLanes)) {
    SmallVector<Attribute> numbers;
    for (int64_t lane = 0; lane < slotLanes; ++lane)
      numbers.push_back(b.getI32IntegerAttr(static_cast<int32_t>(piece.offset + lane)));
    Value slots = arith::ConstantOp::create(
        b, slotLanes == 1 ? cast<TypedAttr>(numbers[0])
                          : DenseElementsAttr::get(cast<VectorType>(type), numbers));
    Value isVisible = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, slots, limit);
    if (params.window > 0) {
      Value isInside =
          arith::CmpIOp::create(b, arith::CmpIPredicate::sge, slots, bound(visible.first));
      isVisible = arith::AndIOp::create(b, isVisible, isInside);
    }
    Value place = index(piece.offset);
    Value score = load(scores, {scoreRow, place}, slotLanes);
    store(arith::SelectOp::create(b, isVisible, score, hidden), scores, {scoreRow, place});
  }
}

void PagedAttentionEmitter::emitSoftmaxRow(Value row, Value scoreRow, Visible visible) {
  Value count = params.window > 0 ? sub(visible.last, visible.first) : visible.last;
  ifThen(lessThan(count, index(params.pageSize)), [&] { emitMask(scoreRow, visible); });
  SmallVector<Piece> pieces = splitIntoPieces(params.pageSize, slotLanes);
  SmallVector<Value> values;
  for (Piece piece : pieces)
    values.push_back(load(scores, {scoreRow, index(piece.offset)}, slotLanes));
  auto tree = [](SmallVector<Value> level, llvm::function_ref<Value(Value, Value)> combine) {
    while (level.size() > 1) {
      SmallVector<Value> next;
      for (size_t i = 0; i + 1 < level.size(); i += 2)
        next.push_back(combine(level[i], level[i + 1]));
      if (level.size() % 2)
        next.push_back(level.back());
      level = next;
    }
    return level.front();
  };
  // A NaN score may be missed by the maximum, but its own probability is NaN in any case.
  Value before = load(maxima, {row, zero}, slotLanes);
  Value pageMaximum = greatestLane(tree(values, [&](Value x, Value y) { return greater(x, y); }));
  Value after = greater(before, pageMaximum);
  Value rescale = exp2NonPositive(subF(before, after));
  for (auto [piece, value] : llvm::zip_equal(pieces, values)) {
    value = exp2NonPositive(subF(value, after));
    store(value, scores, {scoreRow, index(piece.offset)});
  }
  Value pageSum = tree(values, [&](Value x, Value y) { return addF(x, y); });
  store(fma(load(sums, {row, zero}, slotLanes), rescale, pageSum), sums, {row, zero});
  store(after, maxima, {row, zero});
  if (slotLanes > 1)
    rescale = vector::ExtractOp::create(b, rescale, 0);
  store(rescale, rescales, scoreRow);
}

/// sums[r, v] += probability[scoreRows[r], slot] * V[slot, columns[v]] for the slots in order.
SmallVector<Value> PagedAttentionEmitter::emitAccumulate(const Page &page,
                                                         ArrayRef<int64_t> scoreRows,
                                                         ArrayRef<Run> columns, Value firstSlot,
                                                         Value lastSlot, ValueRange sums) {
  return loop(firstSlot, lastSlot, sums, [&](Value slot, ValueRange state) {
    if (page.next && scoreRows[0] == 0)
      emitPrefetch(/*isKeys=*/false, page.next, slot, columns);
    SmallVector<Value> next(state.size()), probabilities;
    for (int64_t row : scoreRows)
      probabilities.push_back(load(factors, {index(row), slot}, 1));
    for (auto [v, run] : llvm::enumerate(columns)) {
      Value value = loadValues(page, slot, run);
      for (size_t r = 0; r < scoreRows.size(); ++r) {
        size_t at = r * columns.size() + v;
        next[at] = fma(splat(probabilities[r], run.lanes), value, state[at]);
      }
    }
    return next;
  });
}

void PagedAttentionEmitter::emitWeightedValues(const Page &page, Value firstRow,
                                               ArrayRef<RowChunk> chunks,
                                               ArrayRef<Visible> visible) {
  for (RowChunk chunk : chunks) {
    if (!isQuantized) {
      emitWeightedColumns(page, firstRow, chunk, visible, zero, params.headDim);
      continue;
    }
    int64_t whole = params.headDim / runtime::cacheBlock,
            rest = params.headDim % runtime::cacheBlock;
    auto emitColumns = [&](Value block, int64_t count) {
      emitScaleProbabilities(page, chunk, block);
      emitWeightedColumns(page, firstRow, chunk, visible, mul(block, runtime::cacheBlock), count);
    };
    loop(zero, index(whole), 1, [&](Value block) { emitColumns(block, runtime::cacheBlock); });
    if (rest > 0)
      emitColumns(index(whole), rest);
  }
}

void PagedAttentionEmitter::emitScaleProbabilities(const Page &page, RowChunk chunk, Value block) {
  for (Piece piece : splitIntoPieces(params.pageSize, slotLanes)) {
    Value slot = index(piece.offset);
    Value scales = quantizedValues.loadScales(*this, page.number, kvHead, block, slot, piece.lanes);
    for (int64_t row = chunk.row; row < chunk.row + chunk.count; ++row)
      store(mulF(load(scores, {index(row), slot}, piece.lanes), scales), factors,
            {index(row), slot});
  }
}

void PagedAttentionEmitter::emitWeightedColumns(const Page &page, Value firstRow, RowChunk chunk,
                                                ArrayRef<Visible> visible, Value first,
                                                int64_t count) {
  SmallVector<int64_t> scoreRows(chunk.count);
  std::iota(scoreRows.begin(), scoreRows.end(), chunk.row);
  blocks(count, columnLanes, vectorsFor(chunk.count), [&](ArrayRef<Run> runs) {
    SmallVector<Run> columns;
    for (Run run : runs)
      columns.push_back({add(first, run.offset), run.lanes});
    SmallVector<Value> state;
    for (int64_t scoreRow : scoreRows) {
      Value rescale = load(rescales, index(scoreRow), 1), row = add(firstRow, scoreRow);
      for (Run run : columns)
        state.push_back(
            mulF(load(accumulators, {row, run.offset}, run.lanes), splat(rescale, run.lanes)));
    }
    // All rows see the slots that the first token sees; a later token's rows then see more.
    Value common = visible.front().last;
    state = emitAccumulate(page, scoreRows, columns, visible.front().first, common, state);
    for (size_t r = 0; r < scoreRows.size(); ++r) {
      int64_t token = scoreRows[r] / unitHeads;
      size_t at = r * columns.size();
      if (token == 0)
        continue;
      auto more = emitAccumulate(page, scoreRows[r], columns, common, visible[token].last,
                                 ValueRange(state).slice(at, columns.size()));
      llvm::copy(more, state.begin() + at);
    }
    for (auto [r, scoreRow] : llvm::enumerate(scoreRows))
      for (auto [v, run] : llvm::enumerate(columns))
        store(state[r * columns.size() + v], accumulators, {add(firstRow, scoreRow), run.offset});
  });
}

} // namespace relax::kernels::attention
