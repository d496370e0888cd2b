// Paged attention against float64, and bit-equal however the work is cut.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/attention/Programs.h"
#include "tests/unit/kernels/attention/RaggedProblem.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

namespace relax::test {
namespace {

class Attention {
public:
  explicit Attention(CacheShape shape, std::string target = {})
      : shape(shape), scale(1.0 / std::sqrt(double(shape.headDim))),
        kernel(pagedAttentionProgram(shape, scale), {std::move(target)}) {}

  std::vector<float> run(const RaggedProblem &problem, const RaggedProblem::Step &step,
                         const std::vector<char> &keys, const std::vector<char> &values,
                         int64_t pieces = 1) const {
    // What the kernel doesn't write stays 12345, which no average of normal values is.
    std::vector<float> out(step.tokens * shape.heads * shape.headDim, 12345.0f);
    kernel.run(
        {step.queries.data(), keys.data(), values.data(), step.starts.data(),
         problem.pageTable.data(), step.cached.data()},
        {out.data()},
        {step.tokens, problem.numPages, int64_t(step.cached.size()), problem.pagesPerSequence},
        pieces);
    return out;
  }

  std::vector<float> run(const RaggedProblem &problem, const std::vector<SequenceLengths> &batch,
                         int64_t pieces = 1) const {
    std::vector<int64_t> filled;
    for (SequenceLengths sequence : batch)
      filled.push_back(sequence.cached + sequence.tokens);
    return run(problem, problem.step(batch), problem.filledPages(true, filled),
               problem.filledPages(false, filled), pieces);
  }

  void expectNearReference(const RaggedProblem &problem, const std::vector<SequenceLengths> &batch,
                           const std::vector<float> &out) const {
    double worst = 0;
    size_t at = 0;
    for (size_t s = 0; s < batch.size(); ++s)
      for (int64_t i = 0; i < batch[s].tokens; ++i)
        for (double expected : problem.reference(int64_t(s), batch[s].cached + i, scale)) {
          double error = std::fabs(out[at++] - expected);
          worst = error <= worst ? worst : error; // NaN is the worst.
        }
    EXPECT_LE(worst, 4e-6);
  }

