//===- SymbolicExprTest.cpp - normal form, text and substitution against brute force
//------------===//

#include "tests/property/SymbolicTrees.h"

#include <cstdlib>
#include <gtest/gtest.h>

using namespace relax::symbolic;
using namespace relax::testing;

namespace {

std::string describe(const Values &values) {
  std::string text;
  for (const auto &[name, value] : values)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

Values randomValues(Random &random, bool extreme) {
  Values values;
  for (const char *name : {"a", "b", "c"})
    values[name] = extreme ? random.anyInteger() : random.range(-40, 40);
  return values;
}

/// The expression has the value of the tree, and has none where the tree has none.
void expectSameValue(const Tree &tree, Expr expr, const Values &values, int64_t &compared) {
  Outcome naive = tree.evaluate(values);
  if (naive.kind == Outcome::TooLarge)
    return;
  ++compared;
  bool fits = naive.kind == Outcome::Value && naive.value >= INT64_MIN && naive.value <= INT64_MAX;
  std::optional<int64_t> value = evaluate(expr, values);
  if (fits) {
    ASSERT_TRUE(value.has_value()) << expr.str() << " where " << describe(values);
    ASSERT_EQ(*value, static_cast<int64_t>(naive.value))
        << expr.str() << " where " << describe(values);
  } else {
    ASSERT_FALSE(value.has_value()) << expr.str() << " where " << describe(values);
  }
}

/// RELAX_SYMBOLIC_TREES expressions, and a share of them in each test.
int share(int percent) {
  const char *text = std::getenv("RELAX_SYMBOLIC_TREES");
  return (text ? std::atoi(text) : 60000) / 100 * percent;
}

void checkTrees(uint64_t seed, int trees, const TreeStyle &style, bool extremeValues) {
  Random random(seed);
  std::optional<Context> fresh;
  int64_t compared = 0;
  for (int i = 0; i < trees; ++i) {
    if (i % 10000 == 0)
      fresh.emplace(); // Lets go of what the others made.
    Context &context = *fresh;
    Tree tree = randomTree(random, style, static_cast<int>(random.range(1, style.depth)));
    Expr expr = tree.build(context);
    std::string error;
    ASSERT_EQ(context.parse(expr.str(), &error), expr) << expr.str() << "\n" << error;
    for (int j = 0; j < 12; ++j)
      ASSERT_NO_FATAL_FAILURE(
          expectSameValue(tree, expr, randomValues(random, extremeValues && j % 2), compared));
  }
  EXPECT_GT(compared, trees * 6) << "most cases must be decidable by the naive evaluator";
}

TEST(SymbolicProperty, SmallTreesKeepTheirValue) { checkTrees(1, share(25), {.depth = 3}, false); }

TEST(SymbolicProperty, DeepTreesKeepTheirValue) { checkTrees(2, share(10), {.depth = 6}, false); }

TEST(SymbolicProperty, OneSymbolKeepsItsValue) {
  // Terms of one symbol meet each other more often.
  checkTrees(3, share(20), {.depth = 5, .symbols = {"a"}}, false);
}

TEST(SymbolicProperty, EndsOfInt64KeepTheirValue) {
  checkTrees(4, share(20), {.depth = 4, .extremeConstants = true}, true);
}

TEST(SymbolicProperty, AnyDivisorKeepsItsValue) {
  checkTrees(5, share(15), {.depth = 4, .tameDivisors = false}, false);
}

TEST(SymbolicProperty, LinearTreesKeepTheirValue) {
  checkTrees(8, share(10), {.depth = 5, .linear = true}, false);
}

TEST(SymbolicProperty, OrderDoesNotMatter) {
  Random random(6);
  Context context;
  TreeStyle style{.depth = 3};
  for (int i = 0; i < 6000; ++i) {
    Expr a = randomTree(random, style, 3).build(context);
    Expr b = randomTree(random, style, 3).build(context);
    Expr c = randomTree(random, style, 2).build(context);
    ASSERT_EQ(a + b, b + a);
    ASSERT_EQ(a * b, b * a);
    ASSERT_EQ(context.min(a, b), context.min(b, a));
    ASSERT_EQ(context.max(a, b), context.max(b, a));
    ASSERT_EQ((a + b) + c, a + (b + c));
    ASSERT_EQ((a - b) + b, a + b * 0) << a.str() << "  |  " << b.str();
  }
}

TEST(SymbolicProperty, SubstitutionEvaluatesLikeTheValue) {
  Random random(7);
  Context context;
  TreeStyle style{.depth = 4};
  int64_t compared = 0;
  for (int i = 0; i < 8000; ++i) {
    Expr outer = randomTree(random, style, 4).build(context);
    Expr inner = randomTree(random, style, 3).build(context);
    Expr replaced = substitute(outer, {{"a", inner}});
    for (int j = 0; j < 6; ++j) {
      Values values = randomValues(random, false);
      std::optional<int64_t> innerValue = evaluate(inner, values);
      if (!innerValue)
        continue;
      Values outerValues = values;
      outerValues["a"] = *innerValue;
      ++compared;
      ASSERT_EQ(evaluate(replaced, values), evaluate(outer, outerValues))
          << outer.str() << " with a = " << inner.str() << " where " << describe(values);
    }
  }
  EXPECT_GT(compared, 20000);
}

} // namespace
