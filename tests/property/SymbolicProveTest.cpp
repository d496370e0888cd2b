//===- SymbolicProveTest.cpp - proofs, bounds and simplification against brute force
//------------===//
//
// Random facts, random questions, and then every choice of symbols that the facts allow in a
// window. One choice that contradicts an answer is a failure. So that a prover which always says
// Unknown fails too, the answers are counted.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Prove.h"
#include "tests/property/SymbolicWorlds.h"

#include <algorithm>
#include <functional>
#include <gtest/gtest.h>

using namespace relax::symbolic;
using namespace relax::testing;

namespace {

/// Facts about a and b, and values that satisfy them.
struct World {
  Facts facts;
  std::vector<TreeRelation> relations;
  std::vector<Values> choices;
};

std::vector<int64_t> allowedValues(const SymbolRange &range, Random &random) {
  std::vector<int64_t> values;
  int64_t from = range.lo == INT64_MIN ? (range.hi ? *range.hi - 40 : -24) : range.lo;
  int64_t to = range.hi && *range.hi < from + 48 ? *range.hi : from + 48;
  for (int64_t value = from; value <= to; ++value)
    if (value % range.divisor == 0)
      values.push_back(value);
  std::shuffle(values.begin(), values.end(), std::minstd_rand(random.range(1, 1 << 30)));
  values.resize(std::min<size_t>(values.size(), 10));
  // Far away, too.
  if (!range.hi)
    values.push_back((int64_t(1) << 40) * range.divisor);
  return values;
}

World randomWorld(Random &random, Context &context) {
  World world;
  SymbolRange a = randomRange(random), b = randomRange(random);
  world.facts.set("a", a);
  world.facts.set("b", b);
  for (int64_t i = random.range(-2, 2); i > 0; --i) {
    world.relations.push_back(randomRelation(random, {.depth = 2, .symbols = {"a", "b"}}));
    world.facts.add(world.relations.back().build(context));
  }
  for (int64_t x : allowedValues(a, random))
    for (int64_t y : allowedValues(b, random)) {
      Values values{{"a", x}, {"b", y}};
      bool allowed =
          std::all_of(world.relations.begin(), world.relations.end(),
                      [&](const TreeRelation &relation) { return relation.holds(values) == true; });
      if (allowed)
        world.choices.push_back(values);
    }
  return world;
}

std::string describe(const World &world, const Values &values) {
  std::string text;
  for (const auto &[name, range] : world.facts)
    text += name + " in [" + (range.lo == INT64_MIN ? "?" : std::to_string(range.lo)) + ", " +
            (range.hi ? std::to_string(*range.hi) : "?") + "] % " + std::to_string(range.divisor) +
            ", here " + std::to_string(values.at(name)) + "; ";
  Context context;
  for (const TreeRelation &relation : world.relations)
    text += relation.build(context).str() + "; ";
  return text;
}

struct Counts {
  int proved = 0, refuted = 0, unknown = 0;
  void count(Proof proof) {
    ++(proof == Proof::Proved ? proved : proof == Proof::Refuted ? refuted : unknown);
  }
};

const TreeStyle style{.depth = 3, .symbols = {"a", "b"}};

using Question = std::function<Proof(const World &, Expr, Expr)>;
using Truth = std::function<bool(Wide, Wide)>;

Counts checkAnswers(uint64_t seed, int questions, const Question &ask, const Truth &isTrue) {
  Random random(seed);
  Context context;
  Counts counts;
  for (int i = 0; i < questions; ++i) {
    World world = randomWorld(random, context);
    auto [left, right] = relatedTrees(random, style);
    Expr a = left.build(context), b = right.build(context);
    Proof proof = ask(world, a, b);
    counts.count(proof);
    if (proof == Proof::Unknown)
      continue;
    for (const Values &values : world.choices) {
      Outcome x = left.evaluate(values), y = right.evaluate(values);
      if (x.kind != Outcome::Value || y.kind != Outcome::Value)
        continue;
      EXPECT_EQ(isTrue(x.value, y.value), proof == Proof::Proved)
          << a.str() << "  and  " << b.str() << "\n"
          << describe(world, values);
      if (::testing::Test::HasFailure())
        return counts;
    }
  }
  std::printf("  proved %d, refuted %d, unknown %d\n", counts.proved, counts.refuted,
              counts.unknown);
  return counts;
}

TEST(SymbolicProveProperty, Equal) {
  Counts counts = checkAnswers(
      1, 6000, [](const World &world, Expr a, Expr b) { return proveEqual(a, b, world.facts); },
      [](Wide a, Wide b) { return a == b; });
  EXPECT_GT(counts.proved, 300);
  EXPECT_GT(counts.refuted, 600);
}

TEST(SymbolicProveProperty, LessEqual) {
  Counts counts = checkAnswers(
      2, 6000, [](const World &world, Expr a, Expr b) { return proveLessEqual(a, b, world.facts); },
      [](Wide a, Wide b) { return a <= b; });
  EXPECT_GT(counts.proved, 1500);
  EXPECT_GT(counts.refuted, 600);
}

TEST(SymbolicProveProperty, Divides) {
  for (int64_t divisor : {1, 2, 3, 8, 16}) {
    Counts counts = checkAnswers(
        3, 2000,
        [&](const World &world, Expr a, Expr) { return proveDivides(divisor, a, world.facts); },
        [&](Wide a, Wide) { return a % divisor == 0; });
    EXPECT_GT(counts.proved, divisor == 1 ? 1999 : 40);
    EXPECT_GT(counts.refuted, divisor == 1 ? -1 : 40);
  }
}

TEST(SymbolicProveProperty, Bounds) {
  Random random(4);
  Context context;
  int ends = 0;
  for (int i = 0; i < 5000; ++i) {
    World world = randomWorld(random, context);
    Tree tree = relatedTrees(random, style).first;
    Expr expr = tree.build(context);
    Bounds range = bounds(expr, world.facts);
    ends += range.lo.has_value() + range.hi.has_value();
    for (const Values &values : world.choices) {
      Outcome naive = tree.evaluate(values);
      if (naive.kind != Outcome::Value)
        continue;
      bool within =
          (!range.lo || naive.value >= *range.lo) && (!range.hi || naive.value <= *range.hi);
      ASSERT_TRUE(within) << expr.str() << "\n" << describe(world, values);
    }
  }
  EXPECT_GT(ends, 4000);
}

TEST(SymbolicProveProperty, Simplify) {
  Random random(5);
  Context context;
  int changed = 0;
  for (int i = 0; i < 5000; ++i) {
    World world = randomWorld(random, context);
    Expr expr = relatedTrees(random, style).second.build(context);
    Expr simple = simplify(expr, world.facts);
    changed += simple != expr;
    for (const Values &values : world.choices)
      ASSERT_EQ(evaluate(simple, values), evaluate(expr, values))
          << expr.str() << "  became  " << simple.str() << "\n"
          << describe(world, values);
  }
  EXPECT_GT(changed, 500);
}

} // namespace
