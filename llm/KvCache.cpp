#include "llm/KvCache.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <utility>

namespace relax::llm {

namespace {

/// Bytes of one page of one tensor, and of all tensors; nothing if that is more than there can be.
struct Sizes {
  size_t page = 0, all = 0;
};
std::optional<Sizes> sizesOf(const KvCacheShape &shape) {
  Sizes sizes;
  size_t elements = 1;
  for (const int64_t factor : {shape.kvHeads, shape.headDim, shape.pageSize})
    if (factor < 0 || __builtin_mul_overflow(elements, static_cast<size_t>(factor), &elements))
      return std::nullopt;
  if (__builtin_mul_overflow(elements, artifact::byteSize(shape.dtype), &sizes.page) ||
      shape.pages < 0 || shape.layers < 0 || shape.layers > INT32_MAX ||
      __builtin_mul_overflow(sizes.page, static_cast<size_t>(shape.pages), &sizes.all) ||
      __builtin_mul_overflow(sizes.all, 2 * static_cast<size_t>(shape.layers), &sizes.all))
    return std::nullopt;
  return sizes;
}

Status noMemory(const KvCacheShape &shape, const char *reason) {
  return Status(StatusCode::ResourceExhausted,
                fmt::format("no memory for the keys and values of {} pages of {} tokens: {}; a "
                            "shorter context needs less",
                            shape.pages, shape.pageSize, reason));
}

} // namespace

std::optional<uint64_t> KvCache::bytes(const KvCacheShape &shape) {
  const auto sizes = sizesOf(shape);
  return sizes ? std::optional<uint64_t>(sizes->all) : std::nullopt;
}

Expected<KvCache> KvCache::create(const KvCacheShape &shape) {
  const auto sizes = sizesOf(shape);
  if (!sizes)
    return noMemory(shape, "the size is more than there can be");
  auto table = runtime::PageTable::create(shape.pages, shape.pageSize, shape.maxLength);
  if (!table)
    return table.takeStatus();
  KvCache cache(shape, std::move(*table));
  cache.keyDims = {shape.pages, shape.kvHeads, shape.headDim, shape.pageSize};
  cache.valueDims = {shape.pages, shape.kvHeads, shape.pageSize, shape.headDim};
  cache.pageBytes = sizes->page;
  if (sizes->all > 0) {
    void *memory = mmap(nullptr, sizes->all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return noMemory(shape, std::strerror(errno));
    cache.memory = memory;
    cache.memorySize = sizes->all;
  }
  const size_t tensorBytes = sizes->page * static_cast<size_t>(shape.pages);
  for (size_t i = 0; i < 2 * static_cast<size_t>(shape.layers); ++i)
    cache.views.push_back({static_cast<char *>(cache.memory) + i * tensorBytes, shape.dtype,
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
