//===- ShapeOps.cpp - shape rules of the ops that rearrange elements --------------------------===//
#include "compiler/dialect/ops/ShapeOps.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"

using namespace mlir;

namespace relax::ir {

void registerShapeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ShapeOps.cpp.inc"
      >();
}

void ReshapeOp::build(OpBuilder &b, OperationState &state, Value x, ArrayRef<symbolic::Expr> dims) {
  auto type = cast<RankedTensorType>(x.getType());
  build(b, state, tensorType(b.getContext(), dims, type.getElementType()), x);
}

/// The element counts must be equal.
static LogicalResult checkCounts(const Rule &rule, ArrayRef<symbolic::Expr> from,
                                 ArrayRef<symbolic::Expr> to) {
  if (from == to && llvm::all_of(from, [](symbolic::Expr dim) { return bool(dim); }))
    return success();
  return rule.check(ConstraintKind::Equal, elementCount(rule.context, from),
                    elementCount(rule.context, to),
                    "the element counts of " + shapeText(from) + " and " + shapeText(to), {"x"});
}

LogicalResult ReshapeOp::verify() {
  Rule rule(getContext(), getLoc(), getOperationName());
  FailureOr<RankedTensorType> from = rule.tensor(getX(), "x");
  auto to = cast<RankedTensorType>(getResult().getType());
  if (from->getElementType() != to.getElementType())
    return rule.error("the element type must stay");
  return checkCounts(rule, shapeOf(*from), shapeOf(to));
}

void ReshapeOp::getConstraints(SmallVectorImpl<Constraint> &constraints) {
  (void)checkCounts(Rule(getContext(), getOperationName(), constraints),
                    shapeOf(cast<RankedTensorType>(getX().getType())),
                    shapeOf(cast<RankedTensorType>(getResult().getType())));
}

LogicalResult ShapeOfOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto ranked = dyn_cast<RankedTensorType>(adaptor.getX().getType());
  types.push_back(ranked ? ShapeType::get(context, shapeOf(ranked))
                         : ShapeType::get(context, ShapeType::unknownRank));
  return success();
}

void ShapeOp::build(OpBuilder &b, OperationState &state, ArrayRef<symbolic::Expr> dims) {
  build(b, state, ShapeAttr::get(b.getContext(), dims));
}

LogicalResult ShapeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                        Adaptor adaptor, SmallVectorImpl<Type> &types) {
  ArrayRef<symbolic::Expr> dims = adaptor.getDims().getDims();
  if (llvm::any_of(dims, [](symbolic::Expr dim) { return !dim; }))
    return Rule(context, loc, getOperationName())
        .error("every size must be known, found " + shapeText(dims));
  types.push_back(ShapeType::get(context, dims));
  return success();
}

LogicalResult TensorToShapeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x))
    return failure();
  if (x->getRank() != 1 || !x->getElementType().isSignlessInteger() ||
      x->getElementType().isInteger(1))
    return rule.error("expected a rank-1 tensor of integers, found " + shapeText(*x) +
                      " of another rank or element type");
  if (x->getDimSize(0) > maxShapeRank)
    return rule.error("a shape has at most " + Twine(maxShapeRank) + " dimensions, x has " +
                      Twine(x->getDimSize(0)) + " elements");
  std::optional<ArrayAttr> symbols = adaptor.getSymbols();
  if (!symbols) {
    types.push_back(
        ShapeType::get(context, x->isDynamicDim(0) ? ShapeType::unknownRank : x->getDimSize(0)));
    return success();
  }
  if (x->isDynamicDim(0) || x->getDimSize(0) != static_cast<int64_t>(symbols->size()))
    return rule.error("names " + Twine(symbols->size()) + " symbols for the elements of " +
                      shapeText(*x));
  SmallVector<symbolic::Expr> dims;
  for (Attribute name : *symbols) {
    StringRef text = cast<StringAttr>(name).getValue();
    if (!symbolic::Context::isSymbolName(std::string_view(text)))
      return rule.error("'" + text + "' cannot be the name of a symbol");
    dims.push_back(symbolicContext(context).symbol(std::string_view(text)));
  }
  types.push_back(ShapeType::get(context, dims));
  return success();
}

void TensorToShapeOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  if (std::optional<ArrayAttr> names = getSymbols())
    for (Attribute name : *names)
      symbols.push_back({cast<StringAttr>(name), 0, {}});
}

LogicalResult ShapeToTensorOp::inferReturnTypes(MLIRContext *context, std::optional<Location>,
                                                Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto shape = cast<ShapeType>(adaptor.getShape().getType());
  int64_t size = shape.hasRank() ? shape.getRank() : ShapedType::kDynamic;
  types.push_back(RankedTensorType::get({size}, IntegerType::get(context, 64)));
  return success();
}

LogicalResult ReshapeToOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  auto x = cast<TensorType>(adaptor.getX().getType());
  auto shape = cast<ShapeType>(adaptor.getShape().getType());
  if (!shape.hasRank()) {
    types.push_back(UnrankedTensorType::get(x.getElementType()));
    return success();
  }
  SmallVector<symbolic::Expr> dims = shape.getDimsOrUnknown();
  types.push_back(tensorType(rule.context, dims, x.getElementType()));
  if (!x.hasRank())
    return rule.check(ConstraintKind::Equal, {}, elementCount(rule.context, dims),
                      "the element counts of a tensor of unknown rank and " + shapeText(dims));
  return checkCounts(rule, shapeOf(cast<RankedTensorType>(x)), dims);
}

LogicalResult PrefixOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> count = rule.tensor(adaptor.getCount(), "count");
  if (failed(x) || failed(count))
    return failure();
  if (x->getRank() == 0)
    return rule.error("expected x of rank 1 or more");
  if (count->getRank() != 0 || !count->getElementType().isInteger(64))
    return rule.error("the count must be a tensor<i64>, found " + shapeText(*count));
  if (!symbolic::Context::isSymbolName(std::string_view(adaptor.getSymbol())))
    return rule.error("'" + adaptor.getSymbol() + "' cannot be the name of a symbol");
  SmallVector<symbolic::Expr> dims(shapeOf(*x));
  dims[0] = symbolicContext(context).symbol(std::string_view(adaptor.getSymbol()));
  types.push_back(tensorType(context, dims, x->getElementType()));
  return success();
}

void PrefixOp::getIntroducedSymbols(SmallVectorImpl<IntroducedSymbol> &symbols) {
  symbols.push_back({getSymbolAttr(), 0, shapeOf(cast<RankedTensorType>(getX().getType()))[0]});
}

void SymbolValueOp::build(OpBuilder &b, OperationState &state, symbolic::Expr expr) {
  build(b, state, b.getIndexType(), ExprAttr::get(b.getContext(), expr));
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ShapeOps.cpp.inc"
#pragma GCC diagnostic pop
