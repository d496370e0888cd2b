//===- ReduceOps.cpp - shape rules: reductions and running sums along axes -------------------===//
#include "compiler/dialect/ops/ReduceOps.h"

#include "compiler/dialect/AxisRules.h"

using namespace mlir;

namespace relax::ir {

void registerReduceOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ReduceOps.cpp.inc"
      >();
}

/// The shape of a reduction of `axes`, all where there are none.
static FailureOr<RankedTensorType> reducedType(const Rule &rule, RankedTensorType x,
                                               std::optional<ArrayRef<int64_t>> axes, bool keepDims,
                                               Type element) {
  SmallVector<unsigned> reduced = axesOf(x, std::nullopt);
  if (axes) {
    FailureOr<SmallVector<unsigned>> checked = axesOf(rule, x, *axes);
    if (failed(checked))
      return failure();
    reduced = *checked;
  }
  SmallVector<symbolic::Expr> dims;
  for (auto [i, dim] : llvm::enumerate(shapeOf(x))) {
    if (!llvm::is_contained(reduced, unsigned(i)))
      dims.push_back(dim);
    else if (keepDims)
      dims.push_back(rule.constant(1));
  }
  return tensorType(rule.context, dims, element);
}

template <typename Adaptor>
static LogicalResult deduceReduction(const Rule &rule, Adaptor adaptor,
                                     LogicalResult (*elements)(const Rule &, StringRef,
                                                               RankedTensorType),
                                     SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(elements(rule, "x", *x)))
    return failure();
  FailureOr<RankedTensorType> type =
      reducedType(rule, *x, adaptor.getAxes(), adaptor.getKeepDims(), x->getElementType());
  if (failed(type))
    return failure();
  types.push_back(*type);
  return success();
}

#define RELAX_DEDUCE_REDUCTION(OP, ELEMENTS)                                                       \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,            \
                                     Adaptor adaptor, SmallVectorImpl<Type> &types) {              \
    return deduceReduction(Rule(context, loc, getOperationName()), adaptor, ELEMENTS, types);      \
  }
RELAX_DEDUCE_REDUCTION(SumOp, requireNumbers)
RELAX_DEDUCE_REDUCTION(ProdOp, requireNumbers)
RELAX_DEDUCE_REDUCTION(MaxOp, requireNumbers)
RELAX_DEDUCE_REDUCTION(MinOp, requireNumbers)
RELAX_DEDUCE_REDUCTION(MeanOp, requireFloats)
RELAX_DEDUCE_REDUCTION(AnyOp, requireBools)
RELAX_DEDUCE_REDUCTION(AllOp, requireBools)
RELAX_DEDUCE_REDUCTION(LogsumexpOp, requireFloats)
RELAX_DEDUCE_REDUCTION(L1NormOp, requireFloats)
RELAX_DEDUCE_REDUCTION(L2NormOp, requireFloats)
RELAX_DEDUCE_REDUCTION(VarianceOp, requireFloats)
RELAX_DEDUCE_REDUCTION(StdOp, requireFloats)
#undef RELAX_DEDUCE_REDUCTION

template <typename Adaptor>
static LogicalResult deduceArg(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireNumbers(rule, "x", *x)))
    return failure();
  FailureOr<unsigned> axis = axisOf(rule, *x, adaptor.getAxis());
  if (failed(axis))
    return failure();
  if (x->getShape()[*axis] == 0)
    return rule.error("axis " + Twine(*axis) + " of x " + shapeText(*x) +
                      " is empty, so no element of it has an index");
  if (failed(rule.check(ConstraintKind::LessEqual, rule.constant(1), shapeOf(*x)[*axis],
                        "1 and dimension " + Twine(*axis) + " of x, " + shapeText(*x), {"x"})))
    return failure();
  int64_t axes[] = {*axis};
  FailureOr<RankedTensorType> type = reducedType(
      rule, *x, ArrayRef<int64_t>(axes), adaptor.getKeepDims(), IntegerType::get(rule.context, 64));
  types.push_back(*type);
  return success();
}

template <typename Adaptor>
static LogicalResult deduceCumulative(const Rule &rule, Adaptor adaptor,
                                      SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x) || failed(requireNumbers(rule, "x", *x)) ||
      failed(axisOf(rule, *x, adaptor.getAxis())))
    return failure();
  types.push_back(*x);
  return success();
}

#define RELAX_DEDUCE(OP, RULE)                                                                     \
  LogicalResult OP::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,            \
                                     Adaptor adaptor, SmallVectorImpl<Type> &types) {              \
    return RULE(Rule(context, loc, getOperationName()), adaptor, types);                           \
  }
RELAX_DEDUCE(CumsumOp, deduceCumulative)
RELAX_DEDUCE(CumprodOp, deduceCumulative)
RELAX_DEDUCE(CummaxOp, deduceCumulative)
#undef RELAX_DEDUCE

LogicalResult ArgmaxOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceArg(rule, adaptor, types);
}
LogicalResult ArgminOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  return deduceArg(rule, adaptor, types);
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ReduceOps.cpp.inc"
#pragma GCC diagnostic pop
