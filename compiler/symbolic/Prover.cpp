//===- Prover.cpp - expressions under facts ---------------------------------------------------===//

#include "compiler/symbolic/Prover.h"

#include <algorithm>
#include <array>
#include <numeric>

namespace relax::symbolic::detail {

static constexpr int maxSettling = 4;

Expr withoutValueless(Expr expr) {
  std::vector<Term> terms = termsOf(expr);
  size_t removed = std::erase_if(terms, [](const Term &term) { return term.coefficient == 0; });
  return removed ? sumOf(expr.getContext(), terms) : expr;
}

/// term / divisor, both with a monomial or constant; null if that isn't a whole term.
static Expr divideTerm(Context &context, const Term &term, const Term &divisor) {
  if (divisor.coefficient == 0 || divisor.coefficient == -1 ||
      term.coefficient % divisor.coefficient != 0)
    return Expr();
  std::span<const Expr> atoms = atomsOf(term.monomial), remove = atomsOf(divisor.monomial);
  if (!std::includes(atoms.begin(), atoms.end(), remove.begin(), remove.end()))
    return Expr();
  std::vector<Expr> rest;
  std::set_difference(atoms.begin(), atoms.end(), remove.begin(), remove.end(),
                      std::back_inserter(rest));
  Expr quotient = context.constant(term.coefficient / divisor.coefficient);
  for (Expr atom : rest)
    quotient = quotient * atom;
  return quotient;
}

Division divideTerms(Expr dividend, Expr divisor) {
  Context &context = dividend.getContext();
  std::vector<Term> divisorTerms = termsOf(divisor);
  Expr quotient = context.constant(0);
  if (divisorTerms.size() == 1) {
    Expr rest = context.constant(0);
    for (const Term &term : termsOf(dividend)) {
      if (Expr part = divideTerm(context, term, divisorTerms[0]))
        quotient = quotient + part;
      else
        rest = rest + sumOf(context, std::array{term});
    }
    return {quotient, rest};
  }
  // Long division by the first term; a handful of steps is plenty for shapes.
  Expr rest = dividend;
  for (int step = 0; step < 8 && !rest.isConstant(0); ++step) {
    Expr part;
    for (const Term &term : termsOf(rest))
      if (!part)
        part = divideTerm(context, term, divisorTerms[0]);
    if (!part)
      break;
    quotient = quotient + part;
    rest = rest - part * divisor;
  }
  return rest.isConstant(0) ? Division{quotient, rest} : Division{context.constant(0), dividend};
}

Expr Prover::takeSymbol(Expr symbol) {
  const std::string &name = symbol.symbolName();
  if (auto found = rewrites.find(name); found != rewrites.end())
    return takePlainly(found->second);
  const SymbolRange *fact = facts.find(name);
  if (!fact)
    return scratch.symbol(name);
  int64_t divisor = std::max<int64_t>(fact->divisor, 1);
  Bounds range;
  if (fact->lo != INT64_MIN)
    range.lo = static_cast<int64_t>(-floorQuotient(-Wide(fact->lo), divisor));
  if (fact->hi)
    range.hi = static_cast<int64_t>(floorQuotient(*fact->hi, divisor));
  if (range.lo && range.hi && *range.lo > *range.hi)
    return scratch.symbol(name); // Never happens; leave it.
  Expr factor = scratch.constant(divisor);
  if (range.lo && range.lo == range.hi)
    return scratch.constant(*range.lo) * factor;
  std::string part = divisor == 1 ? name : name + "/" + std::to_string(divisor);
  ranges[part] = range;
  return scratch.symbol(part) * factor;
}

Expr Prover::takePlainly(Expr expr) {
  if (auto known = plain.find(expr); known != plain.end())
    return known->second;
  Expr result;
  if (expr.isSymbol()) {
    result = takeSymbol(expr);
  } else if (expr.isConstant()) {
    result = scratch.constant(expr.constantValue());
  } else {
    std::vector<Expr> operands;
    for (Expr operand : expr.operands())
      operands.push_back(takePlainly(operand));
    result = withoutValueless(rebuild(scratch, expr.kind(), operands));
  }
  plain.emplace(expr, result);
  return result;
}

Expr Prover::take(Expr expr) { return expand(takePlainly(expr)); }

Expr Prover::expand(Expr expr) {
  if (expr.operands().empty())
    return expr;
  if (auto known = expanded.find(expr); known != expanded.end())
    return known->second;
  std::vector<Expr> operands;
  for (Expr operand : expr.operands())
    operands.push_back(expand(operand));
  Expr result = withoutValueless(expandOperation(expr.kind(), operands));
  expanded.emplace(expr, result);
  return result;
}

Expr Prover::expandOperation(Kind kind, std::span<const Expr> operands) {
  switch (kind) {
  case Kind::Mod:
    return operands[0] - operands[1] * divide(Kind::FloorDiv, operands[0], operands[1]);
  case Kind::FloorDiv:
  case Kind::CeilDiv:
    return divide(kind, operands[0], operands[1]);
  case Kind::Min:
  case Kind::Max:
    return extreme(kind, operands);
  default:
    return rebuild(scratch, kind, operands);
  }
}

/// Takes multiples of `divisor` out of `dividend` until each coefficient is as near to zero as can
/// be, half the divisor being taken as positive.
static Division reduceTowardsZero(Expr dividend, int64_t divisor) {
  Context &context = dividend.getContext();
  std::vector<Term> multiples, rest;
  for (const Term &term : termsOf(dividend)) {
    Wide quotient = floorQuotient(term.coefficient, divisor);
    Wide remainder = term.coefficient - quotient * divisor;
    if (term.monomial && remainder > divisor - remainder) {
      remainder -= divisor;
      quotient += 1;
    }
    multiples.push_back({static_cast<int64_t>(quotient), term.monomial});
    rest.push_back({static_cast<int64_t>(remainder), term.monomial});
  }
  return {withoutValueless(sumOf(context, multiples)), withoutValueless(sumOf(context, rest))};
}

/// For a divisor of at least 2. Among floordiv(15 * n, 16), n + floordiv(-n, 16) and
/// n - ceildiv(n, 16), which are equal, this makes the last.
Expr Prover::divideByConstant(Kind kind, Expr dividend, Expr divisor) {
  int64_t value = divisor.constantValue();
  if (kind == Kind::CeilDiv)
    dividend = dividend + (value - 1);
  Division division = reduceTowardsZero(dividend, value);
  if (termsOf(division.rest)[0].coefficient >= 0)
    return division.quotient + settledQuotient(division.rest, divisor);
  // floordiv(-n, c) = -floordiv(n + c - 1, c)
  Division negated = reduceTowardsZero(scratch.constant(value - 1) - division.rest, value);
  return division.quotient - negated.quotient - settledQuotient(negated.rest, divisor);
}

/// The context may find another form, with another divisor; that is then expanded in turn.
Expr Prover::settledQuotient(Expr dividend, Expr divisor) {
  Expr quotient = scratch.floorDiv(dividend, divisor);
  bool settled = quotient.operands().empty() ||
                 ((quotient.kind() == Kind::FloorDiv || quotient.kind() == Kind::CeilDiv) &&
                  quotient.rhs() == divisor);
  if (settled || settling >= maxSettling)
    return quotient;
  ++settling;
  Expr result = expand(quotient);
  --settling;
  return result;
}

Expr Prover::divide(Kind kind, Expr dividend, Expr divisor) {
  Expr both[] = {dividend, divisor};
  if (divisor.isConstant() && divisor.constantValue() >= 2)
    return divideByConstant(kind, dividend, divisor);
  if (divisor.isConstant())
    return rebuild(scratch, kind, both);
  auto [quotient, rest] = divideTerms(dividend, divisor);
  both[0] = rest;
  // The divisor is positive, as this has a value.
  return rest.isConstant(0) ? quotient : quotient + rebuild(scratch, kind, both);
}

Expr Prover::extreme(Kind kind, std::span<const Expr> operands) {
  std::vector<Expr> kept(operands.begin(), operands.end());
  for (size_t i = 0; i < kept.size() && kept.size() <= 8;) {
    bool loses = std::any_of(kept.begin(), kept.end(), [&](Expr winner) {
      if (winner == kept[i])
        return false;
      Expr excess = kind == Kind::Min ? kept[i] - winner : winner - kept[i];
      Bounds range = interval(excess);
      return range.lo && *range.lo >= 0;
    });
    if (loses)
      kept.erase(kept.begin() + static_cast<ptrdiff_t>(i));
    else
      ++i;
  }
  // min(2 * n, 4) = 2 * min(n, 2)
  int64_t common = 0;
  for (Expr operand : kept)
    for (const Term &term : termsOf(operand))
      if (term.coefficient != INT64_MIN)
        common = std::gcd(common, term.coefficient);
      else
        return rebuild(scratch, kind, kept);
  if (common < 2)
    return rebuild(scratch, kind, kept);
  for (Expr &operand : kept)
    operand = divideTerms(operand, scratch.constant(common)).quotient;
  return rebuild(scratch, kind, kept) * common;
}

Bounds Prover::interval(Expr expr) {
  if (expr.isConstant())
    return {expr.constantValue(), expr.constantValue()};
  if (expr.isSymbol()) {
    auto found = ranges.find(expr.symbolName());
    return found == ranges.end() ? Bounds{} : found->second;
  }
  if (auto known = intervals.find(expr); known != intervals.end())
    return known->second;
  std::vector<Bounds> operandRanges;
  for (Expr operand : expr.operands())
    operandRanges.push_back(interval(operand));
  Bounds result = rangeOf(expr.kind(), expr.operands(), operandRanges);
  intervals.emplace(expr, result);
  return result;
}

/// A number that divides every value of `expr`; 0 for the constant 0.
int64_t Prover::divisorOf(Expr expr) {
  if (expr.isConstant())
    return expr.constantValue() == INT64_MIN ? 1 : std::abs(expr.constantValue());
  if (expr.isSymbol())
    return 1;
  std::span<const Expr> operands = expr.operands();
  int64_t first = divisorOf(operands[0]);
  switch (expr.kind()) {
  case Kind::Mul:
    for (Expr operand : operands.subspan(1)) {
      int64_t product = 0;
      if (!__builtin_mul_overflow(first, divisorOf(operand), &product))
        first = product;
    }
    return first;
  case Kind::FloorDiv:
  case Kind::CeilDiv: {
    int64_t divisor = operands[1].isConstant() ? operands[1].constantValue() : 0;
    return divisor >= 1 && first % divisor == 0 ? first / divisor : 1;
  }
  default: // Add, Mod, Min, Max: a combination of the operands, or one of them.
    for (Expr operand : operands.subspan(1))
      first = std::gcd(first, divisorOf(operand));
    return first;
  }
}

Proof Prover::isZero(Expr difference) {
  if (difference.isConstant())
    return difference.isConstant(0) ? Proof::Proved : Proof::Refuted;
  // 2 * n + 1 is never 0.
  std::vector<Term> terms = termsOf(difference);
  if (!terms.back().monomial && terms.back().coefficient != INT64_MIN) {
    int64_t common = 0;
    for (const Term &term : terms)
      if (term.monomial)
        common = std::gcd(common, divisorOf(sumOf(scratch, std::array{term})));
    if (common > 1 && terms.back().coefficient % common != 0)
      return Proof::Refuted;
  }
  Bounds range = interval(difference);
  if ((range.lo && *range.lo > 0) || (range.hi && *range.hi < 0))
    return Proof::Refuted;
  return range.lo == 0 && range.hi == 0 ? Proof::Proved : Proof::Unknown;
}

Proof Prover::isNonNegative(Expr difference) {
  Bounds range = interval(difference);
  if (range.lo && *range.lo >= 0)
    return Proof::Proved;
  return range.hi && *range.hi < 0 ? Proof::Refuted : Proof::Unknown;
}

Proof Prover::isMultiple(Expr expr, int64_t divisor) {
  if (divisorOf(expr) % divisor == 0)
    return Proof::Proved;
  Expr remainder = scratch.mod(expr, scratch.constant(divisor));
  return isZero(withoutValueless(remainder));
}

bool Prover::hasLowerBound(Expr expr, int64_t value) {
  std::optional<int64_t> bound = lowerBound(expr, value);
  return bound && *bound >= value;
}

} // namespace relax::symbolic::detail
