// What the generator can make by an op's own rule: how operands are picked and attributes made.
// Choices that the rule refuses cost nothing, so they may be wild.

#include "tests/fuzz/programs/Generator.h"

using namespace mlir;

namespace relax::fuzz {
namespace {

using Operands = SmallVectorImpl<Value>;
using Attributes = NamedAttrList;

bool isFloat(RankedTensorType type) { return isa<FloatType>(type.getElementType()); }
bool isInteger(RankedTensorType type) {
  return type.getElementType().isInteger() && !type.getElementType().isInteger(1);
}
bool isIndex(RankedTensorType type) {
  return type.getElementType().isSignlessInteger(32) || type.getElementType().isSignlessInteger(64);
}
bool isBool(RankedTensorType type) { return type.getElementType().isInteger(1); }
bool isNumber(RankedTensorType type) { return isFloat(type) || isInteger(type); }

int64_t rankOf(Value value) { return cast<RankedTensorType>(value.getType()).getRank(); }

/// One operand; no attributes.
template <bool (*fits)(RankedTensorType)>
bool unary(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(g.tensor(fits));
  return true;
}

/// Two operands of one element type.
template <bool (*fits)(RankedTensorType)>
bool binary(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(g.tensor(fits));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.back()));
  return true;
}

int64_t axis(Generator &g, Value x) {
  int64_t rank = std::max<int64_t>(rankOf(x), 1);
  return g.between(-rank, rank - 1);
}

/// Some axes, each once.
DenseI64ArrayAttr axes(Generator &g, Value x) {
  SmallVector<int64_t> list;
  for (int64_t i = 0; i != rankOf(x); ++i)
    if (g.chance(50))
      list.push_back(g.chance(30) ? i - rankOf(x) : i);
  return g.attributes().getDenseI64ArrayAttr(list);
}

DenseI64ArrayAttr numbers(Generator &g, int64_t count, int64_t low, int64_t high) {
  SmallVector<int64_t> list;
  for (int64_t i = 0; i != count; ++i)
    list.push_back(g.between(low, high));
  return g.attributes().getDenseI64ArrayAttr(list);
}

ir::ExprAttr exprAttr(Generator &g) {
  return ir::ExprAttr::get(g.attributes().getContext(), g.size());
}

ir::ShapeAttr shapeAttr(Generator &g, int64_t rank) {
  SmallVector<symbolic::Expr> dims;
  for (int64_t i = 0; i != rank; ++i)
    dims.push_back(g.size());
  return ir::ShapeAttr::get(g.attributes().getContext(), dims);
}

ir::ShapeAttr constantShape(Generator &g, int64_t rank, int64_t low, int64_t high) {
  SmallVector<symbolic::Expr> dims;
  for (int64_t i = 0; i != rank; ++i)
    dims.push_back(g.symbols().constant(g.between(low, high)));
  return ir::ShapeAttr::get(g.attributes().getContext(), dims);
}

void maybeUnit(Generator &g, Attributes &attributes, StringRef name) {
  if (g.chance(40))
    attributes.set(name, g.attributes().getUnitAttr());
}

template <bool (*fits)(RankedTensorType)>
bool reduction(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(fits));
  if (!operands.back())
    return false;
  if (g.chance(75))
    attributes.set("axes", axes(g, operands.back()));
  maybeUnit(g, attributes, "keep_dims");
  return true;
}

/// An operand and an axis, and perhaps some flags.
template <bool (*fits)(RankedTensorType), const char *...flags>
bool alongAxis(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(fits));
  if (!operands.back())
    return false;
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  (maybeUnit(g, attributes, flags), ...);
  return true;
}
constexpr char keepDims[] = "keep_dims", lastIndex[] = "select_last_index",
               exclusive[] = "exclusive", reverse[] = "reverse", descending[] = "descending";

bool permute(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  SmallVector<int64_t> order;
  for (int64_t i = 0; i != rankOf(operands.back()); ++i)
    order.insert(order.begin() + g.below(i + 1), i);
  attributes.set("permutation", g.attributes().getDenseI64ArrayAttr(order));
  return true;
}

bool withAxes(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("axes", axes(g, operands.back()));
  return true;
}

