//===- IndexOps.cpp - shape rules: elements by index: take, gather, scatter ------------------===//
#include "compiler/dialect/ops/IndexOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerIndexOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/IndexOps.cpp.inc"
      >();
}

LogicalResult TakeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                       Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> table = rule.tensor(adaptor.getTable(), "table");
  FailureOr<RankedTensorType> indices = rule.tensor(adaptor.getIndices(), "indices");
  if (failed(table) || failed(indices))
    return failure();
  if (table->getRank() < 1 || indices->getRank() != 1)
    return rule.error("expected a table of rank 1 or more and indices of rank 1, found " +
                      shapeText(*table) + " and " + shapeText(*indices));
  SmallVector<symbolic::Expr> dims(shapeOf(*table));
  dims[0] = shapeOf(*indices)[0];
  types.push_back(tensorType(context, dims, table->getElementType()));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/IndexOps.cpp.inc"
#pragma GCC diagnostic pop
