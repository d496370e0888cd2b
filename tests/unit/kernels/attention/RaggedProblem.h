//===- RaggedProblem.h - a ragged batch over a paged cache, and what float64 says of it -------===//
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace relax::test {

/// Sizes that a kernel is compiled for.
struct CacheShape {
  int64_t heads = 6;
  int64_t kvHeads = 2;
  int64_t headDim = 64;
  int64_t pageSize = 32;
  bool half = false;  ///< The cache holds f16 instead of f32.
  bool q8 = false;    ///< Or integers of 8 bits (cache type q8_0).
  int64_t window = 0; ///< Slots that a query sees; 0: all.
  double softCap = 0; ///< 0: none.

  /// Elements of a token's head as the cache holds it, scales included.
  int64_t storedHeadDim() const { return q8 ? headDim + 2 * ((headDim + 31) / 32) : headDim; }
};

/// One sequence of the batch: `cached` slots are filled, `tokens` more are being added.
struct SequenceLengths {
  int64_t cached;
  int64_t tokens;
};

/// All keys and values of each sequence, and a cache of scattered pages in which a part of them is.
/// What no sequence has written is NaN.
struct RaggedProblem {
  RaggedProblem(CacheShape shape, std::vector<int64_t> lengths, unsigned seed);

  CacheShape shape;
  int64_t numPages = 0;
  int64_t pagesPerSequence = 0;
  std::vector<int64_t> lengths; ///< Slots of each sequence in the end.
  // For each sequence, by slot: query [heads, d], key and value [kv_heads, d].
  std::vector<std::vector<float>> queries, keys, values;
  std::vector<int32_t> pageTable; ///< [b, pagesPerSequence]

  /// A step over `batch` (an entry per sequence; 0 tokens is allowed).
  struct Step {
    std::vector<int32_t> starts, cached;
    std::vector<float> queries, keys, values; ///< [t, ...]
    int64_t tokens = 0;
  };
  Step step(const std::vector<SequenceLengths> &batch) const;

  /// Pages of the cache's element type. A page set is elementSize() * pageElements() bytes.
  int64_t elementSize() const { return shape.q8 ? 1 : shape.half ? 2 : 4; }
  int64_t pageElements() const {
    return numPages * shape.kvHeads * shape.storedHeadDim() * shape.pageSize;
  }
  std::vector<char> emptyPages() const;
  /// Pages of keys (slots innermost) or values in which slots [0, filled[s]) are written.
  std::vector<char> filledPages(bool isKeys, const std::vector<int64_t> &filled) const;
  /// Element (head, dim) of `slot` of a sequence as the cache holds it.
  double cacheValue(bool isKeys, int64_t sequence, int64_t slot, int64_t head, int64_t dim) const;

private:
  struct Block {
    uint16_t scale; ///< f16
    std::vector<int8_t> integers;
  };
  /// The block of 32 elements in which `dim` is, as q8_0 holds it.
  Block quantized(bool isKeys, int64_t sequence, int64_t slot, int64_t head, int64_t dim) const;
  void putQuantized(std::vector<char> &pages, bool isKeys, int64_t sequence, int64_t slot) const;

public:
  /// Attention of one query in float64: [heads, d] of `slot` of `sequence`.
  std::vector<double> reference(int64_t sequence, int64_t slot, double scale) const;
};

} // namespace relax::test
