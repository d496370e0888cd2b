//===- AttentionOps.cpp - shape rules: attention over dense keys and values ------------------===//
#include "compiler/dialect/ops/AttentionOps.h"

#include "compiler/dialect/AxisRules.h"

using namespace mlir;

namespace relax::ir {

void registerAttentionOps(RelaxDialect &dialect) {
  dialect.add<
#define GET_OP_LIST
#include "compiler/dialect/ops/AttentionOps.cpp.inc"
      >();
}

/// The mask, where there is one, broadcasts to the scores [b, h, t, s].
static LogicalResult checkMask(const Rule &rule, Value mask, ArrayRef<symbolic::Expr> scores,
                               RankedTensorType query) {
  if (!mask)
    return success();
  FailureOr<RankedTensorType> type = rule.tensor(mask, "mask");
  if (failed(type))
    return failure();
  Type bit = IntegerType::get(rule.context, 1);
  if (type->getElementType() != bit && type->getElementType() != query.getElementType()) {
    std::string found;
    llvm::raw_string_ostream(found) << type->getElementType();
    return rule.error("mask must have elements of i1, or of the scores' type, found " + found);
  }
  if (type->getRank() > int64_t(scores.size()))
    return rule.error("mask " + shapeText(*type) + " must broadcast to the scores " +
                      shapeText(scores));
  // A dimension of 1 is repeated; every other one is the scores'.
  size_t skipped = scores.size() - type->getRank();
  for (auto [i, dim] : llvm::enumerate(shapeOf(*type)))
    if (!(dim && dim.isConstant(1)) &&
        failed(rule.checkDim("mask", *type, unsigned(i), scores[skipped + i],
                             "dimension " + Twine(skipped + i) + " of the scores " +
                                 shapeText(scores))))
      return failure();
  return success();
}

template <typename Adaptor> static LogicalResult checkMasking(const Rule &rule, Adaptor adaptor) {
  // Positions, and what is added to them or taken away, stay far within 64 bits.
  constexpr int64_t most = int64_t(1) << 60;
  auto window = static_cast<int64_t>(adaptor.getWindow());
  auto offset = static_cast<int64_t>(adaptor.getCausalOffset());
  if (window < 0)
    return rule.error("window must be 0 (none) or more, found " + Twine(window));
  if (window > most)
    return rule.error("window must be at most 2^60, found " + Twine(window));
  if (offset < -most || offset > most)
    return rule.error("causal_offset must be in [-2^60, 2^60], found " + Twine(offset));
  if (!(adaptor.getSoftcap().convertToDouble() >= 0))
    return rule.error("softcap must be 0 (none) or more");
  return success();
}

LogicalResult AttentionOp::deduce(const Rule &rule, Adaptor adaptor, SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> query = rule.tensor(adaptor.getQuery(), "query");
  FailureOr<RankedTensorType> key = rule.tensor(adaptor.getKey(), "key");
  FailureOr<RankedTensorType> value = rule.tensor(adaptor.getValue(), "value");
  if (failed(query) || failed(key) || failed(value) ||
      failed(requireFloats(rule, "query", *query)) ||
      failed(requireSameElements(rule, "query", *query, "key", *key)) ||
      failed(requireSameElements(rule, "query", *query, "value", *value)) ||
      failed(requireRank(rule, "query", *query, 4)) || failed(requireRank(rule, "key", *key, 4)) ||
      failed(requireRank(rule, "value", *value, 4)) ||
      failed(rule.checkEqual("query", *query, 0, "key", *key, 0)) ||
      failed(rule.checkEqual("key", *key, 0, "value", *value, 0)) ||
      failed(rule.checkEqual("key", *key, 1, "value", *value, 1)) ||
      failed(rule.checkEqual("key", *key, 2, "value", *value, 2)) ||
      failed(rule.checkEqual("query", *query, 3, "key", *key, 3)) ||
      failed(checkMasking(rule, adaptor)))
    return failure();
  ArrayRef<symbolic::Expr> q = shapeOf(*query), k = shapeOf(*key);
  if (!provablyEqual(q[1], k[1]) &&
      failed(rule.check(ConstraintKind::Divides, k[1], q[1],
                        "the heads of key " + shapeText(*key) + " and those of query " +
                            shapeText(*query) + " (dimension 1)",
                        {"query", "key"})))
    return failure();
  if (failed(checkMask(rule, adaptor.getMask(), {q[0], q[1], q[2], k[2]}, *query)))
    return failure();
  SmallVector<symbolic::Expr> dims(q.take_front(3));
  dims.push_back(shapeOf(*value)[3]);
  types.push_back(tensorType(rule.context, dims, query->getElementType()));
  return success();
}

LogicalResult AttentionWeightsOp::deduce(const Rule &rule, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  FailureOr<RankedTensorType> scores = rule.tensor(adaptor.getScores(), "scores");
  if (failed(scores) || failed(requireFloats(rule, "scores", *scores)) ||
      failed(requireRank(rule, "scores", *scores, 4)) || failed(checkMasking(rule, adaptor)) ||
      failed(checkMask(rule, adaptor.getMask(), shapeOf(*scores), *scores)))
    return failure();
  types.push_back(*scores);
  return success();
}

bool isWholeAttention(AttentionOp op) {
  SmallVector<RankedTensorType> types;
  for (Value operand : op->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || llvm::is_contained(shapeOf(type), symbolic::Expr()))
      return false;
    types.push_back(type);
  }
  Type element = types[0].getElementType();
  auto isSize = [](symbolic::Expr dim) {
    return dim.isConstant() && dim.constantValue() >= 1 && dim.constantValue() <= 256;
  };
  ArrayRef<symbolic::Expr> query = shapeOf(types[0]), key = shapeOf(types[1]);
  if (!isa<FloatType>(element) || types[1].getElementType() != element ||
      types[2].getElementType() != element || !isSize(query[3]) || !isSize(shapeOf(types[2])[3]))
    return false;
  if (provablyEqual(query[1], key[1]))
    return true;
  return key[1].isConstant() && key[1].constantValue() > 0 &&
         provablyEqual(query[1].getContext().floorDiv(query[1], key[1]) * key[1], query[1]);
}

} // namespace relax::ir

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/AttentionOps.cpp.inc"
#pragma GCC diagnostic pop
