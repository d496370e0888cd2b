//===- LikeliestOps.cpp - shape rules of products of which only the largest are wanted --------===//
#include "compiler/dialect/ops/LikeliestOps.h"

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Deduction.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace relax::ir {

void registerLikeliestOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/LikeliestOps.cpp.inc"
      >();
}

bool hasHalves(const BlockFormat &format) {
  return !format.isPlain() && format.unitsPerBlock() == 1 && format.quants.bits() == 8 &&
         format.quants.isSigned && format.quants.codebook.empty() && format.quants.offset == 0 &&
         !format.hasMinimum() && !format.scales.exists() && !format.minimums.exists();
}

LogicalResult LikeliestOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                            Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> logits = rule.tensor(adaptor.getLogits(), "logits");
  FailureOr<RankedTensorType> counts = rule.tensor(adaptor.getCounts(), "counts");
  if (failed(logits) || failed(counts))
    return failure();
  if (logits->getRank() != 2 || counts->getRank() != 1)
    return rule.error("expected logits of rank 2 and counts of rank 1, found " +
                      shapeText(*logits) + " and " + shapeText(*counts));
  if (failed(rule.requireEqual("logits", *logits, 0, "counts", *counts, 0)))
    return failure();
  types.push_back(*logits);
  return success();
}

namespace {

/// What the parts have in common.
struct Product {
  symbolic::Expr tokens;
  int64_t columns = 0;

  [[nodiscard]] int64_t units() const { return columns / BlockFormat::unitElements; }
};

} // namespace

template <typename Adaptor> static FailureOr<Product> productOf(const Rule &rule, Adaptor adaptor) {
  FailureOr<RankedTensorType> values = rule.tensor(adaptor.getValues(), "values");
  FailureOr<RankedTensorType> scales = rule.tensor(adaptor.getScales(), "scales");
  FailureOr<RankedTensorType> sums = rule.tensor(adaptor.getSums(), "sums");
  FailureOr<RankedTensorType> counts = rule.tensor(adaptor.getCounts(), "counts");
  if (failed(values) || failed(scales) || failed(sums) || failed(counts))
    return failure();
  if (values->getRank() != 3 || scales->getRank() != 3 || sums->getRank() != 3 ||
      counts->getRank() != 1)
    return rule.error("expected values, scales and sums of rank 3 and counts of rank 1");
  FailureOr<int64_t> planes = rule.staticDim("values", *values, 1);
  FailureOr<int64_t> columns = rule.staticDim("values", *values, 2);
  if (failed(planes) || failed(columns))
    return failure();
  if (*planes != 2 || *columns % BlockFormat::unitElements != 0)
    return rule.error("values " + shapeText(*values) +
                      " must have 2 planes of a multiple of 32 columns");
  Product product{shapeOf(*values)[0], *columns};
  if (failed(rule.requireEqual("values", *values, 0, "counts", *counts, 0)))
    return failure();
  for (auto [role, type] : {std::pair("scales", *scales), std::pair("sums", *sums)})
    if (failed(rule.requireEqual("values", *values, 0, role, type, 0)) ||
        failed(rule.requireEqual("values", *values, 1, role, type, 1)) ||
        failed(rule.requireDim(role, type, 2, rule.constant(product.units()),
                               "one for each 32 values")))
      return failure();
  return product;
}

static Type matrix(const Rule &rule, symbolic::Expr rows, int64_t columns) {
  return tensorType(rule.context, {rows, rule.constant(columns)}, Float32Type::get(rule.context));
}

static int64_t rowBlocks(int64_t rows) {
  return (rows + BlockFormat::packedRows - 1) / BlockFormat::packedRows;
}

/// Checks packed weights of `rows` rows.
template <typename Adaptor>
static LogicalResult checkPacked(const Rule &rule, Adaptor adaptor, const Product &product) {
  FailureOr<RankedTensorType> packed = rule.tensor(adaptor.getPacked(), "packed");
  FailureOr<const BlockFormat *> format = rule.format(adaptor.getFormat());
  auto rows = static_cast<int64_t>(adaptor.getRows());
  if (failed(packed) || failed(format))
    return failure();
  if (packed->getRank() != 2 || rows < 0)
    return rule.error("expected packed of rank 2 and rows of at least 0");
  std::string why =
      (Twine(rows) + " rows of " + Twine(product.columns) + " elements in " + adaptor.getFormat())
          .str();
  return success(
      succeeded(rule.requireDim("packed", *packed, 0, rule.constant(rowBlocks(rows)), why)) &&
      succeeded(rule.requireDim("packed", *packed, 1,
                                rule.constant((*format)->packedBytes(product.columns)), why)));
}

LogicalResult LikeliestTermsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<Product> product = productOf(rule, adaptor);
  if (failed(product))
    return failure();
  symbolic::Expr units = rule.constant(product->units());
  types.push_back(
      tensorType(context, {product->tokens, rule.constant(3), units}, Float32Type::get(context)));
  types.push_back(tensorType(context, {product->tokens, units}, IntegerType::get(context, 32)));
  return success();
}

LogicalResult LikeliestBoundsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<Product> product = productOf(rule, adaptor);
  if (failed(product) || failed(checkPacked(rule, adaptor, *product)))
    return failure();
  int64_t blocks = rowBlocks(static_cast<int64_t>(adaptor.getRows()));
  types.push_back(matrix(rule, product->tokens, blocks * BlockFormat::packedRows));
  types.push_back(matrix(rule, product->tokens, blocks));
  return success();
}

LogicalResult LikeliestThresholdOp::inferReturnTypes(MLIRContext *context,
                                                     std::optional<Location> loc, Adaptor adaptor,
                                                     SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<Product> product = productOf(rule, adaptor);
  if (failed(product) || failed(checkPacked(rule, adaptor, *product)))
    return failure();
  types.push_back(matrix(rule, product->tokens, 1));
  return success();
}

LogicalResult LikeliestMatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<Product> product = productOf(rule, adaptor);
  if (failed(product) || failed(checkPacked(rule, adaptor, *product)))
    return failure();
  types.push_back(matrix(rule, product->tokens, static_cast<int64_t>(adaptor.getRows())));
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/LikeliestOps.cpp.inc"
#pragma GCC diagnostic pop
