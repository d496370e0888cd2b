// Arena layouts on random blocks: right at random values of the symbols, tight at the
// representative ones, and about linear in time for many equal layers.

#include "compiler/transforms/ArenaLayout.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ArenaOrder.h"

#include <gtest/gtest.h>

#include <ctime>
#include <random>

namespace relax::transforms {
namespace {

using symbolic::Assignment;
using symbolic::Expr;

class ArenaLayoutTest : public testing::Test {
protected:
  Expr parse(const std::string &text) {
    Expr expr = context.parse(text);
    EXPECT_TRUE(expr) << text;
    return expr;
  }
  Expr size(const std::string &bytes) { return alignedSize(parse(bytes), facts); }

  int64_t at(Expr expr, const Assignment &values) {
    auto value = symbolic::evaluate(expr, values);
    EXPECT_TRUE(value) << expr.str();
    return value.value_or(-1);
  }

  /// No two blocks that are in use at the same time overlap, and all are aligned and inside.
  void expectRight(const std::vector<ArenaBlock> &blocks, const ArenaLayout &layout,
                   const Assignment &values) {
    int64_t total = at(layout.size, values);
    for (size_t i = 0; i < blocks.size(); ++i) {
      int64_t from = at(layout.offsets[i], values), to = from + at(blocks[i].size, values);
      EXPECT_EQ(from % arenaAlignment, 0);
      EXPECT_GE(from, 0);
      EXPECT_LE(to, total);
      for (size_t j = 0; j < i; ++j) {
        if (blocks[j].first > blocks[i].last || blocks[i].first > blocks[j].last)
          continue;
        int64_t otherFrom = at(layout.offsets[j], values),
                otherTo = otherFrom + at(blocks[j].size, values);
        EXPECT_FALSE(from < otherTo && otherFrom < to)
            << "blocks " << i << " and " << j << " in " << layout.size.str();
      }
    }
  }

  int64_t live(const std::vector<ArenaBlock> &blocks, const Assignment &values) {
    std::vector<BlockTime> times;
    BlockSizes sizes;
    for (const ArenaBlock &block : blocks) {
      times.push_back({block.first, block.last});
      sizes.push_back(at(block.size, values));
    }
    return liveBytes(times, sizes);
  }

