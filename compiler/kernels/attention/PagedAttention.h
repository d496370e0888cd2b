//===- PagedAttention.h - causal attention of a ragged batch over a paged cache ---------------===//
//
// Token i of sequence s stands in slot n = cached_lengths[s] + i - sequence_starts[s] and sees the
// slots 0..n of its sequence, whose page of slot m is page_table[s, m / page_size]. Query head h
// reads the cache's head h / (heads / kv_heads). With a window w it sees the slots n - w + 1..n
// only; pages before them are not visited. With a soft cap c the score s is c * tanh(s / c).
//
// Softmax is computed online, page by page from the first slot: with scores x = (q . k) * scale *
// log2(e),
//
//   m' = max(m, max x)    p = 2^(x - m')    l' = l * 2^(m - m') + p    acc' = acc * 2^(m - m') + p
//   V
//
// and out = acc / sum of l. Scores sum over head_dim in order, acc over slots in order, and l keeps
// one partial sum per vector lane. With pages of i8 (QuantizedPages.h) scores sum over 32 elements
// and then over these sums times their scales, and p is multiplied by V's scales. These are the
// same operations for a row whatever else the call computes, so the result is bit-equal however a
// prompt was cut, what shared its batch, and how units were split. A slot that a row may not see is
// never read into its sums: unwritten memory, NaN and infinity there have no effect.
//
// Why it is fast. A unit is one cache head (or a part of its query heads) times a *tile* of
// consecutive tokens. Within a unit pages are the outer loop, so that a page of K and of V stays in
// the first-level cache for all tokens of the tile. A *block* is one token's query heads (or a few
// tokens', where a cache head has fewer than three of them): rows of it times vectors of slots, or
// of V's columns, fill the registers, and each loaded vector serves all rows. Keys are stored with
// slots innermost, so a score needs no sum across lanes.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/attention/VectorMath.h"

namespace relax::kernels::attention {

struct PagedAttentionParams {
  int64_t heads = 0;
  int64_t kvHeads = 0; ///< Divides heads.
  int64_t headDim = 0;
  int64_t pageSize = 0;
  double scale = 1.0; ///< Of q . k before the softmax.
  int64_t window = 0; ///< 0: none.
  double softCap = 0; ///< 0: none.

  int64_t group() const { return heads / kvHeads; }
  /// Query heads of one unit: a divisor of group().
  int64_t headsPerUnit() const;
  /// The most tokens that one unit takes.
  int64_t maxTileTokens() const;
  /// There are max(min(t, this), ceildiv(t, maxTileTokens())) tiles of t tokens: few tokens make
  /// small tiles, so that all threads have work.
  static constexpr int64_t fewTokens = 16;
  /// Units are tiles times this.
  int64_t unitsPerTile() const { return heads / headsPerUnit(); }
};

/// Takes a row of results, [token, head, 0 .. head_dim), when it is done: `row(column, lanes)`
/// loads a part of it.
using PagedAttentionSink = llvm::function_ref<void(
    mlir::OpBuilder &b, mlir::Value token, mlir::Value head,
    llvm::function_ref<mlir::Value(mlir::Value column, int64_t lanes)> row)>;

/// Memrefs of identity layout; [begin, end) of the units are done.
struct PagedAttentionOperands {
  mlir::Value query;          ///< f32 [t, heads, head_dim]
  mlir::Value keyPages;       ///< f32, f16 or i8 [g, kv_heads, head_dim, page_size]
  mlir::Value valuePages;     ///< f32, f16 or i8 [g, kv_heads, page_size, head_dim]
  mlir::Value sequenceStarts; ///< i32 [b + 1]
  mlir::Value pageTable;      ///< i32 [b, p]
  mlir::Value cachedLengths;  ///< i32 [b]
  mlir::Value output;         ///< f32 [t, heads, head_dim]; null where `sink` takes the results
  PagedAttentionSink sink = nullptr;
  mlir::Value begin, end; ///< index
};

/// Writes the loops at the builder's place; scratch memory goes to `entry`, which must stand where
/// an alloca is executed once.
void buildPagedAttention(mlir::OpBuilder &builder, mlir::OpBuilder &entry, mlir::Location loc,
                         VectorTarget target, const PagedAttentionParams &params,
                         const PagedAttentionOperands &operands);

} // namespace relax::kernels::attention
