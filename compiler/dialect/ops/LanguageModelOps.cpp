//===- LanguageModelOps.cpp - shape rules of rotary embedding, cache and attention ------------===//
#include "compiler/dialect/ops/LanguageModelOps.h"

#include "compiler/dialect/Deduction.h"
#include "runtime/kv_cache/CacheType.h"

#include "mlir/IR/Builders.h"

using namespace mlir;

namespace relax::ir {

void registerLanguageModelOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/LanguageModelOps.cpp.inc"
      >();
}

LogicalResult RotaryTableOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> positions = rule.tensor(adaptor.getPositions(), "positions");
  if (failed(positions))
    return failure();
  int64_t dims = adaptor.getDims();
  if (dims <= 0 || dims % 2 != 0)
    return rule.error("dims must be positive and even, found " + Twine(dims));
  if (!(adaptor.getBase().convertToDouble() > 0))
    return rule.error("base must be positive");
  if (auto factors = adaptor.getFactors()) {
    if (static_cast<int64_t>(factors->size()) != dims / 2)
      return rule.error("factors must be " + Twine(dims / 2) + ", half of dims, found " +
                        Twine(factors->size()));
    for (double factor : *factors)
      if (!(factor > 0))
        return rule.error("factors must be positive");
  }
  types.push_back(tensorType(context, {shapeOf(*positions)[0], rule.constant(dims)},
                             Float32Type::get(context)));
  return success();
}

LogicalResult RotaryOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                         Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> x = rule.tensor(adaptor.getX(), "x");
  FailureOr<RankedTensorType> table = rule.tensor(adaptor.getTable(), "table");
  if (failed(x) || failed(table))
    return failure();
  if (x->getRank() != 3 || table->getRank() != 2)
    return rule.error("expected x of rank 3 and table of rank 2, found " + shapeText(*x) + " and " +
                      shapeText(*table));
  if (failed(rule.requireEqual("x", *x, 0, "table", *table, 0)))
    return failure();
  FailureOr<int64_t> headDim = rule.staticDim("x", *x, 2);
  FailureOr<int64_t> dims = rule.staticDim("table", *table, 1);
  if (failed(headDim) || failed(dims))
    return failure();
  if (*dims > *headDim || *dims % 2 != 0)
    return rule.error("dimension 1 of table " + shapeText(*table) +
                      " must be even and at most dimension 2 of x " + shapeText(*x));
  types.push_back(*x);
  return success();
}

/// Checks what every op over pages takes: starts [b + 1], page_table [b, p], cached_lengths [b].
static LogicalResult checkBatch(const Rule &rule, Value starts, Value pageTable, Value cached) {
  FailureOr<RankedTensorType> startsType = rule.tensor(starts, "sequence_starts");
  FailureOr<RankedTensorType> tableType = rule.tensor(pageTable, "page_table");
  FailureOr<RankedTensorType> cachedType = rule.tensor(cached, "cached_lengths");
  if (failed(startsType) || failed(tableType) || failed(cachedType))
    return failure();
  if (startsType->getRank() != 1 || tableType->getRank() != 2 || cachedType->getRank() != 1)
    return rule.error("expected sequence_starts [b + 1], page_table [b, p], cached_lengths [b]");
  if (failed(rule.requireEqual("page_table", *tableType, 0, "cached_lengths", *cachedType, 0)))
    return failure();
  symbolic::Expr batch = shapeOf(*cachedType)[0];
  if (!batch)
    return rule.error("the number of sequences in cached_lengths must be known");
  return rule.requireDim("sequence_starts", *startsType, 0, batch + 1,
                         "one more than the sequences of cached_lengths " + shapeText(*cachedType));
}

/// Checks dimension `i` of pages, where the elements of a head are, against dimension `j` of
/// `type`.
static LogicalResult checkHeadDim(const Rule &rule, StringRef role, RankedTensorType pages,
                                  unsigned i, StringRef otherRole, RankedTensorType type,
                                  unsigned j) {
  if (!pages.getElementType().isInteger(8))
    return rule.requireEqual(role, pages, i, otherRole, type, j);
  FailureOr<int64_t> headDim = rule.staticDim(otherRole, type, j);
  if (failed(headDim))
    return failure();
  return rule.requireDim(role, pages, i, rule.constant(runtime::quantizedHeadDim(*headDim)),
                         "the bytes of " + Twine(*headDim) + " elements and their scales");
}

