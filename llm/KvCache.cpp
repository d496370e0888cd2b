#include "llm/KvCache.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

namespace relax::llm {

namespace {

constexpr int collapse = 25; // MADV_COLLAPSE, which Debian 12's C library doesn't name.

int64_t ceilDiv(int64_t value, int64_t by) { return value / by + (value % by != 0 ? 1 : 0); }

int64_t numLocal(const KvCacheShape &shape) { return std::ranges::count(shape.localLayers, true); }

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
      shape.maxLength < 0 || shape.maxLength > INT32_MAX || shape.sequences < 0 ||
      shape.sequences > INT32_MAX || shape.layers < 0 || shape.layers > INT32_MAX)
    return std::nullopt;
  const int64_t local = numLocal(shape);
  for (const auto &[layers, pages] :
       {std::pair(shape.layers - local, shape.pages()), std::pair(local, shape.localPages())}) {
    size_t bytes = sizes.page;
    if (layers < 0 || __builtin_mul_overflow(bytes, static_cast<size_t>(pages), &bytes) ||
        __builtin_mul_overflow(bytes, 2 * static_cast<size_t>(layers), &bytes) ||
        __builtin_add_overflow(sizes.all, bytes, &sizes.all))
      return std::nullopt;
  }
  return sizes;
}

Status noMemory(const KvCacheShape &shape, const char *reason) {
  return Status(StatusCode::ResourceExhausted,
                fmt::format("no memory for the keys and values of {} pages of {} tokens: {}; a "
                            "shorter context needs less",
                            shape.pages(), shape.pageSize, reason));
}

} // namespace

int64_t KvCacheShape::pages() const { return ceilDiv(maxLength, pageSize) * sequences; }

int64_t KvCacheShape::localPages() const {
  // The window and a step's tokens begin and end inside of pages.
  const int64_t most = ceilDiv(window + kept + stepTokens, pageSize) + 2;
  return std::min(ceilDiv(maxLength, pageSize), most) * sequences;
}

std::optional<uint64_t> KvCache::bytes(const KvCacheShape &shape) {
  const auto sizes = sizesOf(shape);
  return sizes ? std::optional<uint64_t>(sizes->all) : std::nullopt;
}

size_t KvCache::groupOf(int64_t layer) const {
  const bool isLocal = !shape.localLayers.empty() && shape.localLayers[static_cast<size_t>(layer)];
  return isLocal ? groups.size() - 1 : 0;
}

Status KvCache::addGroup(int64_t pages, int64_t window) {
  auto table = runtime::PageTable::create(pages, shape.pageSize, shape.maxLength);
  if (!table)
    return table.takeStatus();
  groups.push_back({std::move(*table),
                    window,
                    pages / std::max<int64_t>(shape.sequences, 1),
                    {pages, shape.kvHeads, shape.headDim, shape.pageSize},
                    {pages, shape.kvHeads, shape.pageSize, shape.headDim},
                    {}});
  return {};
}

/// Attention reads all of a long sequence for each token, a few KiB here and there: with the
/// system's small pages half of that time goes into finding their addresses. Short sequences stay
/// in small ones, of which they need few.
void KvCache::useHugePages(Group &group) {
  constexpr uintptr_t huge = uintptr_t{2} << 20;
  const auto used = static_cast<size_t>(group.table.numPages() - group.table.numFreePages());
  if (group.window > 0 || group.inHugePages || used * pageBytes < huge / 2)
    return;
  group.inHugePages = true;
  const auto all = reinterpret_cast<uintptr_t>(memory);
  for (const size_t tensor : group.tensors) {
    // Adjacent tensors share huge pages.
    const auto begin = reinterpret_cast<uintptr_t>(views[tensor].data);
    const uintptr_t from = std::max(all, begin / huge * huge);
    const auto advise = [&](int64_t pages, int advice) {
      const uintptr_t end = begin + static_cast<size_t>(pages) * pageBytes;
      const uintptr_t to = std::min(all + memorySize, (end + huge - 1) / huge * huge);
      (void)madvise(reinterpret_cast<void *>(from), to - from, advice);
    };
    advise(group.table.numPages(), MADV_HUGEPAGE);
    // What is there already; systems before Linux 6.1 do that later, by themselves.
    advise(static_cast<int64_t>(used), collapse);
  }
}

Expected<KvCache> KvCache::create(const KvCacheShape &shape) {
  const auto sizes = sizesOf(shape);
  if (!sizes)
    return noMemory(shape, "the size is more than there can be");
  KvCache cache(shape);
  const int64_t local = numLocal(shape);
  if (local < shape.layers || shape.layers == 0)
    RELAX_RETURN_IF_ERROR(cache.addGroup(shape.pages(), 0));
  if (local > 0)
    RELAX_RETURN_IF_ERROR(cache.addGroup(shape.localPages(), shape.window));
  cache.pageBytes = sizes->page;
  if (sizes->all > 0) {
    void *memory = mmap(nullptr, sizes->all, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED)
      return noMemory(shape, std::strerror(errno));
    cache.memory = memory;
    cache.memorySize = sizes->all;
  }
  char *next = static_cast<char *>(cache.memory);
  for (int64_t layer = 0; layer < shape.layers; ++layer) {
    Group &group = cache.groups[cache.groupOf(layer)];
    for (const std::vector<int64_t> *dims : {&group.keyDims, &group.valueDims}) {
      group.tensors.push_back(cache.views.size());
      cache.views.push_back({next, shape.dtype, *dims});
      next += sizes->page * static_cast<size_t>(dims->front());
    }
  }
  return cache;
}

