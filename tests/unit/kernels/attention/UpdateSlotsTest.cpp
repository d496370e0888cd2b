// Slot updates write the new slots, rounded to the cache's type, and nothing else.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/attention/Programs.h"
#include "tests/unit/kernels/attention/RaggedProblem.h"

#include <gtest/gtest.h>

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
}

TEST(UpdateSlots, Targets) {
  for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
    checkUpdate({}, target);
    checkUpdate({.half = true}, target);
  }
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
