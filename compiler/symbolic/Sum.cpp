//===- Sum.cpp - addition and multiplication in normal form -----------------------------------===//
//
// A sum is a list of terms in the order of their monomials, a constant last. Adding merges two
// lists; multiplying multiplies every pair of terms and merges. A coefficient that becomes 0 takes
// its term away, except that partial atoms (see Node) stay as `0 * atom`, so that the sum keeps
// having no value where the atom has none.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

#include <algorithm>
#include <cassert>

namespace relax::symbolic {
namespace detail {

/// Monomials longer than this are not multiplied.
static constexpr size_t maxDegree = 32;

/// The structural order, but with the constant term behind all others.
static bool termBefore(Expr a, Expr b) {
  if (!a || !b)
    return a && !b;
  return compare(a, b) < 0;
}

std::vector<Term> termsOf(Expr expr) {
  const Node &node = get(expr);
  auto asTerm = [](Expr term) {
    const Node &node = get(term);
    if (node.kind == Kind::Constant)
      return Term{node.value, Expr()};
    return Term{node.coefficient, node.monomial ? node.monomial : term};
  };
  std::vector<Term> terms;
  if (node.kind == Kind::Add && !node.unfolded)
    for (Expr operand : node.operands)
      terms.push_back(asTerm(operand));
  else
    terms.push_back(asTerm(expr));
  return terms;
}

std::span<const Expr> atomsOf(const Expr &monomial) {
  if (!monomial)
    return {};
  const Node &node = get(monomial);
  if (node.kind == Kind::Mul && !node.unfolded)
    return node.operands;
  return {&monomial, 1};
}

/// A sum in the making. Coefficients are wide here, so that only the result has to fit.
class SumBuilder {
public:
  void add(Wide coefficient, Expr monomial) {
    if (coefficient == 0)
      return addValueless(monomial);
    terms.push_back({coefficient, monomial});
  }

  /// The sorted terms, like ones merged; none if a coefficient doesn't fit int64.
  std::optional<std::vector<Term>> finish() {
    merge();
    // Terms that cancelled leave their partial atoms behind.
    std::vector<WideTerm> merged;
    merged.swap(terms);
    for (const WideTerm &term : merged)
      add(term.coefficient, term.monomial);
    merge();
    std::vector<Term> result;
    for (const WideTerm &term : terms) {
      if (!fitsInt64(term.coefficient))
        return std::nullopt;
      result.push_back({static_cast<int64_t>(term.coefficient), term.monomial});
    }
    return result;
  }

private:
  struct WideTerm {
    Wide coefficient;
    Expr monomial;
  };

  void addValueless(Expr monomial) {
    for (Expr atom : atomsOf(monomial))
      if (get(atom).partial)
        terms.push_back({0, atom});
  }

  void merge() {
    auto before = [](const WideTerm &a, const WideTerm &b) {
      return termBefore(a.monomial, b.monomial);
    };
    if (!std::is_sorted(terms.begin(), terms.end(), before))
      std::sort(terms.begin(), terms.end(), before);
    size_t count = 0;
    for (const WideTerm &term : terms) {
      if (count && terms[count - 1].monomial == term.monomial)
        terms[count - 1].coefficient += term.coefficient;
      else
        terms[count++] = term;
    }
    terms.resize(count);
  }