LogicalResult UpdateSlotsOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                              Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> pages = rule.tensor(adaptor.getPages(), "pages");
  FailureOr<RankedTensorType> values = rule.tensor(adaptor.getValues(), "values");
  if (failed(pages) || failed(values))
    return failure();
  StringRef layout = adaptor.getLayout();
  if (layout != "keys" && layout != "values")
    return rule.error("layout must be \"keys\" or \"values\", found \"" + layout + "\"");
  if (pages->getRank() != 4 || values->getRank() != 3)
    return rule.error("expected pages of rank 4 and values of rank 3, found " + shapeText(*pages) +
                      " and " + shapeText(*values));
  unsigned headDim = layout == "keys" ? 2 : 3;
  if (failed(rule.requireEqual("pages", *pages, 1, "values", *values, 1)) ||
      failed(checkHeadDim(rule, "pages", *pages, headDim, "values", *values, 2)) ||
      failed(rule.staticDim("pages", *pages, 5 - headDim)) ||
      failed(checkBatch(rule, adaptor.getSequenceStarts(), adaptor.getPageTable(),
                        adaptor.getCachedLengths())))
    return failure();
  types.push_back(*pages);
  return success();
}

LogicalResult PagedAttentionOp::inferReturnTypes(MLIRContext *context, std::optional<Location> loc,
                                                 Adaptor adaptor, SmallVectorImpl<Type> &types) {
  Rule rule(context, loc, getOperationName());
  FailureOr<RankedTensorType> q = rule.tensor(adaptor.getQ(), "q");
  FailureOr<RankedTensorType> k = rule.tensor(adaptor.getKPages(), "k_pages");
  FailureOr<RankedTensorType> v = rule.tensor(adaptor.getVPages(), "v_pages");
  if (failed(q) || failed(k) || failed(v))
    return failure();
  if (q->getRank() != 3 || k->getRank() != 4 || v->getRank() != 4)
    return rule.error("expected q of rank 3, k_pages and v_pages of rank 4");
  if (k->getElementType() != v->getElementType())
    return rule.error("k_pages and v_pages must have one element type");
  if (failed(rule.requireEqual("k_pages", *k, 0, "v_pages", *v, 0)) ||
      failed(rule.requireEqual("k_pages", *k, 1, "v_pages", *v, 1)) ||
      failed(rule.requireEqual("k_pages", *k, 2, "v_pages", *v, 3)) ||
      failed(rule.requireEqual("k_pages", *k, 3, "v_pages", *v, 2)) ||
      failed(checkHeadDim(rule, "k_pages", *k, 2, "q", *q, 2)))
    return failure();
  FailureOr<int64_t> heads = rule.staticDim("q", *q, 1);
  FailureOr<int64_t> kvHeads = rule.staticDim("k_pages", *k, 1);
  if (failed(heads) || failed(kvHeads) || failed(rule.staticDim("q", *q, 2)) ||
      failed(rule.staticDim("k_pages", *k, 3)))
    return failure();
  if (*kvHeads == 0 || *heads % *kvHeads != 0)
    return rule.error("the " + Twine(*heads) + " heads of q " + shapeText(*q) +
                      " must be a multiple of the " + Twine(*kvHeads) + " heads of k_pages " +
                      shapeText(*k));
  if (adaptor.getWindow() && static_cast<int64_t>(*adaptor.getWindow()) < 1)
    return rule.error("window must be positive");
  if (adaptor.getSoftCap() && !(adaptor.getSoftCap()->convertToDouble() > 0))
    return rule.error("soft_cap must be positive");
  if (failed(checkBatch(rule, adaptor.getSequenceStarts(), adaptor.getPageTable(),
                        adaptor.getCachedLengths())))
    return failure();
  types.push_back(*q);
  return success();
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/LanguageModelOps.cpp.inc"
#pragma GCC diagnostic pop
