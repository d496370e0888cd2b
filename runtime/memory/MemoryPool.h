//===- MemoryPool.h - memory for tensors whose sizes are known only on the way ----------------===//
//
// General functions allocate their tensors here, and calls their results. A block that nobody has
// any more is kept for the next tensor of about its size. What is kept is bounded by what calls
// needed at once lately, so that calls with varying shapes hold no more than their largest did, and
// after a few small ones not much.
//
// All that it holds, in use or kept, is on the account and obeys its limit; before an allocation
// fails, what is kept is given back.
//
// Blocks may outlive the module, and be dropped on any thread: each keeps the pool.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/memory/Account.h"
#include "runtime/vm/Value.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace relax::runtime {

class MemoryPool final : public Counted {
public:
  /// `data` is aligned to artifact::bufferAlignment and stays as long as `memory`.
  struct Block {
    void *data = nullptr;
    Ref<Memory> memory;
  };

  /// A block of at least `bytes`, with whatever is in it; null if the limit or the system has no
  /// more.
  Block allocate(uint64_t bytes);

  /// At the end of a call by the host: gives back what is kept but wasn't needed lately.
  void endCall();
  /// Gives back all that is kept.
  void trim();

  struct Use {
    uint64_t live = 0; ///< Bytes of blocks that somebody has.
    uint64_t kept = 0; ///< Bytes of those that nobody has.
  };
  [[nodiscard]] Use use() const;

  MemoryAccount account;

private:
  class PooledMemory;

  // Four classes for each power of two, from 64 bytes to 2^56.
  static constexpr size_t numClasses = 204;
  static size_t classOf(uint64_t bytes);
  static uint64_t classBytes(size_t index);

  PooledMemory *takeKept(size_t index);
  PooledMemory *makeNew(size_t index);
  void recycle(PooledMemory *memory);
  /// Takes blocks off the lists, the largest first, until no more than `most` bytes are kept. The
  /// caller holds the lock, and frees them after it.
  PooledMemory *detachAbove(uint64_t most);
  void freeAll(PooledMemory *list);

  mutable std::mutex lock;
  std::array<PooledMemory *, numClasses> lists = {};
  uint64_t live = 0, kept = 0;
  uint64_t peakLive = 0;  ///< The most since the last endCall.
  uint64_t keepLimit = 0; ///< What calls needed at once lately.

  ~MemoryPool() override;
};

} // namespace relax::runtime
