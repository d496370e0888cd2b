#include "compiler/dialect/Requirements.h"

#include "compiler/symbolic/Broadcast.h"

#include <numeric>

using namespace mlir;
using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::ir {

void addSizeFacts(ArrayRef<Expr> dims, symbolic::Facts &facts) {
  auto add = [&](Expr symbol) {
    if (!facts.find(symbol.symbolName()))
      facts.set(symbol.symbolName(), {/*lo=*/0});
  };
  for (Expr dim : dims) {
    if (!dim)
      continue;
    if (dim.isSymbol())
      add(dim);
    else if (dim.kind() == symbolic::Kind::Mul && dim.operands().size() == 2 &&
             dim.lhs().isConstant() && dim.lhs().constantValue() > 0 && dim.rhs().isSymbol())
      add(dim.rhs());
  }
}

Requirements::Requirements(const Rule &rule, ValueRange operands) : rule(rule) {
  for (Value operand : operands)
    if (auto type = dyn_cast<RankedTensorType>(operand.getType()))
      addSizeFacts(shapeOf(type), facts);
}

LogicalResult Requirements::check(ConstraintKind kind, Expr a, Expr b, const Twine &text,
                                  ArrayRef<StringRef> roles) {
  Proof proof = prove(kind, a, b, facts);
  if (proof == Proof::Proved)
    return success();
  if (proof == Proof::Refuted && prove(kind, a, b) != Proof::Refuted)
    return rule.error(text + " don't fit: " + a.str() + " and " + b.str());
  return rule.check(kind, a, b, text, roles);
}

LogicalResult Requirements::stretches(Expr from, Expr to, const Twine &text,
                                      ArrayRef<StringRef> roles) {
  if (!from || !to || from == to || from.isConstant(1))
    return success();
  Expr one = rule.constant(1);
  // Where it surely isn't 1 it must be equal; else it must broadcast, and to `to`.
  if (prove(ConstraintKind::Equal, from, one, facts) == Proof::Refuted)
    return check(ConstraintKind::Equal, from, to, text, roles);
  if (to.isConstant(1))
    return check(ConstraintKind::Equal, from, to, text, roles);
  if (failed(check(ConstraintKind::Broadcast, from, to, text, roles)))
    return failure();
  if (prove(ConstraintKind::Equal, to, one, facts) == Proof::Refuted)
    return success();
  return check(ConstraintKind::Equal, symbolic::broadcastExtent(from, to), to, text, roles);
}

namespace {
/// The factors of a product of sizes: a number, and the rest.
struct Factors {
  int64_t number = 1;
  SmallVector<Expr> rest;

  void add(Expr expr) {
    int64_t product;
    if (expr.kind() == symbolic::Kind::Mul) {
      for (Expr operand : expr.operands())
        add(operand);
    } else if (expr.isConstant() && !llvm::MulOverflow(number, expr.constantValue(), product)) {
      number = product;
    } else {
      rest.push_back(expr);
    }
  }
  Expr product(symbolic::Context &context) const {
    Expr result = context.constant(number);
    for (Expr factor : rest)
      result = result * factor;
    return result;
  }
};
} // namespace

Quotient exactQuotient(MLIRContext *mlirContext, ArrayRef<Expr> from, ArrayRef<Expr> to) {
  if (llvm::is_contained(from, Expr()) || llvm::is_contained(to, Expr()))
    return {};
  symbolic::Context &context = symbolicContext(mlirContext);
  Factors above, below;
  for (Expr dim : from)
    above.add(dim);
  for (Expr dim : to)
    below.add(dim);
  llvm::erase_if(below.rest, [&](Expr factor) {
    auto it = llvm::find(above.rest, factor);
    bool found = it != above.rest.end();
    if (found)
      above.rest.erase(it);
    return found;
  });
  if (above.number > 0 && below.number > 0) {
    int64_t common = std::gcd(above.number, below.number);
    above.number /= common;
    below.number /= common;
  }
  Expr dividend = above.product(context), divisor = below.product(context);
  if (divisor.isConstant(1))
    return {dividend, {}, {}};
  return {context.floorDiv(dividend, divisor), dividend, divisor};
}

std::string dimensionText(StringRef role, unsigned i, RankedTensorType type) {
  return ("dimension " + Twine(i) + " of " + role + " " + shapeText(type)).str();
}

FailureOr<ArrayRef<Expr>> knownExpressions(const Rule &rule, StringRef role, ShapeAttr attribute,
                                           size_t count, const Twine &places) {
  ArrayRef<Expr> dims = attribute.getDims();
  if (dims.size() != count)
    return rule.error(role + " " + shapeText(dims) + " must have " + Twine(count) + " entries, " +
                      places);
  if (llvm::is_contained(dims, Expr()))
    return rule.error(role + " " + shapeText(dims) + " must be known");
  return dims;
}

FailureOr<SmallVector<unsigned>> orderedAxes(const Rule &rule, RankedTensorType type,
                                             ArrayRef<int64_t> axes) {
  SmallVector<unsigned> result;
  if (failed(axesOf(rule, type, axes)))
    return failure();
  for (int64_t axis : axes)
    result.push_back(axisOf(type, axis));
  return result;
}

} // namespace relax::ir