  CacheShape shape;
  double scale;
  Kernel kernel;
};

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// One prompt of each length: whole, in any number of pieces of work, in chunks, and against
/// float64.
void checkLengths(const Attention &attention, std::initializer_list<int64_t> lengths) {
  for (int64_t length : lengths) {
    SCOPED_TRACE("length " + std::to_string(length));
    RaggedProblem problem(attention.shape, {length}, unsigned(length));
    std::vector<float> whole = attention.run(problem, {{0, length}});
    attention.expectNearReference(problem, {{0, length}}, whole);
    for (int64_t pieces : {2, 3, 1000})
      EXPECT_TRUE(sameBits(whole, attention.run(problem, {{0, length}}, pieces)));
    for (int64_t chunk : {1, 7, 64}) {
      std::vector<float> chunked;
      for (int64_t start = 0; start < length; start += chunk) {
        auto part = attention.run(problem, {{start, std::min(chunk, length - start)}});
        chunked.insert(chunked.end(), part.begin(), part.end());
      }
      EXPECT_TRUE(sameBits(whole, chunked)) << "chunks of " << chunk;
    }
  }
}

TEST(PagedAttention, OneSequence) {
  Attention attention({.heads = 9, .kvHeads = 3});
  ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
  EXPECT_EQ(attention.kernel.strategy(), "paged-attention");
  checkLengths(attention, {1, 2, 3, 31, 32, 33, 63, 64, 65, 200});
}

TEST(PagedAttention, LongSequence) {
  Attention attention({.heads = 3, .kvHeads = 1});
  ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
  RaggedProblem problem(attention.shape, {1000}, 1);
  std::vector<float> whole = attention.run(problem, {{0, 1000}});
  attention.expectNearReference(problem, {{0, 1000}}, whole);
  size_t row = 3 * 64;
  auto last = attention.run(problem, {{999, 1}});
  EXPECT_TRUE(sameBits(last, {whole.begin() + 999 * row, whole.end()}));
  auto chunk = attention.run(problem, {{512, 64}}, 2);
  EXPECT_TRUE(sameBits(chunk, {whole.begin() + 512 * row, whole.begin() + 576 * row}));
}

/// Groups of every size, dimensions and pages that no vector divides, both cache types.
TEST(PagedAttention, Shapes) {
  const CacheShape shapes[] = {
      {.heads = 9, .kvHeads = 3, .half = true},
      {.heads = 9, .kvHeads = 3, .q8 = true},
      {.heads = 2, .kvHeads = 2, .headDim = 16},
      {.heads = 2, .kvHeads = 2, .headDim = 16, .q8 = true},
      {.heads = 4, .kvHeads = 2, .headDim = 20, .pageSize = 16},
      {.heads = 4, .kvHeads = 2, .headDim = 80, .pageSize = 16, .q8 = true},
      {.heads = 8, .kvHeads = 1, .headDim = 256, .q8 = true},
      {.heads = 6, .kvHeads = 1, .headDim = 33, .pageSize = 5, .q8 = true},
      {.heads = 4, .kvHeads = 1, .headDim = 80, .pageSize = 64},
      {.heads = 5, .kvHeads = 1, .headDim = 128, .half = true},
      {.heads = 14, .kvHeads = 2, .headDim = 8, .pageSize = 8},
      {.heads = 8, .kvHeads = 1, .headDim = 256},
      {.heads = 2, .kvHeads = 1, .headDim = 512, .pageSize = 64, .half = true},
      {.heads = 1, .kvHeads = 1, .headDim = 1024, .pageSize = 16},
      {.heads = 3, .kvHeads = 1, .headDim = 8, .pageSize = 256},
      {.heads = 16, .kvHeads = 1, .headDim = 7, .pageSize = 24, .half = true},
      {.heads = 6, .kvHeads = 1, .headDim = 1, .pageSize = 5},
  };
  for (const CacheShape &shape : shapes) {
    SCOPED_TRACE(std::to_string(shape.heads) + " heads of " + std::to_string(shape.headDim));
    Attention attention(shape);
    ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
    checkLengths(attention, {1, shape.pageSize, shape.pageSize + 1, 2 * shape.pageSize - 1, 75});
  }
}

TEST(PagedAttention, WindowsAndSoftCaps) {
  const CacheShape shapes[] = {
      {.heads = 6, .kvHeads = 2, .window = 1},
      {.heads = 4, .kvHeads = 4, .headDim = 16, .window = 31},
      {.heads = 4, .kvHeads = 1, .headDim = 256, .half = true, .window = 32},
      {.heads = 4, .kvHeads = 1, .headDim = 256, .q8 = true, .window = 32},
      {.heads = 9, .kvHeads = 3, .window = 33},
      {.heads = 4, .kvHeads = 2, .headDim = 20, .pageSize = 16, .window = 100, .softCap = 2},
      {.heads = 4, .kvHeads = 4, .softCap = 0.5},
  };
  for (const CacheShape &shape : shapes) {
    SCOPED_TRACE("window " + std::to_string(shape.window));
    Attention attention(shape);
    ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
    checkLengths(attention, {1, 31, 32, 33, 64, 97, 170});
  }
}

TEST(PagedAttention, Targets) {
  for (CacheShape shape : {CacheShape{}, CacheShape{.half = true}, CacheShape{.q8 = true}})
    for (const char *target : {"x86-64-v2", "x86-64-v3"}) {
      SCOPED_TRACE(target);
      Attention attention(shape, target);
      ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
      checkLengths(attention, {1, 33, 65});
    }
}

/// The code of a target that this machine may lack is made, and not run.
TEST(PagedAttention, OtherTargetsCompile) {
  for (CacheShape shape :
       {CacheShape{.heads = 9, .kvHeads = 3}, CacheShape{.heads = 9, .kvHeads = 3, .half = true},
        CacheShape{.heads = 9, .kvHeads = 3, .q8 = true}}) {
    Attention attention(shape, "x86-64-v4");
    EXPECT_TRUE(attention.kernel.ok()) << attention.kernel.error();
    // 512 tokens make 64 tiles of 8; one token makes one.
    EXPECT_EQ(attention.kernel.extent({512, 16, 1, 16}), 3 * 64);
    EXPECT_EQ(attention.kernel.extent({1, 16, 1, 16}), 3);
    EXPECT_EQ(attention.kernel.extent({0, 16, 1, 16}), 0);
  }
}

/// In a ragged batch each sequence gets, to the bit, what it gets alone.
TEST(PagedAttention, RaggedBatches) {
  const std::vector<std::vector<SequenceLengths>> batches = {
      {{0, 40}},
      {{0, 0}},
      {{40, 1}, {0, 17}, {63, 2}},
      {{0, 70}, {0, 0}, {3, 30}, {0, 1}, {4, 1}, {90, 10}, {63, 1}, {1, 128}},
      {{10, 1}, {31, 1}, {32, 1}, {33, 1}, {64, 1}, {0, 1}, {100, 1}, {5, 1}},
      {{0, 0}, {7, 0}, {0, 0}, {0, 3}, {1, 0}, {0, 0}, {0, 0}, {0, 0}},
  };
  for (CacheShape shape : {CacheShape{.heads = 6, .kvHeads = 2},
                           CacheShape{.heads = 2, .kvHeads = 2, .headDim = 16, .half = true},
                           CacheShape{.heads = 6, .kvHeads = 2, .q8 = true}}) {
    Attention attention(shape);
    ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
    for (const auto &batch : batches) {
      std::vector<int64_t> lengths;
      for (SequenceLengths sequence : batch)
        lengths.push_back(sequence.cached + sequence.tokens);
      RaggedProblem problem(shape, lengths, 5);
      std::vector<float> together = attention.run(problem, batch, 2);
      attention.expectNearReference(problem, batch, together);
      std::vector<float> alone;
      for (size_t s = 0; s < batch.size(); ++s) {
        auto others = batch;
        for (size_t other = 0; other < batch.size(); ++other)
          if (other != s)
            others[other].tokens = 0;
        auto part = attention.run(problem, others);
        alone.insert(alone.end(), part.begin(), part.end());
      }
      EXPECT_TRUE(sameBits(together, alone));
    }
  }
}

TEST(PagedAttention, NoSequences) {
  Attention attention({});
  ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
  RaggedProblem problem(attention.shape, {}, 1);
  EXPECT_TRUE(attention.run(problem, std::vector<SequenceLengths>{}).empty());
}

/// NaN reaches every row that sees it and none that doesn't.
TEST(PagedAttention, PropagatesNan) {
  constexpr float nan = std::numeric_limits<float>::quiet_NaN();
  // A single query head per key head makes blocks of several tokens, whose rows see different
  // slots.
  for (int64_t heads : {1, 3}) {
    Attention attention({.heads = heads, .kvHeads = 1});
    ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
    const int64_t length = 70, bad = 41, row = heads * 64;
    RaggedProblem clean(attention.shape, {length}, 3);
    std::vector<float> expected = attention.run(clean, {{0, length}});
    for (int which = 0; which < 3; ++which) {
      RaggedProblem problem = clean;
      auto &data = which == 0   ? problem.queries[0]
                   : which == 1 ? problem.keys[0]
                                : problem.values[0];
      int64_t width = which == 0 ? row : 64;
      for (int64_t i = 0; i < width; ++i)
        data[bad * width + i] = nan;
      std::vector<float> out = attention.run(problem, {{0, length}});
      for (int64_t token = 0; token < length; ++token) {
        bool sees = which == 0 ? token == bad : token >= bad;
        for (int64_t i = 0; i < row; ++i) {
          if (sees)
            ASSERT_TRUE(std::isnan(out[token * row + i])) << which << " token " << token;
          else
            ASSERT_EQ(out[token * row + i], expected[token * row + i])
                << which << " token " << token;
        }
      }
    }
  }
}

/// Scores far apart: all weight falls on one slot, and nothing overflows.
TEST(PagedAttention, ExtremeScores) {
  Attention attention({.heads = 3, .kvHeads = 1});
  ASSERT_TRUE(attention.kernel.ok()) << attention.kernel.error();
  RaggedProblem problem(attention.shape, {100}, 9);
  for (float &value : problem.queries[0])
    value *= 1000.0f;
  std::vector<float> out = attention.run(problem, {{0, 100}});
  for (int64_t token = 0; token < 100; ++token) {
    std::vector<double> expected = problem.reference(0, token, attention.scale);
    for (size_t i = 0; i < expected.size(); ++i)
      // Scores of about 1e3 are rounded to 1e-4, and so are the weights of two near ones.
      ASSERT_NEAR(out[token * expected.size() + i], expected[i], 4e-3) << token;
  }
}

} // namespace
} // namespace relax::test