bool flatten(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("start_axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  attributes.set("end_axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  return true;
}

bool view(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  SmallVector<symbolic::Expr> dims;
  for (int64_t rank = g.between(1, 3); rank != 0; --rank)
    dims.push_back(g.chance(50) ? g.size() : g.symbols().constant(g.between(1, 4)));
  if (g.chance(70))
    dims[static_cast<size_t>(g.below(static_cast<int64_t>(dims.size())))] =
        g.symbols().constant(-1);
  attributes.set("shape", ir::ShapeAttr::get(g.attributes().getContext(), dims));
  return true;
}

bool joined(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  auto first = cast<RankedTensorType>(operands.back().getType());
  for (int64_t more = g.below(3); more != 0; --more)
    operands.push_back(g.chance(40) ? operands.front() : g.tensor([&](RankedTensorType type) {
      return type.getElementType() == first.getElementType() && type.getRank() == first.getRank();
    }));
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.front())));
  return true;
}

bool split(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  attributes.set("sections", g.attributes().getI64IntegerAttr(g.between(1, 3)));
  return true;
}

bool slice(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  auto chosen = axes(g, operands.back());
  int64_t count = chosen.size();
  attributes.set("axes", chosen);
  attributes.set("starts", constantShape(g, count, -4, 6));
  attributes.set("ends", g.chance(30) ? shapeAttr(g, count) : constantShape(g, count, -4, 12));
  SmallVector<int64_t> steps;
  for (int64_t i = 0; i != count; ++i)
    steps.push_back(g.oneOf(ArrayRef<int64_t>({1, 1, 2, 3, -1, -2})));
  attributes.set("steps", g.attributes().getDenseI64ArrayAttr(steps));
  return true;
}

bool pad(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("low", constantShape(g, rankOf(operands.back()), -1, 2));
  attributes.set("high", constantShape(g, rankOf(operands.back()), -1, 2));
  attributes.set("mode", g.attributes().getStringAttr(g.oneOf(
                             ArrayRef<StringRef>({"constant", "reflect", "edge", "wrap"}))));
  return true;
}

bool tile(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("repeats", constantShape(g, rankOf(operands.back()), 0, 3));
  return true;
}

bool repeat(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("repeats", ir::ExprAttr::get(g.attributes().getContext(),
                                              g.symbols().constant(g.between(0, 3))));
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  return true;
}

bool roll(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  auto chosen = axes(g, operands.back());
  attributes.set("axes", chosen);
  attributes.set("shifts", constantShape(g, chosen.size(), -5, 5));
  return true;
}

bool broadcastTo(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  SmallVector<symbolic::Expr> dims = {g.size()};
  symbolic::Expr one = g.symbols().constant(1);
  for (symbolic::Expr dim : ir::shapeOf(cast<RankedTensorType>(operands.back().getType())))
    dims.push_back(dim == one && g.chance(60) ? g.size() : dim);
  if (llvm::is_contained(dims, symbolic::Expr()))
    return false;
  attributes.set("shape", ir::ShapeAttr::get(g.attributes().getContext(), dims));
  return true;
}

bool take(Generator &g, Operands &operands, Attributes &attributes) {
  operands.assign({g.tensor(), g.tensor(isIndex)});
  if (!operands[0])
    return false;
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands[0])));
  return true;
}

bool gatherElements(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands[0])
    return false;
  operands.push_back(g.tensor([&](RankedTensorType type) {
    return isIndex(type) && type.getRank() == rankOf(operands[0]);
  }));
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands[0])));
  return true;
}

bool scatterElements(Generator &g, Operands &operands, Attributes &attributes) {
  if (!gatherElements(g, operands, attributes) || !operands[1])
    return false;
  Value x = operands[0], indices = operands[1];
  operands.push_back(g.tensor([&](RankedTensorType type) {
    return type.getElementType() == cast<RankedTensorType>(x.getType()).getElementType() &&
           ir::shapeOf(type) == ir::shapeOf(cast<RankedTensorType>(indices.getType()));
  }));
  attributes.set("reduction", g.attributes().getStringAttr(g.oneOf(
                                  ArrayRef<StringRef>({"none", "add", "mul", "max", "min"}))));
  return true;
}

bool where(Generator &g, Operands &operands, Attributes &) {
  operands.assign({g.tensor(isBool), g.tensor()});
  if (!operands[1])
    return false;
  operands.push_back(g.companion(operands[1]));
  return true;
}

