//===- MemoryPool.cpp -------------------------------------------------------------------------===//
#include "runtime/memory/MemoryPool.h"

#include <algorithm>
#include <bit>
#include <new>

namespace relax::runtime {
namespace {

constexpr std::align_val_t alignment{artifact::bufferAlignment};
constexpr uint64_t headerBytes = artifact::bufferAlignment;
constexpr uint64_t mostBytes = uint64_t{1} << 56;

} // namespace

/// Sits in the 64 bytes before the block's data.
class MemoryPool::PooledMemory final : public Memory {
public:
  PooledMemory(MemoryPool *pool, size_t index) : pool(pool), index(index) { pool->retain(); }
  [[nodiscard]] std::byte *data() { return reinterpret_cast<std::byte *>(this) + headerBytes; }
  [[nodiscard]] uint64_t bytes() const { return classBytes(index) + headerBytes; }

  MemoryPool *pool;
  size_t index;
  PooledMemory *next = nullptr;

private:
  void destroy() const override {
    MemoryPool *last = pool;
    last->recycle(const_cast<PooledMemory *>(this));
    last->release();
  }
};

size_t MemoryPool::classOf(uint64_t bytes) {
  if (bytes <= 64)
    return 0;
  uint64_t last = bytes - 1;
  auto top = static_cast<size_t>(std::bit_width(last)) - 1; // At least 6.
  return (top - 6) * 4 + ((last >> (top - 2)) & 3) + 1;
}

uint64_t MemoryPool::classBytes(size_t index) {
  if (index == 0)
    return 64;
  size_t top = (index - 1) / 4 + 6, quarter = (index - 1) % 4;
  return uint64_t{5 + quarter} << (top - 2);
}

MemoryPool::Block MemoryPool::allocate(uint64_t bytes) {
  if (bytes > mostBytes)
    return {};
  size_t index = classOf(bytes);
  PooledMemory *memory = takeKept(index);
  if (!memory)
    memory = makeNew(index);
  if (!memory)
    return {};
  // The count of references begins anew.
  new (memory) PooledMemory(this, index);
  return {memory->data(), Ref<Memory>(memory)};
}

MemoryPool::PooledMemory *MemoryPool::takeKept(size_t index) {
  std::lock_guard<std::mutex> guard(lock);
  PooledMemory *memory = lists[index];
  if (!memory)
    return nullptr;
  lists[index] = memory->next;
  uint64_t bytes = classBytes(index) + headerBytes;
  kept -= bytes;
  live += bytes;
  peakLive = std::max(peakLive, live);
  return memory;
}

MemoryPool::PooledMemory *MemoryPool::makeNew(size_t index) {
  uint64_t bytes = classBytes(index) + headerBytes;
  if (!account.tryAdd(bytes)) {
    trim();
    if (!account.tryAdd(bytes))
      return nullptr;
  }
  static_assert(sizeof(PooledMemory) <= headerBytes);
  void *memory = ::operator new(bytes, alignment, std::nothrow);
  if (!memory) {
    account.remove(bytes);
    return nullptr;
  }
  std::lock_guard<std::mutex> guard(lock);
  live += bytes;
  peakLive = std::max(peakLive, live);
  return static_cast<PooledMemory *>(memory);
}

void MemoryPool::recycle(PooledMemory *memory) {
  uint64_t bytes = memory->bytes();
  {
    std::lock_guard<std::mutex> guard(lock);
    live -= bytes;
    if (kept + bytes <= std::max(keepLimit, peakLive)) {
      memory->next = lists[memory->index];
      lists[memory->index] = memory;
      kept += bytes;
      return;
    }
  }
  memory->next = nullptr;
  freeAll(memory);
}

void MemoryPool::endCall() {
  PooledMemory *list = nullptr;
  {
    std::lock_guard<std::mutex> guard(lock);
    keepLimit = std::max(peakLive, keepLimit - keepLimit / 8);
    peakLive = live;
    if (kept <= keepLimit)
      return;
    list = detachAbove(keepLimit);
  }
  freeAll(list);
}

void MemoryPool::trim() {
  PooledMemory *list = nullptr;
  {
    std::lock_guard<std::mutex> guard(lock);
    list = detachAbove(0);
  }
  freeAll(list);
}

MemoryPool::PooledMemory *MemoryPool::detachAbove(uint64_t most) {
  PooledMemory *list = nullptr;
  for (size_t index = numClasses; index-- != 0 && kept > most;)
    while (lists[index] && kept > most) {
      PooledMemory *memory = lists[index];
      lists[index] = memory->next;
      kept -= memory->bytes();
      memory->next = list;
      list = memory;
    }
  return list;
}

void MemoryPool::freeAll(PooledMemory *list) {
  while (list) {
    PooledMemory *next = list->next;
    account.remove(list->bytes());
    ::operator delete(static_cast<void *>(list), alignment);
    list = next;
  }
}

MemoryPool::Use MemoryPool::use() const {
  std::lock_guard<std::mutex> guard(lock);
  return {live, kept};
}

MemoryPool::~MemoryPool() { freeAll(detachAbove(0)); }

} // namespace relax::runtime
