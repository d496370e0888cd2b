//===- ThreadPool.h - split one loop over the cores -------------------------------------------===//
//
// A kernel is a loop over independent units, and its results do not depend on how the units are
// split (docs/ir.md). So the split may follow the machine's mood: each participant starts with a
// contiguous part of its own, in a few chunks, which keeps its reads in sequence and in its cache;
// who is done early takes chunks of the others. A worker that the system has put aside therefore
// costs at most the chunk that it is in.
//
// Workers wait for the next loop by spinning for some 50 µs, since the next kernel of a program
// comes within a few, and then sleep. A loop is handed over in well under 2 µs while they spin.
//
// One loop runs at a time: calls of parallelFor from several threads take turns. A call from inside
// a loop is a deadlock and not allowed.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <type_traits>
#include <vector>

namespace relax::runtime {

/// A reference to a callable (begin, end), which must outlive the call; costs no allocation.
class RangeFunction {
public:
  template <typename F>
    requires(!std::is_same_v<std::remove_cvref_t<F>, RangeFunction>)
  RangeFunction(F &&function)
      : object(const_cast<void *>(static_cast<const void *>(&function))),
        call([](void *object, int64_t begin, int64_t end) {
          (*static_cast<std::remove_reference_t<F> *>(object))(begin, end);
        }) {}
  void operator()(int64_t begin, int64_t end) const { call(object, begin, end); }

private:
  void *object;
  void (*call)(void *, int64_t, int64_t);
};

class ThreadPool {
public:
  /// A pool of `threads` participants, the caller of parallelFor being one; 0: defaultThreads().
  explicit ThreadPool(unsigned threads = 0);
  ~ThreadPool();
  ThreadPool(const ThreadPool &) = delete;
  ThreadPool &operator=(const ThreadPool &) = delete;

  /// The physical cores that this process may run on, no more than its share of CPU time where a
  /// container limits it.
  static unsigned defaultThreads();

  [[nodiscard]] unsigned threads() const { return numThreads; }
  /// Whether parallelFor would be one call on this thread; see there.
  [[nodiscard]] bool isSerial(int64_t extent, int64_t cost) const {
    return numThreads == 1 || extent == 1 || cost < minParallelCost;
  }

  /// Calls `function` on ranges that together are [0, extent), each unit in exactly one, and
  /// returns when all are done. `cost` is about the scalar operations of the whole loop: below
  /// minParallelCost, or with one thread, it is one call on this thread.
  void parallelFor(int64_t extent, int64_t cost, RangeFunction function);

  /// Below some 5 µs of one core's vector work, handing over costs more than it gains.
  static constexpr int64_t minParallelCost = 50'000;

private:
  static constexpr int64_t chunksPerThread = 4;

  /// One participant's part of the loop: chunks [next, end), taken with fetch_add.
  struct alignas(64) Share {
    std::atomic<int64_t> next{0};
    int64_t end = 0;
  };
  /// The loop at hand; written only while no worker is inside.
  struct Loop {
    const RangeFunction *function = nullptr;
    int64_t extent = 0;
    int64_t numChunks = 0;
  };

  void work(unsigned self);
  void runChunks(unsigned self);
  void runChunksOf(unsigned owner);
  bool enter(uint64_t seen);
  void leave();
  void closeAndWait();
  uint64_t awaitLoop(uint64_t seen);

  const unsigned numThreads;
  std::mutex turn;
  std::unique_ptr<Share[]> shares;
  Loop loop;
  /// Bits 32 on: the number of loops so far. Bit 31: the loop is open, workers may enter. Bits 0 to
  /// 30: workers inside. One word, so that no worker can enter a loop that is over.
  alignas(64) std::atomic<uint64_t> state{0};
  /// Counts loops and the shutdown, for sleepers to wait on; `sleepers` says whether to wake.
  alignas(64) std::atomic<uint32_t> bell{0};
  std::atomic<uint32_t> sleepers{0};
  std::atomic<bool> stopping{false};
  /// Counts workers that leave while the caller sleeps, for it to wait on.
  std::atomic<uint32_t> leaving{0};
  std::atomic<bool> callerSleeps{false};
  std::vector<std::thread> workers;
};

} // namespace relax::runtime
