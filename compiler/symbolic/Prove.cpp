//===- Prove.cpp - the provers' questions -----------------------------------------------------===//

#include "compiler/symbolic/Prover.h"
#include "compiler/symbolic/Sample.h"

#include <algorithm>

namespace relax::symbolic {
using namespace detail;

namespace {

/// Conditions of which all hold in one of the cases.
using Case = std::vector<Condition>;

/// Answers one question; the sides are not trivially equal.
class Question {
public:
  Question(const Constraint &question, const Facts &facts, Budget &budget)
      : kind(question.kind), prover(facts, {question.a, question.b}, budget, /*haveValues=*/true),
        plainA(prover.takePlainly(question.a)), plainB(prover.takePlainly(question.b)),
        a(prover.take(question.a)), b(prover.take(question.b)) {}

  /// `sampled`: what trying some choices showed; an answer other than that is impossible.
  Proof answer(std::optional<Proof> sampled);

private:
  Proof look(Expr a, Expr b);
  Solutions solveOneOf(const std::vector<Case> &cases);
  bool haveBounds(const std::vector<Case> &cases);
  std::vector<Case> casesWhere(bool holds);
  Condition zero(Expr expr) { return {withoutValueless(expr), true}; }
  Condition positive(Expr expr) { return {withoutValueless(expr - 1), false}; }

