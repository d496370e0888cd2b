//===- Interpreter.cpp - activations, and the loop over instructions --------------------------===//
#include "runtime/vm/Interpreter.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Patterns.h"

#include <algorithm>

namespace relax::runtime {

using artifact::Function;
using artifact::Instruction;

namespace {

/// Stacks that are smaller are kept after a call, and not on the account.
constexpr size_t keptRegisters = 1024, keptSlots = 4096;

} // namespace

Status codeError(std::string message) {
  return Status(StatusCode::Internal, "the artifact's code is wrong: " + std::move(message));
}

Expected<TensorView> tensorIn(const Value *registers, uint32_t index) {
  if (registers[index].isTensor()) [[likely]]
    return registers[index].asTensor();
  return codeError(
      text("register ", index, " holds ", registers[index].text(), ", expected a tensor"));
}

Interpreter::Interpreter(Environment &environment) : environment(environment) {
  for (const Function &function : environment.module->functions) {
    Prepared p;
    if (function.general) {
      for (const artifact::SlotOp &op : function.slots)
        p.slots.push_back(op.kind == artifact::SlotOp::Constant    ? op.a
                          : op.kind == artifact::SlotOp::Threshold ? artifact::Threshold::never
                                                                   : 0);
      for (const artifact::Symbol &symbol : function.symbols)
        p.symbols.push_back(&symbol);
      // Pointers into one array: of symbols that share a slot the earlier one comes first.
      std::sort(p.symbols.begin(), p.symbols.end(),
                [](auto *a, auto *b) { return a->slot != b->slot ? a->slot < b->slot : a < b; });
      for (const artifact::Buffer &buffer : function.buffers)
        p.registers.push_back(buffer.kind == artifact::Buffer::Register ? buffer.index
                                                                        : notInRegister);
    }
    prepared.push_back(std::move(p));
  }
}

Interpreter::~Interpreter() { environment.account.remove(stackBytes); }

// ---- The stack
// -----------------------------------------------------------------------------------

Interpreter::Top Interpreter::top() {
  Activation &activation = activations.back();
  return {activation, *activation.function, registers.data() + activation.firstRegister,
          slots.data() + activation.firstSlot};
}

Status Interpreter::growStacks(size_t registersNeeded, size_t slotsNeeded) {
  size_t newRegisters = registers.size(), newSlots = slots.size();
  if (registersNeeded > newRegisters)
    newRegisters = std::max(registersNeeded, std::max(2 * newRegisters, keptRegisters));
  if (slotsNeeded > newSlots)
    newSlots = std::max(slotsNeeded, std::max(2 * newSlots, keptSlots));
  uint64_t bytes = newRegisters * sizeof(Value) + newSlots * sizeof(int64_t);
  if (newRegisters > keptRegisters || newSlots > keptSlots) {
    if (!environment.account.tryAdd(bytes - stackBytes))
      return Status(StatusCode::ResourceExhausted,
                    text("no memory for ", activations.size() + 1, " calls: ", bytes,
                         " bytes are needed, and the limit is ", environment.account.limit()));
    stackBytes = bytes;
  }
  registers.resize(newRegisters);
  slots.resize(newSlots);
  return {};
}

/// Makes an activation whose registers hold nothing yet.
Status Interpreter::push(size_t index, const Instruction *call, uint32_t firstResult) {
  const Function &function = environment.module->functions[index];
  if (activations.size() >= environment.callDepthLimit)
    return Status(
        StatusCode::ResourceExhausted,
        text("calls nest more than ", environment.callDepthLimit, " deep in @", function.name));
  size_t endRegister = registersTop + function.numRegisters;
  size_t endSlot = slotsTop + function.slots.size();
  if (endRegister > registers.size() || endSlot > slots.size()) [[unlikely]]
    RELAX_RETURN_IF_ERROR(growStacks(endRegister, endSlot));
  const std::vector<int64_t> &initial = prepared[index].slots;
  std::copy(initial.begin(), initial.end(), slots.begin() + static_cast<ptrdiff_t>(slotsTop));
  activations.push_back(
      {&function, static_cast<uint32_t>(index), 0, registersTop, slotsTop, call, firstResult});
  registersTop = endRegister;
  slotsTop = endSlot;
  return {};
}

void Interpreter::pop() {
  const Activation &activation = activations.back();
  for (size_t i = activation.firstRegister; i != registersTop; ++i)
    registers[i] = Value();
  registersTop = activation.firstRegister;
  slotsTop = activation.firstSlot;
  activations.pop_back();
}

/// After the outermost call: a deep recursion doesn't keep its memory.
void Interpreter::shrinkStacks() {
  if (stackBytes == 0)
    return;
  environment.account.remove(stackBytes);
  stackBytes = 0;
  registers = {};
  slots = {};
  activations = {};
}

/// Takes everything of a call off the stack again, also when a host function throws.
class Interpreter::Unwinder {
public:
  explicit Unwinder(Interpreter &interpreter)
      : interpreter(interpreter), floor(interpreter.activations.size()) {
    ++interpreter.nesting;
  }
  Unwinder(const Unwinder &) = delete;
  Unwinder &operator=(const Unwinder &) = delete;
  ~Unwinder() {
    while (interpreter.activations.size() > floor)
      interpreter.pop();
    if (--interpreter.nesting == 0) {
      interpreter.shrinkStacks();
      interpreter.executed = 0;
      interpreter.environment.memory->endCall();
    }
  }

private:
  Interpreter &interpreter;
  size_t floor;
};

// ---- A call
// --------------------------------------------------------------------------------------

Status Interpreter::invoke(size_t index, std::span<const Value> arguments,
                           std::span<Value> results) {
  const Function &function = environment.module->functions[index];
  if (nesting >= maxNesting)
    return Status(StatusCode::ResourceExhausted,
                  text("calls by planned and host functions nest more than ", maxNesting,
                       " deep in @", function.name));
  Unwinder unwinder(*this);
  if (arguments.size() != function.parameters.size())
    return Status(StatusCode::InvalidArgument,
                  text(function.name, ": found ", arguments.size(), " arguments, expected ",
                       function.parameters.size()));
  if (!function.general)
    return invokePlanned(index, arguments, results);
  size_t floor = activations.size();
  RELAX_RETURN_IF_ERROR(push(index, nullptr, 0));
  std::copy(arguments.begin(), arguments.end(), top().registers);
  Status status = enter();
  if (status.ok())
    status = run(floor, results);
  return status.ok() ? Status() : std::move(status).withContext(namesFrom(floor));
}

/// "main: helper": the functions that were active when something failed. Of many, the first and the
/// last.
std::string Interpreter::namesFrom(size_t floor) const {
  std::string out = activations[floor].function->name;
  size_t end = activations.size(), next = floor + 1;
  if (end - next > 4) {
    out += text(": … (", end - next - 3, " calls)");
    next = end - 3;
  }
  for (; next != end; ++next)
    out += ": " + activations[next].function->name;
  return out;
}

Status Interpreter::enter() {
  Top at = top();
  const Function &function = at.function;
  for (size_t i = 0; i != function.parameters.size(); ++i)
    RELAX_RETURN_IF_ERROR(
        checkStructure(function, function.parameters[i].pattern, at.registers[i], {i}));
  size_t known = evaluateUntilError(at, 0, function.entrySlots);
  // A wrong dimension is the better explanation of an overflow that follows from it.
  RELAX_RETURN_IF_ERROR(checkSymbols(at, 0, known));
  std::span<const int64_t> values(at.slots, function.slots.size());
  for (size_t i = 0; i != function.parameters.size(); ++i)
    RELAX_RETURN_IF_ERROR(checkPatternDims(function, function.parameters[i].pattern,
                                           at.registers[i], values, known, {i}));
  return known == function.entrySlots ? Status() : unreadable(at, known);
}

Status Interpreter::run(size_t floor, std::span<Value> results) {
  for (;;) {
    Top at = top();
    const Instruction &instruction = at.function.code[at.activation.pc++];
    if (environment.instructionLimit != 0 && ++executed > environment.instructionLimit) [[unlikely]]
      return Status(StatusCode::Cancelled,
                    text("runs longer than ", environment.instructionLimit, " instructions"));
    if (instruction.op == Instruction::Return) {
      RELAX_RETURN_IF_ERROR(returnTo(floor, instruction, results));
      if (activations.size() == floor)
        return {};
      continue;
    }
    RELAX_RETURN_IF_ERROR(step(at, instruction));
  }
}

Status Interpreter::returnTo(size_t floor, const Instruction &instruction,
                             std::span<Value> results) {
  Top at = top();
  for (uint32_t index : instruction.buffers)
    if (at.registers[index].isNothing())
      return codeError(text("returns register ", index, ", which holds nothing"));
  if (activations.size() == floor + 1) {
    for (size_t i = 0; i != instruction.buffers.size(); ++i)
      results[i] = at.registers[instruction.buffers[i]];
  } else {
    const Activation &caller = activations[activations.size() - 2];
    Value *into = registers.data() + caller.firstRegister;
    const uint32_t *targets = at.activation.call->buffers.data() + at.activation.firstResult;
    for (size_t i = 0; i != instruction.buffers.size(); ++i)
      into[targets[i]] = at.registers[instruction.buffers[i]];
  }
  pop();
  return {};
}

Status Interpreter::step(Top at, const Instruction &instruction) {
  switch (instruction.op) {
  case Instruction::CallKernel:
    return callKernel(at, instruction);
  case Instruction::CallLibrary:
    return callLibrary(at, instruction);
  case Instruction::BranchIfZero:
    if (at.slots[instruction.slots[0]] == 0)
      at.activation.pc = instruction.target;
    return {};
  case Instruction::Jump:
    at.activation.pc = instruction.target;
    return {};
  case Instruction::Evaluate:
    return evaluate(at, instruction.slots[0], instruction.slots[1]);
  case Instruction::Check:
    return check(at, at.function.guards[instruction.target]);
  case Instruction::CheckValue:
    return checkValue(at, instruction);
  case Instruction::CheckValues:
    return checkValues(at, instruction);
  case Instruction::Invoke:
    return invokeFunction(at, instruction);
  case Instruction::InvokeValue:
    return invokeValue(at, instruction);
  case Instruction::InvokePacked:
    return invokePacked(at, instruction);
  default:
    return stepValue(at, instruction);
  }
}

} // namespace relax::runtime
