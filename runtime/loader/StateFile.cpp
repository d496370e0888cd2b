//===- StateFile.cpp --------------------------------------------------------------------------===//
#include "runtime/loader/StateFile.h"

#include "runtime/artifact/ContentHash.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Text.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <filesystem>
#include <vector>

namespace relax::runtime {
namespace {

constexpr uint64_t partBytes = uint64_t{8} << 20, pageBytes = 4096;

uint64_t hashOf(std::span<const uint8_t> bytes) { return artifact::contentHash(bytes); }

/// Calls `each(part, offset, size)` for all parts of `size` bytes, on all threads.
template <typename F> void forParts(ThreadPool &pool, uint64_t size, F each) {
  const auto count = static_cast<int64_t>((size + partBytes - 1) / partBytes);
  pool.parallelFor(count, static_cast<int64_t>(size), [&](int64_t begin, int64_t end) {
    for (auto part = static_cast<uint64_t>(begin); part != static_cast<uint64_t>(end); ++part)
      each(part, part * partBytes, std::min(partBytes, size - part * partBytes));
  });
}

/// Where the states begin behind the header and a hash for each part.
uint64_t statesOffset(uint64_t size) {
  const uint64_t hashes = (size + partBytes - 1) / partBytes * sizeof(uint64_t);
  return (64 + hashes + pageBytes - 1) / pageBytes * pageBytes;
}

} // namespace

StateFile::StateFile(const std::string &folder, uint64_t artifactChecksum,
                     const std::string &target)
    : artifactChecksum(artifactChecksum),
      targetHash(hashOf({reinterpret_cast<const uint8_t *>(target.data()), target.size()})),
      path(text(folder, "/states/", hexadecimal(artifactChecksum).substr(2), '-',
                hexadecimal(targetHash).substr(2), ".states")) {
  static_assert(sizeof(Header) == 64);
}

StateFile::Header StateFile::header(uint64_t size) const {
  Header result;
  result.artifactChecksum = artifactChecksum;
  result.targetHash = targetHash;
  result.size = size;
  return result;
}

bool StateFile::read(std::span<std::byte> states, ThreadPool &pool) const {
  Expected<MappedFile> file = MappedFile::open(path);
  const uint64_t size = states.size(), begin = statesOffset(size);
  if (!file || file->bytes().size() != begin + size)
    return false;
  const uint8_t *bytes = file->bytes().data();
  const Header expected = header(size);
  if (std::memcmp(bytes, &expected, sizeof expected) != 0)
    return false;
  std::atomic<bool> same{true};
  forParts(pool, size, [&](uint64_t part, uint64_t offset, uint64_t count) {
    uint64_t hash;
    std::memcpy(&hash, bytes + 64 + part * sizeof hash, sizeof hash);
    auto *to = reinterpret_cast<uint8_t *>(states.data()) + offset;
    std::memcpy(to, bytes + begin + offset, count);
    if (hashOf({to, count}) != hash)
      same = false;
  });
  // The time of the last use decides what goes when there is too much.
  std::error_code ignored;
  std::filesystem::last_write_time(path, std::filesystem::file_time_type::clock::now(), ignored);
  return same;
}

Status StateFile::write(std::span<const std::byte> states, ThreadPool &pool) const {
  const uint64_t size = states.size();
  std::vector<uint8_t> front(statesOffset(size), 0);
  const Header first = header(size);
  std::memcpy(front.data(), &first, sizeof first);
  const auto *bytes = reinterpret_cast<const uint8_t *>(states.data());
  forParts(pool, size, [&](uint64_t part, uint64_t offset, uint64_t count) {
    const uint64_t hash = hashOf({bytes + offset, count});
    std::memcpy(&front[64 + part * sizeof hash], &hash, sizeof hash);
  });
  const std::string folder = std::filesystem::path(path).parent_path().string();
  if (!makeFolders(folder))
    return Status(StatusCode::Io, folder + ": the folder cannot be made");
  return writeFileAtomically(path, std::vector<std::span<const uint8_t>>{front, {bytes, size}});
}

} // namespace relax::runtime
