//===- StateFile.h - what "initialize" computed, kept for the next start ----------------------===//
//
// Only on request: the file is about as large as the model. It belongs to one artifact, by its
// checksum, which covers the hashes of all weights, and to one of its code objects. Its bytes are
// read into the memory that states have anyway (huge pages, counted), in parts, on all cores, each
// part against its hash: a file that is damaged or another's is as good as none.
//
//   bytes 0-63     magic, checksum of the artifact, hash of the code's target, size of the states
//   bytes 64-      XXH3-64 of each part of 8 MiB, then zeros up to a multiple of 4096
//   from there     the states as they lie in memory
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/threads/ThreadPool.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace relax::runtime {

class StateFile {
public:
  /// In `folder`/states, for the artifact with this checksum and the code for `target`.
  StateFile(const std::string &folder, uint64_t artifactChecksum, const std::string &target);

  /// Fills `states`; false if there is no file that fits, and `states` holds anything then.
  [[nodiscard]] bool read(std::span<std::byte> states, ThreadPool &pool) const;
  [[nodiscard]] Status write(std::span<const std::byte> states, ThreadPool &pool) const;

private:
  struct Header {
    char magic[8] = {'r', 'l', 'x', 's', 't', 'a', 't', '1'};
    uint64_t artifactChecksum = 0, targetHash = 0, size = 0;
    uint64_t reserved[4] = {};
  };
  [[nodiscard]] Header header(uint64_t size) const;

  uint64_t artifactChecksum, targetHash;
  std::string path;
};

} // namespace relax::runtime
