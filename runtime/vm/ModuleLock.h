//===- ModuleLock.h - calls of one module take turns ------------------------------------------===//
//
// A mutex that the thread which has it may take again: host functions call back. A mutex of the
// system's that can do so is slower, by a tenth of a small call.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>

namespace relax::runtime {

class ModuleLock {
public:
  void lock() {
    const void *self = thisThread();
    // Nobody else writes this thread's mark, and it is this thread's only while it has the mutex.
    if (owner.load(std::memory_order_relaxed) == self) {
      ++nested;
      return;
    }
    mutex.lock();
    owner.store(self, std::memory_order_relaxed);
  }
  void unlock() {
    if (nested != 0) {
      --nested;
      return;
    }
    owner.store(nullptr, std::memory_order_relaxed);
    mutex.unlock();
  }

private:
  static const void *thisThread() {
    static thread_local char mark;
    return &mark;
  }

  std::mutex mutex;
  std::atomic<const void *> owner{nullptr};
  uint32_t nested = 0; ///< By the owner, beyond the first time.
};

} // namespace relax::runtime
