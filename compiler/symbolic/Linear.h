//===- Linear.h - expressions as linear constraints; for this folder only ---------------------===//
//
// Asks the Omega test whether conditions can hold together. Each expression becomes a linear form
// over integer variables:
//
//   symbol           a variable, within its range
//   floordiv(x, c)   a variable q with c * q <= x <= c * q + c - 1; ceildiv and mod likewise
//   min(x, y)        a variable t with t <= x, t <= y, and one of t == x, t == y: two cases, split
//                    only where the system without them still has a solution
//   n * m            a variable within the interval of the product; and for known bounds of the
//                    factors, (n - lo) * (m - lo') >= 0 and the like, which are linear in n * m, n
//                    and m (McCormick's inequalities)
//   floordiv(x, p)   a variable q with p * q <= x <= p * q + p - 1, p * q being a product as above
//
// The first three lose nothing, so that the answer is complete for expressions of only those; the
// last two keep some of what they mean, so that "can't hold" is right for all.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Omega.h"
#include "compiler/symbolic/Prover.h"

namespace relax::symbolic::detail {

/// A linear form: coefficients by column; column 0 is the constant.
using LinearForm = std::map<size_t, Wide>;

class LinearQuery {
public:
  LinearQuery(Prover &prover, Budget &budget) : prover(prover), budget(budget) {}

  /// Whether integers satisfy all of `conditions` and the prover's facts. Some only if that is
  /// certain.
  Solutions solve(std::span<const Condition> conditions);

private:
  /// t is one of `operands`.
  struct Clause {
    size_t column;
    std::vector<LinearForm> operands;
  };

  void require(const Condition &condition);
  void requireForm(const LinearForm &form, bool isEquality);
  void requireBounds(const LinearForm &form, Bounds range);
  LinearForm translate(Expr expr);
  LinearForm atom(Expr expr);
  size_t newColumn() { return columns++; }
  void defineDivision(size_t column, Expr expr);
  void defineExtreme(size_t column, Expr expr);
  void defineProduct(Expr monomial);
  void multiplyConditions(Expr monomial, std::span<const Condition> conditions);
  void defineProducts(std::span<const Condition> conditions);
  LinearSystem makeSystem() const;
  Solutions split(const LinearSystem &system, size_t clause);

  Prover &prover;
  Budget &budget;
  size_t columns = 1;
  int depth = 0;
  bool exact = true; ///< Whether the rows and clauses say all that the expressions do.
  std::unordered_map<Expr, LinearForm> forms;
  std::unordered_map<Expr, size_t> columnOf;     ///< Of symbols, other atoms and products.
  std::vector<std::pair<LinearForm, bool>> rows; ///< With whether it is == 0; otherwise >= 0.
  std::vector<Clause> clauses;
  std::vector<Expr> products; ///< In the order in which they were met.
};

} // namespace relax::symbolic::detail