bool clip(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isNumber));
  if (!operands.back())
    return false;
  bool real = isFloat(cast<RankedTensorType>(operands.back().getType()));
  auto bound = [&](int64_t value) -> Attribute {
    return real ? Attribute(g.attributes().getF64FloatAttr(static_cast<double>(value) / 2))
                : Attribute(g.attributes().getI64IntegerAttr(value));
  };
  if (g.chance(70))
    attributes.set("min", bound(g.between(-4, 0)));
  if (g.chance(70))
    attributes.set("max", bound(g.between(0, 4)));
  return true;
}

bool full(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("shape", shapeAttr(g, g.below(4)));
  attributes.set("value", g.attributes().getF32FloatAttr(static_cast<float>(g.between(-4, 4)) / 2));
  return true;
}

bool fullLike(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  Type element = cast<RankedTensorType>(operands.back().getType()).getElementType();
  if (element.isUnsignedInteger())
    return false;
  attributes.set("value", isa<FloatType>(element)
                              ? Attribute(g.attributes().getFloatAttr(element, 1.5))
                              : g.attributes().getIntegerAttr(element, g.below(2)));
  return true;
}

bool arange(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("limit", exprAttr(g));
  attributes.set("dtype", TypeAttr::get(g.chance(50) ? Type(g.attributes().getI64Type())
                                                     : g.attributes().getF32Type()));
  return true;
}

bool eye(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("rows", exprAttr(g));
  attributes.set("columns", exprAttr(g));
  attributes.set("dtype", TypeAttr::get(g.attributes().getF32Type()));
  return true;
}

bool causalMask(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("rows", exprAttr(g));
  attributes.set("columns", exprAttr(g));
  return true;
}

bool oneHot(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isIndex));
  attributes.set("depth", exprAttr(g));
  attributes.set("on", g.attributes().getF32FloatAttr(1));
  attributes.set("off", g.attributes().getF32FloatAttr(0));
  return true;
}

bool matmul(Generator &g, Operands &operands, Attributes &attributes) {
  if (!binary<isNumber>(g, operands, attributes))
    return false;
  maybeUnit(g, attributes, "transpose_a");
  maybeUnit(g, attributes, "transpose_b");
  return true;
}

bool einsum(Generator &g, Operands &operands, Attributes &attributes) {
  StringRef equation = g.oneOf(ArrayRef<StringRef>(
      {"ij->ji", "ij,jk->ik", "ij,ij->i", "i,j->ij", "bij,bjk->bik", "ii->i", "ij->", "i,i->"}));
  operands.push_back(g.tensor(isFloat));
  if (equation.contains(',') && operands.back())
    operands.push_back(g.companion(operands.back()));
  attributes.set("equation", g.attributes().getStringAttr(equation));
  return true;
}

bool rmsNorm(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank(); }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.back()));
  attributes.set("epsilon", g.attributes().getF64FloatAttr(1e-5));
  return true;
}

bool topk(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isNumber));
  if (!operands.back())
    return false;
  attributes.set("k", g.chance(50) ? exprAttr(g)
                                   : ir::ExprAttr::get(g.attributes().getContext(),
                                                       g.symbols().constant(g.between(0, 3))));
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  maybeUnit(g, attributes, "smallest");
  return true;
}

template <bool (*fits)(RankedTensorType), const char *...flags>
bool dataDependent(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(fits));
  attributes.set("symbol", g.attributes().getStringAttr(g.freshSymbol()));
  (maybeUnit(g, attributes, flags), ...);
  return true;
}
bool anyTensor(RankedTensorType) { return true; }
constexpr char inverse[] = "inverse", counts[] = "counts";

bool maskedSelect(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  Value x = operands.back();
  operands.push_back(
      g.tensor([&](RankedTensorType type) { return isBool(type) && type.getRank() == rankOf(x); }));
  attributes.set("symbol", g.attributes().getStringAttr(g.freshSymbol()));
  return true;
}

bool convolution(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 3; }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.back()));
  int64_t spatial = rankOf(operands.front()) - 2;
  attributes.set("strides", numbers(g, spatial, 1, 2));
  attributes.set("pads", numbers(g, 2 * spatial, 0, 2));
  return true;
}

bool pool(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 3; }));
  if (!operands.back())
    return false;
  int64_t spatial = rankOf(operands.front()) - 2;
  attributes.set("kernel", numbers(g, spatial, 1, 3));
  attributes.set("strides", numbers(g, spatial, 1, 2));
  if (g.chance(50))
    attributes.set("pads", numbers(g, 2 * spatial, 0, 1));
  maybeUnit(g, attributes, "ceil_mode");
  return true;
}

