//===- MatrixOps.cpp - shape rules: products of matrices -------------------------------------===//
#include "compiler/dialect/ops/MatrixOps.h"

#include "compiler/dialect/Deduction.h"

using namespace mlir;

namespace relax::ir {

void registerMatrixOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/MatrixOps.cpp.inc"
      >();
}

LogicalResult MatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> a = rule.tensor(adaptor.getA(), "a");
  FailureOr<RankedTensorType> b = rule.tensor(adaptor.getB(), "b");
  if (failed(a) || failed(b))
    return failure();
  if (a->getRank() < 2 || b->getRank() != 2)
    return rule.error("expected a of rank 2 or more and b of rank 2, found " + shapeText(*a) +
                      " and " + shapeText(*b));
  if (a->getElementType() != b->getElementType())
    return rule.error("the operands' element types differ");
  unsigned inner = adaptor.getTransposeB() ? 1 : 0;
  if (failed(rule.requireEqual("a", *a, a->getRank() - 1, "b", *b, inner)))
    return failure();
  SmallVector<symbolic::Expr> dims(shapeOf(*a));
  dims.back() = shapeOf(*b)[1 - inner];
  types.push_back(tensorType(context, dims, a->getElementType()));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/MatrixOps.cpp.inc"
#pragma GCC diagnostic pop
