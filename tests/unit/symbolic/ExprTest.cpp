//===- ExprTest.cpp - normal form, evaluation and substitution
//----------------------------------===//

#include "compiler/symbolic/Expr.h"

#include <gtest/gtest.h>
#include <thread>
#include <vector>

using namespace relax::symbolic;

namespace {

class SymbolicExpr : public ::testing::Test {
protected:
  Context context;

  Expr parse(const std::string &text) {
    std::string error;
    Expr expr = context.parse(text, &error);
    EXPECT_TRUE(expr) << text << ": " << error;
    return expr ? expr : context.constant(-999);
  }
  std::string canonical(const std::string &text) { return parse(text).str(); }
  std::optional<int64_t> value(const std::string &text,
                               const std::map<std::string, int64_t> &values = {}) {
    return evaluate(parse(text), values);
  }
};

TEST_F(SymbolicExpr, EqualFormsAreOneObject) {
  Expr n = context.symbol("n"), m = context.symbol("m");
  EXPECT_EQ((n + 1) * 2, n + 2 + n);
  EXPECT_EQ((n + m) * (n - m), n * n - m * m);
  EXPECT_NE(n, m);
  EXPECT_EQ(n - n, context.constant(0));
  EXPECT_FALSE(Expr());
  EXPECT_EQ(std::hash<Expr>()(n + m), std::hash<Expr>()(m + n));
}

TEST_F(SymbolicExpr, SumsAreSortedAndMerged) {
  EXPECT_EQ(canonical("1 + n * 2"), "2 * n + 1");
  EXPECT_EQ(canonical("m - n"), "m - n");
  EXPECT_EQ(canonical("-n"), "-n");
  EXPECT_EQ(canonical("-n + m"), "m - n");
  EXPECT_EQ(canonical("3 - 2 * (n - m)"), "2 * m - 2 * n + 3");
  EXPECT_EQ(canonical("n * 0 + 7"), "7");
  EXPECT_EQ(canonical("(n + 1) * (n + 1)"), "2 * n + n * n + 1");
}

TEST_F(SymbolicExpr, OperandsAreWhatTheHeaderSays) {
  Expr sum = parse("1 + 2 * n * m + k");
  ASSERT_EQ(sum.kind(), Kind::Add);
  ASSERT_EQ(sum.operands().size(), 3u);
  EXPECT_TRUE(sum.operands().back().isConstant(1));
  Expr product = sum.operands()[1];
  ASSERT_EQ(product.kind(), Kind::Mul);
  EXPECT_TRUE(product.operands()[0].isConstant(2));
  EXPECT_EQ(product.operands()[1].symbolName(), "m");
  std::set<std::string> names;
  sum.collectSymbols(names);
  EXPECT_EQ(names, (std::set<std::string>{"k", "m", "n"}));
  EXPECT_TRUE(sum.usesSymbol("k"));
  EXPECT_FALSE(sum.usesSymbol("q"));
}

TEST_F(SymbolicExpr, DivisionsRoundAsStated) {
  EXPECT_EQ(canonical("ceildiv(24, 10)"), "3");
  EXPECT_EQ(canonical("floordiv(24, 10)"), "2");
  EXPECT_EQ(canonical("floordiv(-1, 16)"), "-1");
  EXPECT_EQ(canonical("ceildiv(-1, 16)"), "0");
  EXPECT_EQ(canonical("ceildiv(-17, 16)"), "-1");
  EXPECT_EQ(canonical("mod(-1, 16)"), "15");
  EXPECT_EQ(canonical("floordiv(-9223372036854775808, 3)"), "-3074457345618258603");
  EXPECT_EQ(canonical("mod(-9223372036854775808, 3)"), "1");
  EXPECT_EQ(canonical("ceildiv(9223372036854775807, 9223372036854775807)"), "1");
  EXPECT_EQ(canonical("ceildiv(9223372036854775807, 2)"), "4611686018427387904");
}

TEST_F(SymbolicExpr, DivisionsByConstantsAreBroughtDown) {
  EXPECT_EQ(canonical("floordiv(32 * n + 5, 16)"), "2 * n");
  EXPECT_EQ(canonical("floordiv(n + 15, 16)"), "ceildiv(n, 16)");
  EXPECT_EQ(canonical("floordiv(2 * n + 1, 16)"), "floordiv(n, 8)");
  EXPECT_EQ(canonical("floordiv(floordiv(n, 4), 8)"), "floordiv(n, 32)");
  EXPECT_EQ(canonical("ceildiv(ceildiv(n, 4), 8)"), "ceildiv(n, 32)");
  EXPECT_EQ(canonical("floordiv(16 * m + n, 64)"),
            canonical("floordiv(floordiv(16 * m + n, 16), 4)"));
  EXPECT_EQ(canonical("floordiv(-n, 16)"), "-ceildiv(n, 16)");
  EXPECT_EQ(canonical("mod(mod(n, 32), 16)"), "mod(n, 16)");
  EXPECT_EQ(canonical("mod(n + 32 * m, 16)"), "mod(n, 16)");
  EXPECT_EQ(canonical("mod(6 * n, 16)"), "2 * mod(3 * n, 8)");
  EXPECT_EQ(canonical("floordiv(mod(n, 16), 16)"), "0");
  EXPECT_EQ(canonical("mod(mod(n, 8), 16)"), "mod(n, 8)");
  EXPECT_EQ(canonical("floordiv(4 * n + mod(m, 4), 8)"), "floordiv(n, 2)");
}

TEST_F(SymbolicExpr, DivisionsThatLookAlikeStayApart) {
  EXPECT_NE(parse("mod(floordiv(mod(i, 20), 2) * 2, 4)"), parse("mod(i, 4)"));
  EXPECT_EQ(value("mod(floordiv(mod(i, 20), 2) * 2, 4)", {{"i", 3}}), 2);
  EXPECT_NE(parse("floordiv(n, 2) * 2"), parse("n"));
  EXPECT_NE(parse("mod(mod(n, 20), 16)"), parse("mod(n, 16)"));
  EXPECT_NE(parse("floordiv(ceildiv(n, 4), 8)"), parse("floordiv(n, 32)"));
  EXPECT_NE(parse("floordiv(n, m) * m"), parse("n"));
  EXPECT_NE(parse("floordiv(n + m, 4)"), parse("floordiv(n, 4) + floordiv(m, 4)"));
}

TEST_F(SymbolicExpr, DivisionByNoPositiveNumberIsNeverFolded) {
  for (const char *text : {"floordiv(5, 0)", "ceildiv(5, 0)", "mod(5, 0)", "floordiv(5, -2)",
                           "mod(-5, -2)", "mod(0, 0)", "floordiv(0, -1)"}) {
    EXPECT_EQ(canonical(text), text);
    EXPECT_FALSE(parse(text).isConstant());
    EXPECT_FALSE(value(text)) << text;
    // Not even where the result doesn't matter.
    std::string inner = text;
    EXPECT_FALSE(value("0 * " + inner)) << text;
    EXPECT_FALSE(value(inner + " - " + inner)) << text;
    EXPECT_FALSE(value("mod(8 * " + inner + ", 4)")) << text;
    EXPECT_FALSE(value("min(0, max(1, " + inner + "))")) << text;
    EXPECT_FALSE(value("floordiv(mod(" + inner + ", 4), 8)")) << text;
  }
  // Nor where a rule leaves a part out because of its range.
  std::map<std::string, int64_t> noDivisor{{"a", 1}, {"b", 0}, {"n", 8}};
  EXPECT_EQ(value("floordiv(4 * n + mod(mod(a, b), 4), 8)", noDivisor), std::nullopt);
  EXPECT_EQ(value("mod(16 * n + 8 * mod(mod(a, b), 2), 8)", noDivisor), std::nullopt);
  EXPECT_EQ(canonical("mod(n, m) - mod(n, m)"), "0 * mod(n, m)");
  EXPECT_EQ(value("0 * mod(n, m)", {{"n", 1}, {"m", 0}}), std::nullopt);
  EXPECT_EQ(value("0 * mod(n, m)", {{"n", 1}, {"m", 2}}), 0);
  EXPECT_EQ(canonical("0 * mod(n, max(m, 1))"), "0");
}

TEST_F(SymbolicExpr, WhatWouldOverflowStaysUnfolded) {
  EXPECT_EQ(canonical("9223372036854775807 + 1"), "1 + 9223372036854775807");
  EXPECT_FALSE(parse("9223372036854775807 + 1").isConstant());
  EXPECT_EQ(value("9223372036854775807 + 1"), std::nullopt);
  EXPECT_EQ(value("(9223372036854775807 + 1) - 2"), INT64_MAX - 1);
  EXPECT_EQ(value("-1 * -9223372036854775808 - 1"), INT64_MAX);
  EXPECT_EQ(value("floordiv(n * 9223372036854775807 * 4, 9223372036854775807)", {{"n", 3}}), 12);
  EXPECT_EQ(value("4611686018427387904 * n * 4", {{"n", 0}}), 0);
}

TEST_F(SymbolicExpr, TheOrderOfASumDoesNotMakeItOverflow) {
  std::map<std::string, int64_t> values{{"a", INT64_MAX}, {"b", INT64_MAX}, {"c", INT64_MAX}};
  EXPECT_EQ(value("a - b + c", values), INT64_MAX);
  EXPECT_EQ(value("(a - b) * a * b * c", values), 0);
  EXPECT_EQ(value("floordiv(a * b * c, a * b)", values), INT64_MAX);
  EXPECT_EQ(value("ceildiv(-a * b * c - 1, a * b)", values), -INT64_MAX);
  EXPECT_EQ(value("mod(a * b + 5, a)", values), 5);
  EXPECT_EQ(value("a + b", values), std::nullopt);
  EXPECT_EQ(value("a + z", values), std::nullopt) << "z has no value";
}

TEST_F(SymbolicExpr, SumsThatWouldGrowTooLargeAreNotMultipliedOut) {
  std::string sum = "(a + b + c + d + e + f + g + h + i)";
  Expr square = parse(sum + " * " + sum);
  EXPECT_EQ(square.kind(), Kind::Mul);
  EXPECT_EQ(context.parse(square.str()), square);
  Expr power = context.symbol("x");
  for (int i = 0; i < 40; ++i)
    power = power * power; // x to the 2^40
  EXPECT_EQ(evaluate(power, {{"x", 1}}), 1);
}

TEST_F(SymbolicExpr, MinAndMax) {
  EXPECT_EQ(canonical("min(n, min(m, 3), 5)"), "min(m, n, 3)");
  EXPECT_EQ(canonical("max(n, n)"), "n");
  EXPECT_EQ(canonical("min(n, n + 1)"), "n");
  EXPECT_EQ(canonical("max(n - 1, n + 1, m)"), "max(m, n + 1)");
  EXPECT_EQ(canonical("min(mod(n, 4), 3)"), "mod(n, 4)");
  EXPECT_EQ(value("min(a, b, -3)", {{"a", 4}, {"b", -9}}), -9);
  EXPECT_EQ(value("max(a, b, -3)", {{"a", -4}, {"b", -9}}), -3);
}

TEST_F(SymbolicExpr, SubstitutionReplacesAllAtOnce) {
  Expr n = context.symbol("n"), m = context.symbol("m");
  EXPECT_EQ(substitute(parse("n + 2 * m"), {{"n", m}, {"m", n}}), parse("m + 2 * n"));
  EXPECT_EQ(substitute(parse("floordiv(n, 16)"), {{"n", parse("16 * k")}}), context.symbol("k"));
  EXPECT_EQ(substitute(parse("floordiv(n, m)"), {{"m", context.constant(0)}}).str(),
            "floordiv(n, 0)");
  EXPECT_EQ(substitute(n, {}), n);
}

TEST_F(SymbolicExpr, ImportKeepsTheForm) {
  Context other;
  Expr expr = parse("ceildiv(n + 3 * m, 16) - min(n, 4)");
  Expr copy = importInto(other, expr);
  EXPECT_EQ(&copy.getContext(), &other);
  EXPECT_EQ(copy.str(), expr.str());
}

TEST_F(SymbolicExpr, ThreadsShareOneContext) {
  std::vector<std::vector<Expr>> results(4);
  std::vector<std::thread> threads;
  for (auto &result : results)
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        Expr n = context.symbol("n" + std::to_string(i % 50));
        result.push_back(context.floorDiv((n + 1) * (n + i), context.constant(i % 7 + 1)));
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  for (const auto &result : results)
    EXPECT_EQ(result, results[0]);
}

} // namespace
