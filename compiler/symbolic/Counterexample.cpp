//===- Counterexample.cpp - the smallest values that break a constraint -----------------------===//
//
// All choices in the order of how far their values are, together, from the smallest: for two
// symbols (0, 0), (0, 1), (1, 0), (0, 2), ... Where that takes too long the Omega test leads the
// way: one symbol after the other gets the smallest value with which the constraint can still fail.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Prover.h"
#include "compiler/symbolic/Sample.h"
#include "compiler/symbolic/Solve.h"

#include <algorithm>

namespace relax::symbolic {
using namespace detail;

/// Values computed, and choices looked at.
static constexpr size_t maxWork = 400'000;
static constexpr int64_t leadBudget = 4 * questionBudget;
static constexpr int64_t maxDistance = 4096;

namespace {

class Counterexample {
public:
  Counterexample(const Constraint &constraint, const Facts &facts)
      : constraint(constraint), facts(facts), sample(constraint, facts),
        values(sample.symbols().size()) {}

  std::optional<Assignment> enumerate();
  std::optional<Assignment> lead();

private:
  bool tryFrom(size_t symbol, int64_t distance);
  [[nodiscard]] bool isExhausted() const { return sample.work() + looks > maxWork; }
  bool canFail(const Facts &narrowed) {
    return proveWithin(constraint, narrowed, budget) != Proof::Proved;
  }
  std::optional<int64_t> smallestFor(const std::string &name, const Facts &narrowed);
  [[nodiscard]] Assignment assignment() const;

  Constraint constraint;
  const Facts &facts;
  Sample sample;
  Budget budget{leadBudget};
  size_t looks = 0;
  std::vector<int64_t> values, tried;
};

} // namespace

/// Only the symbols of the constraint; the facts may have brought others.
Assignment Counterexample::assignment() const {
  std::set<std::string> used;
  constraint.collectSymbols(used);
  Assignment result;
  for (size_t i = 0; i < tried.size(); ++i)
    if (used.contains(sample.symbols()[i]))
      result.emplace(sample.symbols()[i], tried[i]);
  return result;
}

/// Tries all choices for the symbols from `symbol` on that share out `distance`.
bool Counterexample::tryFrom(size_t symbol, int64_t distance) {
  ++looks;
  if (symbol == values.size()) {
    if (distance != 0)
      return false;
    tried = values;
    return sample.holds(tried) == false;
  }
  bool last = symbol + 1 == values.size();
  for (int64_t own = last ? distance : 0; own <= distance; ++own) {
    std::optional<int64_t> value = sample.valueAt(symbol, own);
    if (!value || isExhausted())
      return false;
    values[symbol] = *value;
    if (tryFrom(symbol + 1, distance - own))
      return true;
  }
  return false;
}

std::optional<Assignment> Counterexample::enumerate() {
  int64_t end = values.empty() ? 0 : maxDistance;
  for (int64_t distance = 0; distance <= end && !isExhausted(); ++distance)
    if (tryFrom(0, distance))
      return assignment();
  return std::nullopt;
}

/// The smallest value >= 0, or else the largest below, with which the constraint may fail.
std::optional<int64_t> Counterexample::smallestFor(const std::string &name, const Facts &narrowed) {
  const SymbolRange *known = narrowed.find(name);
  SymbolRange range = known ? *known : SymbolRange();
  auto failsWithin = [&](int64_t lo, int64_t hi) {
    SymbolRange part{std::max(lo, range.lo), std::min(hi, range.hi.value_or(hi)), range.divisor};
    if (part.lo > *part.hi)
      return false;
    Facts trial = narrowed;
    trial.set(name, part);
    return canFail(trial);
  };
  const int64_t far = int64_t(1) << 48;
  bool positive = failsWithin(0, far);
  if (!positive && !failsWithin(-far, -1))
    return std::nullopt;
  // magnitude in [low, high]
  int64_t low = positive ? 0 : 1, high = far;
  while (low < high) {
    int64_t middle = low + (high - low) / 2;
    bool found = positive ? failsWithin(low, middle) : failsWithin(-middle, -low);
    (found ? high : low) = found ? middle : middle + 1;
  }
  return positive ? low : -low;
}

std::optional<Assignment> Counterexample::lead() {
  Facts narrowed = facts;
  for (size_t symbol = 0; symbol < values.size(); ++symbol) {
    const std::string &name = sample.symbols()[symbol];
    std::optional<int64_t> value = smallestFor(name, narrowed);
    if (!value || budget.left <= 0)
      return std::nullopt;
    values[symbol] = *value;
    SymbolRange range;
    if (const SymbolRange *known = narrowed.find(name))
      range = *known;
    narrowed.set(name, {*value, value, range.divisor});
  }
  tried = values;
  if (sample.holds(tried) != false)
    return std::nullopt;
  return assignment();
}

std::optional<Assignment> counterexample(const Constraint &constraint, const Facts &facts) {
  if (get(constraint.a).size > maxProverSize || get(constraint.b).size > maxProverSize)
    return std::nullopt;
  Counterexample search(constraint, facts);
  if (auto found = search.enumerate())
    return found;
  return prove(constraint, facts) == Proof::Proved ? std::nullopt : search.lead();
}

} // namespace relax::symbolic
