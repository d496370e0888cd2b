//===- Prove.cpp - the provers' questions -----------------------------------------------------===//

#include "compiler/symbolic/Prover.h"

#include <algorithm>

namespace relax::symbolic {
using namespace detail;

Bounds bounds(Expr expr, const Facts &facts) {
  Prover prover(facts);
  // The expanded form relates more, the plain one knows that a mod is below its divisor.
  Bounds result = prover.interval(prover.takePlainly(expr));
  Expr expanded = prover.take(expr);
  if (auto lo = prover.lowerBound(expanded))
    result.lo = result.lo ? std::max(*result.lo, *lo) : *lo;
  if (auto lo = prover.lowerBound(expanded * -1); lo && *lo != INT64_MIN)
    result.hi = result.hi ? std::min(*result.hi, -*lo) : -*lo;
  return result;
}

Proof proveEqual(Expr a, Expr b, const Facts &facts) {
  if (a == b)
    return Proof::Proved;
  Prover prover(facts);
  return prover.isZero(withoutValueless(prover.take(a) - prover.take(b)));
}

Proof proveLessEqual(Expr a, Expr b, const Facts &facts) {
  if (a == b)
    return Proof::Proved;
  Prover prover(facts);
  Proof proof = prover.isNonNegative(withoutValueless(prover.take(b) - prover.take(a)));
  if (proof != Proof::Unknown)
    return proof;
  return prover.isNonNegative(withoutValueless(prover.takePlainly(b) - prover.takePlainly(a)));
}

Proof proveDivides(int64_t d, Expr a, const Facts &facts) {
  if (d <= 0)
    return Proof::Unknown;
  Prover prover(facts);
  Proof proof = prover.isMultiple(prover.take(a), d);
  return proof != Proof::Unknown ? proof : prover.isMultiple(prover.takePlainly(a), d);
}

} // namespace relax::symbolic
