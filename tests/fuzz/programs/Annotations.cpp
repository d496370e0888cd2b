// Annotations that become more or less precise, checks, and shapes as values in random programs.

#include "tests/fuzz/programs/Generator.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ShapeOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Verifier.h"

using namespace mlir;

namespace relax::fuzz {

/// Forgets some dimensions and gives them new names.
bool Generator::addMatchCast() {
  Value x = tensor([](RankedTensorType type) { return type.getRank() > 0; });
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<symbolic::Expr> forgotten(ir::shapeOf(type)), named = forgotten;
  for (size_t i = 0; i != named.size(); ++i)
    if (!named[i] || chance(50)) {
      forgotten[i] = {};
      named[i] = symbols().symbol(newSymbol());
    }
  // One that says nothing new is folded away, and what it kept alive with it.
  if (named == forgotten)
    return false;
  RankedTensorType less = ir::tensorType(context, forgotten, type.getElementType());
  Value erased = less == type ? x : Value(ir::EraseOp::create(b, loc, less, x));
  // One dimension in a form that is solved for: 2 * u, or u + 1. Fails where no u fits.
  for (symbolic::Expr &dim : named)
    if (chance(8) && dim.isSymbol() && !llvm::is_contained(ir::shapeOf(type), dim)) {
      dim = chance(50) ? dim * 2 : dim + 1;
      break;
    }
  add(ir::MatchCastOp::create(b, loc, ir::tensorType(context, named, type.getElementType()),
                              erased));
  return true;
}

/// Forgets the rank, the element type or everything of a tensor, looks at what is left, and names
/// it again.
bool Generator::addForgetting() {
  Value unknown = pick([](Type type) { return isa<UnrankedTensorType>(type); });
  bool known = !unknown || chance(70);
  Value x = known ? tensor([](RankedTensorType type) { return type.getRank() > 0; }) : unknown;
  if (!x)
    return false;
  Type element = cast<TensorType>(x.getType()).getElementType();
  int64_t rank = known ? cast<RankedTensorType>(x.getType()).getRank() : 2;
  if (known) {
    Type less = UnrankedTensorType::get(element);
    if (chance(30))
      less = ir::ObjectType::get(context);
    else if (chance(30))
      less = UnrankedTensorType::get(ir::AnyType::get(context));
    else if (chance(30))
      less = ir::tensorType(context, SmallVector<symbolic::Expr>(static_cast<size_t>(rank)),
                            ir::AnyType::get(context));
    x = ir::EraseOp::create(b, loc, less, x);
    if (isa<UnrankedTensorType>(less))
      if (Operation *shape = make("relax.shape_of", x))
        add(shape->getResult(0));
  }
  SmallVector<symbolic::Expr> dims;
  for (int64_t i = 0; i != rank; ++i)
    dims.push_back(symbols().symbol(newSymbol()));
  add(ir::MatchCastOp::create(b, loc, ir::tensorType(context, dims, element), x));
  return true;
}

/// A relation between sizes that may hold or not.
bool Generator::addGuard() {
  auto kind = oneOf(ArrayRef<ir::ConstraintKind>(
      {ir::ConstraintKind::Equal, ir::ConstraintKind::LessEqual, ir::ConstraintKind::LessEqual,
       ir::ConstraintKind::Divides, ir::ConstraintKind::Broadcast}));
  symbolic::Expr left = size(), right = chance(50) ? left + between(0, 1) : size();
  if (kind == ir::ConstraintKind::Divides)
    left = symbols().constant(between(1, 2));
  auto guard = ir::GuardOp::create(b, loc, ir::ConstraintAttr::get(context, kind, left, right),
                                   b.getStringAttr("what it takes"));
  // One that can never hold is no program.
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) { return success(); });
  if (failed(verify(guard))) {
    guard->erase();
    return false;
  }
  return true;
}

bool Generator::addCheckValues() {
  Value x = tensor([](RankedTensorType type) {
    return type.getElementType().isSignlessInteger(32) ||
           type.getElementType().isSignlessInteger(64);
  });
  if (!x)
    return false;
  auto range = ir::ValuesAttr::get(context, symbols().constant(-10), size() + 10);
  OperationState state(loc, ir::CheckValuesOp::getOperationName());
  state.addOperands(x);
  state.addAttribute("range", range);
  state.addAttribute("what", b.getStringAttr("check"));
  b.create(state);
  return true;
}