  std::vector<WideTerm> terms;
};

static Expr makeTerm(Interner &interner, const Term &term) {
  if (!term.monomial)
    return interner.getConstant(term.coefficient);
  if (term.coefficient == 1)
    return term.monomial;
  std::vector<Expr> factors{interner.getConstant(term.coefficient)};
  std::span<const Expr> atoms = atomsOf(term.monomial);
  factors.insert(factors.end(), atoms.begin(), atoms.end());
  return interner.get(Kind::Mul, factors);
}

/// An Add of terms that finish() returned.
static Expr makeSum(Interner &interner, const std::vector<Term> &terms) {
  std::vector<Expr> operands;
  operands.reserve(terms.size());
  for (const Term &term : terms)
    operands.push_back(makeTerm(interner, term));
  if (operands.empty())
    return interner.getConstant(0);
  if (operands.size() == 1)
    return operands[0];
  return interner.get(Kind::Add, operands);
}

static Expr makeUnfolded(Interner &interner, Kind kind, Expr a, Expr b) {
  if (compare(b, a) < 0)
    std::swap(a, b);
  return interner.get(kind, a, b, /*unfolded=*/true);
}

static Expr multiplyMonomials(Interner &interner, Expr a, Expr b) {
  if (!a || !b)
    return a ? a : b;
  std::span<const Expr> left = atomsOf(a), right = atomsOf(b);
  if (left.size() + right.size() > maxDegree)
    return Expr();
  std::vector<Expr> atoms;
  std::merge(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(atoms));
  return interner.get(Kind::Mul, atoms);
}

/// The product of two terms that aren't numbers; null if its coefficient doesn't fit int64, or it
/// is too long.
static Expr multiplyTerms(Interner &interner, Expr a, Expr b) {
  const Node &x = get(a), &y = get(b);
  Wide coefficient = Wide(x.coefficient) * y.coefficient;
  Expr monomial =
      multiplyMonomials(interner, x.monomial ? x.monomial : a, y.monomial ? y.monomial : b);
  if (!monomial || !fitsInt64(coefficient))
    return Expr();
  return makeTerm(interner, {static_cast<int64_t>(coefficient), monomial});
}

/// A folded sum and a number; null if their numbers together don't fit int64.
static Expr addToSum(Interner &interner, Expr sum, int64_t number) {
  std::span<const Expr> terms = get(sum).operands;
  std::vector<Expr> operands(terms.begin(), terms.end());
  Wide total = number;
  if (operands.back().isConstant()) {
    total += operands.back().constantValue();
    operands.pop_back();
  }
  if (!fitsInt64(total))
    return Expr();
  if (total != 0)
    operands.push_back(interner.getConstant(static_cast<int64_t>(total)));
  return operands.size() == 1 ? operands[0] : interner.get(Kind::Add, operands);
}

namespace {
/// The terms of two sums in order, like ones met together.
class TermPairs {
public:
  TermPairs(const Expr &a, const Expr &b) : left(addends(a)), right(addends(b)) {}

  [[nodiscard]] bool atEnd() const { return left.empty() && right.empty(); }
  /// The next terms, of one monomial: one of them is null if only the other sum has it.
  std::pair<Expr, Expr> next() {
    Expr a = left.empty() ? Expr() : left.front(), b = right.empty() ? Expr() : right.front();
    if (a && b) {
      Expr x = monomialOf(a), y = monomialOf(b);
      if (x != y)
        (termBefore(x, y) ? b : a) = Expr();
    }
    left = left.subspan(a ? 1 : 0);
    right = right.subspan(b ? 1 : 0);
    return {a, b};
  }

