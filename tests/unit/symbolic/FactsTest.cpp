//===- FactsTest.cpp - what relations between symbols make provable ---------------------------===//

#include "tests/unit/symbolic/Printing.h"

#include <gtest/gtest.h>

using namespace relax::symbolic;

namespace {

class SymbolicFacts : public ::testing::Test {
protected:
  Expr parse(const char *text) {
    std::string error;
    Expr expr = context.parse(text, &error);
    EXPECT_TRUE(expr) << text << ": " << error;
    return expr;
  }
  void atMost(const char *a, const char *b) { facts.addLessEqual(parse(a), parse(b)); }
  void equal(const char *a, const char *b) { facts.addEqual(parse(a), parse(b)); }
  void divides(int64_t d, const char *a) { facts.addDivides(d, parse(a)); }
  Proof isEqual(const char *a, const char *b) { return proveEqual(parse(a), parse(b), facts); }
  Proof isAtMost(const char *a, const char *b) { return proveLessEqual(parse(a), parse(b), facts); }
  Proof isLess(const char *a, const char *b) { return proveLess(parse(a), parse(b), facts); }
  Proof isMultiple(int64_t d, const char *a) { return proveDivides(d, parse(a), facts); }
  Bounds range(const char *a) { return bounds(parse(a), facts); }
  std::string simple(const char *text) { return simplify(parse(text), facts).str(); }