/// So many rows as another tensor's smallest element says, or a constant.
bool Generator::addPrefix() {
  Value x = tensor([](RankedTensorType type) { return type.getRank() > 0; });
  if (!x)
    return false;
  Value count = tensor([](RankedTensorType type) {
    return type.getRank() == 0 && type.getElementType().isSignlessInteger(64);
  });
  if (!count || chance(60))
    count = arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(RankedTensorType::get({}, b.getI64Type()), between(0, 2)));
  NamedAttrList attributes;
  std::string symbol = freshSymbol();
  attributes.set("symbol", b.getStringAttr(symbol));
  Operation *prefix = make("relax.prefix", {x, count}, attributes);
  if (!prefix)
    return false;
  scopes.back().symbols.push_back(symbol);
  add(prefix->getResult(0));
  return true;
}

/// A shape of sizes in scope, and what becomes of it.
bool Generator::addShapeValue() {
  SmallVector<symbolic::Expr> dims;
  for (int64_t rank = below(4); rank != 0; --rank)
    dims.push_back(size());
  Value shape = ir::ShapeOp::create(b, loc, dims);
  if (chance(30)) {
    // By rank only, and named again.
    auto type = cast<ir::ShapeType>(shape.getType());
    SmallVector<symbolic::Expr> named(dims.size());
    Type less = ir::ShapeType::get(context, named);
    for (symbolic::Expr &dim : named)
      dim = symbols().symbol(newSymbol());
    if (less != type) {
      Value erased = ir::EraseOp::create(b, loc, less, shape);
      shape = ir::MatchCastOp::create(b, loc, ir::ShapeType::get(context, named), erased);
    }
  }
  add(shape);
  if (Operation *tensor = make("relax.shape_to_tensor", shape))
    add(tensor->getResult(0));
  return true;
}

/// Shape, gather, concat, reshape: a shape that is computed as a tensor.
bool Generator::addShapeChain() {
  Value x = tensor([](RankedTensorType type) { return type.getRank() > 0; });
  Operation *shape = x ? make("relax.shape_of", x) : nullptr;
  Operation *dims = shape ? make("relax.shape_to_tensor", shape->getResult(0)) : nullptr;
  if (!dims)
    return false;
  int64_t rank = cast<RankedTensorType>(x.getType()).getRank();
  SmallVector<int64_t> order;
  for (int64_t i = 0; i != rank; ++i)
    order.insert(order.begin() + below(i + 1), i);
  NamedAttrList axis;
  axis.set("axis", b.getI64IntegerAttr(0));
  Operation *moved = make("relax.take", {dims->getResult(0), integers(order)}, axis);
  if (!moved)
    return false;
  Value list = moved->getResult(0);
  if (chance(50))
    if (Operation *longer = make("relax.concat", {integers({1}), list}, axis)) {
      list = longer->getResult(0);
      ++rank;
    }
  NamedAttrList named;
  if (chance(50)) {
    SmallVector<std::string> names;
    SmallVector<Attribute> attributes;
    for (int64_t i = 0; i != rank; ++i)
      attributes.push_back(b.getStringAttr(newSymbol()));
    named.set("symbols", b.getArrayAttr(attributes));
  }
  Operation *back = make("relax.tensor_to_shape", list, named);
  Operation *result = back ? make("relax.reshape_to", {x, back->getResult(0)}) : nullptr;
  if (!result)
    return false;
  add(back->getResult(0));
  add(result->getResult(0));
  return true;
}

bool Generator::addReshapeTo() {
  Value x = tensor(), to = shape();
  Operation *result = x && to ? make("relax.reshape_to", {x, to}) : nullptr;
  if (!result)
    return false;
  add(result->getResult(0));
  return true;
}

/// The same elements with the first two dimensions joined, or another one more.
bool Generator::addReshape() {
  Value x = tensor();
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<symbolic::Expr> dims(ir::shapeOf(type));
  if (llvm::is_contained(dims, symbolic::Expr()))
    return false;
  if (dims.size() >= 2 && chance(60)) {
    dims[1] = dims[0] * dims[1];
    dims.erase(dims.begin());
  } else {
    dims.insert(dims.begin() + below(static_cast<int64_t>(dims.size()) + 1), symbols().constant(1));
  }
  add(ir::ReshapeOp::create(b, loc, x, dims));
  return true;
}

} // namespace relax::fuzz
