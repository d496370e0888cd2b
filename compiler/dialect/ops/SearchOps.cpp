//===- SearchOps.cpp - shape rules: order and selection; sizes that depend on values ---------===//
#include "compiler/dialect/ops/SearchOps.h"

#include "compiler/dialect/AxisRules.h"

using namespace mlir;

namespace relax::ir {

void registerSearchOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/SearchOps.cpp.inc"
      >();
}

static Type i64(MLIRContext *context) { return IntegerType::get(context, 64); }

/// The symbol that an op introduces, as a dimension.
static FailureOr<symbolic::Expr> symbolOf(const Rule &rule, StringRef name) {
  if (!symbolic::Context::isSymbolName(std::string_view(name)))
    return rule.error("'" + name + "' cannot be the name of a symbol");
  return symbolicContext(rule.context).symbol(std::string_view(name));
}

/// A symbol for a number of elements of `x`.
static IntroducedSymbol upToElements(StringAttr symbol, Value x) {
  ArrayRef<symbolic::Expr> dims = shapeOf(cast<RankedTensorType>(x.getType()));
  return {symbol, 0, elementCount(x.getContext(), dims)};
}

/// A type of rank 1 and its only dimension.
static Type vectorType(const Rule &rule, symbolic::Expr dim, Type element) {
  return tensorType(rule.context, {dim}, element);
}

LogicalResult SortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(axisOf(rule, *x, adaptor.getAxis())))
    return failure();
  types.push_back(*x);
  return success();
}

LogicalResult ArgsortOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(axisOf(rule, *x, adaptor.getAxis())))
    return failure();
  types.push_back(tensorType(context, shapeOf(*x), i64(context)));
  return success();
}

LogicalResult TopkOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *x, adaptor.getAxis());
  if (failed(axis))
    return failure();
  symbolic::Expr k = adaptor.getK().getExpr();
  if (!k)
    return rule.error("k must be an expression over the function's symbols");
  SmallVector<symbolic::Expr> dims(shapeOf(*x));
  if (failed(rule.check(ConstraintKind::LessEqual, rule.constant(0), k, "0 and k", {})) ||
      failed(rule.check(ConstraintKind::LessEqual, k, dims[*axis],
                        "k and dimension " + Twine(*axis) + " of x, " + shapeText(*x), {"x"})))
    return failure();
  dims[*axis] = k;
  types.push_back(tensorType(rule.context, dims, x->getElementType()));
  types.push_back(tensorType(rule.context, dims, i64(rule.context)));
  return success();
}

LogicalResult UniqueOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<symbolic::Expr> count = symbolOf(rule, adaptor.getSymbol());
  if (failed(x) || failed(count))
    return failure();
  types.push_back(vectorType(rule, *count, x->getElementType()));
  if (adaptor.getInverse())
    types.push_back(tensorType(context, shapeOf(*x), i64(context)));
  if (adaptor.getCounts())
    types.push_back(vectorType(rule, *count, i64(context)));
  return success();
}

void UniqueOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  symbols.push_back(upToElements(getSymbolAttr(), getX()));
}

LogicalResult NonzeroOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<symbolic::Expr> count = symbolOf(rule, adaptor.getSymbol());
  if (failed(x) || failed(count))
    return failure();
  types.push_back(tensorType(context, {rule.constant(x->getRank()), *count}, i64(context)));
  return success();
}

void NonzeroOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  symbols.push_back(upToElements(getSymbolAttr(), getX()));
}

LogicalResult MaskedSelectOp::deduce(const Rule &rule, Adaptor adaptor,
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> mask = rule.tensor(adaptor.getMask(), "mask");
  FailureOr<symbolic::Expr> count = symbolOf(rule, adaptor.getSymbol());
  if (failed(x) || failed(mask) || failed(count) || failed(requireBools(rule, "mask", *mask)) ||
      failed(requireRank(rule, "mask", *mask, x->getRank())))
    return failure();
  for (int64_t i = 0; i < x->getRank(); ++i)
    if (failed(rule.checkEqual("x", *x, i, "mask", *mask, i)))
      return failure();
  types.push_back(vectorType(rule, *count, x->getElementType()));
  return success();
}

void MaskedSelectOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  symbols.push_back(upToElements(getSymbolAttr(), getX()));
}

LogicalResult NonMaxSuppressionOp::deduce(const Rule &rule, Adaptor adaptor,
                                          SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> boxes = rule.tensor(adaptor.getBoxes(), "boxes");
  FailureOr<RankedTensorType> scores = rule.tensor(adaptor.getScores(), "scores");
  FailureOr<symbolic::Expr> count = symbolOf(rule, adaptor.getSymbol());
  if (failed(boxes) || failed(scores) || failed(count) ||
      failed(requireRank(rule, "boxes", *boxes, 3)) ||
      failed(requireRank(rule, "scores", *scores, 3)) ||
      failed(requireFloats(rule, "boxes", *boxes)) ||
      failed(requireSameElements(rule, "boxes", *boxes, "scores", *scores)) ||
      failed(rule.checkDim("boxes", *boxes, 2, rule.constant(4), "4, as a box is four numbers,")) ||
      failed(rule.checkEqual("boxes", *boxes, 0, "scores", *scores, 0)) ||
      failed(rule.checkEqual("boxes", *boxes, 1, "scores", *scores, 2)))
    return failure();
  // The attribute's own accessor: the generated one is unsigned.
  int64_t most = adaptor.getMaxOutputBoxesPerClassAttr().getInt();
  if (most < 0)
    return rule.error("max_output_boxes_per_class must be 0 or more, found " + Twine(most));
  types.push_back(tensorType(rule.context, {*count, rule.constant(3)}, i64(rule.context)));
  return success();
}

void NonMaxSuppressionOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  ArrayRef<symbolic::Expr> scores = shapeOf(cast<RankedTensorType>(getScores().getType()));
  symbolic::Context &context = symbolicContext(getContext());
  symbolic::Expr upper;
  if (!llvm::is_contained(scores, symbolic::Expr()))
    upper = scores[0] * scores[1] *
            context.min(scores[2], context.constant(getMaxOutputBoxesPerClass()));
  symbols.push_back({getSymbolAttr(), 0, upper});
}

LogicalResult TopPFilterOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<symbolic::Expr> count = symbolOf(rule, adaptor.getSymbol());
  if (failed(x) || failed(count) || failed(requireFloats(rule, "x", *x)) ||
      failed(requireRank(rule, "x", *x, 1)))
    return failure();
  types.push_back(vectorType(rule, *count, x->getElementType()));
  types.push_back(vectorType(rule, *count, i64(context)));
  return success();
}

void TopPFilterOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  symbols.push_back({getSymbolAttr(), 0, shapeOf(cast<RankedTensorType>(getX().getType()))[0]});
}

LogicalResult SearchsortedOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> sorted = rule.tensor(adaptor.getSorted(), "sorted");
  FailureOr<RankedTensorType> values = rule.tensor(adaptor.getValues(), "values");
  if (failed(sorted) || failed(values) || failed(requireRank(rule, "sorted", *sorted, 1)) ||
      failed(requireSameElements(rule, "sorted", *sorted, "values", *values)))
    return failure();
  types.push_back(tensorType(context, shapeOf(*values), i64(context)));
  return success();
}

LogicalResult BincountOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                           Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireIntegers(rule, "x", *x)))
    return failure();
  symbolic::Expr length = adaptor.getLength().getExpr();
  if (!length)
    return rule.error("length must be an expression over the function's symbols");
  types.push_back(vectorType(rule, length, i64(context)));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/SearchOps.cpp.inc"
#pragma GCC diagnostic pop
