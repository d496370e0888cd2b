// Contractions, convolutions, attention, normalisations, quantisation.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {

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

bool convolution(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 3; }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.back()));
  int64_t spatial = rankOf(operands.front()) - 2;
  if (g.chance(30))
    operands.push_back(g.tensor([&](RankedTensorType type) {
      return type.getRank() == 1 &&
             type.getElementType() ==
                 cast<RankedTensorType>(operands.front().getType()).getElementType();
    }));
  attributes.set("strides", numbers(g, spatial, 1, 2));
  if (g.chance(30))
    attributes.set("dilations", numbers(g, spatial, 1, 2));
  if (g.chance(20))
    setInteger(g, attributes, "groups", 2);
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
  if (g.chance(20))
    attributes.set("dilations", numbers(g, spatial, 1, 2));
  if (g.chance(50))
    attributes.set("pads", numbers(g, 2 * spatial, 0, 1));
  maybeUnit(g, attributes, "ceil_mode");
  return true;
}

/// What attention and its weights have in common.
static void maskOptions(Generator &g, Operands &operands, Attributes &attributes) {
  Value x = operands.front();
  if (g.chance(40)) {
    bool bools = g.chance(50);
    Value mask = g.tensor([&](RankedTensorType type) {
      return type.getRank() <= 4 &&
             (bools
                  ? isBool(type)
                  : type.getElementType() == cast<RankedTensorType>(x.getType()).getElementType());
    });
    if (mask)
      operands.push_back(mask);
  }
  maybeUnit(g, attributes, "causal");
  maybeUnit(g, attributes, "align_end");
  if (g.chance(30))
    setInteger(g, attributes, "window", g.between(1, 4));
  if (g.chance(30))
    setInteger(g, attributes, "causal_offset", g.between(-1, 2));
  if (g.chance(20))
    setReal(g, attributes, "softcap", 2);
  maybeUnit(g, attributes, "hidden_is_nan");
}

bool attention(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() == 4; }));
  if (!operands.back())
    return false;
  operands.push_back(g.companion(operands.front()));
  operands.push_back(g.chance(50) ? operands.back() : g.companion(operands.front()));
  if (g.chance(50))
    setReal(g, attributes, "scale", 0.5);
  maskOptions(g, operands, attributes);
  return true;
}

bool attentionWeights(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() == 4; }));
  if (!operands.back())
    return false;
  setReal(g, attributes, "scale", 0.5);
  maskOptions(g, operands, attributes);
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

bool batchNorm(Generator &g, Operands &operands, Attributes &) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() >= 1; }));
  if (!operands.back())
    return false;
  Value parameter = g.tensor([&](RankedTensorType type) {
    return type.getRank() == 1 &&
           type.getElementType() ==
               cast<RankedTensorType>(operands.front().getType()).getElementType();
  });
  if (!parameter)
    return false;
  for (int i = 0; i != 4; ++i)
    operands.push_back(g.chance(60) ? parameter : g.companion(parameter));
  return true;
}

bool normalizeGroups(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isFloat(type) && type.getRank() == 3; }));
  if (!operands.back())
    return false;
  for (int64_t more = g.below(3); more != 0; --more)
    operands.push_back(g.companion(operands.front()));
  setReal(g, attributes, "epsilon", 1e-5);
  return true;
}

bool rotary(Generator &g, Operands &operands, Attributes &attributes) {
  auto ofRank = [&](int64_t rank) {
    return g.tensor([&](RankedTensorType type) {
      return type.getElementType().isF32() && type.getRank() == rank;
    });
  };
  operands.append({ofRank(3), ofRank(2)});
  maybeUnit(g, attributes, "interleaved");
  return true;
}

/// Numbers, their scale, perhaps where zero is.
bool scaled(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isInteger));
  operands.push_back(g.tensor(isFloat));
  if (!operands.front() || !operands.back())
    return false;
  if (g.chance(40))
    operands.push_back(g.companion(operands.front()));
  if (g.chance(50))
    setInteger(g, attributes, "axis", axis(g, operands.front()));
  return true;
}

} // namespace relax::fuzz
