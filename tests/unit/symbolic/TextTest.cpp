//===- TextTest.cpp - reading and printing expressions
//-------------------------------------------===//

#include "compiler/symbolic/Expr.h"

#include <gtest/gtest.h>

using namespace relax::symbolic;

namespace {

TEST(SymbolicText, RoundTrip) {
  Context context;
  for (const char *text :
       {"n", "0", "-7", "2 * n + 1", "n - m", "-n", "n + -9223372036854775808 * m",
        "-9223372036854775808", "floordiv(n, 16)", "ceildiv(2 * n + 1, m)", "mod(n, 16)",
        "min(a, b)", "max(a, b, 0)", "(1 + 9223372036854775807) * n", "k.0 + x_1 + _y$2"}) {
    std::string error;
    Expr expr = context.parse(text, &error);
    ASSERT_TRUE(expr) << text << ": " << error;
    EXPECT_EQ(context.parse(expr.str()), expr) << text;
  }
}

TEST(SymbolicText, ReadsAsWritten) {
  Context context;
  Expr n = context.symbol("n"), m = context.symbol("m");
  EXPECT_EQ(context.parse("n+m*2"), n + m * 2);
  EXPECT_EQ(context.parse(" ( n + m ) * 2 "), (n + m) * 2);
  EXPECT_EQ(context.parse("n - m - 1"), n - m - 1);
  EXPECT_EQ(context.parse("- - n"), n);
  EXPECT_EQ(context.parse("-(n - m)"), m - n);
  EXPECT_EQ(context.parse("floordiv(n,\n16)"), context.floorDiv(n, context.constant(16)));
}

TEST(SymbolicText, ErrorsSayWhere) {
  Context context;
  auto errorOf = [&](const std::string &text) {
    std::string error = "(none)";
    EXPECT_FALSE(context.parse(text, &error)) << text;
    return error;
  };
  EXPECT_EQ(errorOf(""),
            "column 1: expected an integer, a symbol, a function or '(', found end of text");
  EXPECT_EQ(errorOf("n +"),
            "column 4: expected an integer, a symbol, a function or '(', found end of text");
  EXPECT_EQ(errorOf("(n"), "column 3: expected ')', found end of text");
  EXPECT_EQ(errorOf("n m"), "column 3: expected '+', '-', '*' or end of text, found 'm'");
  EXPECT_EQ(errorOf("n / 2"), "column 3: expected '+', '-', '*' or end of text, found '/'");
  EXPECT_EQ(errorOf("floordiv n"), "column 10: expected '(' after floordiv, found 'n'");
  EXPECT_EQ(errorOf("mod(n)"), "column 6: mod takes 2 arguments, found 1");
  EXPECT_EQ(errorOf("min(n)"), "column 6: min takes 2 arguments or more, found 1");
  EXPECT_EQ(errorOf("mod(n, 2, 3)"), "column 11: mod takes 2 arguments, found more");
  EXPECT_EQ(errorOf("9223372036854775808"),
            "column 1: expected an integer of 64 bits, found '9223372036854775808'");
  EXPECT_EQ(errorOf("mod(n, 2"), "column 9: expected ',' or ')', found end of text");
  EXPECT_EQ(errorOf("\xff"),
            "column 1: expected an integer, a symbol, a function or '(', found '\xff'");
}

TEST(SymbolicText, HostileTextIsRefusedQuickly) {
  Context context;
  std::string error;
  EXPECT_FALSE(context.parse(std::string(100000, '('), &error));
  EXPECT_EQ(error, "column 201: nested deeper than 200 levels");
  EXPECT_FALSE(context.parse(std::string(100000, '-') + "n", &error));
  EXPECT_EQ(error, "column 201: nested deeper than 200 levels");
  std::string sum = "n0";
  for (int i = 1; i < 10000; ++i)
    sum += " + n" + std::to_string(i);
  EXPECT_FALSE(context.parse(sum, &error));
  EXPECT_NE(error.find("longer than 4096 symbols and operators"), std::string::npos) << error;
  std::string product = "(a0 + b0)";
  for (int i = 1; i < 400; ++i)
    product += " * (a" + std::to_string(i) + " + b" + std::to_string(i) + ")";
  EXPECT_TRUE(context.parse(product, &error)) << error;
}

TEST(SymbolicText, SymbolNames) {
  EXPECT_TRUE(Context::isSymbolName("n"));
  EXPECT_TRUE(Context::isSymbolName("_k.pages$0"));
  EXPECT_FALSE(Context::isSymbolName(""));
  EXPECT_FALSE(Context::isSymbolName("0n"));
  EXPECT_FALSE(Context::isSymbolName("a b"));
  EXPECT_FALSE(Context::isSymbolName("mod"));
  EXPECT_EQ(Expr().str(), "<null>");
}

} // namespace
