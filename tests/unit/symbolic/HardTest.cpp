//===- HardTest.cpp - questions made to take long ---------------------------------------------===//
//
// No input may make a query hang. Each of these would take hours, or all memory, for a procedure
// that tries all cases, multiplies everything out, or follows a chain once for each path through
// it. The limit is ten times what the slowest of them takes, for slow machines and sanitizers.
//
//===------------------------------------------------------------------------------------------===//
#include "tests/unit/symbolic/Printing.h"

#include <ctime>
#include <functional>
#include <gtest/gtest.h>

using namespace relax::symbolic;

namespace {

class SymbolicHard : public ::testing::Test {
protected:
  Expr symbol(const std::string &name, int index) {
    return context.symbol(name + std::to_string(index));
  }
  /// Asks all that can be asked of two expressions.
  void askAll(Expr a, Expr b) {
    within([&] { (void)proveEqual(a, b, facts); });
    within([&] { (void)proveLess(a, b, facts); });
    within([&] { (void)proveLessEqual(b, a, facts); });
    within([&] { (void)proveDivides(30, a, facts); });
    within([&] { (void)prove(Constraint::broadcast(a, b), facts); });
    within([&] { (void)bounds(a, facts); });
    within([&] { (void)simplify(a, facts); });
    within([&] { (void)counterexample(Constraint::equal(a, b), facts); });
    within([&] { (void)solveFor(a, "x0", b, facts); });
    within([&] {
      Bindings bindings;
      std::vector<Constraint> checks;
      (void)unify(a, b, bindings, checks, facts);
    });
  }
  static void within(const std::function<void()> &query) {
    std::clock_t start = std::clock();
    query();
    double seconds = double(std::clock() - start) / CLOCKS_PER_SEC;
    EXPECT_LT(seconds, 5);
  }

  Context context;
  Facts facts;
};

TEST_F(SymbolicHard, ManyExtremes) {
  Expr a = context.constant(0), b = context.constant(0);
  for (int i = 0; i < 24; ++i) {
    Expr x = symbol("x", i), y = symbol("x", i + 1);
    a = a + context.min(x + 2 * i, y * 3);
    b = b + context.max(x - i, context.floorDiv(y, context.constant(i + 2)));
  }
  askAll(a, b);
}

TEST_F(SymbolicHard, TowersOfDivisions) {
  Expr a = context.symbol("x0"), b = context.symbol("x1");
  for (int i = 0; i < 60; ++i) {
    a = context.mod(a * (i + 3) + b, context.constant(1009 + 2 * i));
    b = context.floorDiv(b * 7 + a, context.constant(i + 5)) + i;
  }
  askAll(a, b);
}

TEST_F(SymbolicHard, KnapsackWithPrimes) {
  // Frobenius: many solutions nearly exist.
  static const int primes[] = {1009, 1013, 1019, 1021, 1031, 1033, 1039, 1049, 1051, 1061};
  Expr a = context.constant(0);
  for (int i = 0; i < 10; ++i) {
    facts.set("x" + std::to_string(i), {.lo = 0});
    a = a + symbol("x", i) * primes[i];
  }
  askAll(a, context.constant(99'991));
  askAll(context.mod(a, context.constant(7919)), context.constant(4242));
}

TEST_F(SymbolicHard, PigeonHoles) {
  // 8 numbers of 0 to 6, all different: impossible, but only after 8! cases.
  Expr sum = context.constant(0);
  for (int i = 0; i < 8; ++i) {
    facts.set("x" + std::to_string(i), {.lo = 0, .hi = 6});
    sum = sum + symbol("x", i);
    for (int j = 0; j < i; ++j) {
      Expr difference = symbol("x", i) - symbol("x", j);
      facts.addLessEqual(context.constant(1), context.max(difference, difference * -1));
    }
  }
  askAll(sum, context.constant(21));
}

TEST_F(SymbolicHard, DoublingExpressions) {
  Expr x = context.symbol("x0"), y = context.symbol("x1");
  std::vector<Expr> chain{x};
  for (int i = 0; i < 200; ++i) {
    Expr last = chain.back();
    Expr smaller = context.max(context.constant(1), context.min(last, y));
    chain.push_back(context.floorDiv(last * y, smaller));
  }
  EXPECT_TRUE(isTooLarge(chain.back()));
  EXPECT_FALSE(isTooLarge(chain[3]));
  askAll(chain.back(), chain[100]);
  askAll(chain[5], chain[4]);
  within([&] { (void)evaluate(chain.back(), {{"x0", 5}, {"x1", 3}}); });
}

TEST_F(SymbolicHard, HighPowers) {
  Expr power = context.symbol("x0") + context.symbol("x1");
  for (int i = 0; i < 40; ++i)
    power = power * power;
  askAll(power, power + 1);
  within([&] { EXPECT_EQ(evaluate(power, {{"x0", 3}, {"x1", 2}}), std::nullopt); });
  within([&] { EXPECT_EQ(evaluate(power, {{"x0", 3}, {"x1", -2}}), 1); });
}

TEST_F(SymbolicHard, ManyProducts) {
  Expr a = context.constant(0);
  for (int i = 0; i < 8; ++i) {
    facts.set("x" + std::to_string(i), {.lo = 1, .hi = 1000});
    for (int j = 0; j <= i; ++j)
      a = a + symbol("x", i) * symbol("x", j) * symbol("x", (i * j) % 8) * (i - j + 1);
  }
  for (int i = 0; i < 7; ++i)
    facts.addLessEqual(symbol("x", i), symbol("x", i + 1));
  askAll(a, a - symbol("x", 3) * symbol("x", 4));
}

TEST_F(SymbolicHard, ChainsAndCirclesOfFacts) {
  for (int i = 0; i < 3000; ++i) {
    facts.addLessEqual(symbol("x", i) + 1, symbol("x", i + 1));
    facts.addEqual(symbol("y", i), symbol("y", i + 1) * symbol("x", i));
    facts.addDivides(i % 17 + 2, symbol("x", i) + symbol("y", i));
  }
  facts.addEqual(symbol("y", 3000), symbol("y", 0));
  askAll(symbol("x", 0) + symbol("y", 0), symbol("x", 5) - symbol("y", 7));
}

TEST_F(SymbolicHard, EndsOfInt64) {
  Expr x = context.symbol("x0"), y = context.symbol("x1");
  facts.set("x0", {.lo = INT64_MIN + 1, .hi = INT64_MAX, .divisor = 3});
  facts.set("x1", {.lo = INT64_MAX - 5, .hi = INT64_MAX});
  facts.addLessEqual(x * INT64_MAX, y * INT64_MIN);
  facts.addDivides(INT64_MAX, x + y);
  Expr far = x * INT64_MAX + y * (INT64_MAX - 1) + INT64_MIN;
  askAll(far, context.mod(y * INT64_MAX, context.constant(INT64_MAX - 2)) + INT64_MAX);
  askAll(context.floorDiv(far, context.constant(INT64_MAX)), x * y * INT64_MIN);
  askAll(context.constant(INT64_MIN), x);
}

} // namespace
