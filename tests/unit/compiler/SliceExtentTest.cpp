//===- SliceExtentTest.cpp - slices against Python's rule, for all small numbers --------------===//

#include "compiler/dialect/SliceExtent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <tuple>

using namespace relax;

namespace {

struct Expected {
  int64_t start, length;
};

/// slice(start, end, step).indices(dim), as CPython's PySlice_AdjustIndices.
Expected python(int64_t dim, int64_t start, int64_t end, int64_t step) {
  int64_t low = step < 0 ? -1 : 0, high = step < 0 ? dim - 1 : dim;
  auto adjust = [&](int64_t v) { return std::clamp(v < 0 ? v + dim : v, low, high); };
  start = adjust(start);
  end = adjust(end);
  int64_t length = step < 0 ? (end < start ? (start - end - 1) / -step + 1 : 0)
                            : (start < end ? (end - start - 1) / step + 1 : 0);
  return {start, length};
}

class SliceExtentTest : public ::testing::Test {
protected:
  /// Compares for every dimension of [least, 6] and many bounds, where some of the three numbers
  /// are symbols of the names given, and of the others the value is known.
  void compare(bool symbolicDim, bool symbolicBounds, const symbolic::Facts &facts, int64_t least) {
    for (int64_t step : {-3, -1, 1, 2})
      for (int64_t dim = least; dim <= 6; ++dim)
        for (int64_t start = -8; start <= 8; ++start)
          for (int64_t end = -8; end <= 8; ++end) {
            auto value = [&](const char *name, int64_t v, bool isSymbol) {
              return isSymbol ? context.symbol(name) : context.constant(v);
            };
            ir::SliceExtent found =
                ir::sliceExtent(value("d", dim, symbolicDim), value("s", start, symbolicBounds),
                                value("e", end, symbolicBounds), step, facts);
            std::map<std::string, int64_t> values = {{"d", dim}, {"s", start}, {"e", end}};
            Expected expected = python(dim, start, end, step);
            ASSERT_EQ(symbolic::evaluate(found.length, values), expected.length)
                << found.length.str() << " for [" << start << ":" << end << ":" << step << "] of "
                << dim;
            if (expected.length > 0) {
              ASSERT_EQ(symbolic::evaluate(found.start, values), expected.start)
                  << found.start.str() << " for [" << start << ":" << end << ":" << step << "] of "
                  << dim;
            }
          }
  }

  /// The same question has the same answer.
  ir::SliceExtent extent(symbolic::Expr dim, symbolic::Expr start, symbolic::Expr end, int64_t step,
                         const symbolic::Facts &facts) {
    auto [it, isNew] = known.try_emplace({dim, start, end, step});
    if (isNew)
      it->second = ir::sliceExtent(dim, start, end, step, facts);
    return it->second;
  }

  symbolic::Context context;
  std::map<std::tuple<symbolic::Expr, symbolic::Expr, symbolic::Expr, int64_t>, ir::SliceExtent>
      known;
};

TEST_F(SliceExtentTest, OfNumbers) { compare(false, false, {}, 0); }

TEST_F(SliceExtentTest, OfADimensionThatIsASymbol) {
  symbolic::Facts facts;
  facts.set("d", {0});
  compare(true, false, facts, 0);
  known.clear();
  facts.set("d", {3});
  compare(true, false, facts, 3);
}

TEST_F(SliceExtentTest, OfBoundsThatAreSymbols) {
  symbolic::Facts facts;
  compare(false, true, facts, 0);
  known.clear();
  facts.set("d", {0});
  compare(true, true, facts, 0);
}

TEST_F(SliceExtentTest, TheEndsOfInt64AreTheEndsOfTheDimension) {
  symbolic::Facts facts;
  facts.set("n", {0});
  symbolic::Expr n = context.symbol("n");
  auto constant = [&](int64_t v) { return context.constant(v); };
  using ir::sliceToBegin, ir::sliceToEnd;
  EXPECT_EQ(ir::sliceExtent(n, constant(0), constant(sliceToEnd), 1, facts).length, n);
  EXPECT_EQ(ir::sliceExtent(n, constant(-1), constant(sliceToBegin), -1, facts).length, n);
  EXPECT_EQ(ir::sliceExtent(n, constant(sliceToEnd), constant(sliceToBegin), -1, facts).length, n);
  EXPECT_EQ(ir::sliceExtent(n, constant(sliceToBegin), constant(sliceToEnd), 1, facts).length, n);
  EXPECT_EQ(ir::sliceExtent(n, constant(sliceToBegin), constant(INT64_MIN), -1, facts).length,
            constant(0));
  EXPECT_EQ(ir::sliceExtent(n, constant(sliceToEnd), constant(sliceToEnd), 1, facts).length,
            constant(0));
}

TEST_F(SliceExtentTest, KeepsExpressionsShort) {
  symbolic::Facts facts;
  facts.set("n", {0});
  symbolic::Expr n = context.symbol("n");
  auto length = [&](int64_t start, int64_t end, int64_t step) {
    return ir::sliceExtent(n, context.constant(start), context.constant(end), step, facts).length;
  };
  EXPECT_EQ(length(1, ir::sliceToEnd, 1).str(), "max(n - 1, 0)");
  EXPECT_EQ(length(0, -1, 1).str(), "max(n - 1, 0)");
  EXPECT_EQ(length(-4, ir::sliceToEnd, 1).str(), "min(n, 4)");
  EXPECT_EQ(length(0, 10, 1).str(), "min(n, 10)");
  EXPECT_EQ(length(0, ir::sliceToEnd, 2).str(), "ceildiv(n, 2)");
}

} // namespace
