//===- SolveTest.cpp - unification, equations and counterexamples -----------------------------===//

#include "tests/unit/symbolic/Printing.h"

#include <gtest/gtest.h>

using namespace relax::symbolic;

namespace {

class SymbolicSolve : public ::testing::Test {
protected:
  Expr parse(const char *text) {
    std::string error;
    Expr expr = context.parse(text, &error);
    EXPECT_TRUE(expr) << text << ": " << error;
    return expr;
  }
  /// "value; check; check", or "none".
  std::string solve(const char *expr, const char *value) {
    auto solution = solveFor(parse(expr), "n", parse(value), facts);
    return solution ? solution->value.str() + listed(solution->checks) : "none";
  }
  static std::string listed(const std::vector<Constraint> &checks) {
    std::string text;
    for (const Constraint &check : checks)
      text += "; " + check.str();
    return text;
  }
  Unification unifyTexts(std::vector<std::pair<const char *, const char *>> texts) {
    std::vector<Equation> equations;
    for (auto [formal, actual] : texts)
      equations.push_back({parse(formal), parse(actual)});
    return unifyAll(equations, facts);
  }
  std::string broken(const Constraint &constraint) {
    auto found = counterexample(constraint, facts);
    if (!found)
      return "none";
    EXPECT_EQ(constraint.holds(*found), false) << constraint.str();
    return describe(*found);
  }
  std::string brokenEqual(const char *a, const char *b) {
    return broken(Constraint::equal(parse(a), parse(b)));
  }

