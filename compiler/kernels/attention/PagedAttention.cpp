#include "compiler/kernels/attention/PagedAttentionEmitter.h"

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
/// Bytes of one page of f16 or i8 as f32.
static constexpr int64_t maxExpandedBytes = 16 * 1024;
/// From so many tokens on, arithmetic takes longer than reading a page: a page of f16 or i8 is
/// converted once for all tokens instead of where it is read. With fewer, the next page is asked
/// for while one is in use: pages lie anywhere, and what fetches ahead by itself stops at their
/// ends.
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
      slotLanes(std::gcd(target.lanes(32), params.pageSize)), columnLanes(target.lanes(32)),
      isQuantized(QuantizedPages::isQuantized(operands.keyPages)) {
  int64_t rows = unitHeads * params.maxTileTokens(), blockRows = unitHeads * blockTokens;
  queries = scratch(entry, {rows, params.headDim});
  accumulators = scratch(entry, {rows, params.headDim});
  maxima = scratch(entry, {rows, slotLanes});
  sums = scratch(entry, {rows, slotLanes});
  scores = scratch(entry, {blockRows, params.pageSize});
  rescales = scratch(entry, {blockRows});
  factors = isQuantized ? scratch(entry, {blockRows, params.pageSize}) : scores;
  bool isNarrow = !cast<MemRefType>(operands.keyPages.getType()).getElementType().isF32();
  if (isNarrow && 4 * params.headDim * params.pageSize <= maxExpandedBytes) {
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
  if (isQuantized) {
    quantizedKeys = QuantizedPages(*this, operands.keyPages, params.headDim, params.pageSize);
    quantizedValues = QuantizedPages(*this, operands.valuePages, params.headDim, params.pageSize);
  }
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
  if (expandedKeys)
    emitExpandPage(page);
  readsExpanded = expandedKeys != nullptr;
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
        store(loadKeys(page, dim, run), expandedKeys, {dim, run.offset});
    });
  });
  loop(zero, index(params.pageSize), 1, [&](Value slot) {
    blocks(params.headDim, columnLanes, 4, [&](ArrayRef<Run> columns) {
      for (Run run : columns)
        store(loadValues(page, slot, run), expandedValues, {slot, run.offset});
    });
  });
}

void PagedAttentionEmitter::emitPrefetch(bool isKeys, Value page, Value row,
                                         ArrayRef<Run> columns) {
  Value pages = isKeys ? operands.keyPages : operands.valuePages;
  int64_t bits = cast<MemRefType>(pages.getType()).getElementTypeBitWidth(), done = 0;
  for (Run run : columns) {
    // One for each line of 64 bytes, into the second-level cache: the first can't wait for as many
    // lines at once as memory could send (Zen 4: 20 GB/s so, 11 the other way).
    if (done % 512 == 0 && isQuantized)
      (isKeys ? quantizedKeys : quantizedValues)
          .prefetch(*this, page, kvHead,
                    add(mul(row, isKeys ? params.pageSize : params.headDim), run.offset));
    else if (done % 512 == 0)
      memref::PrefetchOp::create(b, pages, ValueRange{page, kvHead, row, run.offset},
                                 /*isWrite=*/false, /*localityHint=*/2, /*isDataCache=*/true);
    done += run.lanes * bits;
  }
}

Value PagedAttentionEmitter::loadKeys(const Page &page, Value dim, Run slots) {
  Value slot = slots.offset;
  if (readsExpanded)
    return load(expandedKeys, {dim, slot}, slots.lanes);
  if (isQuantized)
    return quantizedKeys.loadIntegers(*this, page.number, kvHead,
                                      add(mul(dim, params.pageSize), slot), slots.lanes);
  return loadAsF32(operands.keyPages, {page.number, kvHead, dim, slot}, slots.lanes);
}

Value PagedAttentionEmitter::loadValues(const Page &page, Value slot, Run columns) {
  Value column = columns.offset;
  if (readsExpanded)
    return load(expandedValues, {slot, column}, columns.lanes);
  if (isQuantized)
    return quantizedValues.loadIntegers(*this, page.number, kvHead,
                                        add(mul(slot, params.headDim), column), columns.lanes);
  return loadAsF32(operands.valuePages, {page.number, kvHead, slot, column}, columns.lanes);
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

void buildPagedAttention(OpBuilder &builder, OpBuilder &entry, Location loc, VectorTarget target,
                         const PagedAttentionParams &params,
                         const PagedAttentionOperands &operands) {
  PagedAttentionEmitter(builder, entry, loc, target, params, operands).emitUnits();
}

} // namespace relax::kernels::attention
