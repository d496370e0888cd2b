//===- Broadcast.cpp - the extent of what is broadcast ----------------------------------------===//

#include "compiler/symbolic/Broadcast.h"
#include "compiler/symbolic/Node.h"

#include <algorithm>

namespace relax::symbolic {
using namespace detail;

static Expr extentOf(std::span<const Expr> parts) {
  Context &context = parts[0].getContext();
  Expr one = context.constant(1), largest = context.max(parts);
  std::vector<Expr> withOne(parts.begin(), parts.end());
  withOne.push_back(one);
  return largest + context.min(withOne) - context.min(one, largest);
}

/// The operands of a min with 1, without the 1; none for anything else.
static std::vector<Expr> withinMinOfOne(Expr monomial) {
  std::vector<Expr> operands;
  if (!monomial || monomial.kind() != Kind::Min)
    return operands;
  operands.assign(monomial.operands().begin(), monomial.operands().end());
  size_t ones = std::erase_if(operands, [](Expr operand) { return operand.isConstant(1); });
  return ones == 1 ? operands : std::vector<Expr>();
}

/// What `expr` is the extent of, if it has that form; otherwise itself.
static std::vector<Expr> partsOf(Expr expr) {
  std::vector<Expr> parts;
  if (expr.kind() == Kind::Add && !isUnfolded(expr))
    for (const Term &term : termsOf(expr)) {
      std::vector<Expr> operands = withinMinOfOne(term.monomial);
      // The minimum of all lists them but for those that never win; so does the maximum.
      bool isLargest = term.coefficient == -1 && operands.size() == 1;
      if (isLargest && operands[0].kind() == Kind::Max)
        parts.insert(parts.end(), operands[0].operands().begin(), operands[0].operands().end());
      else if (isLargest || term.coefficient == 1)
        parts.insert(parts.end(), operands.begin(), operands.end());
    }
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty() || extentOf(parts) != expr)
    return {expr};
  return parts;
}

Expr broadcastExtent(Expr a, Expr b) {
  if (a == b || b.isConstant(1))
    return a;
  if (a.isConstant(1))
    return b;
  std::vector<Expr> parts = partsOf(a), more = partsOf(b);
  parts.insert(parts.end(), more.begin(), more.end());
  std::sort(parts.begin(), parts.end());
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  return extentOf(parts);
}

} // namespace relax::symbolic
