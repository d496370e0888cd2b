// Attributes that many kinds of op have.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {

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

void setInteger(Generator &g, Attributes &attributes, StringRef name, int64_t value) {
  attributes.set(name, g.attributes().getI64IntegerAttr(value));
}

void setReal(Generator &g, Attributes &attributes, StringRef name, double value) {
  attributes.set(name, g.attributes().getF64FloatAttr(value));
}

void setWord(Generator &g, Attributes &attributes, StringRef name, ArrayRef<StringRef> words) {
  attributes.set(name, g.attributes().getStringAttr(g.oneOf(words)));
}

} // namespace relax::fuzz
