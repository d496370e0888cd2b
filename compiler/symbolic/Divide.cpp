//===- Divide.cpp - floordiv, ceildiv and mod in normal form ----------------------------------===//
//
// The divisor is a constant c >= 2 in all rules but the last. They hold for all integers, negative
// ones too; n and m are any expressions, k and r constants.
//
//   multiples    floordiv(a * c * n + rest, c) = a * n + floordiv(rest, c); mod drops a * c * n
//   sign         floordiv(-n, c) = -ceildiv(n, c), so the leading coefficient is positive
//   grouping     g divides c, 0 <= r < g:  floordiv(g * n + r, c) = floordiv(n, c / g)
//                                          mod(g * n + r, c) = g * mod(n, c / g) + r
//                r may be any expression that is known to lie in [0, g)
//   nesting      floordiv(floordiv(n, d) + m, c) = floordiv(n + m * d, d * c)
//                floordiv(mod(n, d), c) = mod(floordiv(n, c), d / c) where c divides d
//                mod(a * mod(n, d) + rest, c) = mod(a * n + rest, c) where c divides a * d
//                but floordiv(n, 2) * 2 is not n, and mod(floordiv(n, 2) * 2, 4) is not mod(n, 4)
//   range        floordiv is k if the dividend lies in [k * c, (k + 1) * c), and mod subtracts k *
//   c rounding up  ceildiv(n, c) = floordiv(n + c - 1, c), and is written as the former
//
// A divisor that is no constant is left alone, and so is a constant c <= 0: that division has no
// value. Only the range and sign rules apply to it, and the former only where the divisor must be
// positive, as max(n, 1) must.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

#include <algorithm>
#include <numeric>

namespace relax::symbolic {
using namespace detail;

namespace {

/// A dividend whose multiples of the divisor were taken out.
struct Reduced {
  Expr multiples;          ///< What they give to the quotient.
  std::vector<Term> terms; ///< The rest: coefficients smaller than the divisor, no constant.
  int64_t constant = 0;    ///< Of the rest: 0 <= constant < divisor.
};

/// The rest split for the grouping rule: g * quotient + remainder, 0 <= remainder < g.
struct Grouped {
  int64_t g;
  Expr quotient, remainder;
};

/// What the rules need of the context, and the rules.
class Divider {
public:
  Divider(Context &context, Interner &interner) : context(context), interner(interner) {}

  /// floordiv(dividend + extra, divisor) for a divisor >= 2.
  Expr floorDiv(Expr dividend, Wide extra, int64_t divisor);
  /// mod(dividend, divisor) for a divisor >= 2.
  Expr mod(Expr dividend, int64_t divisor);
  /// A division that no rule for constant divisors applies to.
  Expr general(Kind kind, Expr dividend, Expr divisor);

private:
  Expr sum(const std::vector<Term> &terms, int64_t constant) {
    return sumOf(context, terms) + constant;
  }
  Reduced reduceForQuotient(Expr dividend, Wide extra, int64_t divisor);
  std::optional<Expr> reduceForRemainder(Expr dividend, int64_t divisor, Expr &residue);
  std::optional<Grouped> group(const std::vector<Term> &terms, int64_t constant, int64_t divisor);
  std::optional<Expr> floorDivOfMod(const std::vector<Term> &terms, int64_t constant,
                                    int64_t divisor);
  std::optional<Expr> floorDivNested(const std::vector<Term> &terms, int64_t constant,
                                     int64_t divisor);
  Expr makeQuotient(const std::vector<Term> &terms, int64_t constant, int64_t divisor);

