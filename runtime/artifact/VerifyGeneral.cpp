//===- VerifyGeneral.cpp - the rules of general functions -------------------------------------===//
//
// R13 and R14 of Load.h, and what R9 says of the instructions that only general functions have.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/artifact/FunctionVerifier.h"

#include <algorithm>

namespace relax::artifact {
namespace {

/// How many registers an instruction names; `most` may be unbounded.
struct Arity {
  size_t least = 0, most = 0;
};
constexpr size_t unbounded = SIZE_MAX;

Arity arityOf(Instruction::Op op) {
  switch (op) {
  case Instruction::CheckValue:
  case Instruction::CheckValues:
  case Instruction::Allocate:
  case Instruction::LoadConstant:
  case Instruction::LoadState:
  case Instruction::MakeShape:
  case Instruction::MakeFunction:
    return {1, 1};
  case Instruction::Copy:
  case Instruction::Move:
  case Instruction::TupleGet:
  case Instruction::ShapeOf:
  case Instruction::ShapeToTensor:
  case Instruction::TensorToShape:
    return {2, 2};
  case Instruction::View:
    return {2, 3};
  case Instruction::MakeTuple:
    return {1, unbounded};
  case Instruction::Return:
  case Instruction::Release:
  case Instruction::Invoke:
  case Instruction::InvokeValue:
  case Instruction::InvokePacked:
    return {0, unbounded};
  default:
    return {0, 0};
  }
}

} // namespace

// R14
Status FunctionVerifier::checkMode() const {
  if (!function.general) {
    if (function.numRegisters != 0 || function.entrySlots != 0 || !function.patterns.empty())
      return fault("is planned, but has registers, slots of its entry, or patterns");
    for (const Parameter &parameter : function.parameters)
      if (parameter.pattern != noPattern)
        return fault(
            text("parameter ", inQuotes(parameter.name), " of a planned function has a pattern"));
    for (const Result &result : function.results)
      if (result.pattern != noPattern)
        return fault(
            text("result ", inQuotes(result.name), " of a planned function has a pattern"));
    return {};
  }
  if (function.numRegisters < function.parameters.size() || function.numRegisters > maxRegisters)
    return fault(text("has ", function.numRegisters, " registers; expected ",
                      function.parameters.size(), ", for its parameters, to ", maxRegisters));
  if (function.entrySlots > function.slots.size())
    return fault(text("evaluates ", function.entrySlots, " slots when it is entered; there are ",
                      function.slots.size()));
  if (function.arenaSize != noSlot || function.arenaMaximum)
    return fault("is general, but has an arena");
  if (function.captured)
    return fault("is general, but captured");
  for (const Parameter &parameter : function.parameters)
    if (Status status = inRange(parameter.pattern, function.patterns.size(), "pattern");
        !status.ok())
      return std::move(status).withContext("parameter " + inQuotes(parameter.name));
  for (const Result &result : function.results)
    if (Status status = inRange(result.pattern, function.patterns.size(), "pattern"); !status.ok())
      return std::move(status).withContext("result " + inQuotes(result.name));
  return {};
}

// R13
Status FunctionVerifier::checkPattern(size_t position) const {
  const TypePattern &pattern = function.patterns[position];
  for (Slot dim : pattern.dims)
    RELAX_RETURN_IF_ERROR(slotIfAny(dim, "a dimension"));
  bool hasDims = pattern.kind == TypePattern::Tensor || pattern.kind == TypePattern::Shape;
  if (!pattern.dims.empty() && (!hasDims || pattern.anyRank))
    return fault(text("has ", pattern.dims.size(), " dimensions, but no rank"));
  if (pattern.kind == TypePattern::Tensor && pattern.dims.size() > maxRank)
    return fault(text("its rank is ", pattern.dims.size(), "; at most ", maxRank, " is allowed"));
  if (!pattern.fields.empty() && pattern.kind != TypePattern::Tuple)
    return fault("has fields, but is not a tuple");
  for (uint32_t field : pattern.fields)
    if (field >= position)
      return fault(
          text("a field is pattern ", field, "; only the ", position, " before it may be used"));
  if (pattern.numParameters < -1 || pattern.numResults < -1)
    return fault("has a negative number of parameters or results");
  return {};
}

// R14
Status FunctionVerifier::checkGeneralSignature() const {
  for (const Parameter &parameter : function.parameters)
    if (!parameter.type.dims.empty())
      return fault(text("parameter ", inQuotes(parameter.name), " has both a pattern and a type"));
  for (const Result &result : function.results)
    if (!result.type.dims.empty() || result.alias != -1)
      return fault(
          text("result ", inQuotes(result.name), " has both a pattern and a type or alias"));
  return {};
}

// R3, R9
Status FunctionVerifier::checkGeneralInstruction(size_t position) const {
  const Instruction &instruction = function.code[position];
  for (uint32_t index : instruction.buffers)
    RELAX_RETURN_IF_ERROR(registerExists(index));
  Arity arity = arityOf(instruction.op);
  if (size_t found = instruction.buffers.size(); found < arity.least || found > arity.most)
    return fault(text("names ", found, " registers; expected ", arity.least,
                      arity.most == unbounded ? " or more" : text(" to ", arity.most)));
  RELAX_RETURN_IF_ERROR(checkOperands(instruction));
  if (instruction.op == Instruction::BranchIfZero || instruction.op == Instruction::Jump)
    return checkJump(position);
  return checkTarget(instruction);
}

/// The slots of an instruction, and how many it has.
Status FunctionVerifier::checkOperands(const Instruction &instruction) const {
  switch (instruction.op) {
  case Instruction::Evaluate:
    return checkSlotRange(instruction);
  case Instruction::CheckValue:
    return instruction.slots.empty() ? Status() : checkSlotRange(instruction);
  case Instruction::Allocate:
  case Instruction::View:
    if (instruction.slots.size() > maxRank)
      return fault(text("makes a tensor of rank ", instruction.slots.size(), "; at most ", maxRank,
                        " is allowed"));
    if (instruction.buffers.size() == 3 && !instruction.slots.empty())
      return fault("has dims by slots and by a shape");
    break;
  case Instruction::MakeShape:
  case Instruction::BranchIfZero:
  case Instruction::CheckValues:
    break;
  default:
    if (!instruction.slots.empty())
      return fault(text("has ", instruction.slots.size(), " slots; expected none"));
  }
  for (Slot slot : instruction.slots)
    RELAX_RETURN_IF_ERROR(slotExists(slot, "an operand"));
  return {};
}

Status FunctionVerifier::checkSlotRange(const Instruction &instruction) const {
  if (instruction.slots.size() != 2)
    return fault(text("has ", instruction.slots.size(), " slots; expected the first and the end"));
  if (instruction.slots[0] > instruction.slots[1] || instruction.slots[1] > function.slots.size())
    return fault(text("evaluates slots ", instruction.slots[0], " to ", instruction.slots[1],
                      "; there are ", function.slots.size()));
  return {};
}

/// What `target` and `count` name.
Status FunctionVerifier::checkTarget(const Instruction &instruction) const {
  switch (instruction.op) {
  case Instruction::CallFunction:
    return fault("is one that only planned functions have");
  case Instruction::Return:
    if (instruction.buffers.size() != function.results.size())
      return fault(text("returns ", instruction.buffers.size(), " values; expected ",
                        function.results.size()));
    return {};
  case Instruction::CheckValues:
    return checkElements(instruction);
  case Instruction::Check:
    RELAX_RETURN_IF_ERROR(inRange(instruction.target, function.guards.size(), "guard"));
    if (function.guards[instruction.target].kind == Guard::Elements)
      return fault(text("guard ", instruction.target, " is the text of an instruction"));
    return {};
  case Instruction::View:
  case Instruction::TensorToShape:
    return instruction.target == 0 ? Status() : checkText(instruction.target - 1);
  case Instruction::CheckValue:
    return inRange(instruction.target, function.patterns.size(), "pattern");
  case Instruction::Allocate:
    return inRange(instruction.target, numDTypes, "dtype");
  case Instruction::LoadConstant:
    return inRange(instruction.target, module.constants.size(), "constant");
  case Instruction::LoadState:
    return inRange(instruction.target, module.states.size(), "state");
  case Instruction::Invoke:
  case Instruction::MakeFunction:
    return checkInvoke(instruction);
  case Instruction::InvokePacked:
    RELAX_RETURN_IF_ERROR(inRange(instruction.target, module.packed.size(), "packed function"));
    if (instruction.count > instruction.buffers.size())
      return fault(text("has ", instruction.count, " arguments among ", instruction.buffers.size(),
                        " registers"));
    return {};
  case Instruction::InvokeValue:
    if (instruction.buffers.empty() || instruction.count > instruction.buffers.size() - 1)
      return fault(text("has a function and ", instruction.count, " arguments among ",
                        instruction.buffers.size(), " registers"));
    return {};
  default:
    return {};
  }
}

Status FunctionVerifier::checkInvoke(const Instruction &call) const {
  RELAX_RETURN_IF_ERROR(inRange(call.target, module.functions.size(), "function"));
  const Function &callee = module.functions[call.target];
  if (callee.name == initializeName)
    return fault("calls \"initialize\"");
  size_t expected = callee.parameters.size() + callee.results.size();
  if (call.op == Instruction::Invoke && call.buffers.size() != expected)
    return fault(text("calls ", inQuotes(callee.name), " with ", call.buffers.size(),
                      " registers; expected ", expected));
  return {};
}

} // namespace relax::artifact
