//===- Account.h - how much memory a module holds ---------------------------------------------===//
//
// Counts what the runtime allocates for a module: states, arenas and tensors. Constants are not
// counted: they are pages of a file, which the system takes back when it needs them. Any thread may
// do anything but set the limit.
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

  /// Adds `bytes`, unless they go over the limit.
  bool tryAdd(uint64_t bytes) {
    uint64_t before = used.load();
    do {
      if (most != 0 && (bytes > most || before > most - bytes))
        return false;
    } while (!used.compare_exchange_weak(before, before + bytes));
    uint64_t high = highest.load();
    while (before + bytes > high && !highest.compare_exchange_weak(high, before + bytes)) {
    }
    return true;
  }
  /// The same for `purpose`, which the error names.
  Status add(uint64_t bytes, const std::string &purpose) {
    if (tryAdd(bytes))
      return {};
    return Status(StatusCode::ResourceExhausted,
                  text("no memory for ", purpose, ": ", bytes, " bytes are needed, ", used.load(),
                       " are in use, and the limit is ", most));
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
