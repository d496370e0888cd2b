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
  Question(const Constraint &question, const Facts &facts)
      : question(question), prover(facts, {question.a, question.b}) {}

  /// `sampled`: what trying some choices showed; an answer other than that is impossible.
  Proof answer(std::optional<Proof> sampled);

private:
  Proof search();
  std::vector<Case> casesWhere(bool holds);
  bool areImpossible(const std::vector<Case> &cases) {
    return std::all_of(cases.begin(), cases.end(),
                       [&](const Case &each) { return prover.areContradictory(each); });
  }
  Condition zero(Expr expr) { return {withoutValueless(expr), true}; }
  Condition positive(Expr expr) { return {withoutValueless(expr - 1), false}; }

  Constraint question;
  Prover prover;
};

} // namespace

/// Interval arithmetic and the search for bounds.
Proof Question::search() {
  using enum Constraint::Kind;
  Expr a = prover.take(question.a), b = prover.take(question.b);
  auto ordered = [&](Expr difference, Expr plainDifference) {
    Proof proof = prover.isNonNegative(withoutValueless(difference));
    return proof != Proof::Unknown ? proof
                                   : prover.isNonNegative(withoutValueless(plainDifference));
  };
  Expr plainA = prover.takePlainly(question.a), plainB = prover.takePlainly(question.b);
  switch (question.kind) {
  case Equal:
    return prover.isZero(withoutValueless(a - b));
  case LessEqual:
    return ordered(b - a, plainB - plainA);
  case Less:
    return ordered(b - a - 1, plainB - plainA - 1);
  case Divides: {
    if (!a.isConstant() || a.constantValue() < 1)
      return Proof::Unknown;
    Proof proof = prover.isMultiple(b, a.constantValue());
    return proof != Proof::Unknown ? proof : prover.isMultiple(plainB, a.constantValue());
  }
  case Broadcast:
    return Proof::Unknown;
  }
  return Proof::Unknown;
}

/// The cases, one of which is so whenever the question's constraint holds, or doesn't hold.
std::vector<Case> Question::casesWhere(bool holds) {
  using enum Constraint::Kind;
  Expr a = prover.take(question.a), b = prover.take(question.b);
  switch (question.kind) {
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

Proof Question::answer(std::optional<Proof> sampled) {
  Proof found = search();
  if (found != Proof::Unknown)
    return found;
  if (sampled != Proof::Refuted && areImpossible(casesWhere(false)))
    return Proof::Proved;
  if (sampled != Proof::Proved && areImpossible(casesWhere(true)))
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

Proof prove(const Constraint &constraint, const Facts &facts) {
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
  if (isAmongFacts(constraint, facts))
    return Proof::Proved;
  std::optional<Proof> sampled = Sample(constraint, facts).survey();
  if (sampled == Proof::Unknown)
    return Proof::Unknown;
  return Question(constraint, facts).answer(sampled);
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
    return prover.areContradictory({&atMost, 1});
  };
  if (!lo) {
    if (!exceeds(-maxCoefficient))
      return;
    lo = -maxCoefficient + 1;
  }
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
  Prover prover(facts, {expr});
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
