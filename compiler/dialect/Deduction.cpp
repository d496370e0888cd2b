//===- Deduction.cpp - what the shape rules of the ops share ----------------------------------===//
#include "compiler/dialect/Deduction.h"

#include "compiler/symbolic/Broadcast.h"
#include "compiler/symbolic/Solve.h"

using namespace mlir;

namespace relax::ir {

using symbolic::Proof;

bool provablyEqual(symbolic::Expr a, symbolic::Expr b) {
  return a && b && (a == b || symbolic::proveEqual(a, b, {}) == symbolic::Proof::Proved);
}

//===------------------------------------------------------------------------------------------===//
// Relations
//===------------------------------------------------------------------------------------------===//

symbolic::Constraint relationOf(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b) {
  switch (kind) {
  case ConstraintKind::Equal:
    return symbolic::Constraint::equal(a, b);
  case ConstraintKind::LessEqual:
    return symbolic::Constraint::lessEqual(a, b);
  case ConstraintKind::Divides:
    return symbolic::Constraint::divides(a, b);
  case ConstraintKind::Broadcast:
    break;
  }
  return symbolic::Constraint::broadcast(a, b);
}

Proof prove(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b, const symbolic::Facts &facts) {
  if (!a || !b)
    return Proof::Unknown;
  if (a == b && (kind == ConstraintKind::Equal || kind == ConstraintKind::Broadcast))
    return Proof::Proved;
  return symbolic::prove(relationOf(kind, a, b), facts);
}

std::string counterexample(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                           const symbolic::Facts &facts) {
  if (!a || !b)
    return {};
  // Both are sizes, and the symbols of sizes are mostly sizes themselves.
  symbolic::Facts sizes = facts;
  std::set<std::string> names;
  a.collectSymbols(names);
  b.collectSymbols(names);
  for (const std::string &name : names)
    if (!facts.find(name))
      sizes.set(name, {0, std::nullopt, 1});
  std::optional<symbolic::Assignment> found =
      names.empty() ? std::nullopt : symbolic::counterexample(relationOf(kind, a, b), sizes);
  if (!found)
    return {};
  std::optional<int64_t> valueA = evaluate(a, *found), valueB = evaluate(b, *found);
  if (!valueA || !valueB)
    return {};
  return symbolic::describe(*found) + " makes them " + std::to_string(*valueA) + " and " +
         std::to_string(*valueB);
}

//===------------------------------------------------------------------------------------------===//
// Rules
//===------------------------------------------------------------------------------------------===//

/// What to do about it, where one of two dimensions is unknown.
static StringRef unknownHint(symbolic::Expr a, symbolic::Expr b) {
  return a && b ? "" : "; name the unknown dimension by relax.match_cast";
}

LogicalResult Rule::error(const Twine &message) const {
  return emitOptionalError(loc, name, ": ", message);
}

FailureOr<RankedTensorType> Rule::tensor(Value value, StringRef role) const {
  operands.push_back({role, value});
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    return type;
  return error(role + " must be a ranked tensor, found " + shapeText(value.getType()));
}

LogicalResult Rule::requireEqual(StringRef roleA, RankedTensorType a, unsigned i, StringRef roleB,
                                 RankedTensorType b, unsigned j) const {
  symbolic::Expr dimA = shapeOf(a)[i], dimB = shapeOf(b)[j];
  if (provablyEqual(dimA, dimB))
    return success();
  return error("dimension " + Twine(i) + " of " + roleA + " " + shapeText(a) +
               " must equal dimension " + Twine(j) + " of " + roleB + " " + shapeText(b) +
               unknownHint(dimA, dimB));
}

LogicalResult Rule::requireDim(StringRef role, RankedTensorType type, unsigned i,
                               symbolic::Expr expected, const Twine &why) const {
  symbolic::Expr dim = shapeOf(type)[i];
  if (provablyEqual(dim, expected))
    return success();
  return error("dimension " + Twine(i) + " of " + role + " " + shapeText(type) + " must be " +
               (expected ? expected.str() : "known") + " (" + why + ")" +
               unknownHint(dim, expected));
}

FailureOr<int64_t> Rule::staticDim(StringRef role, RankedTensorType type, unsigned i) const {
  if (type.isDynamicDim(i))
    return error("dimension " + Twine(i) + " of " + role + " " + shapeText(type) +
                 " must be a constant");
  return type.getDimSize(i);
}

LogicalResult Rule::errorAt(const Twine &message, ArrayRef<StringRef> roles) const {
  if (!loc)
    return failure();
  InFlightDiagnostic diagnostic = emitError(*loc) << name << ": " << message;
  // Where they come from: a parameter by its number, anything else by a note at its place.
  for (auto [role, value] : operands) {
    if (!llvm::is_contained(roles, role))
      continue;
    if (auto argument = dyn_cast<BlockArgument>(value))
      diagnostic << "; " << role << " is argument " << argument.getArgNumber();
    else
      diagnostic.attachNote(value.getLoc())
          << role << " " << shapeText(value.getType()) << " comes from here";
  }
  return failure();
}

LogicalResult Rule::check(ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                          const Twine &text, ArrayRef<StringRef> roles) const {
  return settle(prove(kind, a, b), kind, a, b, text, roles);
}

LogicalResult Rule::settle(Proof proof, ConstraintKind kind, symbolic::Expr a, symbolic::Expr b,
                           const Twine &text, ArrayRef<StringRef> roles) const {
  if (proof == Proof::Unknown && constraints)
    constraints->push_back({kind, a, b, text.str()});
  if (proof != Proof::Refuted)
    return success();
  StringRef relation = kind == ConstraintKind::Equal       ? "are never equal"
                       : kind == ConstraintKind::LessEqual ? "are never in order (first <= second)"
                       : kind == ConstraintKind::Divides   ? "never divide (first by second)"
                                                           : "are never equal, and neither is 1";
  std::string example = counterexample(kind, a, b);
  return errorAt(text + " " + relation + ": " + a.str() + " and " + b.str() +
                     (example.empty() ? "" : "; ") + example,
                 roles);
}

FailureOr<symbolic::Expr> Rule::checkEqual(StringRef roleA, RankedTensorType a, unsigned i,
                                           StringRef roleB, RankedTensorType b, unsigned j) const {
  symbolic::Expr dimA = shapeOf(a)[i], dimB = shapeOf(b)[j];
  if (dimA && dimA == dimB)
    return dimA;
  Proof proof = prove(ConstraintKind::Equal, dimA, dimB);
  if (needsText(proof) &&
      failed(settle(proof, ConstraintKind::Equal, dimA, dimB,
                    "dimension " + Twine(i) + " of " + roleA + " " + shapeText(a) +
                        " and dimension " + Twine(j) + " of " + roleB + " " + shapeText(b),
                    {roleA, roleB})))
    return failure();
  return !dimA || (dimB && dimB.isConstant()) ? dimB : dimA;
}

FailureOr<symbolic::Expr> Rule::checkDim(StringRef role, RankedTensorType type, unsigned i,
                                         symbolic::Expr expected, const Twine &why) const {
  // Rules run before the operands' constraints are verified.
  if (i >= type.getRank())
    return error(role + " " + shapeText(type) + " must have a dimension " + Twine(i) + ", " + why);
  symbolic::Expr dim = shapeOf(type)[i];
  if (dim && dim == expected)
    return dim;
  Proof proof = prove(ConstraintKind::Equal, dim, expected);
  if (needsText(proof) &&
      failed(settle(proof, ConstraintKind::Equal, dim, expected,
                    "dimension " + Twine(i) + " of " + role + " " + shapeText(type) + " and " + why,
                    {role})))
    return failure();
  return !dim || (expected && expected.isConstant()) ? expected : dim;
}

symbolic::Expr Rule::broadcastDim(symbolic::Expr a, symbolic::Expr b) const {
  // A constant other than 1 wins: the other one is 1 or equal.
  for (symbolic::Expr dim : {a, b})
    if (dim && dim.isConstant() && dim.constantValue() != 1)
      return dim;
  if (a && a.isConstant())
    return b;
  if ((b && b.isConstant()) || !a || !b)
    return b ? a : symbolic::Expr();
  if (provablyEqual(a, b))
    return a;
  return symbolic::broadcastExtent(a, b);
}

FailureOr<SmallVector<symbolic::Expr>> Rule::broadcastShapes(StringRef roleA,
                                                             ArrayRef<symbolic::Expr> a,
                                                             StringRef roleB,
                                                             ArrayRef<symbolic::Expr> b) const {
  size_t rank = std::max(a.size(), b.size());
  SmallVector<symbolic::Expr> dims(rank);
  for (size_t back = 1; back <= rank; ++back) {
    if (back > a.size() || back > b.size()) {
      dims[rank - back] = back > a.size() ? b[b.size() - back] : a[a.size() - back];
      continue;
    }
    symbolic::Expr dimA = a[a.size() - back], dimB = b[b.size() - back];
    if (dimA && dimA == dimB) {
      dims[rank - back] = dimA;
      continue;
    }
    bool one = (dimA && dimA.isConstant(1)) || (dimB && dimB.isConstant(1));
    Proof proof = one ? Proof::Proved : prove(ConstraintKind::Broadcast, dimA, dimB);
    if (needsText(proof) &&
        failed(settle(proof, ConstraintKind::Broadcast, dimA, dimB,
                      "dimension " + Twine(a.size() - back) + " of " + roleA + " " + shapeText(a) +
                          " and dimension " + Twine(b.size() - back) + " of " + roleB + " " +
                          shapeText(b),
                      {roleA, roleB})))
      return failure();
    dims[rank - back] = broadcastDim(dimA, dimB);
  }
  return dims;
}

FailureOr<Type> Rule::broadcast(RankedTensorType lhs, RankedTensorType rhs) const {
  if (lhs.getElementType() != rhs.getElementType()) {
    std::string types;
    llvm::raw_string_ostream(types) << lhs.getElementType() << " and " << rhs.getElementType();
    return error("the operands' element types differ: " + types);
  }
  if (lhs == rhs && lhs.hasStaticShape())
    return Type(lhs);
  FailureOr<SmallVector<symbolic::Expr>> dims =
      broadcastShapes("lhs", shapeOf(lhs), "rhs", shapeOf(rhs));
  if (failed(dims))
    return failure();
  return Type(tensorType(context, *dims, lhs.getElementType()));
}

FailureOr<const BlockFormat *> Rule::format(StringRef formatName) const {
  if (const BlockFormat *format = findBlockFormat(context, formatName))
    return format;
  return error("there is no format \"" + formatName + "\"; expected one of " + blockFormatNames());
}

} // namespace relax::ir
