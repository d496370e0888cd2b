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
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Node.h"

#include <unordered_map>

namespace relax::symbolic::detail {

class Prover {
public:
  explicit Prover(const Facts &facts) : facts(facts) {}

  Expr take(Expr expr);
  /// Only the symbols replaced.
  Expr takePlainly(Expr expr);

  /// Interval arithmetic.
  Bounds interval(Expr expr);
  /// A number that `expr` is never below, by interval arithmetic and a search (Search.cpp) that
  /// ends as soon as it has `target`. None if none was found.
  std::optional<int64_t> lowerBound(Expr expr, int64_t target = INT64_MAX);
  bool isAtLeast(Expr expr, int64_t value);

  Proof isZero(Expr difference);
  /// Is it >= 0?
  Proof isNonNegative(Expr difference);
  Proof isMultiple(Expr expr, int64_t divisor);

  Context &context() { return scratch; }

private:
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
