#include "compiler/driver/SlotTable.h"

using relax::artifact::noSlot;
using relax::artifact::Slot;
using relax::artifact::SlotOp;

namespace relax::driver {

void SlotTable::bind(const std::string &symbol, int64_t parameter, int64_t axis) {
  if (!isBound(symbol))
    bind(symbol, append(SlotOp::Dimension, parameter, axis));
}

void SlotTable::bind(const std::string &symbol, Slot slot) {
  if (symbols.try_emplace(symbol, slot).second)
    madeSymbols.push_back(symbol);
}

void SlotTable::popScope() {
  auto [numSymbols, numExpressions] = scopes.back();
  scopes.pop_back();
  for (; madeSymbols.size() > numSymbols; madeSymbols.pop_back())
    symbols.erase(madeSymbols.back());
  for (; madeExpressions.size() > numExpressions; madeExpressions.pop_back())
    expressions.erase(madeExpressions.back());
}

Slot SlotTable::constant(int64_t value) {
  auto [it, inserted] = constants.try_emplace(value, noSlot);
  if (inserted)
    it->second = append(SlotOp::Constant, value, 0);
  return it->second;
}

Slot SlotTable::append(SlotOp::Kind kind, int64_t a, int64_t b) {
  slots.push_back({kind, a, b});
  return static_cast<Slot>(slots.size() - 1);
}

static SlotOp::Kind operationOf(symbolic::Kind kind) {
  switch (kind) {
  case symbolic::Kind::FloorDiv:
    return SlotOp::FloorDiv;
  case symbolic::Kind::CeilDiv:
    return SlotOp::CeilDiv;
  case symbolic::Kind::Mod:
    return SlotOp::Mod;
  case symbolic::Kind::Min:
    return SlotOp::Min;
  case symbolic::Kind::Max:
    return SlotOp::Max;
  case symbolic::Kind::Mul:
    return SlotOp::Mul;
  default:
    return SlotOp::Add;
  }
}

Slot SlotTable::slotOf(symbolic::Expr expr) {
  if (expr.isConstant())
    return constant(expr.constantValue());
  if (expr.isSymbol()) {
    auto it = symbols.find(expr.symbolName());
    return it == symbols.end() ? noSlot : it->second;
  }
  if (auto it = expressions.find(expr); it != expressions.end())
    return it->second;
  Slot result = noSlot;
  for (symbolic::Expr operand : expr.operands()) {
    Slot next = slotOf(operand);
    if (next == noSlot)
      return noSlot;
    result = result == noSlot ? next : append(operationOf(expr.kind()), result, next);
  }
  expressions[expr] = result;
  madeExpressions.push_back(expr);
  return result;
}

} // namespace relax::driver