  Context context;
  Facts facts;
};

TEST_F(SymbolicFacts, ConstantsNarrowTheRange) {
  atMost("n", "8192");
  facts.add(Constraint::less(parse("0"), parse("n")));
  divides(16, "n");
  divides(24, "n");
  EXPECT_EQ(*facts.find("n"), (SymbolRange{1, 8192, 48}));
  atMost("100", "n");
  atMost("n", "10000");
  EXPECT_EQ(*facts.find("n"), (SymbolRange{100, 8192, 48}));
  equal("4", "m");
  EXPECT_EQ(*facts.find("m"), (SymbolRange{4, 4, 1}));
  EXPECT_FALSE(facts.hasRelations());
  EXPECT_FALSE(facts.empty());
  EXPECT_TRUE(Facts().empty());
}

TEST_F(SymbolicFacts, CopiesDoNotSeeEachOthersRelations) {
  atMost("n", "m");
  Facts copy = facts;
  copy.addLessEqual(parse("m"), parse("k"));
  EXPECT_EQ(proveLessEqual(parse("n"), parse("k"), copy), Proof::Proved);
  EXPECT_EQ(isAtMost("n", "k"), Proof::Unknown);
}

TEST_F(SymbolicFacts, OnlyConnectedRelationsAreRelated) {
  atMost("a", "b");
  atMost("b", "c");
  atMost("x", "y");
  EXPECT_EQ(facts.related({"a"}).size(), 2u);
  EXPECT_EQ(facts.related({"y"}).size(), 1u);
  EXPECT_EQ(facts.related({"z"}).size(), 0u);
}

TEST_F(SymbolicFacts, Order) {
  atMost("n", "m");
  facts.add(Constraint::less(parse("m"), parse("k")));
  EXPECT_EQ(isAtMost("n", "m"), Proof::Proved);
  EXPECT_EQ(isLess("n", "k"), Proof::Proved);
  EXPECT_EQ(isAtMost("2 * n + 1", "m + k"), Proof::Proved);
  EXPECT_EQ(isAtMost("ceildiv(n, 16)", "ceildiv(m, 16)"), Proof::Proved);
  EXPECT_EQ(isEqual("min(n, m)", "n"), Proof::Proved);
  EXPECT_EQ(isEqual("n", "k"), Proof::Refuted);
  EXPECT_EQ(isAtMost("k", "n"), Proof::Refuted);
  EXPECT_EQ(isAtMost("m", "n"), Proof::Unknown);
  EXPECT_EQ(isLess("n", "m"), Proof::Unknown);
  EXPECT_EQ(simple("max(n, m) + min(n, k)"), "m + n");
}

TEST_F(SymbolicFacts, OrderOfProducts) {
  facts.set("p", {.lo = 0});
  facts.set("n", {.lo = 0});
  atMost("n", "m");
  EXPECT_EQ(isAtMost("n * p", "m * p"), Proof::Proved);
  EXPECT_EQ(isAtMost("n * n", "m * m"), Proof::Proved);
  EXPECT_EQ(isAtMost("64 * n * p", "64 * m * p + 5"), Proof::Proved);
  EXPECT_EQ(isAtMost("n * q", "m * q"), Proof::Unknown) << "q may be negative";
}

TEST_F(SymbolicFacts, Products) {
  equal("k", "n * m");
  EXPECT_EQ(isEqual("k", "n * m"), Proof::Proved);
  EXPECT_EQ(isEqual("2 * k * p", "p * m * n + k * p"), Proof::Proved);
  EXPECT_EQ(isEqual("k + 1", "n * m"), Proof::Refuted);
  EXPECT_EQ(isEqual("k", "n"), Proof::Unknown);
  EXPECT_EQ(simple("n * m"), "k");
  facts.set("k", {.lo = 1, .hi = 100});
  EXPECT_EQ(isAtMost("n * m", "100"), Proof::Proved);
  EXPECT_EQ(isAtMost("n * m", "99"), Proof::Unknown);
}

TEST_F(SymbolicFacts, ChainsOfEqualities) {
  equal("b", "2 * a");
  equal("c", "b + 1");
  equal("a", "d * d");
  EXPECT_EQ(isEqual("c", "2 * d * d + 1"), Proof::Proved);
  EXPECT_EQ(isMultiple(2, "c"), Proof::Refuted);
  // A circle says no more than its parts.
  equal("d", "c - 1");
  EXPECT_EQ(isEqual("d", "2 * a"), Proof::Proved);
}

TEST_F(SymbolicFacts, Divisors) {
  divides(16, "n + m");
  divides(4, "n");
  EXPECT_EQ(isMultiple(8, "n + m"), Proof::Proved);
  EXPECT_EQ(isMultiple(4, "m"), Proof::Proved);
  EXPECT_EQ(isMultiple(16, "n + m + 8"), Proof::Refuted);
  EXPECT_EQ(isMultiple(16, "m"), Proof::Unknown);
  EXPECT_EQ(isEqual("mod(n + m + 3, 16)", "3"), Proof::Proved);
  EXPECT_EQ(simple("mod(n + m, 16)"), "0");
  EXPECT_EQ(simple("16 * floordiv(n + m, 16)"), "m + n");
}

TEST_F(SymbolicFacts, BoundsAreTheTightest) {
  facts.set("n", {.lo = 1});
  facts.set("m", {.lo = 0, .hi = 100});
  atMost("2 * n", "m");
  EXPECT_EQ(range("n"), (Bounds{1, 50}));
  EXPECT_EQ(range("m"), (Bounds{2, 100}));
  EXPECT_EQ(range("m - n"), (Bounds{1, 99}));
  EXPECT_EQ(range("floordiv(m, 7) - floordiv(n, 7)"), (Bounds{0, 14}));
  EXPECT_EQ(range("max(n, m) - min(n, m)"), (Bounds{1, 99}));
  EXPECT_EQ(range("7 * floordiv(m, 7) - m"), (Bounds{-6, 0}));
  EXPECT_EQ(range("x - 3 * floordiv(x, 3)"), (Bounds{0, 2}));
  EXPECT_EQ(range("x + n"), (Bounds{}));
}

TEST_F(SymbolicFacts, CasesOfABroadcastThatDivisorsExcludeDontCount) {
  facts.set("c", {.lo = -14, .divisor = 16});
  facts.set("m", {.lo = 2});
  facts.add(Constraint::broadcast(parse("c"), parse("m")));
  EXPECT_EQ(isAtMost("16", "c"), Proof::Proved);
  EXPECT_EQ(isEqual("c", "m"), Proof::Proved);
  // Nor do those that another broadcast excludes: k is 1, so that floordiv(k + 2, 12) is 0.
  facts.set("k", {.lo = 0});
  facts.add(Constraint::broadcast(parse("k"), parse("-4")));
  facts.add(Constraint::broadcast(parse("a"), parse("floordiv(k + 2, 12)")));
  EXPECT_EQ(isAtMost("a", "1"), Proof::Proved);
}

TEST_F(SymbolicFacts, ABroadcastThatIsKnownIsProved) {
  Expr n = parse("n"), m = parse("m");
  EXPECT_EQ(prove(Constraint::broadcast(n, m), facts), Proof::Unknown);
  facts.add(Constraint::broadcast(n, m));
  EXPECT_EQ(prove(Constraint::broadcast(n, m), facts), Proof::Proved);
  EXPECT_EQ(prove(Constraint::broadcast(m, n), facts), Proof::Proved);
  EXPECT_EQ(prove(Constraint::broadcast(n, parse("k")), facts), Proof::Unknown);
  facts.set("a", {.lo = 2, .hi = 3});
  facts.set("b", {.lo = 4});
  EXPECT_EQ(prove(Constraint::broadcast(parse("a"), parse("b")), facts), Proof::Refuted);
  EXPECT_EQ(prove(Constraint::broadcast(parse("a"), parse("min(a, b)")), facts), Proof::Proved);
  EXPECT_EQ(prove(Constraint::broadcast(parse("1"), m), facts), Proof::Proved);
}

TEST_F(SymbolicFacts, ContradictionsAreHarmless) {
  atMost("n + 1", "m");
  atMost("m + 1", "n");
  (void)isEqual("n", "m");
  (void)range("n - m");
  (void)simple("floordiv(n, 4) + mod(m, 3)");
  equal("k", "k + 1");
  EXPECT_EQ(isEqual("k", "k"), Proof::Proved);
}

TEST_F(SymbolicFacts, ManyUnrelatedFactsCostNothing) {
  for (int i = 0; i < 20000; ++i) {
    Expr a = context.symbol("a" + std::to_string(i)), b = context.symbol("b" + std::to_string(i));
    facts.addLessEqual(a, b);
  }
  // Each would take seconds if it looked at all.
  for (int i = 0; i < 2000; ++i)
    EXPECT_EQ(isAtMost("a7", "b7 + 1"), Proof::Proved);
}

TEST_F(SymbolicFacts, SimplifyDoesNotMakeAStepOverflow) {
  // k is another name of n, but of its own range nothing is known: k + 1 might overflow, n + 1 not.
  facts.set("n", {.lo = 0, .hi = 10});
  equal("k", "n");
  EXPECT_EQ(simple("n"), "k");
  EXPECT_EQ(simple("n + 1"), "n + 1");
  facts.set("k", {.lo = 0, .hi = 10});
  EXPECT_EQ(simple("n + 1"), "k + 1");
  // Where a step may overflow before, it may after.
  EXPECT_EQ(simple("x + 1 + floordiv(5, 7)"), "x + 1");
}

} // namespace