  Context &context;
  Interner &interner;
};

} // namespace

/// Takes the multiples out, rounding each coefficient towards zero.
Reduced Divider::reduceForQuotient(Expr dividend, Wide extra, int64_t divisor) {
  Reduced reduced;
  std::vector<Term> multiples;
  Wide constant = extra;
  for (const Term &term : termsOf(dividend)) {
    if (!term.monomial) {
      constant += term.coefficient;
      continue;
    }
    int64_t rest = term.coefficient % divisor;
    int64_t quotient = term.coefficient / divisor;
    if (quotient != 0 || rest == 0)
      multiples.push_back({quotient, term.monomial});
    if (rest != 0)
      reduced.terms.push_back({rest, term.monomial});
  }
  Wide quotient = floorQuotient(constant, divisor);
  reduced.constant = static_cast<int64_t>(constant - quotient * divisor);
  // Fits: the callers pass an extra below the divisor, which is at least 2.
  multiples.push_back({static_cast<int64_t>(quotient), Expr()});
  reduced.multiples = sumOf(context, multiples);
  return reduced;
}

/// Looks for the largest g that divides the divisor and some coefficients, such that all other
/// terms stay within one multiple of g.
std::optional<Grouped> Divider::group(const std::vector<Term> &terms, int64_t constant,
                                      int64_t divisor) {
  std::set<int64_t, std::greater<>> candidates;
  int64_t common = divisor;
  for (const Term &term : terms) {
    candidates.insert(std::gcd(term.coefficient, divisor));
    common = std::gcd(common, term.coefficient);
  }
  candidates.insert(common);
  for (int64_t g : candidates) {
    if (g < 2)
      break;
    std::vector<Term> multiples, others;
    for (const Term &term : terms) {
      if (term.coefficient % g == 0)
        multiples.push_back({term.coefficient / g, term.monomial});
      else
        others.push_back(term);
    }
    Expr remainder = sum(others, constant);
    auto quotient = commonQuotient(get(remainder).range, g);
    if (!quotient || !fitsInt64(-Wide(*quotient) * g))
      continue;
    return Grouped{g, sum(multiples, *quotient), remainder + -*quotient * g};
  }
  return std::nullopt;
}

/// Whether the divisor of the division `atom` is a constant of at least 2.
static bool hasProperDivisor(Expr atom) {
  return atom.rhs().isConstant() && atom.rhs().constantValue() >= 2;
}

/// floordiv(mod(n, d), c) = mod(floordiv(n, c), d / c)
std::optional<Expr> Divider::floorDivOfMod(const std::vector<Term> &terms, int64_t constant,
                                           int64_t divisor) {
  if (terms.size() != 1 || terms[0].coefficient != 1 || constant != 0)
    return std::nullopt;
  Expr inner = terms[0].monomial;
  if (inner.kind() != Kind::Mod || !hasProperDivisor(inner))
    return std::nullopt;
  int64_t innerDivisor = inner.rhs().constantValue();
  if (innerDivisor % divisor != 0 || innerDivisor == divisor)
    return std::nullopt;
  return mod(floorDiv(inner.lhs(), 0, divisor), innerDivisor / divisor);
}

/// floordiv(floordiv(n, d) + s, c) = floordiv(n + s * d, d * c) for whatever s the other terms are.
/// The inner division may also be subtracted or round up; -floordiv(n, d) is ceildiv(-n, d).
std::optional<Expr> Divider::floorDivNested(const std::vector<Term> &terms, int64_t constant,
                                            int64_t divisor) {
  for (size_t i = 0; i < terms.size(); ++i) {
    Expr inner = terms[i].monomial;
    int64_t sign = terms[i].coefficient;
    bool isQuotient = inner.kind() == Kind::FloorDiv || inner.kind() == Kind::CeilDiv;
    if (!isQuotient || !hasProperDivisor(inner) || (sign != 1 && sign != -1))
      continue;
    int64_t innerDivisor = inner.rhs().constantValue();
    Wide product = Wide(innerDivisor) * divisor;
    if (!fitsInt64(product))
      continue;
    std::vector<Term> others = terms;
    others.erase(others.begin() + static_cast<ptrdiff_t>(i));
    bool roundsUp = (inner.kind() == Kind::CeilDiv) == (sign == 1);
    Wide extra = Wide(constant) * innerDivisor + (roundsUp ? innerDivisor - 1 : 0);
    Expr dividend = sum(others, 0) * innerDivisor + inner.lhs() * sign;
    return floorDiv(dividend, extra, static_cast<int64_t>(product));
  }
  return std::nullopt;
}

/// floordiv(terms + constant, divisor) where nothing can be taken out or brought in.
Expr Divider::makeQuotient(const std::vector<Term> &terms, int64_t constant, int64_t divisor) {
  Expr divisorExpr = context.constant(divisor);
  if (constant == divisor - 1)
    return interner.get(Kind::CeilDiv, sum(terms, 0), divisorExpr);
  return interner.get(Kind::FloorDiv, sum(terms, constant), divisorExpr);
}

Expr Divider::floorDiv(Expr dividend, Wide extra, int64_t divisor) {
  if (extra == 0)
    if (auto quotient = commonQuotient(get(dividend).range, divisor))
      return valueless(dividend) + *quotient;

  Reduced reduced = reduceForQuotient(dividend, extra, divisor);
  std::vector<Term> &terms = reduced.terms;
  if (terms.empty())
    return reduced.multiples;
  Expr rest = sum(terms, reduced.constant);
  if (auto quotient = commonQuotient(get(rest).range, divisor))
    return reduced.multiples + *quotient + valueless(rest);
  if (terms[0].coefficient < 0) {
    // floordiv(-n + k, c) = -ceildiv(n - k, c) = -floordiv(n - k + c - 1, c)
    for (Term &term : terms)
      term.coefficient = -term.coefficient;
    Expr positive = floorDiv(sum(terms, divisor - 1 - reduced.constant), 0, divisor);
    return reduced.multiples - positive;
  }
  if (auto grouped = group(terms, reduced.constant, divisor)) {
    int64_t rest = divisor / grouped->g;
    Expr quotient = rest == 1 ? grouped->quotient : floorDiv(grouped->quotient, 0, rest);
    return reduced.multiples + quotient + valueless(grouped->remainder);
  }
  if (auto quotient = floorDivOfMod(terms, reduced.constant, divisor))
    return reduced.multiples + *quotient;
  if (auto nested = floorDivNested(terms, reduced.constant, divisor))
    return reduced.multiples + *nested;
  return reduced.multiples + makeQuotient(terms, reduced.constant, divisor);
}

/// The dividend modulo the divisor, coefficients as near to zero as can be. Its terms that vanish
/// leave `residue`. None if it was reduced already.
std::optional<Expr> Divider::reduceForRemainder(Expr dividend, int64_t divisor, Expr &residue) {
  std::vector<Term> terms;
  bool changed = false;
  Expr unwrapped = context.constant(0);
  for (const Term &term : termsOf(dividend)) {
    Wide rest = term.coefficient - floorQuotient(term.coefficient, divisor) * divisor;
    if (term.monomial && rest > divisor - rest)
      rest -= divisor;
    changed |= rest != term.coefficient;
    int64_t coefficient = static_cast<int64_t>(rest);
    Expr monomial = term.monomial;
    bool isMod = monomial && monomial.kind() == Kind::Mod && hasProperDivisor(monomial);
    if (rest == 0 && monomial) {
      changed = true;
      residue = residue + valueless(monomial);
    } else if (isMod && rest * monomial.rhs().constantValue() % divisor == 0) {
      changed = true;
      unwrapped = unwrapped + monomial.lhs() * coefficient;
    } else {
      terms.push_back({coefficient, monomial});
    }
  }
  if (!changed)
    return std::nullopt;
  return sumOf(context, terms) + unwrapped;
}

Expr Divider::mod(Expr dividend, int64_t divisor) {
  Expr residue = context.constant(0);
  while (true) {
    auto quotient = commonQuotient(get(dividend).range, divisor);
    if (quotient && fitsInt64(-Wide(*quotient) * divisor))
      return dividend + -*quotient * divisor + residue;
    auto reduced = reduceForRemainder(dividend, divisor, residue);
    if (!reduced)
      break;
    dividend = *reduced;
  }
  std::vector<Term> terms = termsOf(dividend);
  int64_t constant = 0;
  if (!terms.back().monomial) {
    constant = terms.back().coefficient;
    terms.pop_back();
  }
  if (auto grouped = group(terms, constant, divisor)) {
    int64_t rest = divisor / grouped->g;
    Expr remainder = rest == 1 ? valueless(grouped->quotient) : mod(grouped->quotient, rest);
    return remainder * grouped->g + grouped->remainder + residue;
  }
  return interner.get(Kind::Mod, dividend, context.constant(divisor)) + residue;
}

/// Whether the first term of `expr` is negative and all of it can be negated.
static bool isNegative(Expr expr) {
  std::vector<Term> terms = termsOf(expr);
  bool negatable = std::all_of(terms.begin(), terms.end(),
                               [](const Term &term) { return term.coefficient != INT64_MIN; });
  return negatable && terms[0].coefficient < 0;
}

Expr Divider::general(Kind kind, Expr dividend, Expr divisor) {
  Bounds dividendRange = get(dividend).range, divisorRange = get(divisor).range;
  bool positive = divisorRange.lo && *divisorRange.lo >= 1;
  if (positive && dividend.isConstant(0))
    return valueless(divisor);
  bool within = positive && dividendRange.lo && *dividendRange.lo >= 0 && dividendRange.hi &&
                *dividendRange.hi < *divisorRange.lo;
  if (within && kind == Kind::Mod)
    return dividend + valueless(divisor);
  if (within && kind == Kind::FloorDiv)
    return valueless(dividend) + valueless(divisor);
  if (kind != Kind::Mod && !divisor.isConstant() && isNegative(dividend)) {
    Kind opposite = kind == Kind::FloorDiv ? Kind::CeilDiv : Kind::FloorDiv;
    return general(opposite, dividend * -1, divisor) * -1;
  }
  return interner.get(kind, dividend, divisor);
}

static bool isProperConstant(Expr divisor) {
  return divisor.isConstant() && divisor.constantValue() >= 1;
}

Expr Context::floorDiv(Expr a, Expr b) {
  if (!isProperConstant(b))
    return Divider(*this, *interner).general(Kind::FloorDiv, a, b);
  if (b.isConstant(1))
    return a;
  return Divider(*this, *interner).floorDiv(a, 0, b.constantValue());
}

Expr Context::ceilDiv(Expr a, Expr b) {
  if (!isProperConstant(b))
    return Divider(*this, *interner).general(Kind::CeilDiv, a, b);
  if (b.isConstant(1))
    return a;
  return Divider(*this, *interner).floorDiv(a, Wide(b.constantValue()) - 1, b.constantValue());
}

Expr Context::mod(Expr a, Expr b) {
  if (!isProperConstant(b))
    return Divider(*this, *interner).general(Kind::Mod, a, b);
  if (b.isConstant(1))
    return valueless(a);
  return Divider(*this, *interner).mod(a, b.constantValue());
}

} // namespace relax::symbolic
