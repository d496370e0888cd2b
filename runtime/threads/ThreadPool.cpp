//===- ThreadPool.cpp -------------------------------------------------------------------------===//
//
// The life of a loop: the caller, alone inside, writes `loop` and `shares`, then opens the loop by
// storing a new number with the open bit. A worker that sees the bit adds itself to the count in
// one compare-and-swap, works and leaves. The caller works too; when no chunk is left to take it
// clears the bit, so that nobody can enter any more, and waits until the count is 0. What workers
// wrote is visible to the caller through the release of their leaving.
//
// Nobody yields: sched_yield gives the core to whatever else wants it, of however low a priority,
// for a whole slice of some milliseconds. Who waits for long sleeps, and is woken at once.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/threads/ThreadPool.h"

#include "runtime/threads/CpuCount.h"

#include <algorithm>
#include <chrono>

namespace relax::runtime {
namespace {

constexpr uint64_t openBit = uint64_t{1} << 31;
constexpr uint64_t insideMask = openBit - 1;
constexpr uint64_t loopOne = uint64_t{1} << 32;

/// Loops that take a millisecond or more are cut finer: who is put aside holds up less of them.
constexpr int64_t longLoopCost = 16'000'000, chunksOfLongLoops = 4;

void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

/// Counts pauses, and looks at the clock once in a while only.
class SpinLimit {
public:
  explicit SpinLimit(std::chrono::nanoseconds limit) : limit(limit) {}
  /// Waits a moment; false when the time is over.
  bool spin() {
    pause();
    if (++rounds % 64 != 0)
      return true;
    auto now = std::chrono::steady_clock::now();
    if (rounds == 64)
      start = now;
    return now - start < limit;
  }

private:
  std::chrono::nanoseconds limit;
  std::chrono::steady_clock::time_point start;
  uint64_t rounds = 0;
};

} // namespace

unsigned ThreadPool::defaultThreads() { return usableCores(); }

ThreadPool::ThreadPool(unsigned threads)
    : numThreads(std::clamp(threads == 0 ? defaultThreads() : threads, 1u, 1024u)),
      shares(new Share[numThreads]) {
  workers.reserve(numThreads - 1);
  for (unsigned i = 1; i != numThreads; ++i)
    workers.emplace_back([this, i] { work(i); });
}

ThreadPool::~ThreadPool() {
  stopping.store(true);
  bell.fetch_add(1);
  bell.notify_all();
  for (std::thread &worker : workers)
    worker.join();
}

void ThreadPool::parallelFor(int64_t extent, int64_t cost, RangeFunction function) {
  if (extent <= 0)
    return;
  if (isSerial(extent, cost))
    return function(0, extent);
  std::lock_guard<std::mutex> lock(turn);
  const int64_t chunks =
      numThreads * chunksPerThread * (cost < longLoopCost ? 1 : chunksOfLongLoops);
  loop = {&function, extent, std::min(extent, chunks)};
  for (unsigned i = 0; i != numThreads; ++i) {
    shares[i].next.store(loop.numChunks * i / numThreads, std::memory_order_relaxed);
    shares[i].end = loop.numChunks * (i + 1) / numThreads;
  }
  // Sequentially consistent, like a sleeper's steps in awaitLoop: it sees the new loop, or is seen.
  state.store(((state.load(std::memory_order_relaxed) >> 32) + 1) * loopOne | openBit);
  if (sleepers.load() != 0) {
    bell.fetch_add(1);
    bell.notify_all();
  }
  runChunks(0);
  closeAndWait();
}

void ThreadPool::runChunks(unsigned self) {
  for (unsigned i = 0; i != numThreads; ++i)
    runChunksOf((self + i) % numThreads);
}

void ThreadPool::runChunksOf(unsigned owner) {
  Share &share = shares[owner];
  while (share.next.load(std::memory_order_relaxed) < share.end) {
    int64_t chunk = share.next.fetch_add(1, std::memory_order_relaxed);
    if (chunk >= share.end)
      return;
    // extent * chunk could overflow; the quotient and the rest apart can't.
    int64_t quotient = loop.extent / loop.numChunks, rest = loop.extent % loop.numChunks;
    int64_t begin = quotient * chunk + rest * chunk / loop.numChunks;
    int64_t end = quotient * (chunk + 1) + rest * (chunk + 1) / loop.numChunks;
    (*loop.function)(begin, end);
  }
}

void ThreadPool::closeAndWait() {
  state.fetch_and(~openBit, std::memory_order_acq_rel);
  // A worker that is still inside runs its last chunk; if the cores are taken, let it have ours.
  auto isDone = [&] { return (state.load() & insideMask) == 0; };
  SpinLimit limit(std::chrono::microseconds(50));
  while (!isDone()) {
    if (limit.spin())
      continue;
    callerSleeps.store(true);
    for (uint32_t rung = leaving.load(); !isDone(); rung = leaving.load())
      leaving.wait(rung);
    callerSleeps.store(false);
  }
}

/// Sequentially consistent, like the caller's steps: it sees that nobody is inside, or is seen.
void ThreadPool::leave() {
  state.fetch_sub(1);
  if (!callerSleeps.load())
    return;
  leaving.fetch_add(1);
  leaving.notify_one();
}

bool ThreadPool::enter(uint64_t seen) {
  while (seen & openBit)
    if (state.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel,
                                    std::memory_order_acquire))
      return true;
  return false;
}

/// Returns the state with a loop newer than `seen`'s, or any state when the pool stops.
uint64_t ThreadPool::awaitLoop(uint64_t seen) {
  auto changed = [&](uint64_t now) { return (now >> 32) != (seen >> 32); };
  SpinLimit limit(std::chrono::microseconds(50));
  do {
    uint64_t now = state.load(std::memory_order_acquire);
    if (changed(now) || stopping.load(std::memory_order_relaxed))
      return now;
  } while (limit.spin());

  sleepers.fetch_add(1);
  uint64_t now = state.load();
  for (uint32_t rung = bell.load(); !changed(now = state.load()) && !stopping.load();
       rung = bell.load())
    bell.wait(rung);
  sleepers.fetch_sub(1);
  return now;
}

void ThreadPool::work(unsigned self) {
  uint64_t seen = 0;
  while (true) {
    uint64_t now = awaitLoop(seen);
    if (stopping.load())
      return;
    seen = now;
    if (!enter(now))
      continue;
    runChunks(self);
    leave();
  }
}

} // namespace relax::runtime
