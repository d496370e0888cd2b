//===- Picks.h - how operands and attributes of ops are chosen --------------------------------===//
//
// A pick gets the generator and appends operands and attributes for one kind of op; it answers
// false where nothing in scope fits. Choices that the op's rule refuses cost nothing, so they may
// be wild. Catalog.cpp says which op is made by which pick.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "tests/fuzz/programs/Generator.h"

namespace relax::fuzz {

using Operands = mlir::SmallVectorImpl<mlir::Value>;
using Attributes = mlir::NamedAttrList;

// ---- Which tensors fit.

inline bool anyTensor(mlir::RankedTensorType) { return true; }
inline bool isFloat(mlir::RankedTensorType type) {
  return mlir::isa<mlir::FloatType>(type.getElementType());
}
inline bool isInteger(mlir::RankedTensorType type) {
  return type.getElementType().isInteger() && !type.getElementType().isInteger(1);
}
inline bool isIndex(mlir::RankedTensorType type) {
  return type.getElementType().isSignlessInteger(32) || type.getElementType().isSignlessInteger(64);
}
inline bool isBool(mlir::RankedTensorType type) { return type.getElementType().isInteger(1); }
inline bool isNumber(mlir::RankedTensorType type) { return isFloat(type) || isInteger(type); }
inline int64_t rankOf(mlir::Value value) {
  return mlir::cast<mlir::RankedTensorType>(value.getType()).getRank();
}

// ---- Attributes (Picks.cpp).

int64_t axis(Generator &g, mlir::Value x);
/// Some axes, each once.
mlir::DenseI64ArrayAttr axes(Generator &g, mlir::Value x);
mlir::DenseI64ArrayAttr numbers(Generator &g, int64_t count, int64_t low, int64_t high);
ir::ExprAttr exprAttr(Generator &g);
ir::ShapeAttr shapeAttr(Generator &g, int64_t rank);
ir::ShapeAttr constantShape(Generator &g, int64_t rank, int64_t low, int64_t high);
void maybeUnit(Generator &g, Attributes &attributes, mlir::StringRef name);
void setInteger(Generator &g, Attributes &attributes, mlir::StringRef name, int64_t value);
void setReal(Generator &g, Attributes &attributes, mlir::StringRef name, double value);
void setWord(Generator &g, Attributes &attributes, mlir::StringRef name,
             mlir::ArrayRef<mlir::StringRef> words);

// ---- Simple operands.

/// One operand; no attributes.
template <bool (*fits)(mlir::RankedTensorType)>
bool unary(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(g.tensor(fits));
  return true;
}

/// Two operands of one element type.
template <bool (*fits)(mlir::RankedTensorType)>
bool binary(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(g.tensor(fits));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.back()));
  return true;
}

// ---- Arrangements (PickArrange.cpp).

bool permute(Generator &g, Operands &operands, Attributes &attributes);
bool withAxes(Generator &g, Operands &operands, Attributes &attributes);
bool flatten(Generator &g, Operands &operands, Attributes &attributes);
bool view(Generator &g, Operands &operands, Attributes &attributes);
bool joined(Generator &g, Operands &operands, Attributes &attributes);
bool split(Generator &g, Operands &operands, Attributes &attributes);
bool slice(Generator &g, Operands &operands, Attributes &attributes);
bool pad(Generator &g, Operands &operands, Attributes &attributes);
bool tile(Generator &g, Operands &operands, Attributes &attributes);
bool repeat(Generator &g, Operands &operands, Attributes &attributes);
bool roll(Generator &g, Operands &operands, Attributes &attributes);
bool broadcastTo(Generator &g, Operands &operands, Attributes &attributes);
bool narrow(Generator &g, Operands &operands, Attributes &attributes);
bool dynamicSlice(Generator &g, Operands &operands, Attributes &attributes);
bool spaceToDepth(Generator &g, Operands &operands, Attributes &attributes);
bool triangle(Generator &g, Operands &operands, Attributes &attributes);
bool dynamicStridedSlice(Generator &g, Operands &operands, Attributes &attributes);
bool sliceBounds(Generator &g, Operands &operands, Attributes &attributes);

// ---- Indices and searches (PickIndex.cpp).

bool take(Generator &g, Operands &operands, Attributes &attributes);
bool gatherElements(Generator &g, Operands &operands, Attributes &attributes);
bool scatterElements(Generator &g, Operands &operands, Attributes &attributes);
bool gatherNd(Generator &g, Operands &operands, Attributes &attributes);
bool scatterNd(Generator &g, Operands &operands, Attributes &attributes);
bool topk(Generator &g, Operands &operands, Attributes &attributes);
bool maskedSelect(Generator &g, Operands &operands, Attributes &attributes);
bool searchSorted(Generator &g, Operands &operands, Attributes &attributes);
bool bincount(Generator &g, Operands &operands, Attributes &attributes);
bool topPFilter(Generator &g, Operands &operands, Attributes &attributes);
bool oneHot(Generator &g, Operands &operands, Attributes &attributes);
bool reverseSequence(Generator &g, Operands &operands, Attributes &attributes);
bool nonMaxSuppression(Generator &g, Operands &operands, Attributes &attributes);

// ---- What makes tensors of nothing (PickCreate.cpp).

bool full(Generator &g, Operands &operands, Attributes &attributes);
bool fullLike(Generator &g, Operands &operands, Attributes &attributes);
bool arange(Generator &g, Operands &operands, Attributes &attributes);
bool eye(Generator &g, Operands &operands, Attributes &attributes);
bool causalMask(Generator &g, Operands &operands, Attributes &attributes);
bool linspace(Generator &g, Operands &operands, Attributes &attributes);
bool randomNumbers(Generator &g, Operands &operands, Attributes &attributes);
bool randomIntegers(Generator &g, Operands &operands, Attributes &attributes);
bool dequantize(Generator &g, Operands &operands, Attributes &attributes);
bool rotaryTable(Generator &g, Operands &operands, Attributes &attributes);

// ---- Computations (PickCompute.cpp).

bool where(Generator &g, Operands &operands, Attributes &attributes);
bool clip(Generator &g, Operands &operands, Attributes &attributes);
bool matmul(Generator &g, Operands &operands, Attributes &attributes);
bool einsum(Generator &g, Operands &operands, Attributes &attributes);
bool rmsNorm(Generator &g, Operands &operands, Attributes &attributes);
bool convolution(Generator &g, Operands &operands, Attributes &attributes);
bool pool(Generator &g, Operands &operands, Attributes &attributes);
bool attention(Generator &g, Operands &operands, Attributes &attributes);
bool interpolate(Generator &g, Operands &operands, Attributes &attributes);
bool quantizeLinear(Generator &g, Operands &operands, Attributes &attributes);
bool batchNorm(Generator &g, Operands &operands, Attributes &attributes);
bool normalizeGroups(Generator &g, Operands &operands, Attributes &attributes);
bool attentionWeights(Generator &g, Operands &operands, Attributes &attributes);
bool rotary(Generator &g, Operands &operands, Attributes &attributes);
bool scaled(Generator &g, Operands &operands, Attributes &attributes);

} // namespace relax::fuzz
