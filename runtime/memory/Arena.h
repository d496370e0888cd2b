//===- Arena.h - one allocation for all temporary tensors of a call ---------------------------===//
//
// It only grows, and is kept for the next call. Its contents do not survive growing: an arena grows
// between calls only. Page-aligned; from 2 MiB on in huge pages where the system has them, which is
// worth a fifth of the read bandwidth.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/memory/Account.h"

#include <cstddef>
#include <cstdint>

namespace relax::runtime {

class Arena {
public:
  Arena() = default;
  Arena(const Arena &) = delete;
  Arena &operator=(const Arena &) = delete;
  ~Arena() { release(); }

  /// Makes sure that there are `bytes`. `purpose` says what for if there can't be.
  Status grow(uint64_t bytes, MemoryAccount &account, const std::string &purpose);

  [[nodiscard]] std::byte *data() const { return base; }
  [[nodiscard]] uint64_t capacity() const { return size; }

private:
  void release();

  std::byte *base = nullptr;
  uint64_t size = 0;
  MemoryAccount *charged = nullptr;
};

} // namespace relax::runtime
