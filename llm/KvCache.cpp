#include "llm/KvCache.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <sys/mman.h>
#include <utility>

namespace relax::llm {

Expected<KvCache> KvCache::create(const KvCacheShape &shape) {
  auto table = runtime::PageTable::create(shape.pages, shape.pageSize, shape.maxLength);
  if (!table)
    return table.takeStatus();
  KvCache cache(shape, std::move(*table));
  cache.keyDims = {shape.pages, shape.kvHeads, shape.headDim, shape.pageSize};
  cache.valueDims = {shape.pages, shape.kvHeads, shape.pageSize, shape.headDim};

  size_t elements = 0, tensorBytes = 0;
  const auto size = [](int64_t value) { return static_cast<size_t>(value); };
  const bool tooLarge =
      shape.layers < 0 || shape.kvHeads < 0 || shape.headDim < 0 ||
      __builtin_mul_overflow(size(shape.kvHeads), size(shape.headDim), &elements) ||
      __builtin_mul_overflow(elements, size(shape.pageSize), &elements) ||
      __builtin_mul_overflow(elements, artifact::byteSize(shape.dtype), &cache.pageBytes) ||
      __builtin_mul_overflow(cache.pageBytes, size(shape.pages), &tensorBytes) ||
      __builtin_mul_overflow(tensorBytes, 2 * size(shape.layers), &cache.memorySize);
  const auto noMemory = [&](const char *reason) {
    return Status(StatusCode::ResourceExhausted,
                  fmt::format("the cache of keys and values for {} tokens needs {} bytes: {}; a "
                              "shorter context needs less",
                              shape.pages * shape.pageSize, cache.memorySize, reason));
  };
  if (tooLarge)
    return noMemory("more than there can be");
  if (cache.memorySize > 0) {
    void *memory = mmap(nullptr, cache.memorySize, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return noMemory(std::strerror(errno));
    cache.memory = memory;
  }
  for (int64_t i = 0; i < 2 * shape.layers; ++i)
    cache.views.push_back({static_cast<char *>(cache.memory) + size(i) * tensorBytes, shape.dtype,
                           i % 2 == 0 ? cache.keyDims : cache.valueDims});
  return cache;
}

// Moving a vector keeps its elements where they are, and so the views' dims.
KvCache::KvCache(KvCache &&other) noexcept
    : shape(other.shape), pageTable(std::move(other.pageTable)), keyDims(std::move(other.keyDims)),
      valueDims(std::move(other.valueDims)), views(std::move(other.views)),
      memory(std::exchange(other.memory, nullptr)), memorySize(std::exchange(other.memorySize, 0)),
      pageBytes(other.pageBytes) {}

KvCache::~KvCache() {
  if (memory)
    munmap(memory, memorySize);
}

void KvCache::copy(std::span<const runtime::PageCopy> copies) {
  for (const runtime::PageCopy &copy : copies)
    for (const runtime::TensorView &view : views) {
      char *base = static_cast<char *>(view.data);
      std::memcpy(base + static_cast<size_t>(copy.to) * pageBytes,
                  base + static_cast<size_t>(copy.from) * pageBytes, pageBytes);
    }
}

} // namespace relax::llm
