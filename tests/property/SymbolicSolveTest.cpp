//===- SymbolicSolveTest.cpp - equations and counterexamples against evaluation ---------------===//
//
// An equation is made from a value that solves it, so that solving must give that value back, and
// the checks must hold there. A counterexample must obey the facts and break the constraint, and
// where brute force finds one among small values there must be one.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Solve.h"
#include "tests/property/SymbolicWorlds.h"

#include <gtest/gtest.h>

using namespace relax::symbolic;
using namespace relax::testing;

namespace {

TEST(SymbolicSolveProperty, SolvingGivesTheValueBack) {
  Random random(11);
  Context context;
  Facts facts;
  int solved = 0, checked = 0;
  for (int i = 0; i < 6000; ++i) {
    // factor * n + rest == m
    TreeStyle style{.depth = 2, .symbols = {"a", "b"}};
    Expr factor = random.oneIn(2) ? context.constant(random.range(-6, 6))
                                  : randomTree(random, style, 2).build(context);
    Expr n = context.symbol("n"), m = context.symbol("m");
    Expr expr = factor * n + randomTree(random, style, 2).build(context);
    auto solution = solveFor(expr, "n", m, facts);
    if (!solution)
      continue;
    ++solved;
    for (int j = 0; j < 6; ++j) {
      Values values{
          {"a", random.range(-9, 20)}, {"b", random.range(-9, 20)}, {"n", random.range(-50, 50)}};
      std::optional<int64_t> value = evaluate(expr, values), factorValue = evaluate(factor, values);
      if (!value || !factorValue || *factorValue == 0)
        continue;
      values["m"] = *value + (random.oneIn(3) ? random.range(-3, 3) : 0);
      bool holds = true;
      for (const Constraint &check : solution->checks)
        holds &= check.holds(values).value_or(false);
      bool isSolution = *value == values["m"];
      // A negative factor that isn't known to be is refused by its check.
      EXPECT_TRUE(holds || !isSolution || *factorValue < 0) << expr.str();
      if (!holds)
        continue;
      ++checked;
      std::optional<int64_t> found = evaluate(solution->value, values);
      ASSERT_TRUE(found) << expr.str() << ": " << solution->value.str();
      if (isSolution) {
        EXPECT_EQ(*found, values["n"]) << expr.str();
      }
      values["n"] = *found;
      EXPECT_EQ(evaluate(expr, values), values["m"]) << expr.str();
    }
  }
  EXPECT_GT(solved, 3000);
  EXPECT_GT(checked, 5000);
}

std::string list(const std::vector<TreeRelation> &relations, Context &context) {
  std::string text;
  for (const TreeRelation &relation : relations)
    text += "; " + relation.build(context).str();
  return text;
}

TEST(SymbolicSolveProperty, CounterexamplesBreakTheConstraint) {
  Random random(12);
  Context context;
  TreeStyle style{.depth = 3, .symbols = {"a", "b"}, .linear = true};
  int found = 0, missed = 0;
  for (int i = 0; i < 1500; ++i) {
    Facts facts;
    std::map<std::string, SymbolRange> ranges{{"a", randomRange(random)},
                                              {"b", randomRange(random)}};
    for (const auto &[name, range] : ranges)
      facts.set(name, range);
    std::vector<TreeRelation> relations;
    for (int64_t j = random.range(-2, 2); j > 0; --j) {
      TreeRelation relation = randomRelation(random, style);
      Constraint fact = relation.build(context);
      if (fact.a.isConstant() && fact.b.isConstant())
        continue; // True or a contradiction.
      relations.push_back(relation);
      facts.add(fact);
    }
    auto [a, b] = relatedTrees(random, style);
    auto kind = static_cast<Constraint::Kind>(random.range(0, 4));
    if (kind == Constraint::Kind::Divides)
      a = constantTree(random.range(2, 9));
    TreeRelation question{kind, a, b};
    auto allowed = [&](const Values &values) {
      for (const auto &[name, range] : ranges) {
        int64_t value = values.at(name);
        if (value < range.lo || (range.hi && value > *range.hi) || value % range.divisor != 0)
          return false;
      }
      for (const TreeRelation &relation : relations)
        if (relation.holds(values) != true)
          return false;
      return true;
    };
    auto example = counterexample(question.build(context), facts);
    if (example) {
      ++found;
      Values values{{"a", 0}, {"b", 0}};
      for (const auto &[name, value] : *example)
        values[name] = value;
      EXPECT_EQ(question.holds(values), false) << question.build(context).str();
      // A symbol that the constraint doesn't use isn't told, so that the facts can't be checked.
      if (example->size() == 2) {
        EXPECT_TRUE(allowed(values)) << question.build(context).str() << " where "
                                     << describe(*example) << list(relations, context);
      }
      continue;
    }
    for (int64_t x = -30; x <= 50; ++x)
      for (int64_t y = -30; y <= 50; ++y) {
        Values values{{"a", x}, {"b", y}};
        if (allowed(values) && question.holds(values) == false) {
          ++missed;
          ADD_FAILURE() << question.build(context).str() << " fails for a = " << x << ", b = " << y;
          x = y = 51;
        }
      }
  }
  EXPECT_GT(found, 500);
  EXPECT_EQ(missed, 0);
}

} // namespace
