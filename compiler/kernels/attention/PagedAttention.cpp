#include "compiler/kernels/attention/PagedAttention.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

using namespace mlir;

namespace relax::kernels::attention {

/// A unit's rows: more would not stay in the first-level cache beside a page of K or V.
static constexpr int64_t maxRows = 32;
/// Bytes of queries and accumulators of one unit.
static constexpr int64_t maxRowBytes = 24 * 1024;
/// Bytes of one page of f16 as f32.
static constexpr int64_t maxExpandedBytes = 16 * 1024;
/// From so many tokens on, arithmetic takes longer than reading a page: a page of f16 is converted
/// once for all tokens instead of where it is read. With fewer, the next page is asked for while
/// one is in use: pages lie anywhere, and what fetches ahead by itself stops at their ends.
static constexpr int64_t manyTokens = 3;

int64_t PagedAttentionParams::headsPerUnit() const {
  int64_t limit = std::min<int64_t>(12, std::max<int64_t>(1, maxRowBytes / (8 * headDim)));
  for (int64_t count = std::min(limit, group()); count > 1; --count)
    if (group() % count == 0)
      return count;
  return 1;
}

int64_t PagedAttentionParams::maxTileTokens() const {
  int64_t rows = std::min(maxRows, maxRowBytes / (8 * headDim));
  int64_t tokens = std::max<int64_t>(1, rows / headsPerUnit());
  return std::min<int64_t>(16, int64_t(1) << int64_t(std::log2(tokens)));
}

namespace {

/// Writes one kernel. Rows are counted from the first row of the unit: token * headsPerUnit + head.
class PagedAttentionEmitter : VectorMath {
public:
  PagedAttentionEmitter(OpBuilder &builder, OpBuilder &entry, Location loc, VectorTarget target,
                        const PagedAttentionParams &params, const PagedAttentionOperands &operands);

  void emitUnits();

private:
  /// Consecutive tokens of one sequence within a unit.
  struct Segment {
    Value sequence;
    Value firstToken; ///< Of the call.
    Value count;
    Value firstSlot; ///< Of the first token.
  };
  /// One page as a segment sees it.
  struct Page {
    Value number;    ///< In the cache.
    Value firstSlot; ///< In the sequence.
    Value next = {}; ///< The number of the page that comes next; null: it isn't asked for.
  };
  /// Slots [first, last) of a page, between 0 and pageSize.
  struct Visible {
    Value first;
    Value last;
  };
  /// Rows [row, row + count) of a block, all of registers' worth.
  struct RowChunk {
    int64_t row;
    int64_t count;
  };

  void emitUnit(Value unit, Value tiles);
  void emitSegment(const Segment &segment);
  void emitLoadQueries(const Segment &segment);
  void emitPage(const Segment &segment, Value pageIndex, Value lastPage);
  void emitBlocks(const Segment &segment, const Page &page);
  void emitExpandPage(const Page &page);
  /// Asks for pages[page, kvHead, row, columns].
  void emitPrefetch(Value pages, Value page, Value row, ArrayRef<Run> columns);
  Value loadKeys(const Page &page, Value dim, Run slots);
  Value loadValues(const Page &page, Value slot, Run columns);
  void emitBlock(const Segment &segment, const Page &page, Value token, int64_t tokens);
  void emitScores(const Page &page, Value firstRow, ArrayRef<RowChunk> chunks);
  void emitSoftmaxRow(Value row, Value scoreRow, Visible visible);
  void emitMask(Value scoreRow, Visible visible);
  Value capped(Value score);
  void emitWeightedValues(const Page &page, Value firstRow, ArrayRef<RowChunk> chunks,
                          ArrayRef<Visible> visible);
  SmallVector<Value> emitAccumulate(const Page &page, ArrayRef<int64_t> scoreRows,
                                    ArrayRef<Run> columns, Value firstSlot, Value lastSlot,
                                    ValueRange sums);
  void emitStoreOutputs(const Segment &segment);

  Value scratch(OpBuilder &entry, ArrayRef<int64_t> shape);
  SmallVector<RowChunk> chunksOfRows(int64_t rows) const;
  /// The most vectors of accumulators beside each other that `rows` rows leave room for.
  int64_t vectorsFor(int64_t rows) const;
  /// Slots of the page that a token in `slot` sees.
  Visible visibleSlots(const Page &page, Value slot);