  symbolic::Context context;
  symbolic::Facts facts;
};

TEST_F(ArenaLayoutTest, TheExampleOfTheHeader) {
  std::vector<ArenaBlock> blocks = {{size("512 * t"), 0, 2},
                                    {size("64 * b"), 1, 3},
                                    {size("2048 * t"), 3, 4},
                                    {size("128 * t"), 4, 5}};
  facts.set("t", {1, 1024});
  facts.set("b", {1, 64});
  ArenaLayout layout = layOutArena(context, blocks, facts);
  EXPECT_TRUE(layout.isExact);
  for (int64_t t : {1, 2, 100, 1024})
    for (int64_t b : {1, 2, 64}) {
      Assignment values = {{"t", t}, {"b", b}};
      expectRight(blocks, layout, values);
      EXPECT_LE(at(layout.size, values), 2176 * t + 64 * b);
    }
}

TEST_F(ArenaLayoutTest, NothingNeedsNothing) {
  ArenaLayout layout = layOutArena(context, {}, facts);
  EXPECT_TRUE(layout.size.isConstant(0));
}

TEST_F(ArenaLayoutTest, RandomBlocks) {
  facts.set("n", {0, 4096});
  facts.set("m", {0, std::nullopt});
  facts.set("k", {0, 2048, 16});
  const char *bytes[] = {"4 * n",     "n * m",     "4 * m + 4",        "16 * k",
                         "n + m + k", "100",       "4 * n * k",        "2 * max(n, m)",
                         "8 * n",     "4096",      "floordiv(n, 3)",   "4 * min(n, m) + 4 * k",
                         "64 * m",    "4 * m * m", "mod(n, 7) * m * 4"};
  std::mt19937 random(5);
  auto below = [&](size_t count) { return static_cast<int64_t>(random() % count); };
  for (int round = 0; round < 40; ++round) {
    std::vector<ArenaBlock> blocks;
    int64_t count = 1 + below(24), length = 1 + below(30);
    for (int64_t i = 0; i < count; ++i) {
      int64_t first = below(static_cast<size_t>(length));
      blocks.push_back({size(bytes[random() % std::size(bytes)]), first, first + below(6)});
    }
    ArenaLayout layout = layOutArena(context, blocks, facts);
    for (int trial = 0; trial < 24; ++trial) {
      auto value = [&](int64_t most) { return trial < 8 ? below(4) : below(size_t(most)); };
      Assignment values = {{"n", value(4097)}, {"m", value(3000)}, {"k", value(129) * 16}};
      expectRight(blocks, layout, values);
    }
  }
}

TEST_F(ArenaLayoutTest, ReusesFallBackIsRight) {
  facts.set("n", {0, std::nullopt});
  std::vector<ArenaBlock> blocks = {
      {size("4 * n"), 0, 1}, {size("8 * n"), 1, 2}, {size("4 * m"), 2, 3}, {size("8 * n"), 3, 4}};
  facts.set("m", {0, std::nullopt});
  ArenaLayout layout = blockReuse(context, blocks, facts);
  EXPECT_FALSE(layout.isExact);
  for (int64_t n : {0, 1, 17, 1000})
    for (int64_t m : {0, 1, 17, 1000})
      expectRight(blocks, layout, {{"n", n}, {"m", m}});
}

/// The tensors of `layers` decoder layers, about as a language model has them.
std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> layersOf(int64_t layers) {
  std::vector<std::pair<std::string, std::pair<int64_t, int64_t>>> blocks;
  blocks.push_back({"256 * t", {0, 12 * layers}}); // Angles.
  int64_t time = 1;
  for (int64_t layer = 0; layer < layers; ++layer, time += 12) {
    auto add = [&](const char *bytes, int64_t first, int64_t last) {
      blocks.push_back({bytes, {time + first, time + last}});
    };
    add("2304 * t", -1, 7);          // The residual stream.
    add("2304 * t", 0, 3);           // Normalised.
    add("2304 * t", 1, 5);           // Queries.
    add("768 * t", 2, 4);            // Keys.
    add("768 * t", 3, 4);            // Values.
    add("4 * t * b + 64", 5, 5);     // A workspace.
    add("2304 * t", 5, 6);           // Attention.
    add("2304 * t", 7, 9);           // Normalised.
    add("6144 * t", 8, 10);          // Gate.
    add("6144 * t", 9, 10);          // Up.
    add("6144 * t + 8 * b", 10, 11); // Their product.
    add("72 * t", 10, 11);           // Scales.
  }
  return blocks;
}

TEST_F(ArenaLayoutTest, LayersAreTightAndLinear) {
  facts.set("t", {1, 8192});
  facts.set("b", {1, 1024});
  double seconds[2] = {};
  int64_t layers[2] = {20, 160};
  for (int i : {0, 1}) {
    std::vector<ArenaBlock> blocks;
    for (auto &[bytes, time] : layersOf(layers[i]))
      blocks.push_back({size(bytes), time.first, time.second});
    std::clock_t start = std::clock();
    ArenaLayout layout = layOutArena(context, blocks, facts);
    seconds[i] = double(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_TRUE(layout.isExact);
    for (int64_t t : {1, 17, 512, 8192})
      for (int64_t b : {1, 64, 1024}) {
        Assignment values = {{"t", t}, {"b", b}};
        if (i == 0)
          expectRight(blocks, layout, values);
        EXPECT_LE(double(at(layout.size, values)), 1.05 * double(live(blocks, values)))
            << "t = " << t << ", b = " << b << ": " << layout.size.str();
      }
  }
  RecordProperty("milliseconds_20_layers", int(1000 * seconds[0]));
  RecordProperty("milliseconds_160_layers", int(1000 * seconds[1]));
  std::printf("20 layers %.1f ms, 160 layers %.1f ms\n", 1000 * seconds[0], 1000 * seconds[1]);
}

} // namespace
} // namespace relax::transforms
