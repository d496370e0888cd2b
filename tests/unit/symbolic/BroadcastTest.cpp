//===- BroadcastTest.cpp - the extent of what is broadcast, and proofs with it
//-----------------===//

#include "compiler/symbolic/Broadcast.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/symbolic/Solve.h"

#include "tests/unit/symbolic/Printing.h"

#include <gtest/gtest.h>

#include <vector>

using namespace relax::symbolic;

namespace {

class SymbolicBroadcast : public ::testing::Test {
protected:
  Context context;
  Expr n = context.symbol("n"), m = context.symbol("m"), k = context.symbol("k");
  Expr one = context.constant(1);
};

/// What NumPy makes of extents; none if they don't broadcast.
std::optional<int64_t> expected(std::initializer_list<int64_t> extents) {
  int64_t result = 1;
  for (int64_t extent : extents) {
    if (extent == 1 || extent == result)
      continue;
    if (result != 1)
      return std::nullopt;
    result = extent;
  }
  return result;
}

TEST_F(SymbolicBroadcast, IsExactForAllExtentsThatFit) {
  Expr two = broadcastExtent(n, m), three = broadcastExtent(two, k);
  Expr sums = broadcastExtent(broadcastExtent(n + 1, m * 2), n);
  for (int64_t a = 0; a <= 4; ++a)
    for (int64_t b = 0; b <= 4; ++b)
      for (int64_t c = 0; c <= 4; ++c) {
        Assignment values{{"n", a}, {"m", b}, {"k", c}};
        if (expected({a, b})) {
          EXPECT_EQ(evaluate(two, values), expected({a, b})) << a << " " << b;
        }
        if (expected({a, b, c})) {
          EXPECT_EQ(evaluate(three, values), expected({a, b, c})) << a << " " << b << " " << c;
        }
        if (expected({a + 1, 2 * b, a})) {
          EXPECT_EQ(evaluate(sums, values), expected({a + 1, 2 * b, a})) << a << " " << b;
        }
      }
}

TEST_F(SymbolicBroadcast, JoinsWhatIsInItAlready) {
  Expr both = broadcastExtent(n, m);
  EXPECT_EQ(broadcastExtent(m, n), both);
  EXPECT_EQ(broadcastExtent(both, n), both);
  EXPECT_EQ(broadcastExtent(m, both), both);
  EXPECT_EQ(broadcastExtent(both, both), both);
  EXPECT_EQ(broadcastExtent(both, one), both);
  Expr all = broadcastExtent(both, k);
  EXPECT_EQ(broadcastExtent(n, broadcastExtent(m, k)), all);
  EXPECT_EQ(broadcastExtent(broadcastExtent(k, n), both), all);
  // An extent that never wins is in the minimum only.
  Expr uneven = broadcastExtent(n, n + 1);
  EXPECT_EQ(broadcastExtent(uneven, n), uneven);
  EXPECT_EQ(broadcastExtent(n + 1, uneven), uneven);
}

TEST_F(SymbolicBroadcast, StaysSmall) {
  Expr chain = n;
  for (int i = 0; i < 100; ++i)
    chain = broadcastExtent(chain, i % 2 ? n : m);
  EXPECT_EQ(chain, broadcastExtent(n, m));
  for (int i = 0; i < 100; ++i)
    chain = broadcastExtent(chain, context.symbol("x" + std::to_string(i)));
  EXPECT_FALSE(isTooLarge(chain));
  EXPECT_LT(chain.str().size(), 2000u);
  // What takes an extent apart and puts it back ends, too.
  Expr hidden = n;
  for (int i = 0; i < 100; ++i)
    hidden = broadcastExtent(hidden + 1, m) * k;
  EXPECT_TRUE(isTooLarge(hidden));
}

TEST_F(SymbolicBroadcast, SimplifiesToTheLargestOfWhatIsNotEmpty) {
  Facts facts;
  facts.set("n", {.lo = 1});
  facts.set("m", {.lo = 1});
  EXPECT_EQ(simplify(broadcastExtent(n, m), facts), context.max(n, m));
}

TEST_F(SymbolicBroadcast, FactsImplyFurtherOnes) {
  Facts facts;
  facts.add(Constraint::broadcast(n, m));
  Expr both = broadcastExtent(n, m);
  EXPECT_EQ(prove(Constraint::broadcast(both, n), facts), Proof::Proved);
  EXPECT_EQ(prove(Constraint::broadcast(both, n), {}), Proof::Unknown);
  EXPECT_EQ(prove(Constraint::broadcast(both, k), facts), Proof::Unknown);
  facts.add(Constraint::broadcast(both, k));
  EXPECT_EQ(prove(Constraint::broadcast(broadcastExtent(both, k), m), facts), Proof::Proved);
  EXPECT_EQ(prove(Constraint::broadcast(broadcastExtent(both, k), n), facts), Proof::Proved);
  // One that isn't 1 is the result.
  facts.set("n", {.lo = 2});
  EXPECT_EQ(proveEqual(both, n, facts), Proof::Proved);
  EXPECT_EQ(proveLessEqual(m, n, facts), Proof::Proved);
  EXPECT_EQ(proveLess(n, m, facts), Proof::Refuted);
  EXPECT_EQ(proveEqual(both, m, facts), Proof::Unknown);
  // A case that other facts rule out has no say.
  facts.set("m", {.lo = 2});
  EXPECT_EQ(proveEqual(n, m, facts), Proof::Proved);
  Facts others;
  others.set("k", {.lo = 4, .hi = 37});
  others.add(Constraint::broadcast(k, context.constant(7)));
  EXPECT_EQ(proveEqual(k, context.constant(7), others), Proof::Proved);
  others.add(Constraint::broadcast(n, m));
  others.addLessEqual(n + 2, m);
  others.addLessEqual(context.constant(2), n + m);
  EXPECT_EQ(proveEqual(n, one, others), Proof::Proved);
  EXPECT_EQ(proveEqual(broadcastExtent(n, m), m, others), Proof::Proved);
}

} // namespace
