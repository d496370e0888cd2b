// The parts of the `relax` command that need no model.
#include "tools/relax/Command.h"
#include "tools/relax/Inspect.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Score.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace relax::tool {
namespace {

using Ids = std::vector<int32_t>;

TEST(Lists, Tokens) {
  const auto good = parseTokens("--tokens", " 1, 2,3 ", 4);
  ASSERT_TRUE(good) << good.status().message();
  EXPECT_EQ(*good, (Ids{1, 2, 3}));
  for (const char *text : {"", " ", ",", "1,", ",1", "1,,2", "x", "1x", "1 2", "-1", "4", "1.5",
                           "+1", "99999999999999999999", "0x1"}) {
    const auto bad = parseTokens("--tokens", text, 4);
    ASSERT_FALSE(bad) << text;
    EXPECT_EQ(bad.status().code(), StatusCode::InvalidArgument);
    EXPECT_NE(bad.status().message().find("--tokens"), std::string::npos);
  }
  EXPECT_NE(parseTokens("--tokens", "1,7", 4).status().message().find("entry 1: found '7'"),
            std::string::npos);
}

TEST(Lists, Positions) {
  EXPECT_EQ(*parsePositions("--positions", "all", 3), (Ids{0, 1, 2}));
  EXPECT_EQ(*parsePositions("--positions", "last", 3), (Ids{2}));
  EXPECT_EQ(*parsePositions("--positions", "2,-3,-1", 3), (Ids{2, 0, 2}));
  for (const char *text : {"", "3", "-4", "first"})
    EXPECT_FALSE(parsePositions("--positions", text, 3)) << text;
}

TEST(Lists, Utf8) {
  EXPECT_TRUE(checkUtf8("it", "caf\u00e9").ok());
  const Status bad = checkUtf8("the prompt", "ab\xff");
  EXPECT_EQ(bad.message(), "the prompt: found byte 0xff at offset 2, expected UTF-8");
}

TEST(Lists, ReadText) {
  EXPECT_EQ(readText("/nonexistent/file").status().code(), StatusCode::NotFound);
  EXPECT_EQ(readText("/").status().code(), StatusCode::NotFound);
  EXPECT_EQ(*readText("/dev/null"), "");
}

TEST(Score, Numbers) {
  const std::vector<float> logits = {1, 3, 3, 2};
  using Pairs = std::vector<std::pair<int32_t, float>>;
  EXPECT_EQ(topLogits(logits, 3), (Pairs{{1, 3}, {2, 3}, {3, 2}}));
  EXPECT_EQ(topLogits(logits, 100).size(), 4u);
  EXPECT_NEAR(logSumExp(logits), std::log(std::exp(1.0) + 2 * std::exp(3.0) + std::exp(2.0)),
              1e-12);
  EXPECT_NEAR(logSumExp(std::vector<float>{1000, 1000}), 1000 + std::log(2), 1e-12);
  EXPECT_DOUBLE_EQ(mean(logits), 9.0 / 4);
  EXPECT_DOUBLE_EQ(norm(logits), std::sqrt(23.0));
  const float nan = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(topLogits(std::vector<float>{nan, 1, nan, 2}, 4)[0].first, 3);
}

TEST(Inspect, SlotsAreExpressions) {
  using artifact::SlotOp;
  artifact::Function function;
  function.parameters.resize(1);
  function.parameters[0].name = "x";
  function.slots = {{SlotOp::Dimension, 0, 0}, {SlotOp::Constant, 4},   {SlotOp::Add, 0, 1},
                    {SlotOp::Mul, 2, 1},       {SlotOp::CeilDiv, 3, 1}, {SlotOp::Dimension, 0, 1},
                    {SlotOp::Sub, 5, 2}};
  function.symbols = {{"n", 0, std::nullopt, 1, 0}};
  EXPECT_EQ(slotText(function, 3), "(n + 4) * 4");
  EXPECT_EQ(slotText(function, 4), "ceildiv((n + 4) * 4, 4)");
  EXPECT_EQ(slotText(function, 6), "x.dim(1) - (n + 4)");
}

TEST(Inspect, LongExpressionsAreCut) {
  artifact::Function function;
  function.slots = {{artifact::SlotOp::Constant, 1}};
  for (int64_t i = 0; i < 64; ++i)
    function.slots.push_back({artifact::SlotOp::Add, i, i});
  EXPECT_LT(slotText(function, 64).size(), 1000u);
}

TEST(Inspect, LongMetadataIsCut) {
  Metadata metadata;
  metadata.set("long", std::vector<int64_t>(100, 7));
  metadata.set("short", std::vector<std::string>{"a", "b"});
  metadata.set("text", std::string(1000, 'x'));
  const Json cut = metadataJson(metadata, false), whole = metadataJson(metadata, true);
  EXPECT_EQ(cut["long"]["count"], 100);
  EXPECT_EQ(cut["short"], Json({"a", "b"}));
  EXPECT_LT(cut["text"].get<std::string>().size(), 300u);
  EXPECT_EQ(whole["long"].size(), 100u);
  EXPECT_EQ(whole["text"].get<std::string>().size(), 1000u);
  EXPECT_NE(metadataText(cut).find("(100 elements)"), std::string::npos);
}

} // namespace
} // namespace relax::tool
