// Tensors made of sizes, of constants and of random state.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {

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

bool linspace(Generator &g, Operands &, Attributes &attributes) {
  attributes.set("start", g.attributes().getF64FloatAttr(static_cast<double>(g.between(-2, 2))));
  attributes.set("stop", g.attributes().getF64FloatAttr(static_cast<double>(g.between(-2, 2))));
  attributes.set("count", exprAttr(g));
  attributes.set("dtype", TypeAttr::get(g.attributes().getF32Type()));
  maybeUnit(g, attributes, "open");
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

bool randomIntegers(Generator &g, Operands &operands, Attributes &attributes) {
  if (!randomNumbers(g, operands, attributes))
    return false;
  attributes.erase("probability");
  attributes.set("dtype", TypeAttr::get(g.chance(50) ? Type(g.attributes().getI32Type())
                                                     : g.attributes().getI64Type()));
  setInteger(g, attributes, "low", g.between(-5, 0));
  setInteger(g, attributes, "high", g.between(1, 5));
  return true;
}

/// Rows of one block of 32 numbers: a scale of 1/16 as float16, then a byte for each.
bool dequantize(Generator &g, Operands &operands, Attributes &attributes) {
  constexpr int64_t blockBytes = 34;
  SmallVector<int8_t> bytes;
  int64_t rows = g.between(1, 17);
  for (int64_t row = 0; row != rows; ++row) {
    bytes.append({0x00, 0x2C});
    for (int64_t i = 2; i != blockBytes; ++i)
      bytes.push_back(static_cast<int8_t>(g.between(-128, 127)));
  }
  auto type = RankedTensorType::get({rows, blockBytes}, g.attributes().getIntegerType(8));
  operands.push_back(g.constant(DenseElementsAttr::get(type, ArrayRef<int8_t>(bytes))));
  attributes.set("format", g.attributes().getStringAttr("q8_0"));
  return true;
}

bool rotaryTable(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor([](RankedTensorType type) {
    return type.getElementType().isSignlessInteger(32) && type.getRank() == 1;
  }));
  setReal(g, attributes, "base", 10000);
  setInteger(g, attributes, "dims", 2 * g.between(1, 3));
  if (g.chance(30))
    setReal(g, attributes, "scale", 0.5);
  return true;
}

} // namespace relax::fuzz
