// Slot updates write the new slots, rounded to the cache's type, and nothing else.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/attention/Programs.h"
#include "tests/unit/kernels/attention/RaggedProblem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace relax::test {
namespace {

void checkUpdate(const CacheShape &shape, const std::string &target = {}) {
  const std::vector<SequenceLengths> batch = {{0, 40}, {7, 0},  {31, 2}, {0, 1},
                                              {5, 1},  {64, 1}, {0, 0},  {33, 70}};
  std::vector<int64_t> before, after;
  for (SequenceLengths sequence : batch) {
    before.push_back(sequence.cached);
    after.push_back(sequence.cached + sequence.tokens);
  }
  RaggedProblem problem(shape, after, 11);
  RaggedProblem::Step step = problem.step(batch);
  for (bool isKeys : {true, false}) {
    Kernel kernel(updateSlotsProgram(shape, isKeys), {target});
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    EXPECT_EQ(kernel.strategy(), "update-slots");
    for (int64_t pieces : {1, 2, 5}) {
      // The output is the donated input.
      std::vector<char> pages = problem.filledPages(isKeys, before);
      kernel.run({pages.data(), (isKeys ? step.keys : step.values).data(), step.starts.data(),
                  problem.pageTable.data(), step.cached.data()},
                 {pages.data()},
                 {problem.numPages, step.tokens, int64_t(batch.size()), problem.pagesPerSequence},
                 pieces);
      EXPECT_EQ(pages, problem.filledPages(isKeys, after)) << isKeys << " in " << pieces;
    }
  }
}

TEST(UpdateSlots, WritesOnlyNewSlots) {
  checkUpdate({});
  checkUpdate({.half = true});
  checkUpdate({.kvHeads = 1, .headDim = 20, .pageSize = 16});
  checkUpdate({.kvHeads = 3, .headDim = 7, .pageSize = 8, .half = true});
  checkUpdate({.q8 = true});
  checkUpdate({.kvHeads = 3, .headDim = 7, .pageSize = 8, .q8 = true});
  checkUpdate({.kvHeads = 1, .headDim = 80, .pageSize = 5, .q8 = true});
}

TEST(UpdateSlots, Targets) {
  for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
    checkUpdate({}, target);
    checkUpdate({.half = true}, target);
    checkUpdate({.q8 = true}, target);
  }
}

/// A block with NaN or infinity reads as NaN; one of zeros, or of what float16 can't scale, as
/// zeros.
TEST(UpdateSlots, QuantizesWhatIsNoNumber) {
  CacheShape shape{.kvHeads = 1, .headDim = 128, .q8 = true};
  Kernel kernel(updateSlotsProgram(shape, false));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  RaggedProblem problem(shape, {1}, 1);
  RaggedProblem::Step step = problem.step({{0, 1}});
  std::fill(step.values.begin(), step.values.end(), 1.0f);
  step.values[5] = std::numeric_limits<float>::quiet_NaN();
  step.values[32 + 31] = -std::numeric_limits<float>::infinity();
  for (int64_t i = 0; i < 32; ++i) {
    step.values[64 + i] = 0;
    step.values[96 + i] = 1e-7f;
  }
  std::vector<char> pages = problem.emptyPages();
  kernel.run({pages.data(), step.values.data(), step.starts.data(), problem.pageTable.data(),
              step.cached.data()},
             {pages.data()}, {problem.numPages, 1, 1, problem.pagesPerSequence});
  const char *base = &pages[problem.pageTable[0] * shape.storedHeadDim() * shape.pageSize];
  auto scaleOf = [&](int64_t block) {
    uint16_t half = 0;
    std::memcpy(&half, base + shape.headDim * shape.pageSize + 2 * block * shape.pageSize, 2);
    return fromHalf(half);
  };
  EXPECT_TRUE(std::isnan(scaleOf(0)));
  EXPECT_TRUE(std::isinf(scaleOf(1)));
  EXPECT_EQ(scaleOf(2), 0);
  EXPECT_EQ(scaleOf(3), 0);
  for (int64_t i = 0; i < shape.headDim; ++i)
    EXPECT_EQ(base[i], 0) << i;
}

TEST(UpdateSlots, NoTokens) {
  Kernel kernel(updateSlotsProgram({}, true));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  RaggedProblem problem({}, {5, 0}, 1);
  RaggedProblem::Step step = problem.step({{5, 0}, {0, 0}});
  std::vector<char> pages = problem.filledPages(true, {5, 0}), expected = pages;
  kernel.run({pages.data(), step.keys.data(), step.starts.data(), problem.pageTable.data(),
              step.cached.data()},
             {pages.data()}, {problem.numPages, 0, 2, problem.pagesPerSequence});
  EXPECT_EQ(pages, expected);
}

} // namespace
} // namespace relax::test
