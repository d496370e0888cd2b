//===- ProveTest.cpp - what must be provable, and what must not
//-----------------------------------===//

#include "tests/unit/symbolic/Printing.h"

#include <gtest/gtest.h>

using namespace relax::symbolic;

namespace {

class SymbolicProve : public ::testing::Test {
protected:
  SymbolicProve() {
    facts.set("n", {.lo = 0, .hi = 8192});
    facts.set("m", {.lo = 1});
    facts.set("k", {.lo = 0, .divisor = 16});
    facts.set("p", {.lo = 1, .hi = 64});
    facts.set("five", {.lo = 5, .hi = 5});
  }
  Expr parse(const char *text) {
    std::string error;
    Expr expr = context.parse(text, &error);
    EXPECT_TRUE(expr) << text << ": " << error;
    return expr;
  }
  Proof equal(const char *a, const char *b) { return proveEqual(parse(a), parse(b), facts); }
  Proof lessEqual(const char *a, const char *b) {
    return proveLessEqual(parse(a), parse(b), facts);
  }
  Proof divides(int64_t d, const char *a) { return proveDivides(d, parse(a), facts); }
  std::string simple(const char *text) { return simplify(parse(text), facts).str(); }

  Context context;
  Facts facts;
};

TEST_F(SymbolicProve, Equal) {
  EXPECT_EQ(equal("2 * (x + 1)", "x + x + 2"), Proof::Proved);
  EXPECT_EQ(equal("mod(x, 16)", "x - 16 * floordiv(x, 16)"), Proof::Proved);
  EXPECT_EQ(equal("mod(x, y)", "x - y * floordiv(x, y)"), Proof::Proved);
  EXPECT_EQ(equal("floordiv(x * m, m)", "x"), Proof::Proved);
  EXPECT_EQ(equal("floordiv(x * x + x, x + 1)", "x"), Proof::Proved);
  EXPECT_EQ(equal("16 * floordiv(k, 16)", "k"), Proof::Proved);
  EXPECT_EQ(equal("ceildiv(k + 1, 16)", "floordiv(k, 16) + 1"), Proof::Proved);
  EXPECT_EQ(equal("ceildiv(n, 16)", "floordiv(n + 15, 16)"), Proof::Proved);
  EXPECT_EQ(equal("min(n, n + m)", "n"), Proof::Proved);
  EXPECT_EQ(equal("min(x, y) + max(x, y)", "x + y"), Proof::Proved);
  EXPECT_EQ(equal("five * n", "n + 4 * n"), Proof::Proved);
  EXPECT_EQ(equal("9 * 64 * n", "n * 576"), Proof::Proved);

  EXPECT_EQ(equal("n", "n + 1"), Proof::Refuted);
  EXPECT_EQ(equal("2 * x", "2 * y + 1"), Proof::Refuted);
  EXPECT_EQ(equal("k", "16 * x + 3"), Proof::Refuted);
  EXPECT_EQ(equal("n", "8193"), Proof::Refuted);

  EXPECT_EQ(equal("n", "x"), Proof::Unknown);
  EXPECT_EQ(equal("16 * floordiv(n, 16)", "n"), Proof::Unknown);
  EXPECT_EQ(equal("mod(floordiv(mod(i, 20), 2) * 2, 4)", "mod(i, 4)"), Proof::Unknown);
}

TEST_F(SymbolicProve, LessEqual) {
  EXPECT_EQ(lessEqual("16 * floordiv(x, 16)", "x"), Proof::Proved);
  EXPECT_EQ(lessEqual("x", "16 * ceildiv(x, 16)"), Proof::Proved);
  EXPECT_EQ(lessEqual("16 * ceildiv(x, 16)", "x + 15"), Proof::Proved);
  EXPECT_EQ(lessEqual("ceildiv(n, 16)", "n"), Proof::Proved);
  EXPECT_EQ(lessEqual("floordiv(n, m)", "n"), Proof::Proved);
  EXPECT_EQ(lessEqual("mod(x, 16)", "15"), Proof::Proved);
  EXPECT_EQ(lessEqual("mod(x, m) + 1", "m"), Proof::Proved);
  EXPECT_EQ(lessEqual("n", "n * m"), Proof::Proved);
  EXPECT_EQ(lessEqual("min(x, y)", "x"), Proof::Proved);
  EXPECT_EQ(lessEqual("min(x, y)", "max(x, z)"), Proof::Proved);
  EXPECT_EQ(lessEqual("n + 1", "8193 * m"), Proof::Proved);
  EXPECT_EQ(lessEqual("4 * n * p", "2097152"), Proof::Proved);
  EXPECT_EQ(lessEqual("m * floordiv(x, m)", "x"), Proof::Proved);

  EXPECT_EQ(lessEqual("n + 1", "n"), Proof::Refuted);
  EXPECT_EQ(lessEqual("8193", "n"), Proof::Refuted);
  EXPECT_EQ(lessEqual("m", "mod(x, m)"), Proof::Refuted);

  EXPECT_EQ(lessEqual("n", "x"), Proof::Unknown);
  EXPECT_EQ(lessEqual("x", "x * m"), Proof::Unknown) << "x may be negative";
  EXPECT_EQ(lessEqual("x", "16 * floordiv(x, 16)"), Proof::Unknown);
}

TEST_F(SymbolicProve, Divides) {
  EXPECT_EQ(divides(16, "k"), Proof::Proved);
  EXPECT_EQ(divides(8, "k * n + 24"), Proof::Proved);
  EXPECT_EQ(divides(4, "floordiv(4 * k, 16)"), Proof::Proved);
  EXPECT_EQ(divides(16, "min(k, 32 * x)"), Proof::Proved);
  EXPECT_EQ(divides(16, "16 * ceildiv(x, 16)"), Proof::Proved);
  EXPECT_EQ(divides(1, "x"), Proof::Proved);
  EXPECT_EQ(divides(16, "k + 1"), Proof::Refuted);
  EXPECT_EQ(divides(2, "2 * x + 1"), Proof::Refuted);
  EXPECT_EQ(divides(32, "k"), Proof::Unknown);
  EXPECT_EQ(divides(2, "x"), Proof::Unknown);
  EXPECT_EQ(divides(0, "k"), Proof::Unknown);
  EXPECT_EQ(divides(-2, "k"), Proof::Unknown);
}

TEST_F(SymbolicProve, Bounds) {
  EXPECT_EQ(bounds(parse("2 * n + 1"), facts), (Bounds{1, 16385}));
  EXPECT_EQ(bounds(parse("mod(x, 16)"), facts), (Bounds{0, 15}));
  EXPECT_EQ(bounds(parse("n - 16 * floordiv(n, 16)"), facts), (Bounds{0, 15}));
  EXPECT_EQ(bounds(parse("ceildiv(n, 16)"), facts), (Bounds{0, 512}));
  EXPECT_EQ(bounds(parse("m"), facts), (Bounds{1, std::nullopt}));
  EXPECT_EQ(bounds(parse("x"), facts), (Bounds{}));
  EXPECT_EQ(bounds(parse("floordiv(-n - 5, m)"), facts), (Bounds{-8197, -1}));
  EXPECT_EQ(bounds(parse("ceildiv(n, m)"), facts), (Bounds{0, 8192}));
  EXPECT_EQ(bounds(parse("min(n, 100) * p"), facts), (Bounds{0, 6400}));
  EXPECT_EQ(bounds(parse("n * 9223372036854775807"), facts), (Bounds{0, std::nullopt}));
  EXPECT_EQ(bounds(parse("x * x"), facts), (Bounds{0, std::nullopt}));
}

TEST_F(SymbolicProve, Simplify) {
  EXPECT_EQ(simple("five + n"), "n + 5");
  EXPECT_EQ(simple("five"), "5");
  EXPECT_EQ(simple("16 * floordiv(k, 16)"), "k");
  EXPECT_EQ(simple("ceildiv(k, 16)"), "floordiv(k, 16)");
  EXPECT_EQ(simple("mod(k + n, 16)"), "mod(n, 16)");
  EXPECT_EQ(simple("floordiv(n * m + 3 * m, m)"), "n + 3");
  EXPECT_EQ(simple("min(n, 10000)"), "n");
  EXPECT_EQ(simple("mod(n, 8193)"), "n");
  EXPECT_EQ(simple("floordiv(n, 8193)"), "0");
  EXPECT_EQ(simple("16 * floordiv(x, 16) + mod(x, 16)"), "x");
  EXPECT_EQ(simple("0 * mod(x, m)"), "0");
  // Without a positive divisor nothing may go.
  EXPECT_EQ(simple("0 * mod(n, y)"), "0 * mod(n, y)");
  EXPECT_EQ(simple("floordiv(n * y, y)"), "floordiv(n * y, y)");
  EXPECT_EQ(simple("floordiv(n, 8192)"), "floordiv(n, 8192)");
}

TEST_F(SymbolicProve, ImpossibleFactsDoNotCrash) {
  facts.set("e", {.lo = 5, .hi = 3});
  facts.set("f", {.lo = 1, .hi = 7, .divisor = 16});
  facts.set("g", {.lo = INT64_MAX, .hi = INT64_MIN, .divisor = INT64_MIN});
  facts.set("h", {.lo = INT64_MIN + 1, .hi = INT64_MAX, .divisor = INT64_MAX});
  for (const char *text : {"e * f - g", "floordiv(h, 2) + mod(e, f)", "min(e, f, g, h)"}) {
    (void)bounds(parse(text), facts);
    (void)simplify(parse(text), facts);
    EXPECT_EQ(equal(text, text), Proof::Proved);
  }
}

TEST_F(SymbolicProve, HardQuestionsEndQuickly) {
  std::string text = "0";
  for (int i = 0; i < 30; ++i) {
    std::string x = "x" + std::to_string(i);
    text += " + min(" + x + " * n, floordiv(" + x + " + n, " + std::to_string(i + 3) +
            "), mod(m, p + " + std::to_string(i) + "))";
  }
  // What counts is that it returns at all: without a budget, 3^30 cases.
  EXPECT_EQ(lessEqual(text.c_str(), "n * m"), Proof::Unknown);
  (void)bounds(parse(text.c_str()), facts);
  (void)simplify(parse(text.c_str()), facts);
}

} // namespace
