//===- Simplify.cpp - shorter expressions under facts -----------------------------------------===//
//
// Bottom up, in the context of the expression; the questions go to a Prover. What a rule leaves out
// stays as `0 * it` first, as everywhere; at the end those go whose divisors the facts show
// positive.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Prover.h"

#include <algorithm>
#include <array>

namespace relax::symbolic {
using namespace detail;

namespace {

class Simplifier {
public:
  Simplifier(Expr expr, const Facts &facts)
      : context(expr.getContext()), prover(facts, {expr}, budget, /*haveValues=*/false) {
    if (facts.hasRelations())
      findNames(expr, facts);
  }
  Expr operator()(Expr expr);
  /// Without the `0 * atom` whose atom always has a value.
  Expr withoutDefined(Expr expr);

private:
  void findNames(Expr expr, const Facts &facts);
  Expr simplifyOperation(Kind kind, std::span<const Expr> operands);
  Expr simplifyDivision(Kind kind, Expr dividend, Expr divisor);
  Expr splitDivision(Kind kind, Expr dividend, Expr divisor);
  Expr simplifyExtreme(Kind kind, std::span<const Expr> operands);
  Expr withExactDivisions(const Term &term);
  Expr simplifySum(Expr sum);
  std::optional<int64_t> soleValue(Expr expr);
  bool isPositive(Expr expr) { return prover.isAtLeast(prover.take(expr), 1); }
  bool isDefined(Expr expr);
  bool divides(Expr divisor, Expr expr) {
    return divisor.isConstant() && divisor.constantValue() >= 1 &&
           prover.divides(divisor.constantValue(), prover.take(expr));
  }
  bool isLessEqual(Expr a, Expr b) {
    return prover.isAtLeast(withoutValueless(prover.take(b) - prover.take(a)), 0);
  }

  Context &context;
  Budget budget{questionBudget};
  Prover prover;
  std::unordered_map<Expr, Expr> cache;
  std::unordered_map<Expr, bool> defined;
  /// Expressions that a fact equates with a symbol.
  std::unordered_map<Expr, Expr> nameOf;
};

/// Whether interval arithmetic over the symbols' ranges shows that no step of computing an
/// expression leaves int64, each operation folding its operands in order.
class StepRanges {
public:
  explicit StepRanges(const Facts &facts) : facts(facts) {}
  bool fit(Expr expr) { return fitting(expr).has_value(); }

private:
  std::optional<Bounds> fitting(Expr expr);
  std::optional<Bounds> fold(Expr expr);

