// The same elements elsewhere: views, joins, slices, padding.

#include "tests/fuzz/programs/Picks.h"

using namespace mlir;

namespace relax::fuzz {

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

bool spaceToDepth(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor([](RankedTensorType type) { return type.getRank() == 4; }));
  attributes.set("block_size", g.attributes().getI64IntegerAttr(g.between(1, 2)));
  return true;
}

bool triangle(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  attributes.set("diagonal", ir::ExprAttr::get(g.attributes().getContext(),
                                               g.symbols().constant(g.between(-2, 2))));
  return true;
}

static Value indexVector(Generator &g) {
  return g.tensor([](RankedTensorType type) { return isIndex(type) && type.getRank() == 1; });
}

static DenseI64ArrayAttr randomSteps(Generator &g, int64_t count) {
  SmallVector<int64_t> steps;
  for (int64_t i = 0; i != count; ++i)
    steps.push_back(g.oneOf(ArrayRef<int64_t>({1, 1, 2, -1, -3})));
  return g.attributes().getDenseI64ArrayAttr(steps);
}

bool dynamicStridedSlice(Generator &g, Operands &operands, Attributes &attributes) {
  operands.push_back(g.tensor());
  Value bounds = indexVector(g);
  if (!operands.back() || !bounds)
    return false;
  operands.append({bounds, g.chance(50) ? bounds : g.companion(bounds)});
  // As many axes as there are bounds.
  int64_t count = cast<RankedTensorType>(bounds.getType()).getDimSize(0);
  if (count < 0 || count > rankOf(operands.front()))
    return false;
  SmallVector<int64_t> list;
  SmallVector<Attribute> names;
  for (int64_t i = 0; i != count; ++i) {
    list.push_back(i);
    names.push_back(g.attributes().getStringAttr(g.freshSymbol()));
  }
  attributes.set("axes", g.attributes().getDenseI64ArrayAttr(list));
  attributes.set("symbols", g.attributes().getArrayAttr(names));
  if (g.chance(60))
    attributes.set("steps", randomSteps(g, count));
  return true;
}

bool sliceBounds(Generator &g, Operands &operands, Attributes &attributes) {
  Value bounds = indexVector(g);
  if (!bounds)
    return false;
  operands.append({bounds, g.companion(bounds)});
  int64_t count = cast<RankedTensorType>(bounds.getType()).getDimSize(0);
  if (count < 0)
    return false;
  attributes.set("dims", shapeAttr(g, count));
  attributes.set("steps", randomSteps(g, count));
  return true;
}

} // namespace relax::fuzz
