//===- PagedAttentionEmitter.h - writes the loops of paged attention --------------------------===//
//
// PagedAttention.cpp has the loops over units, sequences and pages; PagedAttentionBlocks.cpp what
// is done for a block of rows on a page: scores, softmax, weighted values.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/attention/PagedAttention.h"
#include "compiler/kernels/attention/QuantizedPages.h"

namespace relax::kernels::attention {

/// Writes one kernel. Rows are counted from the first row of the unit: token * headsPerUnit + head.
class PagedAttentionEmitter : VectorMath {
public:
  PagedAttentionEmitter(mlir::OpBuilder &builder, mlir::OpBuilder &entry, mlir::Location loc,
                        VectorTarget target, const PagedAttentionParams &params,
                        const PagedAttentionOperands &operands);

  void emitUnits();

private:
  /// Consecutive tokens of one sequence within a unit.
  struct Segment {
    mlir::Value sequence;
    mlir::Value firstToken; ///< Of the call.
    mlir::Value count;
    mlir::Value firstSlot; ///< Of the first token.
  };
  /// One page as a segment sees it.
  struct Page {
    mlir::Value number;    ///< In the cache.
    mlir::Value firstSlot; ///< In the sequence.
    mlir::Value next = {}; ///< The number of the page that comes next; null: it isn't asked for.
  };
  /// Slots [first, last) of a page, between 0 and pageSize.
  struct Visible {
    mlir::Value first;
    mlir::Value last;
  };
  /// Rows [row, row + count) of a block, all of registers' worth.
  struct RowChunk {
    int64_t row;
    int64_t count;
  };

  void emitUnit(mlir::Value unit, mlir::Value tiles);
  void emitSegment(const Segment &segment);
  void emitLoadQueries(const Segment &segment);
  void emitPage(const Segment &segment, mlir::Value pageIndex, mlir::Value lastPage);
  void emitBlocks(const Segment &segment, const Page &page);
  void emitExpandPage(const Page &page);
  /// Asks for pages[page, kvHead, row, columns], of keys or values.
  void emitPrefetch(bool isKeys, mlir::Value page, mlir::Value row, llvm::ArrayRef<Run> columns);
  mlir::Value loadKeys(const Page &page, mlir::Value dim, Run slots);
  mlir::Value loadValues(const Page &page, mlir::Value slot, Run columns);
  void emitBlock(const Segment &segment, const Page &page, mlir::Value token, int64_t tokens);
  void emitScores(const Page &page, mlir::Value firstRow, llvm::ArrayRef<RowChunk> chunks);
  /// sums + queries[rows] . keys[slots] over elements [first, last) of a head, in order.
  llvm::SmallVector<mlir::Value> emitProducts(const Page &page, llvm::ArrayRef<mlir::Value> rows,
                                              llvm::ArrayRef<Run> slots, bool prefetches,
                                              mlir::Value first, mlir::Value last,
                                              mlir::ValueRange sums);
  llvm::SmallVector<mlir::Value> emitScaledProducts(const Page &page,
                                                    llvm::ArrayRef<mlir::Value> rows,
                                                    llvm::ArrayRef<Run> slots, bool prefetches);
  void emitSoftmaxRow(mlir::Value row, mlir::Value scoreRow, Visible visible);
  void emitMask(mlir::Value scoreRow, Visible visible);
  mlir::Value capped(mlir::Value score);
  void emitWeightedValues(const Page &page, mlir::Value firstRow, llvm::ArrayRef<RowChunk> chunks,
                          llvm::ArrayRef<Visible> visible);
  /// The same for the columns [first, first + count).
  void emitWeightedColumns(const Page &page, mlir::Value firstRow, RowChunk chunk,
                           llvm::ArrayRef<Visible> visible, mlir::Value first, int64_t count);
  void emitScaleProbabilities(const Page &page, RowChunk chunk, mlir::Value block);
  llvm::SmallVector<mlir::Value> emitAccumulate(const Page &page, llvm::ArrayRef<int64_t> scoreRows,
                                                llvm::ArrayRef<Run> columns, mlir::Value firstSlot,
                                                mlir::Value lastSlot, mlir::ValueRange sums);
  void emitStoreOutputs(const Segment &segment);

  mlir::Value scratch(mlir::OpBuilder &entry, llvm::ArrayRef<int64_t> shape);
  llvm::SmallVector<RowChunk> chunksOfRows(int64_t rows) const;
  /// The most vectors of accumulators beside each other that `rows` rows leave room for.
  int64_t vectorsFor(int64_t rows) const;
  /// Slots of the page that a token in `slot` sees.
  Visible visibleSlots(const Page &page, mlir::Value slot);

  const PagedAttentionParams params;
  const PagedAttentionOperands operands;
  const int64_t unitHeads;
  /// Tokens of a full block.
  const int64_t blockTokens;
  /// Lanes of a vector of slots, and of state per row.
  const int64_t slotLanes;
  /// Lanes of a vector of head_dim.
  const int64_t columnLanes;

  mlir::Value zero;
  mlir::Value queries;      ///< [rows, head_dim], scaled
  mlir::Value accumulators; ///< [rows, head_dim]
  mlir::Value maxima;       ///< [rows, slotLanes], all lanes equal
  mlir::Value sums;         ///< [rows, slotLanes], one partial sum per lane
  mlir::Value scores;       ///< [rows of a block, page_size]; scores, then probabilities
  mlir::Value rescales;     ///< [rows of a block]
  /// A page of f16 or i8 as f32, [head_dim, page_size] and [page_size, head_dim]; null where the
  /// cache holds f32, or where a page is too large. Integers are not scaled.
  mlir::Value expandedKeys, expandedValues;
  /// What values are multiplied with: the probabilities, or with pages of i8 those times the scales
  /// of a block of columns.
  mlir::Value factors;
  const bool isQuantized;
  QuantizedPages quantizedKeys, quantizedValues;
  bool readsExpanded = false; ///< What is being written reads from them.

  // Of the unit that is being done.
  mlir::Value firstHead; ///< Query head.
  mlir::Value kvHead;
};

} // namespace relax::kernels::attention