  const Facts &facts;
  std::unordered_map<Expr, std::optional<Bounds>> cache;
};

} // namespace

/// The bounds of a value that always fits; none if it may not.
std::optional<Bounds> StepRanges::fitting(Expr expr) {
  if (expr.isConstant())
    return get(expr).range;
  if (expr.isSymbol()) {
    const SymbolRange *range = facts.find(expr.symbolName());
    return range ? Bounds{range->lo, range->hi.value_or(INT64_MAX)} : Bounds{INT64_MIN, INT64_MAX};
  }
  if (auto known = cache.find(expr); known != cache.end())
    return known->second;
  std::optional<Bounds> result = fold(expr);
  cache.emplace(expr, result);
  return result;
}

std::optional<Bounds> StepRanges::fold(Expr expr) {
  std::optional<Bounds> result;
  for (Expr operand : expr.operands()) {
    std::optional<Bounds> next = fitting(operand);
    if (!next)
      return std::nullopt;
    Expr both[] = {expr.lhs(), operand};
    Bounds ranges[] = {result.value_or(*next), *next};
    // Different operands, so that a * a isn't taken for a square: the first is a partial result.
    if (result && expr.kind() == Kind::Mul)
      result = mulBounds(*result, *next);
    else if (result)
      result = rangeOf(expr.kind(), both, ranges);
    else
      result = next;
    if (!result->lo || !result->hi)
      return std::nullopt;
  }
  return result;
}

/// A symbol is the shortest name of what equals it; of two symbols, the first in order is.
void Simplifier::findNames(Expr expr, const Facts &facts) {
  std::set<std::string> names;
  expr.collectSymbols(names);
  for (const Constraint &fact : facts.related(names)) {
    if (fact.kind != Constraint::Kind::Equal)
      continue;
    Expr a = importInto(context, fact.a), b = importInto(context, fact.b);
    if (b.isSymbol() && (!a.isSymbol() || b < a))
      std::swap(a, b);
    if (a.isSymbol() && a != b)
      nameOf.emplace(b, a);
  }
}

static bool isDivision(Kind kind) {
  return kind == Kind::FloorDiv || kind == Kind::CeilDiv || kind == Kind::Mod;
}

bool Simplifier::isDefined(Expr expr) {
  if (!get(expr).partial)
    return true;
  if (auto known = defined.find(expr); known != defined.end())
    return known->second;
  bool result = !isDivision(expr.kind()) || isPositive(expr.rhs());
  for (Expr operand : expr.operands())
    result = result && isDefined(operand);
  defined.emplace(expr, result);
  return result;
}

Expr Simplifier::withoutDefined(Expr expr) {
  std::vector<Term> terms = termsOf(expr);
  size_t removed = std::erase_if(terms, [&](const Term &term) {
    return term.coefficient == 0 && (!term.monomial || isDefined(term.monomial));
  });
  return removed ? sumOf(context, terms) : expr;
}

std::optional<int64_t> Simplifier::soleValue(Expr expr) {
  Bounds range = prover.interval(prover.take(expr));
  Bounds plainRange = prover.interval(prover.takePlainly(expr));
  if (range.lo && range.lo == range.hi)
    return range.lo;
  if (plainRange.lo && plainRange.lo == plainRange.hi)
    return plainRange.lo;
  return std::nullopt;
}

Expr Simplifier::operator()(Expr expr) {
  if (expr.isConstant())
    return expr;
  if (auto known = cache.find(expr); known != cache.end())
    return known->second;
  Expr result;
  if (auto value = soleValue(expr)) {
    result = withoutDefined(valueless(expr)) + *value;
  } else if (expr.isSymbol()) {
    result = expr;
  } else {
    std::vector<Expr> operands;
    for (Expr operand : expr.operands())
      operands.push_back((*this)(operand));
    result = withoutDefined(simplifyOperation(expr.kind(), operands));
  }
  for (Expr form : {expr, result})
    if (auto name = nameOf.find(form); name != nameOf.end())
      result = name->second;
  cache.emplace(expr, result);
  return result;
}

Expr Simplifier::simplifyOperation(Kind kind, std::span<const Expr> operands) {
  switch (kind) {
  case Kind::FloorDiv:
  case Kind::CeilDiv:
  case Kind::Mod:
    return simplifyDivision(kind, operands[0], operands[1]);
  case Kind::Min:
  case Kind::Max:
    return simplifyExtreme(kind, operands);
  default:
    return simplifySum(rebuild(context, kind, operands));
  }
}

Expr Simplifier::simplifyDivision(Kind kind, Expr dividend, Expr divisor) {
  if (!isPositive(divisor)) {
    Expr both[] = {dividend, divisor};
    return rebuild(context, kind, both);
  }
  Expr gone = valueless(dividend) + valueless(divisor);
  bool within = prover.isAtLeast(prover.take(dividend), 0) && isLessEqual(dividend + 1, divisor);
  if (within && kind == Kind::Mod)
    return dividend + valueless(divisor);
  if (within && kind == Kind::FloorDiv)
    return gone;
  if (divides(divisor, dividend)) {
    if (kind == Kind::Mod)
      return gone;
    return context.floorDiv(dividend, divisor);
  }
  return splitDivision(kind, dividend, divisor);
}

/// Takes the multiples of a positive divisor out of the dividend.
Expr Simplifier::splitDivision(Kind kind, Expr dividend, Expr divisor) {
  Expr quotient = context.constant(0), rest = dividend, gone = context.constant(0);
  if (!divisor.isConstant()) {
    Division division = divideTerms(dividend, divisor);
    quotient = division.quotient;
    rest = division.rest;
    gone = valueless(divisor);
  } else if (kind == Kind::Mod) {
    rest = context.constant(0);
    for (const Term &term : termsOf(dividend)) {
      Expr part = sumOf(context, std::array{term});
      bool multiple = divides(divisor, part);
      rest = rest + (multiple ? valueless(part) : part);
    }
  }
  Expr both[] = {rest, divisor};
  if (rest.isConstant(0))
    return kind == Kind::Mod ? gone + valueless(quotient) : quotient + gone;
  Expr remaining = rebuild(context, kind, both);
  return kind == Kind::Mod ? remaining + valueless(quotient) : quotient + remaining;
}

Expr Simplifier::simplifyExtreme(Kind kind, std::span<const Expr> operands) {
  std::vector<Expr> kept(operands.begin(), operands.end());
  Expr gone = context.constant(0);
  for (size_t i = 0; i < kept.size() && kept.size() <= 8;) {
    bool loses = std::any_of(kept.begin(), kept.end(), [&](Expr winner) {
      return winner != kept[i] &&
             (kind == Kind::Min ? isLessEqual(winner, kept[i]) : isLessEqual(kept[i], winner));
    });
    if (!loses) {
      ++i;
      continue;
    }
    gone = gone + valueless(kept[i]);
    kept.erase(kept.begin() + static_cast<ptrdiff_t>(i));
  }
  return rebuild(context, kind, kept) + gone;
}

/// c * floordiv(n, c) is n where c divides n.
Expr Simplifier::withExactDivisions(const Term &term) {
  int64_t coefficient = term.coefficient;
  Expr product = context.constant(1);
  for (Expr atom : atomsOf(term.monomial)) {
    bool exact = atom.kind() == Kind::FloorDiv && divides(atom.rhs(), atom.lhs()) &&
                 coefficient % atom.rhs().constantValue() == 0;
    if (exact)
      coefficient /= atom.rhs().constantValue();
    product = product * (exact ? atom.lhs() : atom);
  }
  return product * coefficient;
}

Expr Simplifier::simplifySum(Expr sum) {
  if (isUnfolded(sum))
    return sum;
  Expr exact = context.constant(0), withoutMods = context.constant(0);
  for (const Term &term : termsOf(sum))
    exact = exact + withExactDivisions(term);
  // n - mod(n, c) + mod(n, c) and c * floordiv(n, c) + mod(n, c) are n.
  for (const Term &term : termsOf(exact)) {
    Expr product = context.constant(term.coefficient);
    for (Expr atom : atomsOf(term.monomial)) {
      bool isMod = atom.kind() == Kind::Mod;
      Expr a = isMod ? atom.lhs() : Expr(), b = isMod ? atom.rhs() : Expr();
      product = product * (isMod ? a - b * context.floorDiv(a, b) : atom);
    }
    withoutMods = withoutMods + product;
  }
  return get(withoutMods).size < get(exact).size ? withoutMods : exact;
}

Expr simplify(Expr expr, const Facts &facts) {
  if (expr.isConstant() || get(expr).size > maxProverSize)
    return expr;
  Expr result = Simplifier(expr, facts)(expr);
  if (result == expr || get(result).size > get(expr).size)
    return expr;
  StepRanges steps(facts);
  return steps.fit(expr) && !steps.fit(result) ? expr : result;
}

} // namespace relax::symbolic
