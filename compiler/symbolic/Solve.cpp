//===- Solve.cpp - unification and equations --------------------------------------------------===//

#include "compiler/symbolic/Solve.h"
#include "compiler/symbolic/Prover.h"

#include <algorithm>

namespace relax::symbolic {
using namespace detail;

namespace {
/// expr = factor * symbol + rest, neither using the symbol.
struct Affine {
  Expr factor, rest;
};
} // namespace

static std::optional<Affine> splitAt(Expr expr, std::string_view symbol) {
  Context &context = expr.getContext();
  Affine result{context.constant(0), context.constant(0)};
  for (const Term &term : termsOf(expr)) {
    Expr cofactor = context.constant(term.coefficient);
    int occurrences = 0;
    for (Expr atom : atomsOf(term.monomial)) {
      if (atom.isSymbol() && atom.symbolName() == symbol)
        ++occurrences;
      else if (atom.usesSymbol(symbol))
        return std::nullopt;
      else
        cofactor = cofactor * atom;
    }
    if (occurrences > 1)
      return std::nullopt;
    Expr &part = occurrences ? result.factor : result.rest;
    part = part + cofactor;
  }
  if (result.factor.isConstant(0))
    return std::nullopt;
  return result;
}

std::optional<Solution> solveFor(Expr expr, std::string_view symbol, Expr value,
                                 const Facts &facts) {
  std::optional<Affine> affine = splitAt(expr, symbol);
  if (!affine || value.usesSymbol(symbol))
    return std::nullopt;
  Context &context = expr.getContext();
  Expr factor = affine->factor, rest = value - affine->rest;
  if (proveLess(factor, context.constant(0), facts) == Proof::Proved) {
    factor = factor * -1;
    rest = rest * -1;
  }
  Solution solution{context.floorDiv(rest, factor), {}};
  auto require = [&](const Constraint &check) {
    if (prove(check, facts) != Proof::Proved)
      solution.checks.push_back(check);
  };
  require(Constraint::lessEqual(context.constant(1), factor));
  require(Constraint::divides(factor, rest));
  solution.value = simplify(solution.value, facts);
  return solution;
}

static Unified record(const Constraint &check, std::vector<Constraint> &checks,
                      const Facts &facts) {
  Proof proof = prove(check, facts);
  if (proof == Proof::Refuted)
    return Unified::Mismatch;
  if (proof == Proof::Proved)
    return Unified::Proved;
  if (std::find(checks.begin(), checks.end(), check) == checks.end())
    checks.push_back(check);
  return Unified::Checked;
}

/// The symbols of `formal` that have no value.
static std::set<std::string> unboundSymbols(Expr formal, const Bindings &bindings) {
  std::set<std::string> names;
  formal.collectSymbols(names);
  std::erase_if(names, [&](const std::string &name) { return bindings.contains(name); });
  return names;
}

Unified unify(Expr formal, Expr actual, Bindings &bindings, std::vector<Constraint> &checks,
              const Facts &facts) {
  Context &context = actual.getContext();
  formal = importInto(context, formal);
  std::set<std::string> unbound = unboundSymbols(formal, bindings);
  if (unbound.empty())
    return record(Constraint::equal(substitute(formal, bindings), actual), checks, facts);
  if (unbound.size() > 1)
    return Unified::Unbound;
  const std::string &symbol = *unbound.begin();
  if (formal.isSymbol()) {
    bindings.emplace(symbol, actual);
    return Unified::Proved;
  }
  // A name that no expression read from text has, as the actual's symbols may have this one.
  std::string unknown = "?" + symbol;
  Bindings values = bindings;
  values.insert_or_assign(symbol, context.symbol(unknown));
  auto solution = solveFor(substitute(formal, values), unknown, actual, facts);
  if (!solution)
    return Unified::Unbound;
  Unified result = Unified::Proved;
  for (const Constraint &check : solution->checks) {
    Unified answer = record(check, checks, facts);
    if (answer == Unified::Mismatch)
      return answer;
    result = std::max(result, answer);
  }
  bindings.emplace(symbol, solution->value);
  return result;
}

Unification unifyAll(std::span<const Equation> equations, const Facts &facts) {
  Unification all;
  std::vector<bool> done(equations.size(), false);
  auto worse = [&](Unified result, size_t index) {
    if (result >= Unified::Mismatch && (!all.failed || result != all.result) &&
        all.result != Unified::Mismatch)
      all.failed = index;
    if (all.result != Unified::Mismatch)
      all.result = result == Unified::Mismatch ? result : std::max(all.result, result);
  };
  // Bare symbols first: those need no solving.
  for (size_t i = 0; i < equations.size(); ++i)
    if (equations[i].formal.isSymbol() &&
        !all.bindings.contains(equations[i].formal.symbolName())) {
      worse(unify(equations[i].formal, equations[i].actual, all.bindings, all.checks, facts), i);
      done[i] = true;
    }
  for (bool progress = true; progress;) {
    progress = false;
    for (size_t i = 0; i < equations.size(); ++i) {
      if (done[i])
        continue;
      Unified result =
          unify(equations[i].formal, equations[i].actual, all.bindings, all.checks, facts);
      if (result == Unified::Unbound)
        continue;
      worse(result, i);
      done[i] = progress = true;
    }
  }
  for (size_t i = 0; i < equations.size(); ++i)
    if (!done[i])
      worse(Unified::Unbound, i);
  return all;
}

bool isTooLarge(Expr expr) { return get(expr).size > maxProverSize; }

Expr join(Expr a, Expr b, const Facts &facts) {
  if (!a || !b)
    return Expr();
  return proveEqual(a, b, facts) == Proof::Proved ? a : Expr();
}

std::string describe(const Assignment &assignment) {
  std::string text;
  for (const auto &[name, value] : assignment)
    text += (text.empty() ? "" : ", ") + name + " = " + std::to_string(value);
  return text;
}

} // namespace relax::symbolic
