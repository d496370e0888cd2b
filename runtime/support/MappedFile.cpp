//===- MappedFile.cpp -------------------------------------------------------------------------===//
#include "runtime/support/MappedFile.h"

#include "runtime/support/Text.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

namespace relax {
namespace {

int64_t nanoseconds(const timespec &time) {
  return static_cast<int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

Status openError(const std::string &path) {
  StatusCode code = errno == ENOENT || errno == ENOTDIR ? StatusCode::NotFound : StatusCode::Io;
  return Status(code, text(path, ": can't be opened: ", std::strerror(errno)));
}

constexpr uint64_t pageBytes = 4096;

} // namespace

Expected<MappedFile> MappedFile::open(const std::string &path) {
  int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return openError(path);
  struct stat info;
  if (::fstat(file, &info) != 0) {
    Status status = openError(path);
    ::close(file);
    return status;
  }
  if (!S_ISREG(info.st_mode)) {
    ::close(file);
    return Status(StatusCode::InvalidArgument, text(path, ": is not a regular file"));
  }
  MappedFile result;
  result.stamp = {static_cast<uint64_t>(info.st_size), static_cast<uint64_t>(info.st_dev),
                  static_cast<uint64_t>(info.st_ino), nanoseconds(info.st_mtim),
                  nanoseconds(info.st_ctim)};
  if (info.st_size > 0) {
    auto size = static_cast<size_t>(info.st_size);
    void *address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
    if (address == MAP_FAILED) {
      Status status(StatusCode::Io, text(path, ": can't be mapped: ", std::strerror(errno)));
      ::close(file);
      return status;
    }
    result.data = static_cast<const uint8_t *>(address);
    result.length = size;
  }
  ::close(file);
  return result;
}

MappedFile::~MappedFile() {
  if (data)
    ::munmap(const_cast<uint8_t *>(data), length);
}

void MappedFile::swap(MappedFile &other) noexcept {
  std::swap(data, other.data);
  std::swap(length, other.length);
  std::swap(stamp, other.stamp);
}

// Advice only: a system that doesn't know it goes on without.
void MappedFile::willNeed(uint64_t offset, uint64_t size) const {
  uint64_t begin = offset / pageBytes * pageBytes;
  if (size == 0 || offset + size > length)
    return;
  void *address = const_cast<uint8_t *>(data + begin);
  (void)::madvise(address, offset + size - begin, MADV_HUGEPAGE);
  (void)::madvise(address, offset + size - begin, MADV_WILLNEED);
}

void MappedFile::dontNeed(uint64_t offset, uint64_t size) const {
  if (offset + size > length)
    return;
  uint64_t begin = (offset + pageBytes - 1) / pageBytes * pageBytes;
  uint64_t end = (offset + size) / pageBytes * pageBytes;
  if (begin >= end)
    return;
  void *address = const_cast<uint8_t *>(data + begin);
  (void)::madvise(address, end - begin, MADV_DONTNEED);
  // Else what is read beside it, a page of a small weight, would bring 2 MB of it back.
  (void)::madvise(address, end - begin, MADV_NOHUGEPAGE);
}

} // namespace relax
