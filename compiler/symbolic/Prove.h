//===- Prove.h - proofs, bounds and simplification under facts --------------------------------===//
//
// Three answers. Proved: true for every choice of symbols that the facts allow. Refuted: false for
// every such choice. Unknown: neither was shown; the caller keeps a guard that decides at run time.
// Choices for which one side has no value (a divisor <= 0) don't count: whoever computes it fails
// there anyway. Every answer other than Unknown is right, whatever the expressions and facts.
//
// What is complete. The linear fragment: constants, symbols, + and -, products with a constant,
// floordiv, ceildiv and mod by positive constants, min and max, and facts of the same kinds
// (ranges, divisors, relations). There, Unknown means that some allowed choice makes it true and
// another false; the smallest is found by counterexample (Solve.h). Where it isn't so, that is for
// one of these reasons:
//   - symbols are taken as integers of any size, not of 64 bits: n <= 9223372036854775807 is proved
//     only by a range;
//   - a number in the question is beyond 62 bits, or the work beyond the budget, which ordinary
//     shapes use a hundredth of: a dozen min and max, or hundreds of divisions in one question.
//
// What is not. Products of symbols and division by symbols, where no complete procedure exists.
// Polynomials are compared in canonical form, after replacing symbols that facts give
// (k == n * m); divisions by a symbol take out its multiples; inequalities follow from the ranges
// of factors (n * m >= n for m >= 1, n >= 0) and from facts multiplied by what is not negative (n
// <= m, p >= 0: n * p <= m * p).
//
// How. In this order: canonical form; trying some choices, which shows most Unknowns at once;
// bounds by interval arithmetic and a search that replaces divisions, min and max by what bounds
// them; the Omega test, an integer decision procedure (Omega.h); the same for each of the three
// cases of up to three facts that extents broadcast. All steps are counted: no question takes
// longer than some milliseconds, and one with empty facts and no answer takes microseconds.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Constraint.h"
#include "compiler/symbolic/Expr.h"
#include "compiler/symbolic/Facts.h"

namespace relax::symbolic {

enum class Proof : uint8_t { Proved, Refuted, Unknown };

/// a == b?
Proof proveEqual(Expr a, Expr b, const Facts &facts);
/// a <= b?
Proof proveLessEqual(Expr a, Expr b, const Facts &facts);
/// a < b?
Proof proveLess(Expr a, Expr b, const Facts &facts);
/// Is a a multiple of d? Unknown for d <= 0.
Proof proveDivides(int64_t d, Expr a, const Facts &facts);
/// Does it hold?
Proof prove(const Constraint &constraint, const Facts &facts);

/// lo <= value <= hi; a missing end is unknown, or beyond int64.
struct Bounds {
  std::optional<int64_t> lo, hi;
  bool operator==(const Bounds &) const = default;
};

/// The bounds of `expr` under `facts`; the tightest on the linear fragment, within the budget.
Bounds bounds(Expr expr, const Facts &facts);

/// A shorter expression that is equal to `expr` wherever the facts hold: symbols of one value
/// become it, divisions that are known to be exact or to have one quotient go, min and max lose
/// operands that never win, and what a fact equates with a symbol becomes it. Where no step of
/// computing `expr`, in the order of its operands, can leave int64 within the ranges of its
/// symbols, no step of the result can.
Expr simplify(Expr expr, const Facts &facts);

} // namespace relax::symbolic
