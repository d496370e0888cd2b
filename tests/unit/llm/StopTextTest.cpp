// Where an answer stops, whatever pieces it comes in.
#include "llm/StopText.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <random>

namespace relax::llm {
namespace {

using Texts = std::vector<std::string>;

struct Given {
  std::string text;
  bool stopped = false;
  bool operator==(const Given &) const = default;
};

Given stream(const Texts &stops, const Texts &pieces) {
  StopText stop(stops);
  Given given;
  for (const std::string &piece : pieces)
    given.text += stop.push(piece);
  given.text += stop.finish();
  given.stopped = stop.stopped();
  return given;
}

/// By definition: the stop that ends first, of those that end there the longest.
Given search(const Texts &stops, const std::string &text) {
  std::optional<size_t> end, begin;
  for (const std::string &stop : stops)
    if (const size_t at = text.find(stop); at != std::string::npos) {
      const size_t itsEnd = at + stop.size();
      if (!end || itsEnd < *end || (itsEnd == *end && at < *begin))
        begin = at, end = itsEnd;
    }
  return end ? Given{text.substr(0, *begin), true} : Given{text, false};
}

TEST(StopText, NothingOfAStopIsGivenOut) {
  StopText stop({"</tool>", "END"});
  EXPECT_EQ(stop.push("a <"), "a ");
  EXPECT_EQ(stop.push("/to"), "");
  EXPECT_EQ(stop.push("p><"), "</top>");
  EXPECT_EQ(stop.push("/tool> more"), "");
  EXPECT_TRUE(stop.stopped());
  EXPECT_EQ(stop.push("END"), "");
  EXPECT_EQ(stop.finish(), "");
}

TEST(StopText, WhatWasHeldBackInVainComesAtTheEnd) {
  StopText stop({"stop here"});
  EXPECT_EQ(stop.push("please stop"), "please ");
  EXPECT_EQ(stop.finish(), "stop");
  EXPECT_FALSE(stop.stopped());
}

TEST(StopText, WithoutStopsTextPasses) {
  StopText stop({});
  EXPECT_EQ(stop.push("anything"), "anything");
  EXPECT_EQ(stop.finish(), "");
}

TEST(StopText, EqualsASearchHoweverTheTextIsCut) {
  std::mt19937 random(1);
  const auto letters = [&](size_t most) {
    std::string text(1 + random() % most, 'a');
    std::ranges::generate(text, [&] { return static_cast<char>('a' + random() % 2); });
    return text;
  };
  for (int round = 0; round < 5000; ++round) {
    Texts stops(1 + random() % 3);
    std::ranges::generate(stops, [&] { return letters(6); });
    const std::string text = letters(24);
    Texts pieces;
    for (size_t begin = 0; begin < text.size();) {
      const size_t size = 1 + random() % 5;
      pieces.push_back(text.substr(begin, size));
      begin += size;
    }
    ASSERT_EQ(stream(stops, pieces), search(stops, text))
        << text << " " << testing::PrintToString(stops);
  }
}

TEST(StopText, TakesTimeInProportion) {
  const std::string stop = std::string(20000, 'a') + "b", text(1 << 20, 'a');
  EXPECT_EQ(stream({stop}, {text, "c"}), (Given{text + "c", false}));
  EXPECT_EQ(stream({stop}, {text, "b"}), (Given{text.substr(20000), true}));
}

} // namespace
} // namespace relax::llm
