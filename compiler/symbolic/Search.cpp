//===- Search.cpp - lower bounds that interval arithmetic alone doesn't find ------------------===//
//
// Interval arithmetic forgets that two terms speak of the same symbol: for n in [0, 100] it finds
// n - 16 * floordiv(n, 16) >= -96. The search replaces one atom at a time by something below it (or
// above it, where its factor is negative) that is written in the terms of its operands:
//
//   floordiv(x, c)   x - c + 1 <= c * floordiv(x, c) <= x
//   ceildiv(x, c)    x <= c * ceildiv(x, c) <= x + c - 1
//   min(x, y)        <= x and <= y; and it is one of them, so a bound that holds for both holds
//   max(x, y)        likewise
//
// Above, 16 * floordiv(n, 16) <= n leaves n - n, and the bound is 0. Each replacement gives a bound
// that holds, so that the best of all is taken; a budget ends the search.
//   The interval of a product is also tried with each symbol measured from its lower bound: for n
//   >= 0
// and m >= 1, n * m - n is n * (1 + m') - n = n * m' >= 0.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Prover.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <unordered_set>

namespace relax::symbolic::detail {

static constexpr int maxDepth = 6;
static constexpr int maxVisits = 48;
/// Nodes of all expressions visited.
static constexpr size_t maxVisitedSize = 6000;

class Search {
public:
  explicit Search(Prover &prover) : prover(prover) {}

  /// A lower bound of `expr`; may stop at `target`.
  std::optional<int64_t> run(Expr expr, int64_t target, int depth = 0);
  [[nodiscard]] size_t work() const { return visitedSize; }

private:
  /// One atom of one term: term = factor * atom.
  struct Occurrence {
    Expr term, factor, atom;
    int factorSign; ///< -1: <= 0; +1: >= 0.
  };

  std::optional<int64_t> shiftedInterval(Expr expr);
  std::vector<Occurrence> occurrences(Expr expr);
  void tryDivision(Expr expr, const Occurrence &occurrence, int depth);
  void tryConstantDivisor(Expr expr, const Occurrence &occurrence, Expr multipleBound, int depth);
  void tryExtreme(Expr expr, const Occurrence &occurrence, int depth);
  void tryCases(Expr expr, Expr atom, int depth);
  /// scale * (the expression being bounded) >= replacement, so look for a bound of that.
  void consider(Expr replacement, int64_t scale, int depth);

  Prover &prover;
  std::unordered_set<Expr> visited;
  int visits = 0;
  size_t visitedSize = 0;