bool triangle(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  attributes.set("diagonal", ir::ExprAttr::get(g.attributes().getContext(),
                                               g.symbols().constant(g.between(-2, 2))));
  return true;
}

bool attention(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() == 4; }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.front()));
  operands.push_back(g.chance(50) ? operands.back() : g.companion(operands.front()));
  maybeUnit(g, attributes, "causal");
  return true;
}

bool narrow(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  attributes.set("axis", g.attributes().getI64IntegerAttr(axis(g, operands.back())));
  attributes.set("start",
                 ir::ExprAttr::get(g.attributes().getContext(), g.symbols().constant(g.below(3))));
  attributes.set("length", g.chance(50) ? exprAttr(g)
                                        : ir::ExprAttr::get(g.attributes().getContext(),
                                                            g.symbols().constant(g.below(4))));
  return true;
}

bool dynamicSlice(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  if (!operands.back())
    return false;
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isIndex(type) && type.getRank() == 1; }));
  attributes.set("sizes", constantShape(g, rankOf(operands.front()), 0, 3));
  return true;
}

bool gatherNd(Generator &g, Operands &operands, Attributes &attributes) {
  operands.assign({g.tensor(), g.tensor(isIndex)});
  if (g.chance(30))
    attributes.set("batch_dims", g.attributes().getI64IntegerAttr(1));
  return true;
}

bool scatterNd(Generator &g, Operands &operands, Attributes &attributes) {
  operands.assign({g.tensor(), g.tensor(isIndex)});
  if (!operands[0])
    return false;
  operands.push_back(g.companion(operands[0]));
  attributes.set("reduction", g.attributes().getStringAttr(g.oneOf(
                                  ArrayRef<StringRef>({"none", "add", "mul", "max", "min"}))));
  return true;
}

bool spaceToDepth(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor([](RankedTensorType type) { return type.getRank() == 4; }));
  attributes.set("block_size", g.attributes().getI64IntegerAttr(g.between(1, 2)));
  return true;
}

/// A normalisation with no parameters, or with companions for them.
template <int minimum, int maximum>
bool normalization(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 2; }));
  if (!operands.back())
    return false;
  for (int64_t more = g.between(minimum, maximum); more != 0; --more)
    operands.push_back(g.companion(operands.front()));
  attributes.set("num_groups", g.attributes().getI64IntegerAttr(g.between(1, 2)));
  return true;
}

bool interpolate(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 3; }));
  if (!operands.back())
    return false;
  attributes.set("sizes", constantShape(g, rankOf(operands.front()) - 2, 1, 4));
  attributes.set("mode", g.attributes().getStringAttr(
                             g.oneOf(ArrayRef<StringRef>({"nearest", "linear", "cubic"}))));
  attributes.set("coordinates",
                 g.attributes().getStringAttr(g.oneOf(ArrayRef<StringRef>(
                     {"half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"}))));
  return true;
}

bool quantizeLinear(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(g.tensor([](RankedTensorType type) { return isFloat(type); }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.front()));
  return true;
}

bool randomNumbers(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor([](RankedTensorType type) {
    return type.getElementType().isSignlessInteger(64) && type.getRank() == 1;
  }));
  attributes.set("shape", shapeAttr(g, g.below(3)));
  attributes.set("dtype", TypeAttr::get(g.attributes().getF32Type()));
  attributes.set("probability", g.attributes().getF64FloatAttr(0.5));
  return true;
}

bool searchSorted(Generator &g, Operands &operands, Attributes &attributes) {
  if (!binary<isNumber>(g, operands, attributes))
    return false;
  maybeUnit(g, attributes, "right");
  return true;
}

bool bincount(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isIndex));
  attributes.set("length", exprAttr(g));
  return true;
}

bool topPFilter(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() == 1; }));
  attributes.set("symbol", g.attributes().getStringAttr(g.freshSymbol()));
  attributes.set("p", g.attributes().getF64FloatAttr(static_cast<double>(g.below(5)) / 4));
  return true;
}

bool linspace(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("start", g.attributes().getF64FloatAttr(static_cast<double>(g.between(-2, 2))));
  attributes.set("stop", g.attributes().getF64FloatAttr(static_cast<double>(g.between(-2, 2))));
  attributes.set("count", exprAttr(g));
  attributes.set("dtype", TypeAttr::get(g.attributes().getF32Type()));
  maybeUnit(g, attributes, "open");
  return true;
}

