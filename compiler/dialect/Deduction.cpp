//===- Deduction.cpp - what the shape rules of the ops share ----------------------------------===//
#include "compiler/dialect/Deduction.h"

#include "compiler/symbolic/Prove.h"

using namespace mlir;

namespace relax::ir {

bool provablyEqual(symbolic::Expr a, symbolic::Expr b) {
  return a && b && symbolic::proveEqual(a, b, {}) == symbolic::Proof::Proved;
}

/// What to do about it, where one of two dimensions is unknown.
static StringRef unknownHint(symbolic::Expr a, symbolic::Expr b) {
  return a && b ? "" : "; name the unknown dimension by relax.match_cast";
}

LogicalResult Rule::error(const Twine &message) const {
  return emitOptionalError(loc, name, ": ", message);
}

FailureOr<RankedTensorType> Rule::tensor(Value value, StringRef role) const {
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

FailureOr<Type> Rule::broadcast(RankedTensorType lhs, RankedTensorType rhs) const {
  if (lhs.getElementType() != rhs.getElementType()) {
    std::string types;
    llvm::raw_string_ostream(types) << lhs.getElementType() << " and " << rhs.getElementType();
    return error("the operands' element types differ: " + types);
  }
  ArrayRef<symbolic::Expr> a = shapeOf(lhs), b = shapeOf(rhs);
  size_t rank = std::max(a.size(), b.size());
  SmallVector<symbolic::Expr> dims(rank);
  for (size_t back = 1; back <= rank; ++back) {
    symbolic::Expr one = constant(1);
    symbolic::Expr dimA = back <= a.size() ? a[a.size() - back] : one;
    symbolic::Expr dimB = back <= b.size() ? b[b.size() - back] : one;
    if (dimA == one)
      dims[rank - back] = dimB;
    else if (dimB == one || provablyEqual(dimA, dimB))
      dims[rank - back] = dimA;
    else
      return error("dimension " + Twine(a.size() - back) + " of lhs " + shapeText(lhs) +
                   " and dimension " + Twine(b.size() - back) + " of rhs " + shapeText(rhs) +
                   " are neither provably equal nor 1" + unknownHint(dimA, dimB));
    // A tensor that repeats an unknown dimension says nothing of the result's.
    if (!dims[rank - back])
      return error("dimension " + Twine(rank - back) + " of the result of lhs " + shapeText(lhs) +
                   " and rhs " + shapeText(rhs) + " is unknown" + unknownHint({}, {}));
  }
  return Type(tensorType(context, dims, lhs.getElementType()));
}

FailureOr<const BlockFormat *> Rule::format(StringRef formatName) const {
  if (const BlockFormat *format = findBlockFormat(formatName))
    return format;
  return error("there is no format \"" + formatName + "\"; expected one of " + blockFormatNames());
}

} // namespace relax::ir
