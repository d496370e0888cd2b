//===- ContractionOps.cpp - shape rules of products, stored weights and row reductions --------===//
#include "compiler/dialect/ops/ContractionOps.h"

#include "compiler/dialect/Deduction.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace relax::ir {

void registerContractionOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/ContractionOps.cpp.inc"
      >();
}

LogicalResult ConstantOp::verify() {
  auto type = cast<RankedTensorType>(getResult().getType());
  Rule rule(getContext(), getLoc(), getOperationName());
  if (!type.hasStaticShape() || !type.getElementType().isIntOrFloat())
    return rule.error("a weight has a static shape and numbers as elements, found " +
                      shapeText(type));
  uint64_t width = (type.getElementTypeBitWidth() + 7) / 8;
  symbolic::Expr size = elementCount(getContext(), shapeOf(type)) * static_cast<int64_t>(width);
  if (!size.isConstant() || static_cast<uint64_t>(size.constantValue()) != getWeight().getSize())
    return rule.error("the weight \"" + getWeight().getName() + "\" has " +
                      Twine(getWeight().getSize()) + " bytes, the type " + shapeText(type) +
                      " of " + Twine(width) + "-byte elements has another size");
  return success();
}

/// The number of elements of a row of so many bytes.
static FailureOr<int64_t> rowElements(const Rule &rule, const BlockFormat &format,
                                      RankedTensorType bytes) {
  FailureOr<int64_t> rowBytes = rule.staticDim("bytes", bytes, 1);
  if (failed(rowBytes))
    return failure();
  if (*rowBytes % format.bytesPerBlock != 0)
    return rule.error("a row of bytes " + shapeText(bytes) + " must be a multiple of the " +
                      Twine(format.bytesPerBlock) + " bytes of a block of " + format.name);
  return *rowBytes / format.bytesPerBlock * format.blockSize;
}

LogicalResult DequantizeOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                             Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> bytes = rule.tensor(adaptor.getBytes(), "bytes");
  FailureOr<const BlockFormat *> format = rule.format(adaptor.getFormat());
  if (failed(bytes) || failed(format))
    return failure();
  FailureOr<int64_t> elements = rowElements(rule, **format, *bytes);
  if (failed(elements))
    return failure();
  types.push_back(tensorType(context, {shapeOf(*bytes)[0], rule.constant(*elements)},
                             Float32Type::get(context)));
  return success();
}

LogicalResult QuantizeActivationsOp::inferReturnTypes(MLIRContext *context,
                                                      std::optional<Location> loc, Adaptor adaptor,
                                                      SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  if (failed(x))
    return failure();
  FailureOr<int64_t> elements = rule.staticDim("x", *x, 1);
  if (failed(elements))
    return failure();
  if (*elements % BlockFormat::unitElements != 0)
    return rule.error("dimension 1 of x " + shapeText(*x) + " must be a multiple of 32");
  int64_t planes = adaptor.getPlanes();
  if (planes != 1 && planes != 2)
    return rule.error("planes must be 1 or 2, found " + Twine(planes));
  symbolic::Expr rows = shapeOf(*x)[0];
  SmallVector<symbolic::Expr> values = {rows, rule.constant(planes), rule.constant(*elements)};
  SmallVector<symbolic::Expr> blocks = {rows, rule.constant(planes),
                                        rule.constant(*elements / BlockFormat::unitElements)};
  types.push_back(tensorType(context, values, IntegerType::get(context, 8)));
  types.push_back(tensorType(context, blocks, Float32Type::get(context)));
  types.push_back(tensorType(context, blocks, IntegerType::get(context, 32)));
  return success();
}

/// The dimensions of `rows` packed rows of `elements` each.
static SmallVector<symbolic::Expr> packedDims(const Rule &rule, const BlockFormat &format,
                                              symbolic::Expr rows, int64_t elements) {
  symbolic::Expr groups =
      symbolicContext(rule.context).ceilDiv(rows, rule.constant(BlockFormat::packedRows));
  return {groups, rule.constant(format.packedBytes(elements))};
}

