// Every op that is made by its own rule, with how its operands and attributes are picked. An op
// that stands here twice is picked twice as often.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {
namespace {

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

template <bool (*fits)(RankedTensorType), const char *...flags>
bool dataDependent(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(fits));
  attributes.set("symbol", g.attributes().getStringAttr(g.freshSymbol()));
  (maybeUnit(g, attributes, flags), ...);
  return true;
}

constexpr char inverse[] = "inverse", counts[] = "counts";

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
    {unary<anyTensor>, "shape_of shape_of"},
    {narrow, "narrow"},
    {dynamicSlice, "dynamic_slice"},
    {gatherNd, "gather_nd"},
    {scatterNd, "scatter_nd"},
    {spaceToDepth, "space_to_depth depth_to_space"},
    {normalization<0, 2>, "layer_norm group_norm instance_norm"},
    {batchNorm, "batch_norm"},
    {convolution, "transposed_convolution"},
    {interpolate, "interpolate"},
    {quantizeLinear, "quantize_linear"},
    {scaled, "dequantize_linear"},
    {unary<isFloat>, "dynamic_quantize_linear"},
    {randomNumbers, "random_uniform random_normal random_bernoulli"},
    {searchSorted, "searchsorted"},
    {bincount, "bincount"},
    {topPFilter, "top_p_filter"},
    {linspace, "linspace"},
    {dynamicStridedSlice, "dynamic_strided_slice"},
    {sliceBounds, "slice_bounds"},
    {nonMaxSuppression, "non_max_suppression"},
    {reverseSequence, "reverse_sequence"},
    {randomIntegers, "random_integers"},
    {dequantize, "dequantize"},
    {rotaryTable, "rotary_table"},
    {rotary, "rotary"},
    {attentionWeights, "attention_weights"},
    {normalizeGroups, "normalize_groups"},
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
