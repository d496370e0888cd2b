//===- ArenaLayout.h - places for blocks of symbolic size in one arena ------------------------===//
//
// Given blocks, each with a size over symbols and the time in which it is used, finds an offset for
// each, as an expression over the same symbols, so that blocks that are used at the same time never
// overlap, whatever the symbols are.
//
// How. Blocks are placed one after the other in some order. A block's offset is the maximum, over
// the blocks placed before it that are used at the same time, of their offset plus size:
//
//   block   time    size        offset
//   a       0..2    512 * t     0
//   b       1..3    64 * b      512 * t
//   c       3..4    2048 * t    512 * t + 64 * b     (a is gone, but b isn't)
//   d       4..5    128 * t     2048 * t + 512 * t + 64 * b
//
// That is right for every value of the symbols, whatever the order. The order decides how tight it
// is, and comes from numbers: at a few representative values of the symbols the blocks are packed
// by usual heuristics for blocks of fixed size, which fill gaps. Sorted by the offsets that such a
// packing gives, the blocks get symbolic offsets that are, at that point, never above the
// packing's. (By induction: all that lies below a block in the packing and is used at the same time
// ends at or below its offset.) Of all packings at all points, the order is taken that is best at
// its worst point, compared with the bytes that are alive there.
//
// Maxima are kept short: of two candidates the one goes that was placed below the other, or is
// proved to be at most the other. Repeated layers repeat sizes, and with them offsets and proofs,
// which are remembered; so the time is about linear in the number of blocks. What is still too long
// is replaced by a bound: per product of symbols the largest coefficient. If that isn't possible
// either (a product that may be negative), the layout is that of blockReuse below, and `isExact` is
// false.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Facts.h"

#include "llvm/ADT/ArrayRef.h"

#include <vector>

namespace relax::transforms {

/// Every offset in an arena is a multiple of it.
inline constexpr int64_t arenaAlignment = 64;

struct ArenaBlock {
  symbolic::Expr size; ///< In bytes, never negative, a multiple of arenaAlignment.
  int64_t first, last; ///< It is used from time `first` to time `last`, both included.
};

struct ArenaLayout {
  std::vector<symbolic::Expr> offsets; ///< One for each block.
  symbolic::Expr size;                 ///< Of the whole arena.
  /// False if an expression got too long, and blocks are only reused where sizes compare.
  bool isExact = true;
};

/// `bytes`, rounded up to the alignment, as short as `facts` allow.
symbolic::Expr alignedSize(symbolic::Expr bytes, const symbolic::Facts &facts);

ArenaLayout layOutArena(symbolic::Context &context, llvm::ArrayRef<ArenaBlock> blocks,
                        const symbolic::Facts &facts);

/// Divides the arena into places: a block takes a free place that is provably as large, or larger,
/// or grows one that is provably smaller, or makes a new one. Offsets are the sums of the places
/// before.
ArenaLayout blockReuse(symbolic::Context &context, llvm::ArrayRef<ArenaBlock> blocks,
                       const symbolic::Facts &facts);

} // namespace relax::transforms