  /// Null for a number.
  static Expr monomialOf(Expr term) {
    const Node &node = get(term);
    if (node.kind == Kind::Constant)
      return Expr();
    return node.monomial ? node.monomial : term;
  }

private:
  static std::span<const Expr> addends(const Expr &sum) {
    const Node &node = get(sum);
    return node.kind == Kind::Add && !node.unfolded ? std::span<const Expr>(node.operands)
                                                    : std::span<const Expr>(&sum, 1);
  }
  std::span<const Expr> left, right;
};
} // namespace

/// a + b where no term leaves int64, nor takes partial atoms along; else null.
static Expr mergeSums(Interner &interner, Expr a, Expr b) {
  std::vector<Expr> operands;
  for (TermPairs pairs(a, b); !pairs.atEnd();) {
    auto [x, y] = pairs.next();
    if (!x || !y) {
      operands.push_back(x ? x : y);
      continue;
    }
    Wide coefficient = Wide(get(x).coefficient) + get(y).coefficient;
    Expr monomial = TermPairs::monomialOf(x);
    if (!fitsInt64(coefficient) || (coefficient == 0 && monomial && get(monomial).partial))
      return Expr();
    if (coefficient != 0)
      operands.push_back(makeTerm(interner, {static_cast<int64_t>(coefficient), monomial}));
  }
  if (operands.empty())
    return interner.getConstant(0);
  return operands.size() == 1 ? operands[0] : interner.get(Kind::Add, operands);
}

Bounds differenceBounds(Expr a, Expr b) {
  Bounds sum{0, 0};
  for (TermPairs pairs(a, b); !pairs.atEnd();) {
    auto [x, y] = pairs.next();
    Wide coefficient = (x ? Wide(get(x).coefficient) : 0) - (y ? Wide(get(y).coefficient) : 0);
    if (!fitsInt64(coefficient))
      return get(a - b).range;
    auto times = static_cast<int64_t>(coefficient);
    Expr monomial = TermPairs::monomialOf(x ? x : y);
    if (!monomial)
      sum = addBounds(sum, {times, times});
    else if (times != 0)
      sum = addBounds(sum, mulBounds({times, times}, get(monomial).range));
    if (!sum.lo && !sum.hi)
      return sum;
  }
  return sum;
}

/// Whether `expr` is one term, neither a number nor one that only says where it has a value.
static bool isPlainTerm(Expr expr) {
  const Node &node = get(expr);
  return node.kind != Kind::Constant && (node.kind != Kind::Add || node.unfolded) &&
         node.coefficient != 0;
}

Expr sumOf(Context &context, std::span<const Term> terms) {
  Expr sum = context.constant(0);
  for (const Term &term : terms) {
    Expr coefficient = context.constant(term.coefficient);
    sum = sum + (term.monomial ? coefficient * term.monomial : coefficient);
  }
  return sum;
}

} // namespace detail

using namespace detail;

Expr Context::add(Expr a, Expr b) {
  if (a.isConstant(0))
    return b;
  if (b.isConstant(0))
    return a;
  // What is asked for most, without a list of terms.
  if (a.isConstant())
    std::swap(a, b);
  if (b.isConstant() && isPlainTerm(a))
    return interner->get(Kind::Add, a, b);
  if (b.isConstant() && a.kind() == Kind::Add && !isUnfolded(a))
    if (Expr sum = addToSum(*interner, a, b.constantValue()))
      return sum;
  if (Expr sum = mergeSums(*interner, a, b))
    return sum;
  SumBuilder sum;
  for (Expr operand : {a, b})
    for (const Term &term : termsOf(operand))
      sum.add(term.coefficient, term.monomial);
  if (auto terms = sum.finish())
    return makeSum(*interner, *terms);
  return makeUnfolded(*interner, Kind::Add, a, b);
}

Expr Context::sub(Expr a, Expr b) { return b.isConstant(0) ? a : add(a, mul(constant(-1), b)); }

Expr Context::mul(Expr a, Expr b) {
  if (a.isConstant(1))
    return b;
  if (b.isConstant(1))
    return a;
  // What is asked for most, without lists of terms.
  if (b.isConstant() && isPlainTerm(a))
    std::swap(a, b);
  if (a.isConstant() && b.isConstant())
    if (Wide product = Wide(a.constantValue()) * b.constantValue(); fitsInt64(product))
      return constant(static_cast<int64_t>(product));
  if (a.isConstant() && !a.isConstant(0) && isPlainTerm(b)) {
    const Node &node = get(b);
    Wide product = Wide(node.coefficient) * a.constantValue();
    Expr monomial = node.monomial ? node.monomial : b;
    return fitsInt64(product) ? makeTerm(*interner, {static_cast<int64_t>(product), monomial})
                              : makeUnfolded(*interner, Kind::Mul, a, b);
  }
  if (isPlainTerm(a) && isPlainTerm(b))
    if (Expr product = multiplyTerms(*interner, a, b))
      return product;
  std::vector<Term> left = termsOf(a), right = termsOf(b);
  size_t smaller = std::min(left.size(), right.size());
  if (smaller > 1 && left.size() * right.size() > maxTerms)
    return makeUnfolded(*interner, Kind::Mul, a, b);
  SumBuilder sum;
  for (const Term &x : left)
    for (const Term &y : right) {
      Wide coefficient = Wide(x.coefficient) * y.coefficient;
      if (!fitsInt64(coefficient))
        return makeUnfolded(*interner, Kind::Mul, a, b);
      Expr monomial = multiplyMonomials(*interner, x.monomial, y.monomial);
      if (!monomial && (x.monomial || y.monomial))
        return makeUnfolded(*interner, Kind::Mul, a, b);
      sum.add(coefficient, monomial);
    }
  if (auto terms = sum.finish())
    return makeSum(*interner, *terms);
  return makeUnfolded(*interner, Kind::Mul, a, b);
}

} // namespace relax::symbolic
