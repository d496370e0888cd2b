//===- MinMax.cpp - min and max in normal form ------------------------------------------------===//
//
// Nested ones of a kind become one, operands are sorted and unique, constants are folded, and an
// operand that can never win, whatever the symbols are, goes: min(n, n + 1) is `n`.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/symbolic/Node.h"

#include <algorithm>
#include <cassert>

namespace relax::symbolic {
using namespace detail;

/// Operands beyond this many are not compared with each other.
static constexpr size_t maxComparedOperands = 8;

/// Whether `loser` never wins against `winner`.
static bool neverWins(Kind kind, Expr loser, Expr winner) {
  // Whether large - small is never negative.
  Expr large = kind == Kind::Min ? loser : winner, small = kind == Kind::Min ? winner : loser;
  if (small.isConstant() && !large.isConstant())
    return get(large).range.lo && *get(large).range.lo >= small.constantValue();
  if (large.isConstant() && !small.isConstant())
    return get(small).range.hi && *get(small).range.hi <= large.constantValue();
  if (large.isSymbol() && small.isSymbol())
    return false;
  Bounds range = differenceBounds(large, small);
  return range.lo && *range.lo >= 0;
}

/// Removes operands that never win; returns what must be added in their place, `0 * operand`.
static Expr removeLosers(Context &context, Kind kind, std::vector<Expr> &operands) {
  Expr residue = context.constant(0);
  for (size_t i = 0; i < operands.size();) {
    bool loses = false;
    for (size_t j = 0; j < operands.size() && !loses; ++j)
      loses = i != j && neverWins(kind, operands[i], operands[j]);
    if (!loses) {
      ++i;
      continue;
    }
    residue = residue + valueless(operands[i]);
    operands.erase(operands.begin() + static_cast<ptrdiff_t>(i));
  }
  return residue;
}

static Expr makeExtreme(Context &context, Interner &interner, Kind kind,
                        std::span<const Expr> arguments) {
  assert(!arguments.empty());
  if (arguments.size() == 1)
    return arguments[0];
  std::vector<Expr> operands;
  for (Expr argument : arguments) {
    if (argument.kind() == kind)
      operands.insert(operands.end(), argument.operands().begin(), argument.operands().end());
    else
      operands.push_back(argument);
  }
  std::sort(operands.begin(), operands.end());
  operands.erase(std::unique(operands.begin(), operands.end()), operands.end());
  Expr residue = context.constant(0);
  if (operands.size() <= maxComparedOperands)
    residue = removeLosers(context, kind, operands);
  Expr extreme = operands.size() == 1 ? operands[0] : interner.get(kind, operands);
  return extreme + residue;
}

Expr Context::min(std::span<const Expr> operands) {
  return makeExtreme(*this, *interner, Kind::Min, operands);
}
Expr Context::max(std::span<const Expr> operands) {
  return makeExtreme(*this, *interner, Kind::Max, operands);
}
Expr Context::min(Expr a, Expr b) {
  Expr both[] = {a, b};
  return min(both);
}
Expr Context::max(Expr a, Expr b) {
  Expr both[] = {a, b};
  return max(both);
}

} // namespace relax::symbolic