// Moving a vector keeps its elements where they are, and so the views' dims.
KvCache::KvCache(KvCache &&other) noexcept
    : shape(std::move(other.shape)), groups(std::move(other.groups)), views(std::move(other.views)),
      memory(std::exchange(other.memory, nullptr)), memorySize(std::exchange(other.memorySize, 0)),
      pageBytes(other.pageBytes) {}

KvCache::~KvCache() {
  if (memory)
    munmap(memory, memorySize);
}

int64_t KvCache::pages() const {
  int64_t sum = 0;
  for (const Group &group : groups)
    sum += group.table.numPages();
  return sum;
}

int64_t KvCache::freePages() const {
  int64_t sum = 0;
  for (const Group &group : groups)
    sum += group.table.numFreePages();
  return sum;
}

// The tables hand out the same ids, because they are always asked together.

SequenceId KvCache::create() {
  SequenceId sequence = 0;
  for (Group &group : groups)
    sequence = group.table.create();
  return sequence;
}

Status KvCache::free(SequenceId sequence) {
  for (Group &group : groups)
    RELAX_RETURN_IF_ERROR(group.table.free(sequence));
  return {};
}

Expected<int64_t> KvCache::resumable(SequenceId sequence, int64_t length) const {
  for (const Group &group : groups) {
    auto first = group.table.firstSlot(sequence);
    if (!first)
      return first;
    // The next token sees the slots from here on.
    if (*first > std::max<int64_t>(0, length - group.window + 1))
      return 0;
  }
  return length;
}

Status KvCache::checkResumable(SequenceId sequence, int64_t length, const char *wish) const {
  auto possible = resumable(sequence, length);
  if (!possible)
    return possible.takeStatus();
  if (*possible != length)
    return Status(StatusCode::ResourceExhausted,
                  fmt::format("the sequence can't be {} {} tokens: the layers with a window have "
                              "given back what the next token must see",
                              wish, length));
  return {};
}

Status KvCache::trim(SequenceId sequence, int64_t length) {
  RELAX_RETURN_IF_ERROR(checkResumable(sequence, length, "cut to"));
  for (Group &group : groups)
    RELAX_RETURN_IF_ERROR(group.table.trim(sequence, length));
  return {};
}

Expected<SequenceId> KvCache::fork(SequenceId parent, int64_t length) {
  RELAX_RETURN_IF_ERROR(checkResumable(parent, length, "forked at"));
  SequenceId child = 0;
  for (Group &group : groups) {
    auto made = group.table.fork(parent, length);
    if (!made)
      return made;
    child = *made;
  }
  return child;
}

Expected<bool> KvCache::hasRoom(SequenceId sequence, int64_t slots) const {
  for (const Group &group : groups) {
    auto needed = group.table.pagesNeeded(sequence, slots);
    auto owned = group.table.pages(sequence);
    if (!needed || !owned)
      return (needed ? owned.status() : needed.status());
    // Under a window pages come back as the sequence grows.
    const int64_t held = std::ranges::count_if(*owned, [](int32_t page) { return page >= 0; });
    const int64_t most = std::max<int64_t>(1, group.pagesPerSequence - held);
    if (std::min(*needed, group.window > 0 ? most : *needed) > group.table.numFreePages())
      return false;
  }
  return true;
}

Status KvCache::reserve(SequenceId sequence, int64_t slots) {
  for (Group &group : groups) {
    auto copies = group.table.reserve(sequence, slots);
    if (!copies)
      return copies.takeStatus();
    copy(group, *copies);
    useHugePages(group);
  }
  return {};
}

Status KvCache::advance(SequenceId sequence, int64_t slots) {
  for (Group &group : groups) {
    RELAX_RETURN_IF_ERROR(group.table.advance(sequence, slots));
    auto length = group.table.length(sequence);
    if (!length)
      return length.takeStatus();
    if (const int64_t behind = *length - group.window - KvCacheShape::kept;
        group.window > 0 && behind > 0)
      RELAX_RETURN_IF_ERROR(group.table.release(sequence, behind));
  }
  return {};
}

void KvCache::copy(const Group &group, std::span<const runtime::PageCopy> copies) {
  for (const runtime::PageCopy &copy : copies)
    for (const size_t tensor : group.tensors) {
      char *base = static_cast<char *>(views[tensor].data);
      std::memcpy(base + static_cast<size_t>(copy.to) * pageBytes,
                  base + static_cast<size_t>(copy.from) * pageBytes, pageBytes);
    }
}

void KvCache::discardFree() {
  const auto unit = static_cast<size_t>(sysconf(_SC_PAGESIZE));
  for (const Group &group : groups)
    for (int32_t page = 0; page < group.table.numPages(); ++page) {
      if (group.table.references(page) > 0)
        continue;
      int32_t end = page + 1;
      while (end < group.table.numPages() && group.table.references(end) == 0)
        ++end;
      // Whole pages of the system's, inside the run of free ones.
      for (const size_t tensor : group.tensors) {
        const auto base = reinterpret_cast<uintptr_t>(views[tensor].data);
        const uintptr_t from =
            (base + static_cast<size_t>(page) * pageBytes + unit - 1) / unit * unit;
        const uintptr_t to = (base + static_cast<size_t>(end) * pageBytes) / unit * unit;
        if (from < to)
          madvise(reinterpret_cast<void *>(from), to - from, MADV_DONTNEED);
      }
      page = end;
    }
}

} // namespace relax::llm
