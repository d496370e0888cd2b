#include "compiler/driver/EmitGuards.h"

#include "compiler/driver/Locations.h"
#include "compiler/kernels/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

using namespace mlir;
using relax::artifact::Guard;
using relax::artifact::Slot;
using relax::artifact::SlotOp;

namespace relax::driver {

FailureOr<Guard> makeGuard(ir::ConstraintAttr constraint, StringRef text, Location loc,
                           SlotTable &slots, SlotFunction slotOf) {
  FailureOr<Slot> a = slotOf(constraint.getA(), loc), b = slotOf(constraint.getB(), loc);
  if (failed(a) || failed(b))
    return failure();
  Guard guard;
  guard.a = *a;
  guard.b = *b;
  std::string left = constraint.getA().str(), right = constraint.getB().str();
  switch (constraint.getKind()) {
  case ir::ConstraintKind::Equal:
    guard.kind = Guard::Equal;
    guard.expression = left + " == " + right;
    break;
  case ir::ConstraintKind::LessEqual:
    guard.kind = Guard::LessEqual;
    guard.expression = left + " <= " + right;
    break;
  case ir::ConstraintKind::Divides:
    guard.kind = Guard::Divides;
    guard.expression = left + " divides " + right;
    break;
  case ir::ConstraintKind::Broadcast: {
    guard.kind = Guard::Equal;
    guard.expression = left + " == " + right + ", or one of them is 1";
    Slot one = slots.constant(1);
    Slot same = slots.append(SlotOp::Equal, *a, *b);
    Slot single = slots.append(SlotOp::Or, slots.append(SlotOp::Equal, *a, one),
                               slots.append(SlotOp::Equal, *b, one));
    guard.a = slots.append(SlotOp::Or, same, single);
    guard.b = one;
    break;
  }
  }
  if (!text.empty())
    guard.expression += " (" + text.str() + ")";
  guard.source = locationText(loc);
  return guard;
}

LogicalResult makeValueGuards(func::FuncOp function, std::vector<Guard> &guards,
                              SlotFunction slotOf) {
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto values = function.getArgAttrOfType<ir::ValuesAttr>(i, ir::RelaxDialect::valuesAttr);
    if (!values)
      continue;
    FailureOr<Slot> upper = slotOf(values.getUpper(), argument.getLoc());
    if (failed(upper))
      return failure();
    Guard guard;
    guard.kind = Guard::ValuesInRange;
    guard.parameter = static_cast<int32_t>(i);
    guard.a = *upper;
    guard.expression = "0 <= element < " + values.getUpper().str();
    guard.source = locationText(argument.getLoc());
    guards.push_back(std::move(guard));
  }
  auto ragged = function->getAttrOfType<DictionaryAttr>(ir::RelaxDialect::raggedAttr);
  if (!ragged)
    return success();
  auto total = ragged.getAs<ir::ExprAttr>("total");
  auto limit = ragged.getAs<ir::ExprAttr>("limit");
  auto starts = ragged.getAs<IntegerAttr>("starts");
  auto cached = ragged.getAs<IntegerAttr>("cached");
  if (!total || !limit || !starts || !cached)
    return function.emitError("relax.ragged needs starts, cached, total and limit");
  FailureOr<Slot> a = slotOf(total.getExpr(), function.getLoc());
  FailureOr<Slot> b = slotOf(limit.getExpr(), function.getLoc());
  if (failed(a) || failed(b))
    return failure();
  Guard guard;
  guard.kind = Guard::Ragged;
  guard.parameter = static_cast<int32_t>(starts.getInt());
  guard.axis = static_cast<int32_t>(cached.getInt());
  guard.a = *a;
  guard.b = *b;
  guard.expression = "starts rise from 0 to " + total.getExpr().str() +
                     ", and no sequence exceeds " + limit.getExpr().str();
  guard.source = locationText(function.getLoc());
  guards.push_back(std::move(guard));
  return success();
}

Guard elementsGuard(ir::CheckValuesOp op) {
  Guard guard;
  guard.kind = Guard::Elements;
  guard.expression = op.getWhat().str();
  guard.source = locationText(op.getLoc());
  return guard;
}

