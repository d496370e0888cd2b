//===- KvCache.h - the pages of keys and values, and whose they are ---------------------------===//
//
// Two tensors for each layer, [pages, kv heads, head dim, page size] of keys and [pages, kv heads,
// page size, head dim] of values, as @step takes them; and the runtime's PageTable, which says
// which pages are whose. The memory is reserved as a whole, but the system provides it only as
// pages are first written: a long context costs nothing until a conversation is long.
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

struct KvCacheShape {
  int64_t layers, kvHeads, headDim, pageSize;
  int64_t pages;     ///< Of all sequences together.
  int64_t maxLength; ///< Slots of one sequence at most.
  runtime::DType dtype = runtime::DType::F32;
};

class KvCache {
public:
  static Expected<KvCache> create(const KvCacheShape &shape);
  /// Bytes of all pages; nothing if that is more than there can be.
  static std::optional<uint64_t> bytes(const KvCacheShape &shape);
  KvCache(KvCache &&other) noexcept;
  KvCache &operator=(KvCache &&) = delete;
  ~KvCache();

  [[nodiscard]] runtime::PageTable &table() { return pageTable; }
  [[nodiscard]] const runtime::PageTable &table() const { return pageTable; }
  /// Keys and values of layer 0, of layer 1, …: the last arguments of @step.
  [[nodiscard]] std::span<const runtime::TensorView> tensors() const { return views; }
  /// Copies whole pages, in every layer, as PageTable::reserve asks for.
  void copy(std::span<const runtime::PageCopy> copies);

private:
  KvCache(const KvCacheShape &shape, runtime::PageTable table)
      : shape(shape), pageTable(std::move(table)) {}

  KvCacheShape shape;
  runtime::PageTable pageTable;
  std::vector<int64_t> keyDims, valueDims;
  std::vector<runtime::TensorView> views;
  void *memory = nullptr;
  size_t memorySize = 0;
  size_t pageBytes = 0; ///< Of one page of one tensor.
};

} // namespace relax::llm
