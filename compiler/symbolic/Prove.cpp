//===- Prove.cpp - proofs, bounds and simplification under facts ------------------------------===//

#include "compiler/symbolic/Node.h"

namespace relax::symbolic {
using namespace detail;

static Bounds intervalOf(Expr expr, const Facts &facts) {
  if (expr.isSymbol()) {
    const SymbolRange *range = facts.find(expr.symbolName());
    if (!range)
      return {};
    return {range->lo == INT64_MIN ? std::nullopt : std::optional(range->lo), range->hi};
  }
  if (expr.isConstant())
    return {expr.constantValue(), expr.constantValue()};
  std::vector<Bounds> ranges;
  for (Expr operand : expr.operands())
    ranges.push_back(intervalOf(operand, facts));
  return rangeOf(expr.kind(), expr.operands(), ranges);
}

Bounds bounds(Expr expr, const Facts &facts) { return intervalOf(expr, facts); }

Proof proveEqual(Expr a, Expr b, const Facts &facts) {
  Bounds difference = intervalOf(a - b, facts);
  if (difference == Bounds{0, 0})
    return Proof::Proved;
  if ((difference.lo && *difference.lo > 0) || (difference.hi && *difference.hi < 0))
    return Proof::Refuted;
  return Proof::Unknown;
}

Proof proveLessEqual(Expr a, Expr b, const Facts &facts) {
  Bounds difference = intervalOf(b - a, facts);
  if (difference.lo && *difference.lo >= 0)
    return Proof::Proved;
  if (difference.hi && *difference.hi < 0)
    return Proof::Refuted;
  return Proof::Unknown;
}

Proof proveDivides(int64_t d, Expr a, const Facts &facts) {
  if (d <= 0)
    return Proof::Unknown;
  Context &context = a.getContext();
  Expr remainder = context.mod(a, context.constant(d));
  return proveEqual(remainder, context.constant(0), facts);
}

Expr simplify(Expr expr, const Facts &) { return expr; }

} // namespace relax::symbolic
