//===- KvCache.h - the pages of keys and values, and whose they are ---------------------------===//
//
// Two tensors for each layer, [pages, kv heads, head dim, page size] of keys and [pages, kv heads,
// page size, head dim] of values, as @step takes them; and the runtime's PageTable, which says
// which pages are whose. The memory is reserved as a whole, but the system provides it only as
// pages are first written: a long context costs nothing until a conversation is long.
//
// Layers that see a window of the last tokens only need no others: they have a page table of their
// own, with fewer pages, and what lies behind the window is given back as a sequence grows; but for
// `kept` tokens, so that a sequence can be cut back a little and go on from there.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/kv_cache/PageTable.h"
#include "runtime/support/Status.h"
#include "runtime/vm/TensorView.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace relax::llm {

using runtime::SequenceId;

struct KvCacheShape {
  int64_t layers, kvHeads;
  int64_t headDim; ///< As it is stored (runtime/kv_cache/CacheType.h).
  int64_t pageSize;
  int64_t maxLength;     ///< Slots of one sequence at most.
  int64_t sequences = 1; ///< There is room for so many of that length.
  runtime::DType dtype = runtime::DType::F32;
  int64_t window = 0;                 ///< Slots that a token sees in local layers.
  std::vector<bool> localLayers = {}; ///< Empty: no layer is local.
  int64_t stepTokens = 512;           ///< The most tokens of a sequence that come at once.

  /// Tokens behind the window that local layers keep.
  static constexpr int64_t kept = 512;
  /// Pages of layers that see everything, and of local ones.
  [[nodiscard]] int64_t pages() const;
  [[nodiscard]] int64_t localPages() const;
};

class KvCache {
public:
  static Expected<KvCache> create(const KvCacheShape &shape);
  /// Bytes of all pages; nothing if that is more than there can be.
  static std::optional<uint64_t> bytes(const KvCacheShape &shape);
  KvCache(KvCache &&other) noexcept;
  KvCache &operator=(KvCache &&) = delete;
  ~KvCache();

  [[nodiscard]] int64_t pageSize() const { return shape.pageSize; }
  [[nodiscard]] int64_t maxLength() const { return shape.maxLength; }
  /// Of all tables.
  [[nodiscard]] int64_t pages() const;
  [[nodiscard]] int64_t freePages() const;

  // As PageTable's, for all tables at once.
  SequenceId create();
  Status free(SequenceId sequence);
  [[nodiscard]] Expected<int64_t> length(SequenceId sequence) const {
    return groups.front().table.length(sequence);
  }
  /// The longest beginning of at most `length` tokens to which the sequence can be cut, or forked:
  /// that, or none where local layers lack what the next token must see.
  [[nodiscard]] Expected<int64_t> resumable(SequenceId sequence, int64_t length) const;
  Status trim(SequenceId sequence, int64_t length);
  Expected<SequenceId> fork(SequenceId parent, int64_t length);
  /// Whether `slots` more can be had now, in steps of at most stepTokens.
  [[nodiscard]] Expected<bool> hasRoom(SequenceId sequence, int64_t slots) const;
  /// Makes room, and copies what must be copied.
  Status reserve(SequenceId sequence, int64_t slots);
  /// The sequence is longer now; what lies too far behind a window is given back.
  Status advance(SequenceId sequence, int64_t slots);

  /// Page tables, and so inputs of @step for them: 1, or 2 where layers of both kinds exist.
  [[nodiscard]] size_t numTables() const { return groups.size(); }
  [[nodiscard]] const runtime::PageTable &table(size_t index) const { return groups[index].table; }
  /// Keys and values of layer 0, of layer 1, …: the last arguments of @step.
  [[nodiscard]] std::span<const runtime::TensorView> tensors() const { return views; }
  /// Gives the memory of pages that no sequence has back to the system.
  void discardFree();

private:
  /// Layers that have a page table in common.
  struct Group {
    runtime::PageTable table;
    int64_t window;           ///< 0: none.
    int64_t pagesPerSequence; ///< The most that one needs.
    std::vector<int64_t> keyDims, valueDims;
    std::vector<size_t> tensors; ///< Indices into `views`.
    bool inHugePages = false;
  };

  explicit KvCache(const KvCacheShape &shape) : shape(shape) {}
  Status addGroup(int64_t pages, int64_t window);
  void copy(const Group &group, std::span<const runtime::PageCopy> copies);
  void useHugePages(Group &group);
  /// An error where resumable() is less than `length`; `wish` says what was asked for.
  [[nodiscard]] Status checkResumable(SequenceId sequence, int64_t length, const char *wish) const;
  [[nodiscard]] size_t groupOf(int64_t layer) const;

  KvCacheShape shape;
  std::vector<Group> groups; ///< Layers that see everything come first.
  std::vector<runtime::TensorView> views;
  void *memory = nullptr;
  size_t memorySize = 0;
  size_t pageBytes = 0; ///< Of one page of one tensor.
};

} // namespace relax::llm