LogicalResult PackWeightsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> bytes = rule.tensor(adaptor.getBytes(), "bytes");
  FailureOr<const BlockFormat *> format = rule.format(adaptor.getFormat());
  if (failed(bytes) || failed(format))
    return failure();
  FailureOr<int64_t> elements = rowElements(rule, **format, *bytes);
  if (failed(elements))
    return failure();
  if (*elements % BlockFormat::unitElements != 0)
    return rule.error("the " + Twine(*elements) + " elements of a row of bytes " +
                      shapeText(*bytes) + " must be a multiple of 32");
  symbolic::Expr rows = shapeOf(*bytes)[0];
  if (!rows)
    return rule.error("the number of rows of bytes " + shapeText(*bytes) + " must be known");
  types.push_back(tensorType(context, packedDims(rule, **format, rows, *elements),
                             IntegerType::get(context, 8)));
  return success();
}

/// Checks packed weights against the length of the rows, and gives the result type [t, rows].
static LogicalResult deducePacked(const Rule &rule, RankedTensorType packed, StringRef formatName,
                                  int64_t rows, int64_t elements, symbolic::Expr tokens,
                                  SmallVectorImpl<Type> &types) {
  FailureOr<const BlockFormat *> format = rule.format(formatName);
  if (failed(format))
    return failure();
  if (rows < 0)
    return rule.error("rows must not be negative, found " + Twine(rows));
  if (elements % BlockFormat::unitElements != 0)
    return rule.error("the length of the rows must be a multiple of 32, found " + Twine(elements));
  SmallVector<symbolic::Expr> dims = packedDims(rule, **format, rule.constant(rows), elements);
  std::string why =
      (Twine(rows) + " rows of " + Twine(elements) + " elements in " + formatName).str();
  for (unsigned i : {0u, 1u})
    if (failed(rule.requireDim("packed", packed, i, dims[i], why)))
      return failure();
  types.push_back(
      tensorType(rule.context, {tokens, rule.constant(rows)}, Float32Type::get(rule.context)));
  return success();
}

LogicalResult QuantizedMatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                  Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> values = rule.tensor(adaptor.getValues(), "values");
  FailureOr<RankedTensorType> scales = rule.tensor(adaptor.getScales(), "scales");
  FailureOr<RankedTensorType> sums = rule.tensor(adaptor.getSums(), "sums");
  FailureOr<RankedTensorType> packed = rule.tensor(adaptor.getPacked(), "packed");
  if (failed(values) || failed(scales) || failed(sums) || failed(packed))
    return failure();
  if (values->getRank() != 3 || scales->getRank() != 3 || sums->getRank() != 3 ||
      packed->getRank() != 2)
    return rule.error("expected values, scales and sums of rank 3 and packed of rank 2");
  FailureOr<int64_t> planes = rule.staticDim("values", *values, 1);
  FailureOr<int64_t> elements = rule.staticDim("values", *values, 2);
  if (failed(planes) || failed(elements))
    return failure();
  if (*planes != 1 && *planes != 2)
    return rule.error("values " + shapeText(*values) + " must have 1 or 2 planes");
  symbolic::Expr blocks = rule.constant(*elements / BlockFormat::unitElements);
  for (auto [role, type] : {std::pair("scales", *scales), std::pair("sums", *sums)}) {
    if (failed(rule.requireEqual("values", *values, 0, role, type, 0)) ||
        failed(rule.requireEqual("values", *values, 1, role, type, 1)) ||
        failed(rule.requireDim(role, type, 2, blocks, "one for each 32 values")))
      return failure();
  }
  return deducePacked(rule, *packed, adaptor.getFormat(), adaptor.getRows(), *elements,
                      shapeOf(*values)[0], types);
}

LogicalResult PackedMatmulOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                               Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> packed = rule.tensor(adaptor.getPacked(), "packed");
  if (failed(x) || failed(packed))
    return failure();
  if (x->getRank() != 2 || packed->getRank() != 2)
    return rule.error("expected x and packed of rank 2");
  FailureOr<int64_t> elements = rule.staticDim("x", *x, 1);
  if (failed(elements))
    return failure();
  return deducePacked(rule, *packed, adaptor.getFormat(), adaptor.getRows(), *elements,
                      shapeOf(*x)[0], types);
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/ContractionOps.cpp.inc"
#pragma GCC diagnostic pop
