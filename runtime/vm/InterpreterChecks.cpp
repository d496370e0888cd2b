//===- InterpreterChecks.cpp - slots, guards and patterns of general functions ----------------===//
#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Interpreter.h"
#include "runtime/vm/Patterns.h"
#include "runtime/vm/Slots.h"

#include <algorithm>

namespace relax::runtime {

using artifact::Guard;
using artifact::Instruction;
using artifact::SlotOp;

/// The value of a slot that reads a register; false if there is no such thing in it.
bool Interpreter::readSlot(Top at, const SlotOp &op, int64_t &out) {
  const Value &value = at.registers[static_cast<size_t>(op.a)];
  auto index = static_cast<size_t>(op.b);
  switch (op.kind) {
  case SlotOp::Dimension: // Of a tensor or of a shape; the argument's pattern has been checked.
  case SlotOp::RegisterDimension:
  case SlotOp::ShapeElement: {
    bool ofShape = value.isShape() && op.kind != SlotOp::RegisterDimension;
    if (!ofShape && (!value.isTensor() || op.kind == SlotOp::ShapeElement))
      return false;
    std::span<const int64_t> dims = ofShape ? value.asShape() : value.asTensor().dims;
    if (index >= dims.size())
      return false;
    out = dims[index];
    return true;
  }
  case SlotOp::RegisterRank:
    if (!value.isTensor() && !value.isShape())
      return false;
    out = static_cast<int64_t>(value.isShape() ? value.asShape().size()
                                               : value.asTensor().dims.size());
    return true;
  default: {
    if (!value.isTensor())
      return false;
    TensorView tensor = value.asTensor();
    if ((!artifact::isInteger(tensor.dtype) && tensor.dtype != DType::Bool) ||
        op.b >= elementCount(tensor.dims))
      return false;
    out = integerAt(tensor.dtype, tensor.data, op.b);
    return true;
  }
  }
}

/// Evaluates slots in order; the number of the first that has no value, or `end`.
size_t Interpreter::evaluateUntilError(Top at, size_t first, size_t end) {
  for (size_t i = first; i < end; ++i) {
    const SlotOp &op = at.function.slots[i];
    if (op.combines()) {
      if (!applySlot(op.kind, at.slots[op.a], at.slots[op.b], at.slots[i])) [[unlikely]]
        return i;
    } else if (op.kind != SlotOp::Constant && !op.isResolvedAtLoad() &&
               !readSlot(at, op, at.slots[i])) [[unlikely]] {
      return i;
    }
  }
  return end;
}

Status Interpreter::unreadable(Top at, size_t slot) {
  const SlotOp &op = at.function.slots[slot];
  if (op.combines())
    return slotError(at.function, slot, {at.slots, at.function.slots.size()});
  const char *what = op.kind == SlotOp::RegisterDimension ? "dimension "
                     : op.kind == SlotOp::RegisterRank    ? "the rank "
                     : op.kind == SlotOp::Element         ? "the integer "
                                                          : "element ";
  return codeError(text("slot ", slot, " reads ", what, op.b, " of register ", op.a,
                        ", which holds ", at.registers[op.a].text()));
}

Status Interpreter::checkSymbols(Top at, size_t first, size_t end) {
  const auto &symbols = prepared[at.activation.index].symbols;
  if (symbols.empty())
    return {};
  auto next = std::lower_bound(symbols.begin(), symbols.end(), first,
                               [](auto *symbol, size_t slot) { return symbol->slot < slot; });
  for (; next != symbols.end() && (*next)->slot < end; ++next)
    RELAX_RETURN_IF_ERROR(checkSymbol(at.function, **next, at.slots[(*next)->slot]));
  return {};
}

Status Interpreter::evaluate(Top at, size_t first, size_t end) {
  size_t known = evaluateUntilError(at, first, end);
  RELAX_RETURN_IF_ERROR(checkSymbols(at, first, known));
  return known == end ? Status() : unreadable(at, known);
}

Status Interpreter::checkValue(Top at, const Instruction &instruction) {
  const Value &value = at.registers[instruction.buffers[0]];
  RELAX_RETURN_IF_ERROR(checkStructure(at.function, instruction.target, value, {}));
  if (!instruction.slots.empty())
    RELAX_RETURN_IF_ERROR(evaluate(at, instruction.slots[0], instruction.slots[1]));
  return checkPatternDims(at.function, instruction.target, value,
                          {at.slots, at.function.slots.size()}, at.function.slots.size(), {});
}

/// ValuesInRange and Ragged read registers.
Status Interpreter::check(Top at, const Guard &guard) {
  std::span<const int64_t> values(at.slots, at.function.slots.size());
  if (guard.kind < Guard::ValuesInRange)
    return checkShapeGuard(at.function, guard, values);
  Expected<TensorView> first = tensorIn(at.registers, static_cast<uint32_t>(guard.parameter));
  if (!first)
    return first.takeStatus();
  bool ragged = guard.kind == Guard::Ragged;
  Expected<TensorView> second =
      ragged ? tensorIn(at.registers, static_cast<uint32_t>(guard.axis)) : first;
  if (!second)
    return second.takeStatus();
  for (const TensorView &view : {*first, *second})
    if (view.dtype != DType::I32 && (ragged || view.dtype != DType::I64))
      return codeError(text("a guard reads elements of ", artifact::name(view.dtype)));
    else if (ragged && view.dims.size() != 1)
      return codeError(text("a guard reads a tensor of rank ", view.dims.size(), ", expected 1"));
  return checkDataGuard(at.function, guard, *first, *second, values);
}

Status Interpreter::checkValues(Top at, const Instruction &instruction) {
  Expected<TensorView> view = tensorIn(at.registers, instruction.buffers[0]);
  if (!view)
    return view.takeStatus();
  if (!artifact::isInteger(view->dtype))
    return codeError(text("compares elements of ", artifact::name(view->dtype), " as integers"));
  return checkElements(at.function.guards[instruction.target], view->dtype, view->data,
                       elementCount(view->dims), at.slots[instruction.slots[0]],
                       at.slots[instruction.slots[1]]);
}

} // namespace relax::runtime
