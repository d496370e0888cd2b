//===- MappedFile.h - a file's bytes, read-only, without a copy -------------------------------===//
//
// The pages are those of the system's file cache: mapping costs nothing, and processes that map one
// file share it. If somebody truncates the file while it is mapped, reading beyond its new end
// kills the process (SIGBUS); nothing can be done about that here, so files are replaced by rename.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>

namespace relax {

/// What tells one state of a file from another without reading it.
struct FileIdentity {
  uint64_t size = 0, device = 0, inode = 0;
  int64_t modifiedNs = 0, changedNs = 0; ///< mtime and ctime, nanoseconds since 1970.
  bool operator==(const FileIdentity &) const = default;
};

class MappedFile {
public:
  /// Maps the regular file at `path`. Messages begin with the path.
  static Expected<MappedFile> open(const std::string &path);

  MappedFile() = default;
  MappedFile(MappedFile &&other) noexcept { swap(other); }
  MappedFile &operator=(MappedFile &&other) noexcept {
    swap(other);
    return *this;
  }
  ~MappedFile();

  [[nodiscard]] std::span<const uint8_t> bytes() const { return {data, length}; }
  [[nodiscard]] const FileIdentity &identity() const { return stamp; }

  /// Tells the system that [offset, offset + size) will be read soon; in huge pages where it can.
  void willNeed(uint64_t offset, uint64_t size) const;
  /// Gives the memory of the whole pages in the range back; a later read gets it from the file.
  void dontNeed(uint64_t offset, uint64_t size) const;

private:
  void swap(MappedFile &other) noexcept;

  const uint8_t *data = nullptr;
  size_t length = 0;
  FileIdentity stamp;
};

} // namespace relax