/// A way to pick, and the ops that it is for.
struct Group {
  bool (*pick)(Generator &, Operands &, Attributes &);
  StringRef ops;
};
const Group groups[] = {
    {unary<isFloat>, "sqrt rsqrt reciprocal exp exp2 expm1 log log2 log10 log1p sin cos tan asin "
                     "acos atan sinh cosh tanh asinh acosh atanh erf sigmoid silu mish softplus "
                     "softsign selu hard_swish gelu leaky_relu elu celu hard_sigmoid ceil floor "
                     "round trunc is_nan is_inf is_finite"},
    {unary<isNumber>, "negate abs sign square relu"},
    {unary<isBool>, "logical_not"},
    {unary<isInteger>, "bitwise_not"},
    {binary<isNumber>, "add subtract multiply divide floor_divide modulo fmod maximum minimum "
                       "equal not_equal less less_equal greater greater_equal prelu power "
                       "add multiply subtract add multiply"},
    {binary<isFloat>, "atan2"},
    {binary<isBool>, "logical_and logical_or logical_xor equal"},
    {binary<isInteger>, "bitwise_and bitwise_or bitwise_xor shift_left shift_right"},
    {where, "where where where"},
    {clip, "clip clip"},
    {reduction<isNumber>, "sum prod max min sum"},
    {reduction<isFloat>, "mean logsumexp l1_norm l2_norm variance std"},
    {reduction<isBool>, "any all"},
    {alongAxis<isNumber, keepDims, lastIndex>, "argmax argmin"},
    {alongAxis<isNumber, exclusive, reverse>, "cumsum cumprod cummax"},
    {alongAxis<isNumber, descending>, "sort argsort"},
    {alongAxis<isFloat>, "softmax log_softmax lp_norm"},
    {permute, "permute permute permute"},
    {withAxes, "squeeze unsqueeze flip unsqueeze"},
    {flatten, "flatten flatten"},
    {view, "view view view"},
    {joined, "concat concat concat stack"},
    {split, "split split"},
    {slice, "slice slice slice"},
    {pad, "pad pad"},
    {tile, "tile"},
    {repeat, "repeat"},
    {roll, "roll"},
    {broadcastTo, "broadcast_to broadcast_to"},
    {take, "take take"},
    {gatherElements, "gather_elements"},
    {scatterElements, "scatter_elements"},
    {full, "full"},
    {fullLike, "full_like"},
    {arange, "arange arange"},
    {eye, "eye"},
    {causalMask, "causal_mask"},
    {oneHot, "one_hot"},
    {matmul, "matmul matmul matmul matmul"},
    {einsum, "einsum"},
    {rmsNorm, "rms_norm"},
    {topk, "topk"},
    {dataDependent<anyTensor>, "nonzero nonzero"},
    {dataDependent<isNumber, inverse, counts>, "unique"},
    {maskedSelect, "masked_select masked_select"},
    {convolution, "convolution convolution"},
    {pool, "max_pool average_pool"},
    {unary<isFloat>, "global_average_pool global_max_pool"},
    {triangle, "tril triu"},
    {attention, "attention attention"},
    {unary<anyTensor>, "shape_of"},
    {narrow, "narrow"},
    {dynamicSlice, "dynamic_slice"},
    {gatherNd, "gather_nd"},
    {scatterNd, "scatter_nd"},
    {spaceToDepth, "space_to_depth depth_to_space"},
    {normalization<0, 2>, "layer_norm group_norm instance_norm"},
    {normalization<4, 4>, "batch_norm"},
    {convolution, "transposed_convolution"},
    {interpolate, "interpolate"},
    {quantizeLinear, "quantize_linear dequantize_linear"},
    {unary<isFloat>, "dynamic_quantize_linear"},
    {randomNumbers, "random_uniform random_normal random_bernoulli"},
    {searchSorted, "searchsorted"},
    {bincount, "bincount"},
    {topPFilter, "top_p_filter"},
    {linspace, "linspace"},
};

} // namespace

ArrayRef<OpTemplate> catalog() {
  static const std::vector<OpTemplate> templates = [] {
    std::vector<OpTemplate> list;
    for (const Group &group : groups) {
      SmallVector<StringRef> names;
      group.ops.split(names, ' ', -1, false);
      for (StringRef name : names)
        list.push_back({"relax." + name.str(), group.pick});
    }
    return list;
  }();
  return templates;
}

} // namespace relax::fuzz