  Constraint::Kind kind;
  Prover prover;
  Expr plainA, plainB, a, b; ///< The sides, symbols replaced, and expanded.
};

} // namespace

/// Canonical form and interval arithmetic.
Proof Question::look(Expr a, Expr b) {
  switch (kind) {
  case Constraint::Kind::Equal:
    return prover.isZero(withoutValueless(a - b));
  case Constraint::Kind::LessEqual:
    return prover.isNonNegative(withoutValueless(b - a));
  case Constraint::Kind::Less:
    return prover.isNonNegative(withoutValueless(b - a - 1));
  case Constraint::Kind::Divides:
    if (a.isConstant())
      return a.constantValue() >= 1 ? prover.isMultiple(b, a.constantValue()) : Proof::Refuted;
    if (Bounds range = prover.interval(a); !range.lo || *range.lo < 1)
      return Proof::Unknown;
    return divideTerms(b, a).rest.isConstant(0) ? Proof::Proved : Proof::Unknown;
  case Constraint::Kind::Broadcast:
    break;
  }
  return Proof::Unknown;
}

/// The cases, one of which is so whenever the question's constraint holds, or doesn't hold.
std::vector<Case> Question::casesWhere(bool holds) {
  using enum Constraint::Kind;
  switch (kind) {
  case Equal:
    return holds ? std::vector<Case>{{zero(a - b)}}
                 : std::vector<Case>{{positive(a - b)}, {positive(b - a)}};
  case LessEqual:
    return {{holds ? positive(b - a + 1) : positive(a - b)}};
  case Less:
    return {{holds ? positive(b - a) : positive(a - b + 1)}};
  case Divides: {
    Expr quotient = prover.freshSymbol(), rest = prover.freshSymbol();
    if (holds)
      return {{zero(b - a * quotient), positive(a)}};
    return {{zero(b - a * quotient - rest), positive(rest), positive(a - rest)},
            {positive(a * -1 + 1)}};
  }
  case Broadcast:
    break;
  }
  if (holds)
    return {{zero(a - b)}, {zero(a - 1)}, {zero(b - 1)}};
  std::vector<Case> cases;
  for (Expr difference : {a - b, b - a})
    for (Expr fromOne : {a - 1, a * -1 + 1})
      for (Expr otherFromOne : {b - 1, b * -1 + 1})
        cases.push_back({positive(difference), positive(fromOne), positive(otherFromOne)});
  return cases;
}

/// None if no case is possible.
Solutions Question::solveOneOf(const std::vector<Case> &cases) {
  Solutions result = Solutions::None;
  for (const Case &each : cases) {
    Solutions found = prover.solve(each);
    if (found == Solutions::Some)
      return found;
    result = std::max(result, found);
  }
  return result;
}

/// Whether the search for bounds shows that each case is impossible, by one of its inequalities.
bool Question::haveBounds(const std::vector<Case> &cases) {
  return std::all_of(cases.begin(), cases.end(), [&](const Case &each) {
    return std::any_of(each.begin(), each.end(), [&](const Condition &condition) {
      Expr negated = condition.expr * -1;
      return prover.hasLowerBound(negated, 1) ||
             (condition.isEquality && prover.hasLowerBound(condition.expr, 1));
    });
  });
}

Proof Question::answer(std::optional<Proof> sampled) {
  Proof seen = look(a, b);
  if (seen == Proof::Unknown)
    seen = look(plainA, plainB);
  if (seen != Proof::Unknown)
    return seen;
  std::vector<Case> broken, kept;
  Solutions breaks = Solutions::Some, keeps = Solutions::Some;
  if (sampled != Proof::Refuted)
    breaks = solveOneOf(broken = casesWhere(false));
  if (breaks == Solutions::None)
    return Proof::Proved;
  if (sampled != Proof::Proved)
    keeps = solveOneOf(kept = casesWhere(true));
  if (keeps == Solutions::None)
    return Proof::Refuted;
  // Only where the Omega test couldn't decide.
  if (breaks == Solutions::GaveUp && haveBounds(broken))
    return Proof::Proved;
  if (keeps == Solutions::GaveUp && haveBounds(kept))
    return Proof::Refuted;
  return Proof::Unknown;
}

static bool isAmongFacts(const Constraint &constraint, const Facts &facts) {
  if (!facts.hasRelations())
    return false;
  std::set<std::string> names;
  constraint.collectSymbols(names);
  std::vector<Constraint> related = facts.related(names);
  Constraint swapped{constraint.kind, constraint.b, constraint.a};
  bool symmetric =
      constraint.kind == Constraint::Kind::Equal || constraint.kind == Constraint::Kind::Broadcast;
  return std::any_of(related.begin(), related.end(), [&](const Constraint &fact) {
    return fact == constraint || (symmetric && fact == swapped);
  });
}

/// Whether no multiple of the divisor lies in the range.
static bool isEmpty(const SymbolRange &range) {
  int64_t divisor = std::max<int64_t>(range.divisor, 1);
  return range.hi && floorQuotient(*range.hi, divisor) * divisor < range.lo;
}

/// What is known without `fact`.
static Facts factsWithout(const Constraint &fact, std::span<const Constraint> related,
                          const Facts &facts) {
  Facts result;
  for (const auto &[name, range] : facts)
    result.set(name, range);
  for (const Constraint &other : related)
    if (other != fact)
      result.add(other);
  return result;
}

/// The facts with an equation. None if it contradicts a range or itself.
static std::optional<Facts> factsWith(const Constraint &equation, Facts facts) {
  if (equation.a.isConstant() && equation.b.isConstant() && equation.a != equation.b)
    return std::nullopt;
  facts.add(equation);
  for (const auto &[name, range] : facts)
    if (isEmpty(range))
      return std::nullopt;
  return facts;
}

/// Whether no choice of symbols satisfies what the facts say of those in `constraint`.
static bool contradicts(const Constraint &constraint, const Facts &facts, Budget &budget) {
  return Prover(facts, {constraint.a, constraint.b}, budget, /*haveValues=*/true).solve({}) ==
         Solutions::None;
}

/// A fact that extents broadcast is one of three equations; what each of them answers alike is so.
static Proof proveByCases(const Constraint &constraint, const Facts &facts, Budget &budget,
                          int depth) {
  static constexpr int maxDepth = 3;
  if (!facts.hasRelations() || depth == maxDepth)
    return Proof::Unknown;
  std::set<std::string> names;
  constraint.collectSymbols(names);
  std::vector<Constraint> related = facts.related(names);
  auto fact = std::find_if(related.begin(), related.end(), [](const Constraint &each) {
    return each.kind == Constraint::Kind::Broadcast;
  });
  if (fact == related.end())
    return Proof::Unknown;
  Expr one = constraint.a.getContext().constant(1);
  const Facts others = factsWithout(*fact, related, facts);
  std::optional<Proof> common;
  for (const Constraint &equation :
       {Constraint::equal(fact->a, fact->b), Constraint::equal(fact->a, one),
        Constraint::equal(fact->b, one)}) {
    std::optional<Facts> assumed = factsWith(equation, others);
    if (!assumed || contradicts(constraint, *assumed, budget))
      continue;
    Proof answer = proveWithin(constraint, *assumed, budget, depth + 1);
    if (answer != Proof::Unknown && answer == common.value_or(answer))
      common = answer;
    else if (proveWithin(equation, others, budget, depth + 1) != Proof::Refuted)
      return Proof::Unknown; // The case is possible for all that is known.
  }
  return common.value_or(Proof::Unknown);
}

Proof detail::proveWithin(const Constraint &constraint, const Facts &facts, Budget &budget,
                          int depth) {
  using enum Constraint::Kind;
  auto [kind, a, b] = constraint;
  if (a == b && kind != Divides)
    return kind == Less ? Proof::Refuted : Proof::Proved;
  bool isOne = a.isConstant(1) || b.isConstant(1);
  if ((kind == Divides && a.isConstant(1)) || (kind == Broadcast && isOne))
    return Proof::Proved;
  if (a.isConstant() && b.isConstant())
    return constraint.holds({}).value_or(false) ? Proof::Proved : Proof::Refuted;
  if (get(a).size > maxProverSize || get(b).size > maxProverSize)
    return Proof::Unknown;
  auto isFree = [&](Expr expr) { return expr.isSymbol() && !facts.find(expr.symbolName()); };
  if (a != b && isFree(a) && isFree(b) && !facts.hasRelations())
    return Proof::Unknown; // Two symbols of which nothing is known.
  if (isAmongFacts(constraint, facts))
    return Proof::Proved;
  Sample sample(constraint, facts);
  std::optional<Proof> sampled = sample.survey();
  budget.take(sample.work());
  if (sampled == Proof::Unknown)
    return Proof::Unknown;
  if (!budget.take((get(a).size + get(b).size) * costOfNode))
    return Proof::Unknown;
  Proof answer = Question(constraint, facts, budget).answer(sampled);
  return answer == Proof::Unknown ? proveByCases(constraint, facts, budget, depth) : answer;
}

Proof prove(const Constraint &constraint, const Facts &facts) {
  Budget budget{questionBudget};
  return proveWithin(constraint, facts, budget);
}

Proof proveEqual(Expr a, Expr b, const Facts &facts) {
  return prove(Constraint::equal(a, b), facts);
}

Proof proveLessEqual(Expr a, Expr b, const Facts &facts) {
  return prove(Constraint::lessEqual(a, b), facts);
}

Proof proveLess(Expr a, Expr b, const Facts &facts) { return prove(Constraint::less(a, b), facts); }

Proof proveDivides(int64_t d, Expr a, const Facts &facts) {
  if (d <= 0)
    return Proof::Unknown;
  return prove(Constraint::divides(a.getContext().constant(d), a), facts);
}

/// Moves a lower bound of `expr` up as far as the Omega test allows.
static void raise(Prover &prover, Expr expr, std::optional<int64_t> &lo) {
  // Whether expr > value always.
  auto exceeds = [&](Wide value) {
    if (value > maxCoefficient || value < -maxCoefficient)
      return false;
    Expr bound = prover.context().constant(static_cast<int64_t>(value));
    Condition atMost{withoutValueless(bound - expr), false};
    return prover.solve({&atMost, 1}) == Solutions::None;
  };
  // Far ends leave no room for coefficients in the Omega test.
  for (int bits : {56, 40, 24})
    if (int64_t far = -(int64_t(1) << bits); !lo && exceeds(far))
      lo = far + 1;
  if (!lo)
    return;
  Wide low = *lo, step = 1;
  while (exceeds(low + step - 1)) {
    low += step;
    step *= 2;
  }
  // expr >= low, and expr >= low + step wasn't shown.
  for (step /= 2; step >= 1; step /= 2)
    if (exceeds(low + step - 1))
      low += step;
  lo = static_cast<int64_t>(low);
}

Bounds bounds(Expr expr, const Facts &facts) {
  if (get(expr).size > maxProverSize)
    return get(expr).range;
  Budget budget{questionBudget};
  Prover prover(facts, {expr}, budget, /*haveValues=*/true);
  // The expanded form relates more, the plain one knows that a mod is below its divisor.
  Bounds result = prover.interval(prover.takePlainly(expr));
  Expr expanded = prover.take(expr), negated = expanded * -1;
  if (auto lo = prover.lowerBound(expanded))
    result.lo = result.lo ? std::max(*result.lo, *lo) : *lo;
  if (auto lo = prover.lowerBound(negated); lo && *lo != INT64_MIN)
    result.hi = result.hi ? std::min(*result.hi, -*lo) : -*lo;
  if (prover.isIntervalExact(expanded) || (result.lo && result.lo == result.hi))
    return result;
  raise(prover, expanded, result.lo);
  std::optional<int64_t> below;
  if (result.hi && *result.hi != INT64_MIN)
    below = -*result.hi;
  raise(prover, negated, below);
  if (below && *below != INT64_MIN)
    result.hi = -*below;
  return result;
}

} // namespace relax::symbolic
