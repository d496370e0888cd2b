//===- Prover.h - what proofs, bounds and simplification share; for this folder only ----------===//
//
// A Prover works in a Context of its own, so that nothing it tries stays behind. It assumes that
// all it is given has a value; zero times a partial atom is 0 here.
//
// take() brings an expression over and into a form in which more of it is comparable:
//   symbols      one with a divisor k becomes k * `n/k`, where `n/k` is a symbol that only exists
//                here; one with a single value becomes it. Divisibility is then plain arithmetic.
//   mod          becomes a - b * floordiv(a, b)
//   division     by a symbolic p: floordiv(a * p + b, p) = a + floordiv(b, p)
//   min, max     lose operands that the ranges show to never win
//   equal        a symbol that a relation of the facts equates with an expression becomes it
//
// Questions are answered by interval arithmetic, a search for bounds (Search.cpp), and the Omega
// test (Linear.h), all within one budget.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Node.h"
#include "compiler/symbolic/Omega.h"

#include <unordered_map>

namespace relax::symbolic::detail {

/// Of expressions larger than this (Node::size) nothing is proved, so that time is bounded.
constexpr uint32_t maxProverSize = 4096;

/// What one question may cost; a few milliseconds.
constexpr int64_t questionBudget = 2'000'000;

/// What looking at one node of an expression costs, measured in coefficients.
constexpr size_t costOfNode = 200;

/// prove (Prove.h), paid from `budget`. `depth`: how many facts with cases are split already.
Proof proveWithin(const Constraint &constraint, const Facts &facts, Budget &budget, int depth = 0);

/// expr == 0, or expr >= 0.
struct Condition {
  Expr expr;
  bool isEquality;
};

class Prover {
public:
  /// Of the relations in `facts`, those matter that are connected with `about`. `haveValues`: only
  /// choices count for which the expressions in `about` have values.
  Prover(const Facts &facts, std::initializer_list<Expr> about, Budget &budget, bool haveValues);

  Expr take(Expr expr);
  /// Only the symbols replaced.
  Expr takePlainly(Expr expr);

  /// Interval arithmetic.
  Bounds interval(Expr expr);
  /// Whether nothing can improve interval(expr): a sum of symbols, each once, of which no relation
  /// is known.
  [[nodiscard]] bool isIntervalExact(Expr expr) const;
  /// A number that `expr` is never below, by interval arithmetic and a search (Search.cpp) that
  /// ends as soon as it has `target`. None if none was found.
  std::optional<int64_t> lowerBound(Expr expr, int64_t target = INT64_MAX);
  bool hasLowerBound(Expr expr, int64_t value);

  /// By canonical form and interval arithmetic: is it 0, is it >= 0?
  Proof isZero(Expr difference);
  Proof isNonNegative(Expr difference);
  Proof isMultiple(Expr expr, int64_t divisor);

  /// Whether a choice of symbols satisfies all conditions, by the Omega test. Conditions are of
  /// this context.
  Solutions solve(std::span<const Condition> conditions);
  /// By all means.
  bool isAtLeast(Expr expr, int64_t value);
  bool divides(int64_t divisor, Expr expr);

  Context &context() { return scratch; }
  /// A symbol that nothing else uses.
  Expr freshSymbol();
  /// What the facts say beyond the ranges of symbols.
  [[nodiscard]] const std::vector<Condition> &hypotheses() const { return assumed; }

private:
  void takeRelations(const std::set<std::string> &names);
  bool makeRewrite(const Constraint &fact);
  void assume(const Constraint &fact);
  void assumeDefined(Expr root);
  void narrowRanges(const Condition &condition);
  Expr takeSymbol(Expr symbol);
  Expr expand(Expr expr);
  Expr expandOperation(Kind kind, std::span<const Expr> operands);
  Expr divide(Kind kind, Expr dividend, Expr divisor);
  Expr divideByConstant(Kind kind, Expr dividend, Expr divisor);
  Expr settledQuotient(Expr dividend, Expr divisor);
  Expr extreme(Kind kind, std::span<const Expr> operands);
  int64_t divisorOf(Expr expr);

  const Facts &facts;
  Context scratch;
  Budget &budget;
  std::map<std::string, Expr> rewrites; ///< Symbols that relations give; values not of `scratch`.
  std::vector<Condition> assumed;
  size_t assumedSize = 0; ///< Nodes.
  int freshSymbols = 0;
  std::map<std::string, Bounds> ranges; ///< Of the symbols of `scratch`.
  std::unordered_map<Expr, Expr> plain, expanded;
  std::unordered_map<Expr, Bounds> intervals;
  int settling = 0;
  friend class Search;
};

/// `expr` without terms whose coefficient is 0.
Expr withoutValueless(Expr expr);

/// dividend = quotient * divisor + rest.
struct Division {
  Expr quotient, rest;
};
/// Takes out of `dividend` the terms that are multiples of `divisor`, a single term; or, where the
/// divisor is a sum, all of the dividend, if that is a multiple of it.
Division divideTerms(Expr dividend, Expr divisor);

} // namespace relax::symbolic::detail
