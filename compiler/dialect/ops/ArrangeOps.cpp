//===- ArrangeOps.cpp - shape rules: other arrangements of the same elements -----------------===//
#include "compiler/dialect/ops/ArrangeOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerArrangeOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ArrangeOps.cpp.inc"
      >();
}

LogicalResult PermuteOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                          Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> type = rule.tensor(adaptor.getX(), "x");
  if (failed(type))
    return failure();
  ArrayRef<int64_t> permutation = adaptor.getPermutation();
  ArrayRef<symbolic::Expr> dims = shapeOf(*type);
  SmallVector<symbolic::Expr> permuted;
  SmallVector<bool> seen(dims.size());
  for (int64_t source : permutation) {
    if (source < 0 || source >= type->getRank() || seen[source])
      break;
    seen[source] = true;
    permuted.push_back(dims[source]);
  }
  if (permuted.size() != dims.size() || permutation.size() != dims.size())
    return rule.error("the permutation must name each dimension of " + shapeText(*type) + " once");
  types.push_back(tensorType(context, permuted, type->getElementType()));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ArrangeOps.cpp.inc"
#pragma GCC diagnostic pop
