//===- AxisRules.cpp - what shape rules share that speak of axes and windows ------------------===//
#include "compiler/dialect/AxisRules.h"

#include "compiler/symbolic/Prove.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::ir {

FailureOr<unsigned> axisOf(const Rule &rule, RankedTensorType type, int64_t axis) {
  int64_t rank = type.getRank();
  if (axis < -rank || axis >= rank)
    return rule.error("axis " + Twine(axis) + " is not one of " + shapeText(type) + ", which has " +
                      Twine(rank) + (rank == 1 ? " dimension" : " dimensions"));
  return unsigned(axis < 0 ? axis + rank : axis);
}

FailureOr<SmallVector<unsigned>> axesOf(const Rule &rule, RankedTensorType type,
                                        ArrayRef<int64_t> axes) {
  SmallVector<unsigned> result;
  for (int64_t axis : axes) {
    FailureOr<unsigned> position = axisOf(rule, type, axis);
    if (failed(position))
      return failure();
    if (llvm::is_contained(result, *position))
      return rule.error("axis " + Twine(axis) + " of " + shapeText(type) + " is named twice");
    result.push_back(*position);
  }
  llvm::sort(result);
  return result;
}

unsigned axisOf(RankedTensorType type, int64_t axis) {
  return unsigned(axis < 0 ? axis + type.getRank() : axis);
}

SmallVector<unsigned> axesOf(RankedTensorType type, std::optional<ArrayRef<int64_t>> axes) {
  SmallVector<unsigned> result;
  if (axes)
    for (int64_t axis : *axes)
      result.push_back(axisOf(type, axis));
  else
    for (int64_t i = 0; i < type.getRank(); ++i)
      result.push_back(unsigned(i));
  llvm::sort(result);
  return result;
}

static LogicalResult wrongElements(const Rule &rule, StringRef role, RankedTensorType type,
                                   StringRef expected) {
  std::string found;
  llvm::raw_string_ostream(found) << type.getElementType();
  bool any = isa<AnyType>(type.getElementType());
  return rule.error(role + " must have elements of " + expected + ", found " + found +
                    (any ? "; relax.match_cast gives a value its element type" : ""));
}

static bool isNumber(Type element) {
  return isa<FloatType>(element) || (isa<IntegerType>(element) && !element.isInteger(1));
}

LogicalResult requireFloats(const Rule &rule, StringRef role, RankedTensorType type) {
  if (isa<FloatType>(type.getElementType()))
    return success();
  return wrongElements(rule, role, type, "floating point");
}

LogicalResult requireNumbers(const Rule &rule, StringRef role, RankedTensorType type) {
  if (isNumber(type.getElementType()))
    return success();
  return wrongElements(rule, role, type, "floating point or integers");
}

LogicalResult requireIntegers(const Rule &rule, StringRef role, RankedTensorType type) {
  if (isNumber(type.getElementType()) && isa<IntegerType>(type.getElementType()))
    return success();
  return wrongElements(rule, role, type, "integers");
}

LogicalResult requireBools(const Rule &rule, StringRef role, RankedTensorType type) {
  if (type.getElementType().isInteger(1))
    return success();
  return wrongElements(rule, role, type, "bool (i1)");
}

LogicalResult requireSameElements(const Rule &rule, StringRef roleA, RankedTensorType a,
                                  StringRef roleB, RankedTensorType b) {
  if (a.getElementType() == b.getElementType())
    return success();
  std::string found;
  llvm::raw_string_ostream(found) << a.getElementType() << " and " << b.getElementType();
  return rule.error("the element types of " + roleA + " " + shapeText(a) + " and " + roleB + " " +
                    shapeText(b) + " differ: " + found);
}

LogicalResult requireRank(const Rule &rule, StringRef role, RankedTensorType type, int64_t rank) {
  if (type.getRank() == rank)
    return success();
  return rule.error("expected " + role + " of rank " + Twine(rank) + ", found " + shapeText(type));
}

Expr scaled(Expr dim, int64_t times, int64_t plus) { return dim ? dim * times + plus : dim; }

Expr floorOf(Expr dim, int64_t divisor) {
  return dim ? dim.getContext().floorDiv(dim, dim.getContext().constant(divisor)) : dim;
}

Expr ceilOf(Expr dim, int64_t divisor) {
  return dim ? dim.getContext().ceilDiv(dim, dim.getContext().constant(divisor)) : dim;
}

/// The bounds of `dim` for symbols of at least 0; none for null.
static symbolic::Bounds naturalBounds(Expr dim) {
  if (!dim)
    return {};
  std::set<std::string> names;
  dim.collectSymbols(names);
  symbolic::Facts facts;
  for (const std::string &name : names)
    facts.set(name, {.lo = 0});
  return symbolic::bounds(dim, facts);
}

bool surelyBelow(Expr dim, int64_t limit) {
  symbolic::Bounds range = naturalBounds(dim);
  return range.hi && *range.hi < limit;
}

bool surelyAtLeast(Expr dim, int64_t limit) {
  symbolic::Bounds range = naturalBounds(dim);
  return range.lo && *range.lo >= limit;
}

} // namespace relax::ir
