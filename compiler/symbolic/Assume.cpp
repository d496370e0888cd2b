//===- Assume.cpp - the facts' relations, and the Omega test's part in proofs -----------------===//
//
// A relation `k == n * m` makes k the name of a product: it is replaced everywhere, so that k * p
// and n * m * p are one form. All others become conditions for the Omega test.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Linear.h"

#include <algorithm>
#include <array>

namespace relax::symbolic::detail {

Prover::Prover(const Facts &facts, std::initializer_list<Expr> about, Budget &budget,
               bool haveValues)
    : facts(facts), budget(budget) {
  if (facts.hasRelations()) {
    std::set<std::string> names;
    for (Expr expr : about)
      expr.collectSymbols(names);
    takeRelations(names);
  }
  if (haveValues)
    for (Expr expr : about)
      assumeDefined(expr);
  for (int round = 0; round < 3; ++round)
    for (const Condition &condition : assumed)
      narrowRanges(condition);
}

/// What has a value has positive divisors.
void Prover::assumeDefined(Expr root) {
  if (!get(root).partial || get(root).size > maxProverSize)
    return;
  std::unordered_set<Expr> seen{root};
  std::vector<Expr> pending{root};
  while (!pending.empty()) {
    Expr expr = pending.back();
    pending.pop_back();
    Kind kind = expr.kind();
    if (kind == Kind::FloorDiv || kind == Kind::CeilDiv || kind == Kind::Mod)
      if (Bounds range = get(expr.rhs()).range; !range.lo || *range.lo < 1)
        assume(Constraint::lessEqual(expr.getContext().constant(1), expr.rhs()));
    for (Expr operand : expr.operands())
      if (get(operand).partial && seen.insert(operand).second)
        pending.push_back(operand);
  }
}

Expr Prover::freshSymbol() { return scratch.symbol("#" + std::to_string(freshSymbols++)); }

/// Whether `name` occurs in `expr` once all rewrites are made.
static bool occursIn(const std::string &name, Expr expr,
                     const std::map<std::string, Expr> &rewrites) {
  std::set<std::string> names;
  expr.collectSymbols(names);
  std::vector<std::string> pending(names.begin(), names.end());
  for (size_t next = 0; next < pending.size(); ++next) {
    auto found = rewrites.find(pending[next]);
    if (found == rewrites.end())
      continue;
    std::set<std::string> inner;
    found->second.collectSymbols(inner);
    for (const std::string &symbol : inner)
      if (names.insert(symbol).second)
        pending.push_back(symbol);
  }
  return names.contains(name);
}

bool Prover::makeRewrite(const Constraint &fact) {
  if (fact.kind != Constraint::Kind::Equal)
    return false;
  for (auto [symbol, value] : {std::pair(fact.a, fact.b), std::pair(fact.b, fact.a)}) {
    if (!symbol.isSymbol() || rewrites.contains(symbol.symbolName()) ||
        occursIn(symbol.symbolName(), value, rewrites))
      continue;
    rewrites.emplace(symbol.symbolName(), value);
    return true;
  }
  return false;
}

void Prover::takeRelations(const std::set<std::string> &names) {
  std::vector<Constraint> rest;
  for (const Constraint &fact : facts.related(names))
    if (get(fact.a).size <= maxProverSize && get(fact.b).size <= maxProverSize &&
        !makeRewrite(fact))
      rest.push_back(fact);
  // The range of a symbol that was replaced holds for its value.
  for (const auto &[name, value] : rewrites) {
    Context &context = value.getContext();
    const SymbolRange *range = facts.find(name);
    if (!range)
      continue;
    if (range->lo != INT64_MIN)
      rest.push_back(Constraint::lessEqual(context.constant(range->lo), value));
    if (range->hi)
      rest.push_back(Constraint::lessEqual(value, context.constant(*range->hi)));
    if (range->divisor > 1)
      rest.push_back(Constraint::divides(context.constant(range->divisor), value));
  }
  for (const Constraint &fact : rest) {
    assume(fact);
    assumeDefined(fact.a); // As it holds, it has a value.
    assumeDefined(fact.b);
  }
}

/// Bounds of single symbols that follow from a condition by the intervals of all else in it, so
/// that n <= m and m <= 100 bound n for products, too.
void Prover::narrowRanges(const Condition &condition) {
  if (isUnfolded(condition.expr))
    return;
  for (const Term &term : termsOf(condition.expr)) {
    if (!term.monomial || !term.monomial.isSymbol() || term.coefficient == 0 ||
        !budget.take(get(condition.expr).size * costOfNode))
      continue;
    Expr own = sumOf(scratch, std::array{term});
    Bounds rest = interval(withoutValueless(condition.expr - own));
    Bounds &range = ranges[term.monomial.symbolName()];
    Bounds before = range;
    // coefficient * symbol >= -rest.hi; and for an equality <= -rest.lo, too.
    auto narrow = [&](int64_t end, Wide divisor) {
      if (divisor > 0) {
        Wide lo = -floorQuotient(end, divisor);
        if (fitsInt64(lo) && (!range.lo || *range.lo < lo))
          range.lo = static_cast<int64_t>(lo);
      } else {
        Wide hi = floorQuotient(end, -divisor);
        if (fitsInt64(hi) && (!range.hi || *range.hi > hi))
          range.hi = static_cast<int64_t>(hi);
      }
    };
    if (rest.hi)
      narrow(*rest.hi, term.coefficient);
    if (condition.isEquality && rest.lo && *rest.lo != INT64_MIN)
      narrow(-*rest.lo, -Wide(term.coefficient));
    if (range.lo && range.hi && *range.lo > *range.hi)
      range = before; // The facts contradict each other.
    if (range != before)
      intervals.clear();
  }
}

void Prover::assume(const Constraint &fact) {
  if (!budget.take((get(fact.a).size + get(fact.b).size) * costOfNode))
    return;
  Expr a = take(fact.a), b = take(fact.b);
  auto add = [&](Expr expr, bool isEquality) {
    expr = withoutValueless(expr);
    if (get(expr).size > maxProverSize)
      return;
    assumed.push_back({expr, isEquality});
    assumedSize += get(expr).size;
  };
  switch (fact.kind) {
  case Constraint::Kind::Equal:
    return add(a - b, true);
  case Constraint::Kind::LessEqual:
    return add(b - a, false);
  case Constraint::Kind::Less:
    return add(b - a - 1, false);
  case Constraint::Kind::Divides:
    add(a - 1, false);
    return add(b - a * freshSymbol(), true);
  case Constraint::Kind::Broadcast:
    return; // Three cases, which Prove.cpp tries.
  }
}

bool Prover::isIntervalExact(Expr expr) const {
  std::vector<Term> terms = termsOf(expr);
  return assumed.empty() && std::all_of(terms.begin(), terms.end(), [](const Term &term) {
           return !term.monomial || term.monomial.isSymbol();
         });
}

Solutions Prover::solve(std::span<const Condition> conditions) {
  size_t size = assumedSize;
  for (const Condition &condition : conditions) {
    size += get(condition.expr).size;
    if (size - assumedSize > maxProverSize)
      return Solutions::GaveUp;
  }
  if (!budget.take(size * costOfNode))
    return Solutions::GaveUp;
  return LinearQuery(*this, budget).solve(conditions);
}

bool Prover::isAtLeast(Expr expr, int64_t value) {
  Bounds range = interval(expr);
  if (range.lo && *range.lo >= value)
    return true;
  bool isBare = expr.isConstant() || (expr.isSymbol() && assumed.empty());
  if (isBare || (range.hi && *range.hi < value))
    return false;
  Condition below{scratch.constant(value) - expr - 1, false};
  Solutions found = solve({&below, 1});
  return found == Solutions::None || (found == Solutions::GaveUp && hasLowerBound(expr, value));
}

bool Prover::divides(int64_t divisor, Expr expr) {
  Proof proof = isMultiple(expr, divisor);
  if (proof != Proof::Unknown || (expr.isSymbol() && assumed.empty()))
    return proof == Proof::Proved;
  Expr rest = freshSymbol();
  Condition conditions[] = {{expr - freshSymbol() * divisor - rest, true},
                            {rest - 1, false},
                            {scratch.constant(divisor - 1) - rest, false}};
  return solve(conditions) == Solutions::None;
}

} // namespace relax::symbolic::detail