  Context context;
  Facts facts;
};

TEST_F(SymbolicSolve, LinearEquations) {
  EXPECT_EQ(solve("n", "m"), "m");
  EXPECT_EQ(solve("n + 3", "m"), "m - 3");
  EXPECT_EQ(solve("2 * n + 1", "m"), "ceildiv(m, 2) - 1; 2 divides m - 1");
  EXPECT_EQ(solve("2 * n + 1", "2 * m + 1"), "m");
  EXPECT_EQ(solve("2 * n + 1", "9"), "4");
  EXPECT_EQ(solve("2 * n + 1", "8"), "3; 2 divides 7");
  EXPECT_EQ(solve("5 - n", "m"), "5 - m");
  EXPECT_EQ(solve("-3 * n", "m"), "-ceildiv(m, 3); 3 divides -m");
  EXPECT_EQ(solve("2 * n + k", "k + 4 * m"), "2 * m");
  facts.addDivides(16, context.symbol("m"));
  EXPECT_EQ(solve("8 * n", "m"), "floordiv(m, 8)");
}

TEST_F(SymbolicSolve, SymbolicFactors) {
  EXPECT_EQ(solve("n * k", "m"), "floordiv(m, k); 1 <= k; k divides m");
  facts.set("k", {.lo = 1});
  EXPECT_EQ(solve("n * k", "m"), "floordiv(m, k); k divides m");
  EXPECT_EQ(solve("n * k + k", "m * k + 4 * k"), "m + 3");
  EXPECT_EQ(solve("n * k + 2 * n", "m"), "floordiv(m, k + 2); k + 2 divides m");
}

TEST_F(SymbolicSolve, WhatDoesNotDetermineTheSymbol) {
  EXPECT_EQ(solve("n * n", "m"), "none");
  EXPECT_EQ(solve("floordiv(n, 2)", "m"), "none");
  EXPECT_EQ(solve("n + mod(n, 4)", "m"), "none");
  EXPECT_EQ(solve("k", "m"), "none");
  EXPECT_EQ(solve("n - n", "m"), "none");
  EXPECT_EQ(solve("2 * n", "n + 1"), "none") << "that is another question";
}

TEST_F(SymbolicSolve, UnifyBindsInAnyOrder) {
  auto result = unifyTexts({{"n * m", "16 * k"}, {"n", "16"}, {"m", "k"}});
  EXPECT_EQ(result.result, Unified::Proved);
  EXPECT_EQ(result.bindings, (Bindings{{"n", parse("16")}, {"m", parse("k")}}));
  // By value: 16 * 16 is 256.
  EXPECT_EQ(unifyTexts({{"n", "16"}, {"m", "16"}, {"n * m", "256"}}).result, Unified::Proved);
  auto wrong = unifyTexts({{"n", "16"}, {"m", "16"}, {"n * m", "255"}});
  EXPECT_EQ(wrong.result, Unified::Mismatch);
  EXPECT_EQ(wrong.failed, 2u);
}

TEST_F(SymbolicSolve, UnifyChecksWhatItCannotProve) {
  auto result = unifyTexts({{"n", "a"}, {"n", "b"}, {"2 * m", "c"}});
  EXPECT_EQ(result.result, Unified::Checked);
  EXPECT_EQ(listed(result.checks), "; a == b; 2 divides c");
  EXPECT_EQ(result.bindings["m"].str(), "floordiv(c, 2)");
  facts.addEqual(parse("a"), parse("b"));
  EXPECT_EQ(listed(unifyTexts({{"n", "a"}, {"n", "b"}}).checks), "");
}

TEST_F(SymbolicSolve, UnifyFindsMismatches) {
  EXPECT_EQ(unifyTexts({{"n", "a"}, {"n + 1", "a"}}).result, Unified::Mismatch);
  EXPECT_EQ(unifyTexts({{"2 * n", "2 * a + 1"}}).result, Unified::Mismatch);
  EXPECT_EQ(unifyTexts({{"4", "5"}}).result, Unified::Mismatch);
  EXPECT_EQ(unifyTexts({{"4", "a"}}).result, Unified::Checked);
}

TEST_F(SymbolicSolve, UnifySaysWhatIsUnbound) {
  auto result = unifyTexts({{"4", "4"}, {"n * m", "a"}});
  EXPECT_EQ(result.result, Unified::Unbound);
  EXPECT_EQ(result.failed, 1u);
  EXPECT_EQ(unifyTexts({{"floordiv(n, 2)", "a"}}).result, Unified::Unbound);
  EXPECT_EQ(unifyTexts({{"n + m", "a"}, {"n - m", "b"}}).result, Unified::Unbound);
  EXPECT_EQ(unifyTexts({{"n * m", "6 * a"}, {"n", "6"}}).bindings["m"], parse("a"));
}

TEST_F(SymbolicSolve, SymbolsOfOneNameOnBothSidesAreStrangers) {
  auto result = unifyTexts({{"n", "m"}, {"m", "n"}, {"n + 2 * m", "m + 2 * n"}});
  EXPECT_EQ(result.result, Unified::Proved);
  auto solved = unifyTexts({{"n", "m"}, {"n + 2 * m", "3 * m"}});
  EXPECT_EQ(solved.result, Unified::Proved);
  EXPECT_EQ(solved.bindings["m"], parse("m"));
  auto inside = unifyTexts({{"2 * n", "2 * n + 4"}});
  EXPECT_EQ(inside.bindings["n"], parse("n + 2"));
}

TEST_F(SymbolicSolve, FormalsMayComeFromAnotherContext) {
  Context other;
  Bindings bindings;
  std::vector<Constraint> checks;
  EXPECT_EQ(unify(other.parse("2 * n"), parse("2 * k"), bindings, checks, facts), Unified::Proved);
  EXPECT_EQ(bindings["n"], parse("k"));
}

TEST_F(SymbolicSolve, Join) {
  EXPECT_EQ(join(parse("n"), parse("n"), facts), parse("n"));
  EXPECT_EQ(join(parse("mod(n, 4)"), parse("n - 4 * floordiv(n, 4)"), facts), parse("mod(n, 4)"));
  EXPECT_FALSE(join(parse("n"), parse("m"), facts));
  EXPECT_FALSE(join(parse("n"), Expr(), facts));
  EXPECT_FALSE(join(Expr(), Expr(), facts));
  facts.addEqual(parse("n"), parse("m"));
  EXPECT_EQ(join(parse("n + 1"), parse("m + 1"), facts), parse("n + 1"));
}

TEST_F(SymbolicSolve, TheSmallestCounterexample) {
  EXPECT_EQ(brokenEqual("n", "n"), "none");
  EXPECT_EQ(brokenEqual("n", "n + 1"), "n = 0");
  EXPECT_EQ(brokenEqual("n", "m"), "m = 1, n = 0");
  EXPECT_EQ(brokenEqual("n + m", "n * m"), "m = 0, n = 1");
  EXPECT_EQ(brokenEqual("4", "5"), "");
  facts.set("n", {.lo = 1, .divisor = 16});
  facts.set("m", {.lo = 1, .hi = 4});
  EXPECT_EQ(brokenEqual("n", "16 * m"), "m = 2, n = 16");
  EXPECT_EQ(brokenEqual("mod(n, 16)", "0"), "none");
  EXPECT_EQ(broken(Constraint::lessEqual(parse("m"), parse("3"))), "m = 4");
  EXPECT_EQ(broken(Constraint::less(parse("m"), parse("5"))), "none");
  EXPECT_EQ(broken(Constraint::divides(parse("32"), parse("n"))), "n = 16");
  facts.set("q", {.lo = 1});
  EXPECT_EQ(broken(Constraint::broadcast(parse("m"), parse("q"))), "m = 2, q = 3");
}

TEST_F(SymbolicSolve, CounterexamplesObeyTheFacts) {
  facts.set("n", {.lo = 0});
  facts.set("m", {.lo = 0});
  facts.addLessEqual(parse("n + 2"), parse("m"));
  EXPECT_EQ(brokenEqual("n", "m"), "m = 2, n = 0");
  facts.addEqual(parse("k"), parse("n * m"));
  EXPECT_EQ(brokenEqual("k", "0"), "k = 3");
  EXPECT_EQ(broken(Constraint::less(parse("n"), parse("m"))), "none");
}

TEST_F(SymbolicSolve, CounterexamplesFarFromZero) {
  facts.set("n", {.lo = 0});
  facts.set("m", {.lo = 0});
  EXPECT_EQ(broken(Constraint::lessEqual(parse("n"), parse("1000000"))), "n = 1000001");
  EXPECT_EQ(broken(Constraint::lessEqual(parse("floordiv(n, 1000)"), parse("77777"))),
            "n = 77778000");
  facts.addLessEqual(parse("n"), parse("m"));
  EXPECT_EQ(broken(Constraint::less(parse("n + m"), parse("2000001"))), "m = 1000001, n = 1000000");
}

} // namespace
