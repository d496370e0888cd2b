//===- CheckOps.cpp - rules of run-time checks and of changed annotations ---------------------===//
//
// The rules that have numbers are listed in compiler/transforms/Verify.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/ops/CheckOps.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"

using namespace mlir;

namespace relax::ir {

void registerCheckOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/CheckOps.cpp.inc"
      >();
}

void MatchCastOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  std::set<std::string> known, named;
  collectSymbols(getValue().getType(), known);
  collectSymbols(getResult().getType(), named);
  SmallVector<symbolic::Expr> dims;
  collectDims(getResult().getType(), dims);
  for (const std::string &name : named) {
    if (known.count(name))
      continue;
    // A dimension of its own cannot be negative; inside an expression nothing is known.
    bool plain = llvm::any_of(dims, [&](symbolic::Expr dim) {
      return dim && dim.isSymbol() && dim.symbolName() == name;
    });
    symbols.push_back({StringAttr::get(getContext(), name), plain ? 0 : INT64_MIN, {}});
  }
}

LogicalResult MatchCastOp::verify() {
  std::string why;
  Type from = getValue().getType(), to = getResult().getType();
  if (isSubtypeOf(from, to, {}, &why) != symbolic::Proof::Refuted)
    return success();
  Rule rule(getContext(), getLoc(), getOperationName());
  return rule.error("a value of type " + shapeText(from) + " can never be " + shapeText(to) + ": " +
                    why);
}

LogicalResult EraseOp::verify() {
  std::string why;
  Type from = getValue().getType(), to = getResult().getType();
  if (isSubtypeOf(from, to, {}, &why) == symbolic::Proof::Proved)
    return success();
  Rule rule(getContext(), getLoc(), getOperationName());
  return rule.error("a value of type " + shapeText(from) + " is not provably " + shapeText(to) +
                    ": " + why + "; relax.match_cast checks");
}

LogicalResult GuardOp::verify() {
  ConstraintAttr constraint = getConstraint();
  if (prove(constraint.getKind(), constraint.getA(), constraint.getB()) != symbolic::Proof::Refuted)
    return success();
  Rule rule(getContext(), getLoc(), getOperationName());
  return rule.error(getText() + ": " + constraintKindName(constraint.getKind()) + " of " +
                    constraint.getA().str() + " and " + constraint.getB().str() +
                    " can never hold");
}

LogicalResult CheckValuesOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  if (!getX().getType().getElementType().isInteger())
    return rule.error("the elements must be integers");
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/CheckOps.cpp.inc"
#pragma GCC diagnostic pop
