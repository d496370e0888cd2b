//===- CheckOps.cpp - rules of run-time checks and of changed annotations ---------------------===//
//
// The rules that have numbers are listed in compiler/transforms/Verify.cpp.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/ops/CheckOps.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/ControlFlowOps.h"
#include "compiler/dialect/ops/StructureOps.h"

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

/// Whether the op is in a branch or a loop. There a check that always fails is no error: it may be
/// that nothing ever comes there, and passes learn sizes that the text doesn't say.
static bool isConditional(Operation *op) {
  Operation *parent = op->getParentOp();
  while (isa_and_nonnull<DataflowOp>(parent))
    parent = parent->getParentOp();
  return isa_and_nonnull<IfOp, WhileOp>(parent);
}

/// The type with every size unknown.
static Type withoutSizes(Type type) {
  auto unknown = [](size_t rank) { return SmallVector<symbolic::Expr>(rank); };
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensorType(type.getContext(), unknown(tensor.getRank()), tensor.getElementType());
  if (auto shape = dyn_cast<ShapeType>(type); shape && shape.hasRank())
    return ShapeType::get(type.getContext(), unknown(shape.getDimsOrUnknown().size()));
  if (auto tuple = dyn_cast<TupleType>(type))
    return TupleType::get(type.getContext(), llvm::map_to_vector(tuple.getTypes(), withoutSizes));
  return type;
}

LogicalResult MatchCastOp::verify() {
  std::string why;
  Type from = getValue().getType(), to = getResult().getType();
  if (isSubtypeOf(from, to, {}, &why) != symbolic::Proof::Refuted ||
      (isConditional(*this) &&
       isSubtypeOf(withoutSizes(from), withoutSizes(to)) != symbolic::Proof::Refuted))
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
  if (isConditional(*this) ||
      prove(constraint.getKind(), constraint.getA(), constraint.getB()) != symbolic::Proof::Refuted)
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
