//===- Sample.h - trying constraints on values of their symbols; for this folder only ---------===//
//
// A constraint that holds for one allowed choice of symbols and fails for another is neither proved
// nor refuted, whatever a prover tries. Most questions of a compiler that have no answer (n == m?)
// are found out so at once. And a choice for which a constraint fails explains an error.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Facts.h"
#include "compiler/symbolic/Node.h"

#include <unordered_map>

namespace relax::symbolic::detail {

/// A constraint made ready to be tried on many choices.
class Sample {
public:
  Sample(const Constraint &constraint, const Facts &facts);

  [[nodiscard]] const std::vector<std::string> &symbols() const { return names; }

  /// The index-th smallest value that the range of a symbol allows, by magnitude, positive before
  /// negative; none behind the last.
  [[nodiscard]] std::optional<int64_t> valueAt(size_t symbol, int64_t index) const;
  /// The index-th value from the upper end of the range, if there is one.
  [[nodiscard]] std::optional<int64_t> valueFromTop(size_t symbol, int64_t index) const;

  /// Whether the constraint holds for these values, one for each symbol; those that an equality of
  /// the facts gives in terms of others are overwritten. None if a fact doesn't hold, or a side of
  /// the constraint has no value or one beyond 62 bits.
  std::optional<bool> holds(std::vector<int64_t> &values);

  /// Tries some choices. Proved if the constraint held in all that count, Refuted if it failed in
  /// all, Unknown if both occurred: that is then certain. None if no choice counted.
  std::optional<Proof> survey();
  /// How many values were computed so far, a measure of the work.
  [[nodiscard]] size_t work() const { return steps.size() * evaluations; }

private:
  struct Step {
    Kind kind;
    int64_t value = 0;           ///< Of a constant; of a symbol, its index.
    size_t first = 0, count = 0; ///< The operands, in `operands`.
  };
  struct Prepared {
    Constraint::Kind kind;
    size_t a, b; ///< The steps of its sides.
  };
  struct Derived {
    size_t symbol, step;
  };

  size_t stepOf(Expr expr);
  size_t symbolIndex(const std::string &name);
  Prepared prepare(const Constraint &constraint);
  void derive(const Constraint &fact);
  std::optional<Wide> compute(const Step &step) const;
  [[nodiscard]] std::optional<bool> check(const Prepared &constraint) const;
  void runSteps(size_t from, const std::vector<int64_t> &values);
  [[nodiscard]] bool inRange(size_t symbol, int64_t value) const;
  bool choose(int point, std::vector<int64_t> &values) const;

  std::vector<std::string> names;
  std::vector<SymbolRange> ranges;
  std::unordered_map<Expr, size_t> stepIndex;
  std::vector<Step> steps; ///< Operands come before what uses them.
  std::vector<size_t> operands;
  std::vector<std::optional<Wide>> results; ///< Of each step.
  std::vector<Derived> derived;
  std::vector<Prepared> assumed;
  Prepared question;
  size_t evaluations = 0;
};

} // namespace relax::symbolic::detail
