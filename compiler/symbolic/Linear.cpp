//===- Linear.cpp - expressions as linear constraints -----------------------------------------===//

#include "compiler/symbolic/Linear.h"

#include <algorithm>
#include <array>

namespace relax::symbolic::detail {

/// Beyond these, nothing more is said of products.
static constexpr size_t maxProducts = 24, maxRows = 320, maxMultiplied = 48;
/// Beyond these, expressions are not looked into.
static constexpr size_t maxColumns = 160;
static constexpr int maxDepth = 100;
/// Larger ends of intervals are not multiplied.
static constexpr int64_t maxEnd = int64_t(1) << 60;

/// sum += factor * form. A form that translate returned fits 62 bits and a factor 63, so that the
/// few that are added up fit 127.
static void addTo(LinearForm &sum, const LinearForm &form, Wide factor) {
  for (auto [column, coefficient] : form) {
    Wide &total = sum[column];
    total += coefficient * factor;
    if (total == 0 && column != 0)
      sum.erase(column);
  }
}

static LinearForm constantForm(Wide value) { return {{0, value}}; }

static LinearForm difference(const LinearForm &a, const LinearForm &b) {
  LinearForm result = a;
  addTo(result, b, -1);
  return result;
}

static bool fits(const LinearForm &form) {
  return std::all_of(form.begin(), form.end(), [](const auto &entry) {
    return entry.second <= maxCoefficient && entry.second >= -maxCoefficient;
  });
}

/// Leaving a row out only makes more look possible.
void LinearQuery::requireForm(const LinearForm &form, bool isEquality) {
  if (fits(form))
    rows.emplace_back(form, isEquality);
  else
    exact = false;
}

void LinearQuery::requireBounds(const LinearForm &form, Bounds range) {
  if (range.lo)
    requireForm(difference(form, constantForm(*range.lo)), false);
  if (range.hi)
    requireForm(difference(constantForm(*range.hi), form), false);
}

void LinearQuery::require(const Condition &condition) {
  requireForm(translate(condition.expr), condition.isEquality);
}

/// What doesn't fit, or is too much, becomes a variable of which nothing is known.
LinearForm LinearQuery::translate(Expr expr) {
  if (auto known = forms.find(expr); known != forms.end())
    return known->second;
  LinearForm sum;
  bool tooMuch = depth >= maxDepth || columns >= maxColumns;
  ++depth;
  if (!tooMuch && expr.kind() == Kind::Add) {
    for (Expr operand : expr.operands()) { // Of an unfolded sum, too.
      addTo(sum, translate(operand), 1);
      tooMuch |= !fits(sum);
    }
  } else if (!tooMuch) {
    Term term = termsOf(expr)[0];
    addTo(sum, term.monomial ? atom(term.monomial) : constantForm(1), term.coefficient);
  }
  --depth;
  if (tooMuch || !fits(sum)) {
    sum = {{newColumn(), 1}};
    exact = false;
  }
  forms.emplace(expr, sum);
  return sum;
}

/// The column of a symbol, division, min, max or product; made with what is known of it.
LinearForm LinearQuery::atom(Expr expr) {
  Kind kind = expr.kind();
  if (kind == Kind::Add || kind == Kind::Constant)
    return translate(expr);
  if (kind == Kind::Mod) {
    // a - b * floordiv(a, b), but the context would make other forms of that.
    Expr divisor = expr.rhs();
    Expr quotient = prover.context().floorDiv(expr.lhs(), divisor);
    return translate(expr.lhs() - divisor * quotient);
  }
  if (auto known = columnOf.find(expr); known != columnOf.end())
    return {{known->second, 1}};
  size_t column = newColumn();
  columnOf.emplace(expr, column);
  requireBounds({{column, 1}}, prover.interval(expr));
  if (kind == Kind::FloorDiv || kind == Kind::CeilDiv)
    defineDivision(column, expr);
  else if (kind == Kind::Min || kind == Kind::Max)
    defineExtreme(column, expr);
  else if (kind == Kind::Mul && !isUnfolded(expr))
    products.push_back(expr);
  exact &= kind != Kind::Mul;
  return {{column, 1}};
}

void LinearQuery::defineDivision(size_t column, Expr expr) {
  Expr divisor = expr.rhs();
  LinearForm dividend = translate(expr.lhs()), multiple, size = translate(divisor);
  if (divisor.isConstant()) {
    if (divisor.constantValue() < 1)
      return; // Has no value.
    addTo(multiple, {{column, 1}}, divisor.constantValue());
  } else {
    exact = false;
    requireForm(difference(size, constantForm(1)), false);
    multiple = translate(divisor * expr);
  }
  // floordiv: 0 <= dividend - multiple <= size - 1; ceildiv: 0 <= multiple - dividend <= size - 1.
  bool down = expr.kind() == Kind::FloorDiv;
  LinearForm rest = down ? difference(dividend, multiple) : difference(multiple, dividend);
  requireForm(rest, false);
  requireForm(difference(difference(size, constantForm(1)), rest), false);
}

void LinearQuery::defineExtreme(size_t column, Expr expr) {
  Clause clause{column, {}};
  for (Expr operand : expr.operands()) {
    LinearForm form = translate(operand), self{{column, 1}};
    requireForm(expr.kind() == Kind::Min ? difference(form, self) : difference(self, form), false);
    clause.operands.push_back(std::move(form));
  }
  clauses.push_back(std::move(clause));
}

/// McCormick's inequalities for each way to write the monomial as an atom times the rest.
void LinearQuery::defineProduct(Expr monomial) {
  std::span<const Expr> atoms = atomsOf(monomial);
  LinearForm product = atom(monomial);
  if (!budget.take(atoms.size() * atoms.size() * costOfNode))
    return;
  for (size_t i = 0; i < atoms.size(); ++i) {
    if (i > 0 && atoms[i] == atoms[i - 1])
      continue;
    Expr rest = prover.context().constant(1);
    for (size_t j = 0; j < atoms.size(); ++j)
      if (j != i)
        rest = rest * atoms[j];
    LinearForm x = translate(atoms[i]), y = translate(rest);
    Bounds rangeX = prover.interval(atoms[i]), rangeY = prover.interval(rest);
    // (x - a) * (y - b), whose sign is that of the two sides.
    auto relate = [&](std::optional<int64_t> a, std::optional<int64_t> b, int sign) {
      auto isLarge = [](int64_t end) { return end > maxEnd || end < -maxEnd; };
      if (!a || !b || isLarge(*a) || isLarge(*b))
        return;
      LinearForm form;
      addTo(form, product, sign);
      addTo(form, y, -Wide(*a) * sign);
      addTo(form, x, -Wide(*b) * sign);
      addTo(form, constantForm(Wide(*a) * *b), sign);
      requireForm(form, false);
    };
    relate(rangeX.lo, rangeY.lo, 1);
    relate(rangeX.hi, rangeY.hi, 1);
    relate(rangeX.lo, rangeY.hi, -1);
    relate(rangeX.hi, rangeY.lo, -1);
    if (atoms.size() == 2 && atoms[i] == rest) {
      relate(0, 1, 1); // x * x >= x, as x is an integer; and >= -x.
      relate(0, -1, 1);
    }
  }
}

/// n <= m gives n * p <= m * p for p >= 0: multiplies conditions so that they speak of `monomial`.
void LinearQuery::multiplyConditions(Expr monomial, std::span<const Condition> conditions) {
  std::span<const Expr> atoms = atomsOf(monomial);
  for (size_t i = 0; i < atoms.size(); ++i) {
    if (i > 0 && atoms[i] == atoms[i - 1])
      continue;
    Bounds range = prover.interval(atoms[i]);
    for (const Condition &condition : conditions) {
      bool meets = false;
      if (!budget.take(get(condition.expr).size * costOfNode))
        return;
      for (const Term &term : termsOf(condition.expr)) {
        Expr raised = sumOf(prover.context(), std::array{Term{1, term.monomial}}) * atoms[i];
        meets |= term.monomial && raised == monomial;
      }
      if (!meets || rows.size() >= maxRows || isUnfolded(condition.expr))
        continue;
      // A factor that is >= 0, or any for an equality.
      Expr factor = atoms[i];
      if (!condition.isEquality) {
        if (!range.lo && !range.hi)
          continue;
        factor = range.lo ? atoms[i] - prover.context().constant(*range.lo)
                          : prover.context().constant(*range.hi) - atoms[i];
      }
      require({withoutValueless(condition.expr * factor), condition.isEquality});
    }
  }
}

void LinearQuery::defineProducts(std::span<const Condition> conditions) {
  std::vector<Condition> all(conditions.begin(), conditions.end());
  all.insert(all.end(), prover.hypotheses().begin(), prover.hypotheses().end());
  all.resize(std::min(all.size(), maxMultiplied));
  // Defining one may meet others.
  for (size_t i = 0; i < products.size() && i < maxProducts; ++i)
    multiplyConditions(Expr(products[i]), all);
  for (size_t i = 0; i < products.size() && i < maxProducts && rows.size() < maxRows; ++i)
    defineProduct(Expr(products[i]));
}

LinearSystem LinearQuery::makeSystem() const {
  LinearSystem system;
  system.columns = columns;
  for (const auto &[form, isEquality] : rows) {
    Row row(columns);
    for (auto [column, coefficient] : form)
      row[column] = static_cast<int64_t>(coefficient);
    (isEquality ? system.equalities : system.inequalities).push_back(std::move(row));
  }
  return system;
}

Solutions LinearQuery::solve(std::span<const Condition> conditions) {
  for (const Condition &condition : conditions)
    require(condition);
  for (const Condition &condition : prover.hypotheses())
    require(condition);
  defineProducts(conditions);
  Solutions found = split(makeSystem(), 0);
  return found == Solutions::Some && !exact ? Solutions::GaveUp : found;
}

/// The solutions of `system` in all cases of the clauses from `clause` on.
Solutions LinearQuery::split(const LinearSystem &system, size_t clause) {
  if (!budget.take(columns * (system.inequalities.size() + system.equalities.size())))
    return Solutions::GaveUp;
  Solutions found = findSolutions(system, budget);
  if (found == Solutions::None || clause == clauses.size())
    return found;
  found = Solutions::None;
  for (const LinearForm &operand : clauses[clause].operands) {
    LinearForm form = difference(operand, {{clauses[clause].column, 1}});
    LinearSystem chosen = system;
    if (fits(form)) {
      Row row(columns);
      for (auto [column, coefficient] : form)
        row[column] = static_cast<int64_t>(coefficient);
      chosen.equalities.push_back(std::move(row));
    } else {
      exact = false;
    }
    Solutions inCase = split(chosen, clause + 1);
    if (inCase != Solutions::None)
      return inCase; // One that gave up is enough: it won't be None any more.
  }
  return found;
}

} // namespace relax::symbolic::detail