  /// The bound and target of the innermost run.
  std::optional<int64_t> best;
  int64_t target = 0;
  [[nodiscard]] bool done() const {
    return visits >= maxVisits || visitedSize >= maxVisitedSize || (best && *best >= target);
  }
  void improve(std::optional<int64_t> bound) {
    if (bound && (!best || *bound > *best))
      best = bound;
  }
};

std::optional<int64_t> Search::shiftedInterval(Expr expr) {
  std::vector<Term> terms = termsOf(expr);
  bool linear = std::all_of(terms.begin(), terms.end(),
                            [](const Term &term) { return atomsOf(term.monomial).size() < 2; });
  if (linear)
    return std::nullopt;
  std::set<std::string> names;
  expr.collectSymbols(names);
  std::map<std::string, Expr> shifted;
  for (const std::string &name : names) {
    auto found = prover.ranges.find(name);
    if (found == prover.ranges.end())
      continue;
    Bounds range = found->second;
    bool fromAbove = !range.lo;
    if ((fromAbove && !range.hi) || range.lo == 0)
      continue;
    int64_t origin = fromAbove ? *range.hi : *range.lo;
    std::string distance = name + (fromAbove ? "^" : "'");
    Bounds distanceRange{0, std::nullopt};
    if (range.lo && range.hi && fitsInt64(Wide(*range.hi) - *range.lo))
      distanceRange.hi = *range.hi - *range.lo;
    prover.ranges[distance] = distanceRange;
    Expr symbol = prover.scratch.symbol(distance) * (fromAbove ? -1 : 1);
    shifted[name] = symbol + origin;
  }
  return prover.interval(withoutValueless(substitute(expr, shifted))).lo;
}

std::vector<Search::Occurrence> Search::occurrences(Expr expr) {
  std::vector<Occurrence> result;
  for (const Term &term : termsOf(expr)) {
    std::span<const Expr> atoms = atomsOf(term.monomial);
    for (size_t i = 0; i < atoms.size(); ++i) {
      Kind kind = atoms[i].kind();
      bool repeated = i > 0 && atoms[i] == atoms[i - 1];
      if (repeated || kind == Kind::Symbol || kind == Kind::Mod || isUnfolded(atoms[i]))
        continue;
      Expr factor = prover.scratch.constant(term.coefficient);
      for (size_t j = 0; j < atoms.size(); ++j)
        if (j != i)
          factor = factor * atoms[j];
      Bounds range = prover.interval(factor);
      int sign = range.lo && *range.lo >= 0 ? 1 : range.hi && *range.hi <= 0 ? -1 : 0;
      if (sign != 0)
        result.push_back({sumOf(prover.scratch, std::array{term}), factor, atoms[i], sign});
    }
  }
  return result;
}

void Search::consider(Expr replacement, int64_t scale, int depth) {
  if (done())
    return;
  Wide scaledTarget = (Wide(target) - 1) * scale + 1;
  int64_t subTarget = fitsInt64(scaledTarget) ? static_cast<int64_t>(scaledTarget) : INT64_MAX;
  std::optional<int64_t> bound = run(withoutValueless(replacement), subTarget, depth + 1);
  if (bound)
    improve(static_cast<int64_t>(-floorQuotient(-Wide(*bound), scale)));
}

/// For the divisor c and multipleBound <= c * atom (or >=, as the factor's sign demands):
/// s * expr >= s * (expr - term) + (s * factor / c) * multipleBound.
void Search::tryConstantDivisor(Expr expr, const Occurrence &occurrence, Expr multipleBound,
                                int depth) {
  int64_t divisor = occurrence.atom.rhs().constantValue();
  std::vector<Term> factor = termsOf(occurrence.factor);
  if (factor.size() != 1)
    return;
  int64_t scale = divisor / std::gcd(factor[0].coefficient, divisor);
  Wide coefficient = Wide(factor[0].coefficient) * scale / divisor;
  if (!fitsInt64(coefficient))
    return;
  factor[0].coefficient = static_cast<int64_t>(coefficient);
  Expr rest = (expr - occurrence.term) * scale;
  consider(rest + sumOf(prover.scratch, factor) * multipleBound, scale, depth);
}

void Search::tryDivision(Expr expr, const Occurrence &occurrence, int depth) {
  Expr dividend = occurrence.atom.lhs(), divisor = occurrence.atom.rhs();
  bool low = occurrence.factorSign > 0;
  // What divisor * atom is not below (low) or not above.
  Expr multipleBound = dividend;
  if (low && occurrence.atom.kind() == Kind::FloorDiv)
    multipleBound = dividend - divisor + 1;
  if (!low && occurrence.atom.kind() == Kind::CeilDiv)
    multipleBound = dividend + divisor - 1;
  if (divisor.isConstant()) {
    if (divisor.constantValue() >= 1)
      tryConstantDivisor(expr, occurrence, multipleBound, depth);
    return;
  }
  auto [factor, rest] = divideTerms(occurrence.factor, divisor);
  if (rest.isConstant(0)) // The divisor is positive, so that `factor` has the same sign.
    consider(expr - occurrence.term + factor * multipleBound, 1, depth);
  Bounds dividendRange = prover.interval(dividend);
  if (!low && dividendRange.lo && *dividendRange.lo >= 0) // Then atom <= dividend.
    consider(expr - occurrence.term + occurrence.factor * dividend, 1, depth);
}

void Search::tryExtreme(Expr expr, const Occurrence &occurrence, int depth) {
  bool boundsEach = (occurrence.atom.kind() == Kind::Min) == (occurrence.factorSign < 0);
  if (boundsEach)
    for (Expr operand : occurrence.atom.operands())
      consider(expr - occurrence.term + occurrence.factor * operand, 1, depth);
  tryCases(expr, occurrence.atom, depth);
}

/// The atom is one of its operands: what holds with each in its place, holds.
void Search::tryCases(Expr expr, Expr atom, int depth) {
  std::optional<int64_t> least = INT64_MAX;
  for (Expr operand : atom.operands()) {
    if (done())
      return;
    Expr replaced = prover.scratch.constant(0);
    for (const Term &term : termsOf(expr)) {
      Expr product = prover.scratch.constant(term.coefficient);
      for (Expr factor : atomsOf(term.monomial))
        product = product * (factor == atom ? operand : factor);
      replaced = replaced + product;
    }
    std::optional<int64_t> bound = run(withoutValueless(replaced), target, depth + 1);
    if (!bound)
      return;
    least = std::min(*least, *bound);
  }
  improve(least);
}

std::optional<int64_t> Search::run(Expr expr, int64_t newTarget, int depth) {
  std::optional<int64_t> outerBest = best;
  int64_t outerTarget = target;
  best = prover.interval(expr).lo;
  target = newTarget;
  if (!done())
    improve(shiftedInterval(expr));
  ++visits;
  visitedSize += get(expr).size;
  if (!done() && depth < maxDepth && visited.insert(expr).second)
    for (const Occurrence &occurrence : occurrences(expr)) {
      if (done())
        break;
      Kind kind = occurrence.atom.kind();
      if (kind == Kind::Min || kind == Kind::Max)
        tryExtreme(expr, occurrence, depth);
      else
        tryDivision(expr, occurrence, depth);
    }
  std::optional<int64_t> result = best;
  best = outerBest;
  target = outerTarget;
  return result;
}

std::optional<int64_t> Prover::lowerBound(Expr expr, int64_t target) {
  if (!budget.take(get(expr).size * costOfNode))
    return interval(expr).lo;
  Search search(*this);
  std::optional<int64_t> bound = search.run(expr, target);
  budget.take(search.work() * costOfNode);
  return bound;
}

} // namespace relax::symbolic::detail