FailureOr<Slot> libraryCondition(ir::CallLibraryOp call, ArrayRef<uint32_t> thresholds,
                                 SlotTable &slots, SlotFunction slotOf) {
  Slot condition = artifact::noSlot;
  for (auto [i, threshold] : llvm::enumerate(thresholds)) {
    FailureOr<Slot> measure = slots.constant(0);
    if (std::optional<ArrayAttr> when = call.getWhen(); when && i < when->size())
      measure = slotOf(cast<ir::ExprAttr>((*when)[i]).getExpr(), call.getLoc());
    if (failed(measure))
      return failure();
    Slot number = slots.append(SlotOp::Threshold, threshold, 0);
    Slot holds = slots.append(SlotOp::LessEqual, number, *measure);
    condition = condition == artifact::noSlot ? holds : slots.append(SlotOp::And, condition, holds);
  }
  return condition;
}

void appendChoice(std::vector<artifact::Instruction> &code, Slot condition,
                  artifact::Instruction library, artifact::Instruction own) {
  using artifact::Instruction;
  auto next = static_cast<uint32_t>(code.size());
  Instruction branch, jump;
  branch.op = Instruction::BranchIfZero;
  branch.slots = {condition};
  branch.target = next + 3;
  jump.op = Instruction::Jump;
  jump.target = next + 4;
  for (Instruction *instruction : {&branch, &library, &jump, &own})
    code.push_back(std::move(*instruction));
}

LogicalResult describeKernelCall(Operation *call, ArrayAttr symbols, func::FuncOp scheduled,
                                 artifact::Instruction &instruction, SlotTable &slots,
                                 SlotFunction slotOf) {
  Location loc = call->getLoc();
  auto names = scheduled->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr);
  std::map<std::string, symbolic::Expr> values;
  if (names.size() != (symbols ? symbols.size() : 0))
    return call->emitError("internal error: the kernel takes ")
           << names.size() << " symbols, the call gives " << (symbols ? symbols.size() : 0);
  for (size_t i = 0; i < names.size(); ++i) {
    symbolic::Expr value = cast<ir::ExprAttr>(symbols[i]).getExpr();
    FailureOr<Slot> slot = slotOf(value, loc);
    if (failed(slot))
      return failure();
    instruction.slots.push_back(*slot);
    values[cast<StringAttr>(names[i]).str()] = value;
  }
  auto slotOfExpr = [&](Attribute attribute) -> FailureOr<Slot> {
    return slotOf(symbolic::substitute(cast<ir::ExprAttr>(attribute).getExpr(), values), loc);
  };
  auto slotOfAttribute = [&](StringRef name) -> FailureOr<Slot> {
    auto attribute = scheduled->getAttrOfType<ir::ExprAttr>(name);
    if (!attribute)
      return scheduled.emitError("a scheduled kernel needs the attribute ") << name;
    return slotOfExpr(attribute);
  };
  // Of the code that runs: a sum of which one term isn't 0.
  auto sumOverLevels = [&](ArrayAttr extents) -> FailureOr<Slot> {
    Slot sum = artifact::noSlot;
    for (auto [i, attribute] : llvm::enumerate(extents)) {
      FailureOr<Slot> own = slotOfExpr(attribute);
      if (failed(own))
        return failure();
      Slot level = slots.append(SlotOp::Level, static_cast<int64_t>(i), 0);
      Slot term = slots.append(SlotOp::Mul, level, *own);
      sum = i == 0 ? term : slots.append(SlotOp::Add, sum, term);
    }
    return sum;
  };
  auto levels = scheduled->getAttrOfType<ArrayAttr>(kernels::levelExtentsAttr);
  FailureOr<Slot> extent =
      levels ? sumOverLevels(levels) : slotOfAttribute("relax.parallel_extent");
  FailureOr<Slot> cost = slotOfAttribute("relax.cost");
  if (failed(extent) || failed(cost))
    return failure();
  if (auto evaluated = scheduled->getAttrOfType<ArrayAttr>("relax.evaluated"))
    for (Attribute expr : evaluated)
      if (failed(slotOfExpr(expr)))
        return failure();
  instruction.extent = *extent;
  instruction.cost = *cost;
  return success();
}

} // namespace relax::driver
