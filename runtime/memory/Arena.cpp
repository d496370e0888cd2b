//===- Arena.cpp ------------------------------------------------------------------------------===//
#include "runtime/memory/Arena.h"

#include <sys/mman.h>

namespace relax::runtime {
namespace {

constexpr uint64_t pageBytes = 4096;
constexpr uint64_t hugePageBytes = uint64_t{2} << 20;

uint64_t alignUp(uint64_t value, uint64_t alignment) {
  return (value + alignment - 1) / alignment * alignment;
}

std::byte *map(uint64_t bytes) {
  void *address =
      ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return address == MAP_FAILED ? nullptr : static_cast<std::byte *>(address);
}

/// Maps one huge page more than needed and cuts both ends, so that the rest begins at one.
std::byte *mapHuge(uint64_t bytes) {
  std::byte *wide = map(bytes + hugePageBytes);
  if (!wide)
    return nullptr;
  uint64_t head =
      alignUp(reinterpret_cast<uint64_t>(wide), hugePageBytes) - reinterpret_cast<uint64_t>(wide);
  if (head != 0)
    ::munmap(wide, head);
  if (head != hugePageBytes)
    ::munmap(wide + head + bytes, hugePageBytes - head);
  (void)::madvise(wide + head, bytes, MADV_HUGEPAGE);
  return wide + head;
}

} // namespace

Status Arena::grow(uint64_t bytes, MemoryAccount &account, const std::string &purpose) {
  if (bytes <= size)
    return {};
  // Refuse before rounding can overflow; no machine has that much.
  if (bytes > uint64_t{1} << 56)
    return Status(StatusCode::ResourceExhausted,
                  text("no memory for ", purpose, ": ", bytes, " bytes are needed"));
  uint64_t rounded = alignUp(bytes, pageBytes);
  release();
  RELAX_RETURN_IF_ERROR(account.add(rounded, purpose));
  base = rounded >= hugePageBytes ? mapHuge(rounded) : map(rounded);
  if (!base) {
    account.remove(rounded);
    return Status(StatusCode::ResourceExhausted,
                  text("no memory for ", purpose, ": ", bytes,
                       " bytes are needed, which the system does not have"));
  }
  size = rounded;
  charged = &account;
  return {};
}

void Arena::release() {
  if (!base)
    return;
  ::munmap(base, size);
  charged->remove(size);
  base = nullptr;
  size = 0;
}

} // namespace relax::runtime
