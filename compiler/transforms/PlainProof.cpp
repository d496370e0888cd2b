#include "compiler/transforms/PlainProof.h"

#include "llvm/ADT/STLExtras.h"

using relax::symbolic::Expr;
using relax::symbolic::Facts;
using relax::symbolic::Kind;

namespace relax::transforms {
namespace {

/// How many maxima of one question are taken apart.
constexpr int mostMaxima = 4;

/// A term's coefficient, and the rest of it.
std::pair<int64_t, Expr> split(Expr term) {
  if (term.isConstant())
    return {term.constantValue(), term.getContext().constant(1)};
  if (term.kind() != Kind::Mul || !term.lhs().isConstant())
    return {1, term};
  Expr rest = term.rhs();
  for (Expr factor : term.operands().subspan(2))
    rest = rest * factor;
  return {term.lhs().constantValue(), rest};
}

std::vector<Expr> termsOf(Expr expr) {
  if (expr.kind() != Kind::Add)
    return {expr};
  return {expr.operands().begin(), expr.operands().end()};
}

/// A sum with one of its terms, if it is a positive multiple of an extreme of `kind`, replaced by
/// the same multiple of each operand of it in turn; empty if there is none.
std::vector<Expr> takeApart(Expr expr, Kind kind) {
  for (Expr term : termsOf(expr)) {
    auto [coefficient, rest] = split(term);
    if (coefficient <= 0 || rest.kind() != kind)
      continue;
    std::vector<Expr> cases;
    for (Expr operand : rest.operands())
      cases.push_back(expr - term + operand * coefficient);
    return cases;
  }
  return {};
}

/// A sum that is never larger: what is subtracted is replaced by something that is plainly as
/// large. A quotient of something that isn't negative is at most the dividend.
Expr lowered(Expr expr, const Facts &facts) {
  Expr sum = expr;
  for (Expr term : termsOf(expr)) {
    auto [coefficient, rest] = split(term);
    if (coefficient >= 0)
      continue;
    const bool isQuotient = (rest.kind() == Kind::CeilDiv || rest.kind() == Kind::FloorDiv) &&
                            rest.rhs().isConstant() && rest.rhs().constantValue() >= 1 &&
                            isPlainlyNonNegative(rest.lhs(), facts);
    if (isQuotient || rest.kind() == Kind::Min)
      sum = sum - term + rest.lhs() * coefficient;
  }
  return sum;
}

bool isAtMost(Expr a, Expr b, const Facts &facts, int maxima) {
  Expr difference = b - a;
  if (isPlainlyNonNegative(difference, facts))
    return true;
  if (Expr lower = lowered(difference, facts);
      lower != difference && isPlainlyNonNegative(lower, facts))
    return true;
  if (maxima == 0)
    return false;
  if (std::vector<Expr> cases = takeApart(a, Kind::Max); !cases.empty())
    return llvm::all_of(cases, [&](Expr one) { return isAtMost(one, b, facts, maxima - 1); });
  return llvm::any_of(takeApart(b, Kind::Max),
                      [&](Expr one) { return isAtMost(a, one, facts, maxima - 1); });
}

} // namespace

bool isPlainlyNonNegative(Expr expr, const Facts &facts) {
  auto each = [&](Expr operand) { return isPlainlyNonNegative(operand, facts); };
  switch (expr.kind()) {
  case Kind::Constant:
    return expr.constantValue() >= 0;
  case Kind::Symbol: {
    const symbolic::SymbolRange *range = facts.find(expr.symbolName());
    return range && range->lo >= 0;
  }
  case Kind::Mod:
    return true; // Where it has a value.
  case Kind::FloorDiv:
  case Kind::CeilDiv:
    return each(expr.lhs());
  case Kind::Max:
    return llvm::any_of(expr.operands(), each);
  case Kind::Min:
  case Kind::Mul:
  case Kind::Add:
    return llvm::all_of(expr.operands(), each);
  }
  return false;
}

std::vector<Expr> casesOfMaximum(Expr expr, size_t most) {
  std::vector<Expr> done, work = {expr};
  while (!work.empty()) {
    Expr next = work.back();
    work.pop_back();
    std::vector<Expr> cases = takeApart(next, Kind::Max);
    if (cases.empty())
      done.push_back(next);
    llvm::append_range(work, cases);
    if (done.size() + work.size() > most)
      return {expr};
  }
  return done;
}

bool isPlainlyAtMost(Expr a, Expr b, const Facts &facts) {
  return isAtMost(a, b, facts, mostMaxima);
}

} // namespace relax::transforms
