//===- SymbolicWorlds.h - random facts and questions ------------------------------------------===//
//
// Ranges, relations between symbols, and pairs of trees that have something to do with each other,
// so that a fair share of the questions about them has an answer. Everything is a function of the
// seed.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Facts.h"
#include "tests/property/SymbolicTrees.h"

#include <utility>

namespace relax::testing {

inline symbolic::SymbolRange randomRange(Random &random) {
  static const int64_t divisors[] = {1, 1, 1, 2, 4, 8, 16, 3};
  symbolic::SymbolRange range;
  if (!random.oneIn(4))
    range.lo = random.range(-3, 5) * (random.oneIn(4) ? 7 : 1);
  if (random.oneIn(2))
    range.hi = (range.lo == INT64_MIN ? 0 : range.lo) + random.range(0, 40);
  range.divisor = divisors[random.range(0, 7)];
  return range;
}

/// Two trees, of which one is often made from the other.
inline std::pair<Tree, Tree> relatedTrees(Random &random, const TreeStyle &style) {
  Tree a = randomTree(random, style, static_cast<int>(random.range(1, style.depth)));
  Tree b = a;
  switch (random.range(0, 5)) {
  case 0: // mod(a, c) written out
  {
    Tree divisor = constantTree(random.range(1, 9));
    Tree quotient{Tree::FloorDiv, 0, {}, {a, divisor}};
    b = {Tree::Sub, 0, {}, {a, {Tree::Mul, 0, {}, {quotient, divisor}}}};
    a = {Tree::Mod, 0, {}, {a, divisor}};
    break;
  }
  case 1: // rounding to a multiple
  {
    Tree divisor = constantTree(random.range(1, 16));
    auto operation = random.oneIn(2) ? Tree::FloorDiv : Tree::CeilDiv;
    b = {Tree::Mul, 0, {}, {{operation, 0, {}, {a, divisor}}, divisor}};
    break;
  }
  case 2:
    b = {random.oneIn(2) ? Tree::Min : Tree::Max, 0, {}, {a, randomTree(random, style, 2)}};
    break;
  case 3:
    b = {Tree::Mul,
         0,
         {},
         {a, style.linear ? constantTree(random.range(-2, 9)) : randomTree(random, style, 1)}};
    break;
  default:
    b = randomTree(random, style, static_cast<int>(random.range(1, style.depth)));
  }
  if (random.oneIn(2))
    b = {Tree::Add, 0, {}, {b, constantTree(random.range(-3, 16))}};
  if (random.oneIn(2))
    std::swap(a, b);
  return {a, b};
}

/// A relation as it was written.
struct TreeRelation {
  symbolic::Constraint::Kind kind;
  Tree a, b;

  [[nodiscard]] symbolic::Constraint build(symbolic::Context &context) const {
    return {kind, a.build(context), b.build(context)};
  }
  /// Whether it holds; none where a side has no value, or one that isn't known.
  [[nodiscard]] std::optional<bool> holds(const Values &values) const {
    Outcome x = a.evaluate(values), y = b.evaluate(values);
    if (x.kind != Outcome::Value || y.kind != Outcome::Value)
      return std::nullopt;
    switch (kind) {
    case symbolic::Constraint::Kind::Equal:
      return x.value == y.value;
    case symbolic::Constraint::Kind::LessEqual:
      return x.value <= y.value;
    case symbolic::Constraint::Kind::Less:
      return x.value < y.value;
    case symbolic::Constraint::Kind::Divides:
      return x.value >= 1 && y.value % x.value == 0;
    case symbolic::Constraint::Kind::Broadcast:
      return x.value == y.value || x.value == 1 || y.value == 1;
    }
    return std::nullopt;
  }
};

/// A fact of the kinds that guards give: a <= b + 3, c == a * b, 4 divides a + b, a broadcasts with
/// b.
inline TreeRelation randomRelation(Random &random, const TreeStyle &style) {
  using enum symbolic::Constraint::Kind;
  auto symbol = [&] { return randomSymbol(random, style); };
  auto small = [&] { return randomTree(random, style, static_cast<int>(random.range(0, 2))); };
  switch (random.range(0, 4)) {
  case 0:
    return {Equal, symbol(), small()};
  case 3:
    return {Broadcast, symbol(), small()};
  case 1:
    return {random.oneIn(2) ? Less : LessEqual, small(), small()};
  case 2:
    return {Divides, constantTree(random.range(2, 16)), {Tree::Add, 0, {}, {symbol(), small()}}};
  default:
    return {LessEqual, symbol(), {Tree::Add, 0, {}, {symbol(), constantTree(random.range(-2, 9))}}};
  }
}

} // namespace relax::testing
