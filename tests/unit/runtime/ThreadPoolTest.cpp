//===- ThreadPoolTest.cpp - every unit is done once, whatever the timing ----------------------===//
#include "runtime/threads/ThreadPool.h"

#include <gtest/gtest.h>

#include <chrono>
#include <ctime>
#include <numeric>

namespace relax::runtime {
namespace {

constexpr int64_t expensive = INT64_MAX;

/// Counts how often each unit is done. Plain ints: two threads on one unit would be a data race.
void checkOnce(ThreadPool &pool, int64_t extent, int64_t cost) {
  std::vector<int> counts(static_cast<size_t>(extent));
  pool.parallelFor(extent, cost, [&](int64_t begin, int64_t end) {
    ASSERT_LE(begin, end);
    for (int64_t i = begin; i != end; ++i)
      ++counts[static_cast<size_t>(i)];
  });
  for (int count : counts)
    ASSERT_EQ(count, 1) << "of " << extent;
}

TEST(ThreadPool, EveryUnitOnce) {
  for (unsigned threads : {1u, 2u, 3u, 8u}) {
    ThreadPool pool(threads);
    EXPECT_EQ(pool.threads(), threads);
    for (int64_t extent : {0, 1, 2, 3, 7, 8, 9, 31, 32, 33, 1000, 4097})
      for (int64_t cost : {int64_t{0}, expensive})
        checkOnce(pool, extent, cost);
  }
}

TEST(ThreadPool, HugeExtents) {
  ThreadPool pool(3);
  std::atomic<uint64_t> sum{0};
  pool.parallelFor(INT64_MAX, expensive, [&](int64_t begin, int64_t end) {
    sum += static_cast<uint64_t>(end) - static_cast<uint64_t>(begin);
  });
  EXPECT_EQ(sum, static_cast<uint64_t>(INT64_MAX));
}

TEST(ThreadPool, CheapLoopsStayOnTheCaller) {
  ThreadPool pool(4);
  int calls = 0;
  pool.parallelFor(1000, ThreadPool::minParallelCost - 1, [&](int64_t begin, int64_t end) {
    ++calls;
    EXPECT_EQ(begin, 0);
    EXPECT_EQ(end, 1000);
  });
  EXPECT_EQ(calls, 1);
}

TEST(ThreadPool, WorkersHelp) {
  ThreadPool pool(2);
  // The caller's first chunk waits for another thread to come.
  std::atomic<bool> other{false};
  auto caller = std::this_thread::get_id();
  pool.parallelFor(8, expensive, [&](int64_t, int64_t) {
    if (std::this_thread::get_id() != caller)
      other = true;
    while (!other)
      std::this_thread::yield();
  });
  EXPECT_TRUE(other);
}

TEST(ThreadPool, StressWithPausesAndManyThreads) {
  // More threads than cores, loops of all sizes back to back, and pauses in which workers go to
  // sleep: every way in and out of the spinning is taken.
  for (unsigned threads : {2u, 7u}) {
    ThreadPool pool(threads);
    std::vector<int64_t> data(257);
    int64_t rounds = 0;
    for (int round = 0; round != 5000; ++round) {
      auto extent = static_cast<int64_t>(round % 257 + 1);
      pool.parallelFor(extent, expensive, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i != end; ++i)
          ++data[static_cast<size_t>(i)];
      });
      rounds += extent;
      if (round % 1000 == 0)
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    EXPECT_EQ(std::accumulate(data.begin(), data.end(), int64_t{0}), rounds);
  }
}

TEST(ThreadPool, WhoWaitsForLongSleeps) {
  // Processor time of this process: the caller that waits for a worker's last chunk, and workers
  // that wait for a loop, take next to none.
  ThreadPool pool(2);
  const auto caller = std::this_thread::get_id();
  std::atomic<bool> other{false};
  const std::clock_t begin = std::clock();
  for (int round = 0; round != 10; ++round) {
    other = false;
    pool.parallelFor(8, expensive, [&](int64_t, int64_t) {
      if (std::this_thread::get_id() != caller && !other.exchange(true))
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
      while (!other)
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    });
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  const double seconds = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  EXPECT_LT(seconds, 0.2); // Of 0.4; of 0.8 if both spun.
}

TEST(ThreadPool, SeveralCallers) {
  ThreadPool pool(2);
  std::vector<std::thread> callers;
  for (int t = 0; t != 3; ++t)
    callers.emplace_back([&] {
      for (int i = 0; i != 300; ++i)
        checkOnce(pool, i, expensive);
    });
  for (std::thread &caller : callers)
    caller.join();
}

TEST(ThreadPool, StopsAtAnyMoment) {
  for (int i = 0; i != 100; ++i) {
    ThreadPool pool(4);
    if (i % 3 != 0)
      checkOnce(pool, i, expensive);
  }
  EXPECT_GE(ThreadPool::defaultThreads(), 1u);
}

} // namespace
} // namespace relax::runtime
