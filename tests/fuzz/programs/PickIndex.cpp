// Gathers, scatters, searches, and results whose length depends on data.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {

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

bool oneHot(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor(isIndex));
  attributes.set("depth", exprAttr(g));
  attributes.set("on", g.attributes().getF32FloatAttr(1));
  attributes.set("off", g.attributes().getF32FloatAttr(0));
  return true;
}

bool nonMaxSuppression(Generator &g, Operands &operands, Attributes &attributes) {
  auto cube = [](RankedTensorType type) { return type.getRank() == 3 && isFloat(type); };
  operands.push_back(
      g.tensor([&](RankedTensorType type) { return cube(type) && type.getDimSize(2) == 4; }));
  if (!operands.back())
    return false;
  Type element = cast<RankedTensorType>(operands.back().getType()).getElementType();
  operands.push_back(g.tensor(
      [&](RankedTensorType type) { return cube(type) && type.getElementType() == element; }));
  attributes.set("symbol", g.attributes().getStringAttr(g.freshSymbol()));
  setInteger(g, attributes, "max_output_boxes_per_class", g.below(4));
  setReal(g, attributes, "iou_threshold", static_cast<double>(g.below(3)) / 2);
  maybeUnit(g, attributes, "center_point_box");
  return true;
}

bool reverseSequence(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor([](RankedTensorType type) { return type.getRank() >= 2; }));
  operands.push_back(
      g.tensor([](RankedTensorType type) { return isIndex(type) && type.getRank() == 1; }));
  if (!operands.front())
    return false;
  int64_t time = g.below(2);
  setInteger(g, attributes, "time_axis", time);
  setInteger(g, attributes, "batch_axis", 1 - time);
  return true;
}

} // namespace relax::fuzz
