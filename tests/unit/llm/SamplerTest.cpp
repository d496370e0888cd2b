#include "llm/Sampler.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>

namespace relax::llm {
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr float notANumber = std::numeric_limits<float>::quiet_NaN();

std::vector<int32_t> draw(const SamplingOptions &options, std::vector<float> logits, int count) {
  auto sampler = Sampler::create(options);
  EXPECT_TRUE(sampler) << sampler.status().message();
  std::vector<int32_t> tokens;
  for (int i = 0; i < count; ++i) {
    const auto token = sampler->sample(logits);
    EXPECT_TRUE(token) << token.status().message();
    tokens.push_back(*token);
  }
  return tokens;
}

std::map<int32_t, int> histogram(const std::vector<int32_t> &tokens) {
  std::map<int32_t, int> counts;
  for (const int32_t token : tokens)
    ++counts[token];
  return counts;
}

TEST(Random, KnownSequence) {
  // SplitMix64 from 0 begins e220a8397b1dcdaf 6e789e6aa1b965f4 06c45d188009454f f88bb8a8724c81ec.
  Random random(0);
  const uint64_t a = 0xe220a8397b1dcdaf, d = 0xf88bb8a8724c81ec;
  EXPECT_EQ(random.next(), ((a + d) << 23 | (a + d) >> 41) + a);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.uniform();
    EXPECT_TRUE(value >= 0 && value < 1);
  }
}

TEST(Sampler, GreedyTakesTheFirstOfTheLargest) {
  EXPECT_EQ(draw({}, {1, 3, 3, 2}, 3), (std::vector<int32_t>{1, 1, 1}));
  EXPECT_EQ(draw({.temperature = 5, .topK = 1}, {1, 3, 3, 2}, 2), (std::vector<int32_t>{1, 1}));
  EXPECT_EQ(draw({}, {-infinity, -3, infinity}, 1), (std::vector<int32_t>{2}));
}

TEST(Sampler, SameSeedSameTokens) {
  std::vector<float> logits(100);
  for (size_t i = 0; i < logits.size(); ++i)
    logits[i] = static_cast<float>(i % 7);
  const auto first = draw({.temperature = 1, .seed = 42}, logits, 50);
  EXPECT_EQ(first, draw({.temperature = 1, .seed = 42}, logits, 50));
  EXPECT_NE(first, draw({.temperature = 1, .seed = 43}, logits, 50));
}

TEST(Sampler, FollowsTheProbabilities) {
  // Probabilities 0.5, 0.25, 0.25.
  const auto counts = histogram(draw({.temperature = 1, .seed = 7}, {std::log(2.0f), 0, 0}, 20000));
  EXPECT_NEAR(counts.at(0), 10000, 400);
  EXPECT_NEAR(counts.at(1), 5000, 400);
  EXPECT_NEAR(counts.at(2), 5000, 400);
  // Half the temperature squares them: 2/3, 1/6, 1/6.
  const auto colder =
      histogram(draw({.temperature = 0.5, .seed = 7}, {std::log(2.0f), 0, 0}, 20000));
  EXPECT_NEAR(colder.at(0), 13333, 400);
}

TEST(Sampler, FiltersCutTheTail) {
  const std::vector<float> logits = {std::log(0.1f), std::log(0.5f), std::log(0.3f),
                                     std::log(0.1f)};
  EXPECT_EQ(histogram(draw({.temperature = 1, .topK = 2}, logits, 500)).size(), 2u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .topK = INT64_MAX}, logits, 500)).size(), 4u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .topP = 0.6}, logits, 500)).size(), 2u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .topP = 0.4}, logits, 500)).size(), 1u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .topP = 1e-9}, logits, 500)).size(), 1u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .minP = 0.5}, logits, 500)).size(), 2u);
  EXPECT_EQ(histogram(draw({.temperature = 1, .minP = 1}, logits, 500)).size(), 1u);
}

/// What a filter leaves of a large vocabulary, beside sorting all of it.
TEST(Sampler, FiltersOfALargeVocabulary) {
  std::vector<float> logits(50000);
  Random random(5);
  for (float &logit : logits) // With many ties.
    logit = static_cast<float>(std::floor(40 * random.uniform()) / 8);
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::sort(order, [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  });
  double total = 0;
  for (const float logit : logits)
    total += std::exp(static_cast<double>(logit));
  for (const int64_t k : {2, 63, 64, 65, 1000, 49999, 50000, 50001}) {
    const auto counts = histogram(draw({.temperature = 3, .topK = k}, logits, 200));
    for (const auto &[token, count] : counts) {
      const auto place = std::ranges::find(order, token) - order.begin();
      EXPECT_LT(place, k) << "token " << token << " of the top " << k;
    }
  }
  for (const double p : {1e-6, 0.01, 0.3, 0.9}) {
    double sum = 0;
    size_t kept = 0;
    while (kept == 0 || sum < p * total)
      sum += std::exp(static_cast<double>(logits[order[kept++]]));
    for (const auto &[token, count] : histogram(draw({.temperature = 1, .topP = p}, logits, 100))) {
      const auto place = std::ranges::find(order, token) - order.begin();
      EXPECT_LE(place, static_cast<std::ptrdiff_t>(kept)) << "token " << token << " at p = " << p;
    }
  }
}

TEST(Sampler, ExtremesAreDefined) {
  EXPECT_EQ(histogram(draw({.temperature = 1e300}, {0, 1000, -1000}, 500)).size(), 3u);
  EXPECT_EQ(histogram(draw({.temperature = 1e-300}, {0, 1, 0.5}, 50)).size(), 1u);
  EXPECT_EQ(draw({.temperature = 1}, {0, infinity, 5}, 3), (std::vector<int32_t>{1, 1, 1}));
  EXPECT_EQ(draw({.temperature = 1}, {-infinity, -1e30f, -infinity}, 3),
            (std::vector<int32_t>{1, 1, 1}));
}

TEST(Sampler, BrokenLogitsAreErrors) {
  for (const double temperature : {0.0, 1.0}) {
    auto sampler = Sampler::create({.temperature = temperature});
    ASSERT_TRUE(sampler);
    for (const std::vector<float> &logits :
         {std::vector<float>{1, notANumber}, {-infinity, -infinity}, {}})
      EXPECT_FALSE(sampler->sample(logits));
  }
}

TEST(Sampler, OptionsOutOfRangeAreErrors) {
  constexpr double nan = std::numeric_limits<double>::quiet_NaN();
  constexpr double inf = std::numeric_limits<double>::infinity();
  const std::pair<SamplingOptions, const char *> cases[] = {
      {{.temperature = -1}, "temperature"},
      {{.temperature = nan}, "temperature"},
      {{.temperature = inf}, "temperature"},
      {{.topK = -1}, "top-k"},
      {{.topP = 0}, "top-p"},
      {{.topP = 1.5}, "top-p"},
      {{.topP = nan}, "top-p"},
      {{.minP = -0.1}, "min-p"},
      {{.minP = 2}, "min-p"},
      {{.minP = nan}, "min-p"},
  };
  for (const auto &[options, name] : cases) {
    const auto sampler = Sampler::create(options);
    ASSERT_FALSE(sampler) << name;
    EXPECT_NE(sampler.status().message().find(name), std::string::npos);
  }
}

} // namespace
} // namespace relax::llm
