//===- SymbolicTrees.h - random expressions and a naive evaluator
//-------------------------------===//
//
// A Tree is an expression as somebody wrote it: nothing is folded, sorted or merged. It can be
// built through symbolic::Context, and evaluated naively with 128-bit numbers, so that the two can
// be compared. Everything is a function of the seed.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"

#include <cstdint>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace relax::testing {

using Values = std::map<std::string, int64_t>;
using Wide = __int128;

class Random {
public:
  explicit Random(uint64_t seed) : engine(seed) {}
  /// In [lo, hi].
  int64_t range(int64_t lo, int64_t hi) {
    return lo + static_cast<int64_t>(engine() % static_cast<uint64_t>(hi - lo + 1));
  }
  bool oneIn(int64_t n) { return range(1, n) == 1; }
  /// Near zero, near a power of two, or near an end of int64.
  int64_t anyInteger() {
    switch (range(0, 5)) {
    case 0:
      return INT64_MAX - range(0, 3);
    case 1:
      return INT64_MIN + range(0, 3);
    case 2:
      return (int64_t(1) << range(0, 62)) * (oneIn(2) ? 1 : -1);
    default:
      return range(-20, 20);
    }
  }

private:
  std::mt19937_64 engine;
};

/// What the naive evaluator found.
struct Outcome {
  enum { Value, NoValue, TooLarge } kind; ///< TooLarge: left 126 bits on the way; not known.
  Wide value = 0;
};

struct Tree {
  enum Operation { Constant, Symbol, Add, Sub, Mul, FloorDiv, CeilDiv, Mod, Min, Max };
  Operation operation = Constant;
  int64_t value = 0;
  std::string name;
  std::vector<Tree> children;

  [[nodiscard]] symbolic::Expr build(symbolic::Context &context) const {
    if (operation == Constant)
      return context.constant(value);
    if (operation == Symbol)
      return context.symbol(name);
    symbolic::Expr a = children[0].build(context), b = children[1].build(context);
    switch (operation) {
    case Add:
      return context.add(a, b);
    case Sub:
      return context.sub(a, b);
    case Mul:
      return context.mul(a, b);
    case FloorDiv:
      return context.floorDiv(a, b);
    case CeilDiv:
      return context.ceilDiv(a, b);
    case Mod:
      return context.mod(a, b);
    case Min:
      return context.min(a, b);
    default:
      return context.max(a, b);
    }
  }

  [[nodiscard]] Outcome evaluate(const Values &values) const {
    if (operation == Constant)
      return {Outcome::Value, value};
    if (operation == Symbol)
      return {Outcome::Value, values.at(name)};
    Outcome a = children[0].evaluate(values), b = children[1].evaluate(values);
    // TooLarge first: behind it, nothing is known.
    if (a.kind == Outcome::TooLarge || b.kind == Outcome::TooLarge)
      return {Outcome::TooLarge};
    if (a.kind == Outcome::NoValue || b.kind == Outcome::NoValue)
      return {Outcome::NoValue};
    return apply(a.value, b.value);
  }

private:
  [[nodiscard]] Outcome apply(Wide a, Wide b) const {
    const Wide limit = Wide(1) << 126;
    auto magnitude = [](Wide x) { return x < 0 ? -x : x; };
    Wide result = 0;
    switch (operation) {
    case Add:
      result = a + b; // |a|, |b| < 2^126
      break;
    case Sub:
      result = a - b;
      break;
    case Mul:
      if (a != 0 && magnitude(b) >= limit / magnitude(a))
        return {Outcome::TooLarge};
      result = a * b;
      break;
    case Min:
      result = a < b ? a : b;
      break;
    case Max:
      result = a < b ? b : a;
      break;
    default: {
      if (b <= 0)
        return {Outcome::NoValue};
      Wide remainder = (a % b + b) % b;
      Wide floor = (a - remainder) / b;
      result = operation == Mod        ? remainder
               : operation == FloorDiv ? floor
                                       : floor + (remainder != 0);
    }
    }
    if (magnitude(result) >= limit)
      return {Outcome::TooLarge};
    return {Outcome::Value, result};
  }
};

/// How random trees look.
struct TreeStyle {
  int depth = 4;
  bool extremeConstants = false;
  std::vector<std::string> symbols = {"a", "b", "c"};
  /// Divisors are mostly positive constants.
  bool tameDivisors = true;
  /// Products only with constants, and only positive constants as divisors.
  bool linear = false;
};

inline Tree constantTree(int64_t value) { return {Tree::Constant, value, {}, {}}; }

inline Tree randomSymbol(Random &random, const TreeStyle &style) {
  size_t index = static_cast<size_t>(random.range(0, int64_t(style.symbols.size()) - 1));
  return {Tree::Symbol, 0, style.symbols[index], {}};
}

inline Tree randomTree(Random &random, const TreeStyle &style, int depth) {
  if (depth == 0 || random.oneIn(6)) {
    if (random.oneIn(3))
      return constantTree(style.extremeConstants ? random.anyInteger() : random.range(-6, 12));
    return randomSymbol(random, style);
  }
  Tree tree;
  tree.operation = static_cast<Tree::Operation>(random.range(Tree::Add, Tree::Max));
  tree.children.push_back(randomTree(random, style, depth - 1));
  bool isDivision = tree.operation >= Tree::FloorDiv && tree.operation <= Tree::Mod;
  bool isProduct = tree.operation == Tree::Mul;
  if (isDivision && (style.linear || (style.tameDivisors && !random.oneIn(5))))
    tree.children.push_back(constantTree(
        style.extremeConstants && random.oneIn(4) ? random.anyInteger() : random.range(1, 16)));
  else if (isProduct && (style.linear || !random.oneIn(3)))
    tree.children.push_back(constantTree(random.range(-8, 16)));
  else
    tree.children.push_back(randomTree(random, style, depth - 1));
  return tree;
}

} // namespace relax::testing