  const PagedAttentionParams params;
  const PagedAttentionOperands operands;
  const int64_t unitHeads;
  /// Tokens of a full block.
  const int64_t blockTokens;
  /// Lanes of a vector of slots, and of state per row.
  const int64_t slotLanes;
  /// Lanes of a vector of head_dim.
  const int64_t columnLanes;

  Value zero;
  Value queries;      ///< [rows, head_dim], scaled
  Value accumulators; ///< [rows, head_dim]
  Value maxima;       ///< [rows, slotLanes], all lanes equal
  Value sums;         ///< [rows, slotLanes], one partial sum per lane
  Value scores;       ///< [rows of a block, page_size]; scores, then probabilities
  Value rescales;     ///< [rows of a block]
  /// A page of f16 as f32, [head_dim, page_size] and [page_size, head_dim]; null where the cache
  /// holds f32, or where a page is too large.
  Value expandedKeys, expandedValues;
  bool readsExpanded = false; ///< What is being written reads from them.

  // Of the unit that is being done.
  Value firstHead; ///< Query head.
  Value kvHead;
};

PagedAttentionEmitter::PagedAttentionEmitter(OpBuilder &builder, OpBuilder &entry, Location loc,
                                             VectorTarget target,
                                             const PagedAttentionParams &params,
                                             const PagedAttentionOperands &operands)
    : VectorMath(builder, loc, target), params(params), operands(operands),
      unitHeads(params.headsPerUnit()),
      // Tokens of a block begin to see at one slot, which those under a window don't.
      blockTokens(params.window > 0
                      ? 1
                      : std::max<int64_t>(1, std::min(params.maxTileTokens(), 4 / unitHeads))),
      slotLanes(std::gcd(target.lanes(32), params.pageSize)), columnLanes(target.lanes(32)) {
  int64_t rows = unitHeads * params.maxTileTokens(), blockRows = unitHeads * blockTokens;
  queries = scratch(entry, {rows, params.headDim});
  accumulators = scratch(entry, {rows, params.headDim});
  maxima = scratch(entry, {rows, slotLanes});
  sums = scratch(entry, {rows, slotLanes});
  scores = scratch(entry, {blockRows, params.pageSize});
  rescales = scratch(entry, {blockRows});
  bool isHalf = cast<MemRefType>(operands.keyPages.getType()).getElementType().isF16();
  if (isHalf && 4 * params.headDim * params.pageSize <= maxExpandedBytes) {
    expandedKeys = scratch(entry, {params.headDim, params.pageSize});
    expandedValues = scratch(entry, {params.pageSize, params.headDim});
  }
}

Value PagedAttentionEmitter::scratch(OpBuilder &entry, ArrayRef<int64_t> shape) {
  auto type = MemRefType::get(shape, b.getF32Type());
  return memref::AllocaOp::create(entry, b.getLoc(), type, b.getI64IntegerAttr(64));
}

int64_t PagedAttentionEmitter::vectorsFor(int64_t rows) const {
  // Accumulators, a loaded vector, and one broadcast value per row.
  return std::clamp<int64_t>((target.registers() - 1 - rows) / rows, 1, 8);
}

SmallVector<PagedAttentionEmitter::RowChunk>
PagedAttentionEmitter::chunksOfRows(int64_t rows) const {
  // Three rows of four vectors, or four of two, saturate the multipliers of a 16-register machine.
  int64_t count = llvm::divideCeil(rows, rows % 3 == 0 ? 3 : 4);
  SmallVector<RowChunk> chunks;
  for (int64_t i = 0, row = 0; i < count; ++i) {
    int64_t size = (rows - row) / (count - i);
    chunks.push_back({row, size});
    row += size;
  }
  return chunks;
}

PagedAttentionEmitter::Visible PagedAttentionEmitter::visibleSlots(const Page &page, Value slot) {
  Value end = add(sub(slot, page.firstSlot), 1), limit = index(params.pageSize);
  Visible visible{zero, min(max(end, zero), limit)};
  if (params.window > 0)
    visible.first = min(max(sub(end, index(params.window)), zero), limit);
  return visible;
}

// Units go head by head, and through the tiles of a head in the order first, last, second, last but
// one, ...: later tiles see more slots, and so any half of the units is about half of the work.
void PagedAttentionEmitter::emitUnits() {
  zero = index(0);
  Value tokens = memref::DimOp::create(b, operands.query, 0);
  Value perTile = index(params.maxTileTokens());
  Value tiles = div(add(tokens, params.maxTileTokens() - 1), perTile);
  tiles = max(tiles, min(tokens, index(PagedAttentionParams::fewTokens)));
  loop(operands.begin, operands.end, 1, [&](Value unit) { emitUnit(unit, tiles); });
}

void PagedAttentionEmitter::emitUnit(Value unit, Value tiles) {
  Value tokens = memref::DimOp::create(b, operands.query, 0);
  Value headUnit = div(unit, tiles), number = rem(unit, tiles);
  firstHead = mul(headUnit, unitHeads);
  kvHead = div(headUnit, params.group() / unitHeads);
  Value half = div(number, 2);
  Value isOdd = arith::CmpIOp::create(b, arith::CmpIPredicate::ne, rem(number, index(2)), zero);
  Value tile = arith::SelectOp::create(b, isOdd, sub(sub(tiles, index(1)), half), half);
  Value tileTokens = div(sub(add(tokens, tiles), index(1)), tiles);
  Value first = min(mul(tile, tileTokens), tokens);
  Value last = min(add(first, tileTokens), tokens);

  // Sequences in order, until the tile's tokens are done; those before it and empty ones give none.
  Value sequences = memref::DimOp::create(b, operands.cachedLengths, 0);
  auto isLeft = [&](ValueRange state) {
    Value more = arith::AndIOp::create(b, lessThan(state[0], last), lessThan(state[1], sequences));
    scf::ConditionOp::create(b, more, state);
  };
  auto next = [&](ValueRange state) {
    Value token = state[0], sequence = state[1], following = add(sequence, 1);
    Value stop = min(loadIndex(operands.sequenceStarts, following), last);
    ifThen(lessThan(token, stop), [&] {
      Value start = loadIndex(operands.sequenceStarts, sequence);
      Value cached = loadIndex(operands.cachedLengths, sequence);
      emitSegment({sequence, token, sub(stop, token), add(cached, sub(token, start))});
    });
    scf::YieldOp::create(b, ValueRange{max(token, stop), following});
  };
  auto whileOp = scf::WhileOp::create(b, TypeRange{b.getIndexType(), b.getIndexType()},
                                      ValueRange{first, zero});
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Type> types(2, b.getIndexType());
  SmallVector<Location> locations(2, b.getLoc());
  b.createBlock(&whileOp.getBefore(), {}, types, locations);
  isLeft(whileOp.getBefore().getArguments());
  b.createBlock(&whileOp.getAfter(), {}, types, locations);
  next(whileOp.getAfter().getArguments());
}

void PagedAttentionEmitter::emitSegment(const Segment &segment) {
  emitLoadQueries(segment);
  Value lastSlot = add(segment.firstSlot, sub(segment.count, index(1)));
  Value pages = add(div(lastSlot, params.pageSize), 1);
  Value firstPage = zero;
  if (params.window > 0)
    firstPage = div(max(sub(segment.firstSlot, index(params.window - 1)), zero), params.pageSize);
  Value lastPage = sub(pages, index(1));
  loop(firstPage, pages, 1, [&](Value pageIndex) { emitPage(segment, pageIndex, lastPage); });
  emitStoreOutputs(segment);
}

void PagedAttentionEmitter::emitLoadQueries(const Segment &segment) {
  // Scores in units of log2(e), so that the exponential is a power of two; under a soft cap, in
  // units of the cap.
  double scale =
      params.softCap > 0 ? params.scale / params.softCap : params.scale * std::numbers::log2e;
  loop(zero, segment.count, 1, [&](Value token) {
    loop(zero, index(unitHeads), 1, [&](Value head) {
      Value row = add(mul(token, unitHeads), head);
      Value from = add(segment.firstToken, token), fromHead = add(firstHead, head);
      blocks(params.headDim, columnLanes, 4, [&](ArrayRef<Run> columns) {
        for (Run run : columns) {
          Value query = load(operands.query, {from, fromHead, run.offset}, run.lanes);
          store(mulF(query, f32(scale, run.lanes)), queries, {row, run.offset});
          store(f32(0, run.lanes), accumulators, {row, run.offset});
        }
      });
      store(f32(-std::numeric_limits<double>::infinity(), slotLanes), maxima, {row, zero});
      store(f32(0, slotLanes), sums, {row, zero});
    });
  });
}

void PagedAttentionEmitter::emitPage(const Segment &segment, Value pageIndex, Value lastPage) {
  auto pageNumber = [&](Value at) { return loadIndex(operands.pageTable, {segment.sequence, at}); };
  Page page{pageNumber(pageIndex), mul(pageIndex, params.pageSize)};
  auto isFew = scf::IfOp::create(b, lessThan(segment.count, index(manyTokens)),
                                 /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(isFew.thenBlock());
  Page first = page;
  first.next = pageNumber(min(add(pageIndex, 1), lastPage));
  emitBlocks(segment, first);
  b.setInsertionPointToStart(isFew.elseBlock());
  readsExpanded = expandedKeys != nullptr;
  if (readsExpanded)
    emitExpandPage(page);
  emitBlocks(segment, page);
  readsExpanded = false;
}

void PagedAttentionEmitter::emitBlocks(const Segment &segment, const Page &page) {
  // Tokens before this one stand in slots before the page and see nothing of it.
  Value firstToken = max(sub(page.firstSlot, segment.firstSlot), zero);
  Value lastToken = segment.count;
  // Nor do those whose window begins after the page.
  if (params.window > 0)
    lastToken = min(lastToken, sub(add(page.firstSlot, params.pageSize + params.window - 1),
                                   segment.firstSlot));
  if (blockTokens == 1) {
    loop(firstToken, lastToken, 1, [&](Value token) { emitBlock(segment, page, token, 1); });
    return;
  }
  Value blocks = div(sub(segment.count, firstToken), blockTokens);
  Value rest = add(firstToken, mul(blocks, blockTokens));
  loop(firstToken, rest, blockTokens,
       [&](Value token) { emitBlock(segment, page, token, blockTokens); });
  loop(rest, segment.count, 1, [&](Value token) { emitBlock(segment, page, token, 1); });
}

// Once for all tokens of the segment; and a conversion beside the multiplications would take more
// registers than there are.
void PagedAttentionEmitter::emitExpandPage(const Page &page) {
  loop(zero, index(params.headDim), 1, [&](Value dim) {
    blocks(params.pageSize, columnLanes, 4, [&](ArrayRef<Run> slots) {
      for (Run run : slots)
        store(loadAsF32(operands.keyPages, {page.number, kvHead, dim, run.offset}, run.lanes),
              expandedKeys, {dim, run.offset});
    });
  });
  loop(zero, index(params.pageSize), 1, [&](Value slot) {
    blocks(params.headDim, columnLanes, 4, [&](ArrayRef<Run> columns) {
      for (Run run : columns)
        store(loadAsF32(operands.valuePages, {page.number, kvHead, slot, run.offset}, run.lanes),
              expandedValues, {slot, run.offset});
    });
  });
}

void PagedAttentionEmitter::emitPrefetch(Value pages, Value page, Value row,
                                         ArrayRef<Run> columns) {
  int64_t bits = cast<MemRefType>(pages.getType()).getElementTypeBitWidth(), done = 0;
  for (Run run : columns) {
    // One for each line of 64 bytes, into the second-level cache: the first can't wait for as many
    // lines at once as memory could send (Zen 4: 20 GB/s so, 11 the other way).
    if (done % 512 == 0)
      memref::PrefetchOp::create(b, pages, ValueRange{page, kvHead, row, run.offset},
                                 /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    done += run.lanes * bits;
  }
}

Value PagedAttentionEmitter::loadKeys(const Page &page, Value dim, Run slots) {
  Value slot = slots.offset;
  if (readsExpanded)
    return load(expandedKeys, {dim, slot}, slots.lanes);
  return loadAsF32(operands.keyPages, {page.number, kvHead, dim, slot}, slots.lanes);
}

Value PagedAttentionEmitter::loadValues(const Page &page, Value slot, Run columns) {
  Value column = columns.offset;
  if (readsExpanded)
    return load(expandedValues, {slot, column}, columns.lanes);
  return loadAsF32(operands.valuePages, {page.number, kvHead, slot, column}, columns.lanes);
}

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
      auto products = loop(zero, index(params.headDim), zeros, [&](Value dim, ValueRange sums) {
        if (page.next && chunk.row == 0)
          emitPrefetch(operands.keyPages, page.next, dim, slots);
        // Each loaded vector is used up before the next, so that registers suffice.
        SmallVector<Value> next(sums.size()), multipliers;
        for (Value row : rows)
          multipliers.push_back(loadSplat(queries, {row, dim}, slotLanes));
        for (auto [v, run] : llvm::enumerate(slots)) {
          Value key = loadKeys(page, dim, run);
          for (int64_t r = 0; r < chunk.count; ++r) {
            size_t at = r * slots.size() + v;
            next[at] = fma(multipliers[r], key, sums[at]);
          }
        }
        return next;
      });
      for (int64_t r = 0; r < chunk.count; ++r)
        for (auto [v, run] : llvm::enumerate(slots))
          store(capped(products[r * slots.size() + v]), scores, {index(chunk.row + r), run.offset});
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
      emitPrefetch(operands.valuePages, page.next, slot, columns);
    SmallVector<Value> next(state.size()), probabilities;
    for (int64_t row : scoreRows)
      probabilities.push_back(load(scores, {index(row), slot}, 1));
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
    SmallVector<int64_t> scoreRows(chunk.count);
    std::iota(scoreRows.begin(), scoreRows.end(), chunk.row);
    blocks(params.headDim, columnLanes, vectorsFor(chunk.count), [&](ArrayRef<Run> columns) {
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
        size_t first = r * columns.size();
        if (token == 0)
          continue;
        auto more = emitAccumulate(page, scoreRows[r], columns, common, visible[token].last,
                                   ValueRange(state).slice(first, columns.size()));
        llvm::copy(more, state.begin() + first);
      }
      for (auto [r, scoreRow] : llvm::enumerate(scoreRows))
        for (auto [v, run] : llvm::enumerate(columns))
          store(state[r * columns.size() + v], accumulators, {add(firstRow, scoreRow), run.offset});
    });
  }
}

void PagedAttentionEmitter::emitStoreOutputs(const Segment &segment) {
  loop(zero, segment.count, 1, [&](Value token) {
    loop(zero, index(unitHeads), 1, [&](Value head) {
      Value row = add(mul(token, unitHeads), head);
      Value sum = sumOfLanes(load(sums, {row, zero}, slotLanes));
      if (slotLanes > 1)
        sum = vector::ExtractOp::create(b, sum, 0);
      // A row that sees no slot has sum 0 and accumulators 0: its output is 0, not 0 / 0.
      Value isEmpty = arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, sum, f32(0, 1));
      Value divisor = arith::SelectOp::create(b, isEmpty, f32(1, 1), sum);
      Value to = add(segment.firstToken, token), toHead = add(firstHead, head);
      blocks(params.headDim, columnLanes, 4, [&](ArrayRef<Run> columns) {
        for (Run run : columns) {
          Value total = load(accumulators, {row, run.offset}, run.lanes);
          Value result = arith::DivFOp::create(b, total, splat(divisor, run.lanes));
          if (operands.sink)
            store(result, accumulators, {row, run.offset});
          else
            store(result, operands.output, {to, toHead, run.offset});
        }
      });
      if (operands.sink)
        operands.sink(b, to, toHead, [&](Value column, int64_t lanes) {
          return load(accumulators, {row, column}, lanes);
        });
    });
  });
}

} // namespace

void buildPagedAttention(OpBuilder &builder, OpBuilder &entry, Location loc, VectorTarget target,
                         const PagedAttentionParams &params,
                         const PagedAttentionOperands &operands) {
  PagedAttentionEmitter(builder, entry, loc, target, params, operands).emitUnits();
}

} // namespace relax::kernels::attention
