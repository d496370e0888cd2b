#include "compiler/kernels/programs/IndexChecks.h"

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/Requirements.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// Ops whose result holds elements of operand 0 and nothing else.
bool onlyMoves(Operation *op) {
  static const llvm::StringSet<> names = {
      "relax.reshape",         "relax.view",          "relax.squeeze",      "relax.unsqueeze",
      "relax.flatten",         "relax.permute",       "relax.broadcast_to", "relax.slice",
      "relax.narrow",          "relax.dynamic_slice", "relax.split",        "relax.tile",
      "relax.repeat",          "relax.flip",          "relax.roll",         "relax.take",
      "relax.gather_elements", "relax.gather_nd",     "relax.match_cast",   "relax.erase",
      "relax.reshape_to"};
  return names.contains(op->getName().getStringRef());
}

std::optional<ElementRange> argumentRange(BlockArgument argument) {
  auto function = dyn_cast<func::FuncOp>(argument.getOwner()->getParentOp());
  if (!function)
    return std::nullopt;
  auto values = function.getArgAttrOfType<ir::ValuesAttr>(argument.getArgNumber(),
                                                          ir::RelaxDialect::valuesAttr);
  if (!values)
    return std::nullopt;
  return ElementRange{values.getLower(), values.getUpper()};
}

/// start, start + step, ... below limit, upwards.
std::optional<ElementRange> arangeRange(Operation *op) {
  Expr zero = ir::symbolicContext(op->getContext()).constant(0), one = zero + 1;
  auto get = [&](StringRef name, Expr otherwise) -> Expr {
    Attribute attribute = op->getAttr(name);
    if (!attribute)
      return otherwise;
    auto expr = dyn_cast<ir::ExprAttr>(attribute);
    return expr ? expr.getExpr() : Expr();
  };
  Expr start = get("start", zero), limit = get("limit", {}), step = get("step", one);
  if (!start || !limit || !step || !step.isConstant() || step.constantValue() < 1)
    return std::nullopt;
  return ElementRange{start, limit};
}

/// What is declared of the function's symbols, and that sizes aren't negative.
symbolic::Facts factsAt(Value value, Operation *op) {
  symbolic::Facts facts;
  auto function = op->getParentOfType<func::FuncOp>();
  if (auto symbols = function
                         ? function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr)
                         : ir::SymbolsAttr())
    facts = symbols.toFacts();
  if (auto type = dyn_cast<RankedTensorType>(value.getType()))
    ir::addSizeFacts(ir::shapeOf(type), facts);
  return facts;
}

/// Positions along an axis of operand 0: argmax, argsort, topk, nonzero of a vector.
std::optional<ElementRange> positionRange(OpResult result) {
  Operation *op = result.getOwner();
  StringRef name = op->getName().getStringRef();
  auto type = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  if (!type || type.getRank() == 0)
    return std::nullopt;
  int64_t axis = 0;
  if (name == "relax.nonzero") {
    if (type.getRank() != 1)
      return std::nullopt;
  } else if (name == "relax.topk" && result.getResultNumber() != 1) {
    return std::nullopt;
  } else {
    auto attribute = op->getAttrOfType<IntegerAttr>("axis");
    axis = attribute ? attribute.getInt() : 0;
  }
  Expr size = ir::shapeOf(type)[ir::axisOf(type, axis)];
  if (!size)
    return std::nullopt;
  // argmax of an axis without elements gives 0 as well.
  if (name == "relax.argmax" || name == "relax.argmin") {
    std::optional<int64_t> least = symbolic::bounds(size, factsAt(op->getOperand(0), op)).lo;
    if (!least || *least < 1)
      return std::nullopt;
  }
  return ElementRange{ir::symbolicContext(op->getContext()).constant(0), size};
}

std::optional<ElementRange> constantRange(symbolic::Context &context, IntegerAttr lower,
                                          IntegerAttr upper) {
  if (!lower || !upper || upper.getInt() == INT64_MAX)
    return std::nullopt;
  // Of a clip whose bounds are the wrong way round, all elements are the upper one.
  int64_t least = std::min(lower.getInt(), upper.getInt());
  return ElementRange{context.constant(least), context.constant(upper.getInt() + 1)};
}

} // namespace

std::optional<ElementRange> elementRange(Value tensor) {
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return argumentRange(argument);
    Operation *op = tensor.getDefiningOp();
    StringRef name = op->getName().stripDialect();
    symbolic::Context &context = ir::symbolicContext(op->getContext());
    if (name == "arange")
      return arangeRange(op);
    if (name == "full" || name == "full_like") {
      auto value = op->getAttrOfType<IntegerAttr>("value");
      return constantRange(context, value, value);
    }
    if (name == "clip")
      return constantRange(context, op->getAttrOfType<IntegerAttr>("min"),
                           op->getAttrOfType<IntegerAttr>("max"));
    if (llvm::is_contained({"argmax", "argmin", "argsort", "topk", "nonzero"}, name))
      return positionRange(cast<OpResult>(tensor));
    if (!onlyMoves(op))
      return std::nullopt;
    tensor = op->getOperand(0);
  }
}

void checkIndices(OpBuilder &b, Location loc, Value indices, Expr size, StringRef what) {
  Expr lowest = size * -1;
  Operation *place = &*b.getInsertionPoint();
  symbolic::Facts facts = factsAt(indices, place);
  ir::addSizeFacts(size, facts);
  auto fits = [&](Expr lower, Expr upper) {
    return symbolic::proveLessEqual(lowest, lower, facts) == symbolic::Proof::Proved &&
           symbolic::proveLessEqual(upper, size, facts) == symbolic::Proof::Proved;
  };
  if (std::optional<ElementRange> range = elementRange(indices))
    if (fits(range->lower, range->upper))
      return;
  // A check that was before says as much.
  for (Operation *user : indices.getUsers())
    if (auto check = dyn_cast<ir::CheckValuesOp>(user);
        check && check->getBlock() == place->getBlock() && check->isBeforeInBlock(place) &&
        fits(check.getRange().getLower(), check.getRange().getUpper()))
      return;
  ir::CheckValuesOp::create(b, loc, indices, ir::ValuesAttr::get(b.getContext(), lowest, size),
                            what);
}

} // namespace relax::kernels
