//===- Prove.h - proofs, bounds and simplification under facts --------------------------------===//
//
// Three answers. Proved: true for every choice of symbols that the facts allow. Refuted: false for
// every such choice. Unknown: neither was shown; the caller keeps a guard that decides at run time.
// Choices for which one side has no value (a divisor <= 0) don't count: whoever computes it fails
// there anyway.
//
// Every answer other than Unknown is right; Unknown may come where a cleverer prover knew more.
// What is tried, in order: the difference in canonical form; interval arithmetic over it, once as
// it stands and once with each symbol measured from its lower bound (that shows n * m - n >= 0 for
// m >= 1); and replacing divisions, min and max by what bounds them (16 * floordiv(n, 16) <= n), a
// bounded number of times. The time is bounded by a fixed budget, independent of what is asked.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/symbolic/Expr.h"
#include "compiler/symbolic/Facts.h"

namespace relax::symbolic {

enum class Proof : uint8_t { Proved, Refuted, Unknown };

/// a == b?
Proof proveEqual(Expr a, Expr b, const Facts &facts);
/// a <= b?
Proof proveLessEqual(Expr a, Expr b, const Facts &facts);
/// Is a a multiple of d? Unknown for d <= 0.
Proof proveDivides(int64_t d, Expr a, const Facts &facts);

/// lo <= value <= hi; a missing end is unknown, or beyond int64.
struct Bounds {
  std::optional<int64_t> lo, hi;
  bool operator==(const Bounds &) const = default;
};

/// The bounds of `expr` under `facts`; not always the tightest.
Bounds bounds(Expr expr, const Facts &facts);

/// A shorter expression that is equal to `expr` wherever the facts hold: symbols of one value
/// become it, divisions that are known to be exact or to have one quotient go, min and max lose
/// operands that never win.
Expr simplify(Expr expr, const Facts &facts);

} // namespace relax::symbolic
