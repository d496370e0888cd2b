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

} // namespace

std::optional<ElementRange> elementRange(Value tensor) {
  for (;;) {
    if (auto argument = dyn_cast<BlockArgument>(tensor))
      return argumentRange(argument);
    Operation *op = tensor.getDefiningOp();
    StringRef name = op->getName().getStringRef();
    if (name == "relax.arange")
      return arangeRange(op);
    if (name == "relax.argmax" || name == "relax.argmin") {
      auto type = cast<RankedTensorType>(op->getOperand(0).getType());
      auto axis = op->getAttrOfType<IntegerAttr>("axis");
      Expr size = ir::shapeOf(type)[ir::axisOf(type, axis ? axis.getInt() : 0)];
      // An axis without elements gives 0 as well.
      if (!size || !symbolic::bounds(size, factsAt(op->getOperand(0), op)).lo ||
          *symbolic::bounds(size, factsAt(op->getOperand(0), op)).lo < 1)
        return std::nullopt;
      return ElementRange{size.getContext().constant(0), size};
    }
    if (!onlyMoves(op))
      return std::nullopt;
    tensor = op->getOperand(0);
  }
}

void checkIndices(OpBuilder &b, Location loc, Value indices, Expr size, StringRef what) {
  Expr lowest = size * -1;
  Operation *place = &*b.getInsertionPoint();
  if (std::optional<ElementRange> range = elementRange(indices)) {
    symbolic::Facts facts = factsAt(indices, place);
    if (symbolic::proveLessEqual(lowest, range->lower, facts) == symbolic::Proof::Proved &&
        symbolic::proveLessEqual(range->upper, size, facts) == symbolic::Proof::Proved)
      return;
  }
  // The same check once is enough.
  auto values = ir::ValuesAttr::get(b.getContext(), lowest, size);
  for (Operation *user : indices.getUsers())
    if (auto check = dyn_cast<ir::CheckValuesOp>(user); check && check.getRange() == values &&
                                                        check->getBlock() == place->getBlock() &&
                                                        check->isBeforeInBlock(place))
      return;
  ir::CheckValuesOp::create(b, loc, indices, values, what);
}

} // namespace relax::kernels
