//===- Account.h - how much memory a module holds ---------------------------------------------===//
//
// Counts what the runtime allocates for a module: states and arenas. Constants are not counted:
// they are pages of a file, which the system takes back when it needs them. Any thread may read.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/support/Text.h"

#include <atomic>
#include <cstdint>

namespace relax::runtime {

class MemoryAccount {
public:
  /// Before anything is added; 0: no limit.
  void setLimit(uint64_t limit) { most = limit; }

  /// Adds `bytes` for `purpose`, unless they go over the limit.
  Status add(uint64_t bytes, const std::string &purpose) {
    uint64_t before = used.load();
    if (most != 0 && (bytes > most || before > most - bytes))
      return Status(StatusCode::ResourceExhausted,
                    text("no memory for ", purpose, ": ", bytes, " bytes are needed, ", before,
                         " are in use, and the limit is ", most));
    used.store(before + bytes);
    if (before + bytes > highest.load())
      highest.store(before + bytes);
    return {};
  }
  void remove(uint64_t bytes) { used.fetch_sub(bytes); }

  [[nodiscard]] uint64_t current() const { return used.load(); }
  [[nodiscard]] uint64_t peak() const { return highest.load(); }
  [[nodiscard]] uint64_t limit() const { return most; }

private:
  uint64_t most = 0;
  std::atomic<uint64_t> used{0}, highest{0};
};

} // namespace relax::runtime
