//===- Facts.cpp - adding and finding relations -----------------------------------------------===//

#include "compiler/symbolic/Facts.h"

#include <algorithm>
#include <numeric>

namespace relax::symbolic {

/// A query uses no more relations than this.
static constexpr size_t maxRelated = 64;

/// Takes a relation between a symbol and a constant into the symbol's range. False if it isn't one.
bool Facts::narrow(const Constraint &relation) {
  using enum Constraint::Kind;
  bool symbolFirst = relation.a.isSymbol();
  Expr symbol = symbolFirst ? relation.a : relation.b;
  Expr other = symbolFirst ? relation.b : relation.a;
  if (!symbol.isSymbol() || !other.isConstant() || relation.kind == Broadcast ||
      (relation.kind == Divides && symbolFirst))
    return false;
  int64_t value = other.constantValue();
  SymbolRange range;
  if (const SymbolRange *known = find(symbol.symbolName()))
    range = *known;
  auto atLeast = [&](int64_t bound) { range.lo = std::max(range.lo, bound); };
  auto atMost = [&](int64_t bound) { range.hi = std::min(range.hi.value_or(bound), bound); };
  if (relation.kind == Divides) {
    int64_t divisor = std::max<int64_t>(range.divisor, 1);
    if (value < 1 || __builtin_mul_overflow(divisor / std::gcd(divisor, value), value, &divisor))
      return false;
    range.divisor = divisor;
  }
  if (relation.kind == Less) {
    if (value == (symbolFirst ? INT64_MIN : INT64_MAX))
      return false;
    value += symbolFirst ? -1 : 1;
  }
  bool ordered = relation.kind == Less || relation.kind == LessEqual;
  if (relation.kind == Equal || (ordered && !symbolFirst))
    atLeast(value);
  if (relation.kind == Equal || (ordered && symbolFirst))
    atMost(value);
  set(symbol.symbolName(), range);
  return true;
}

void Facts::add(const Constraint &relation) {
  if (narrow(relation))
    return;
  if (!relations)
    relations = std::make_shared<Relations>();
  else if (relations.use_count() > 1)
    relations = std::make_shared<Relations>(*relations);
  std::set<std::string> names;
  relation.collectSymbols(names);
  for (const std::string &name : names)
    relations->bySymbol[name].push_back(relations->list.size());
  relations->list.push_back(relation);
}

void Facts::addDivides(int64_t d, Expr a) {
  if (d >= 2)
    add(Constraint::divides(a.getContext().constant(d), a));
}

std::vector<Constraint> Facts::related(const std::set<std::string> &names) const {
  std::vector<Constraint> result;
  if (!relations)
    return result;
  std::vector<std::string> pending(names.begin(), names.end());
  std::set<std::string> seen = names;
  std::set<size_t> taken;
  for (size_t next = 0; next < pending.size(); ++next) {
    auto found = relations->bySymbol.find(pending[next]);
    if (found == relations->bySymbol.end())
      continue;
    for (size_t index : found->second) {
      if (!taken.insert(index).second)
        continue;
      if (result.size() == maxRelated)
        return result;
      result.push_back(relations->list[index]);
      std::set<std::string> used;
      result.back().collectSymbols(used);
      for (const std::string &name : used)
        if (seen.insert(name).second)
          pending.push_back(name);
    }
  }
  return result;
}

} // namespace relax::symbolic
