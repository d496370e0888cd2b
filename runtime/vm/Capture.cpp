//===- Capture.cpp - make the list of what a call launches ------------------------------------===//
//
// For the shapes at hand: gets the arena, places the buffers, and follows the code from its first
// instruction to a Return. Nothing has run if that fails.
//
//===------------------------------------------------------------------------------------------===//
#include "runtime/support/Text.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Slots.h"

#include <algorithm>

namespace relax::runtime {

using artifact::Buffer;
using artifact::Instruction;
using artifact::Slot;

Status Frame::layOut() {
  RELAX_RETURN_IF_ERROR(placeBuffers());
  // Arenas of functions that are called may grow on the way, and move what was listed before; they
  // have grown then.
  do {
    replay->arenaMoves = environment.arenaMoves;
    if (Status status = listLaunches(); !status.ok()) {
      replay->arenaMoves = Replay::never;
      return status;
    }
  } while (replay->arenaMoves != environment.arenaMoves);
  return {};
}

/// The sizes of all buffers, and the addresses of those that stay from call to call.
Status Frame::placeBuffers() {
  const std::vector<int64_t> &values = replay->values;
  std::vector<uint64_t> &bufferBytes = replay->bufferBytes;
  std::vector<void *> &bufferData = replay->bufferData;
  bufferBytes.assign(function.buffers.size(), 0);
  bufferData.assign(function.buffers.size(), nullptr);
  int64_t end = 0;
  if (function.arenaSize != artifact::noSlot) {
    end = values[function.arenaSize];
    if (end < 0)
      return planError(text("the arena has ", end, " bytes"));
    if (function.arenaMaximum && end > *function.arenaMaximum)
      return planError(text("the arena has ", end, " bytes; at most ", *function.arenaMaximum,
                            " were promised"));
  }
  for (size_t i = 0; i != function.buffers.size(); ++i) {
    const Buffer &buffer = function.buffers[i];
    switch (buffer.kind) {
    case Buffer::Parameter:
      bufferBytes[i] = replay->argumentBytes[buffer.index];
      break;
    case Buffer::Result:
      bufferBytes[i] = replay->resultBytes[buffer.index];
      break;
    case Buffer::Constant:
      bufferBytes[i] = environment.constants[buffer.index].size;
      bufferData[i] = environment.constants[buffer.index].data;
      break;
    case Buffer::State:
      bufferBytes[i] = environment.states[buffer.index].size;
      bufferData[i] = environment.states[buffer.index].data;
      break;
    case Buffer::Arena: {
      int64_t offset = values[buffer.offset], size = values[buffer.size];
      if (offset < 0 || size < 0 || offset > end || size > end - offset ||
          offset % static_cast<int64_t>(artifact::bufferAlignment) != 0)
        return planError(
            text("buffer ", i, " is at ", offset, " with ", size, " bytes in an arena of ", end));
      bufferBytes[i] = static_cast<uint64_t>(size);
      break;
    }
    case Buffer::Register: // Not in planned functions (R8).
      break;
    }
  }
  const std::byte *before = arena.data();
  Status status = arena.grow(static_cast<uint64_t>(end), environment.account, "the arena");
  // Also where it fails: what there was is given up first.
  if (arena.data() != before)
    ++environment.arenaMoves;
  if (!status.ok()) {
    const Slot slots[] = {function.arenaSize};
    return Status(status.code(), status.message() + symbolsText(function, slots, values));
  }
  for (size_t i = 0; i != function.buffers.size(); ++i)
    if (function.buffers[i].kind == Buffer::Arena && arena.data())
      bufferData[i] = arena.data() + values[function.buffers[i].offset];
  return {};
}

Status Frame::listLaunches() {
  replay->launches.clear();
  replay->pointers.clear();
  replay->numbers.clear();
  replay->patches.clear();
  replay->checks.clear();
  for (size_t pc = 0;; ++pc) {
    const Instruction &instruction = function.code[pc];
    switch (instruction.op) {
    case Instruction::CallKernel:
      RELAX_RETURN_IF_ERROR(addKernel(instruction));
      break;
    case Instruction::CallLibrary:
      addLaunch(Launch::Library, instruction);
      break;
    case Instruction::CallFunction:
      RELAX_RETURN_IF_ERROR(addCall(instruction));
      break;
    case Instruction::BranchIfZero:
      if (replay->values[instruction.slots[0]] == 0)
        pc = instruction.target - 1;
      break;
    case Instruction::Jump:
      pc = instruction.target - 1;
      break;
    case Instruction::CheckValues:
      addLaunch(Launch::CheckValues, instruction).target =
          static_cast<uint32_t>(replay->checks.size());
      replay->checks.push_back(
          {&function.guards[instruction.target], replay->bufferBytes[instruction.buffers[0]]});
      break;
    default: // Return; the others are not in planned functions (R9).
      return {};
    }
  }
}

/// With the instruction's buffers and slots.
Launch &Frame::addLaunch(Launch::Kind kind, const Instruction &instruction) {
  Launch launch{kind,
                instruction.target,
                static_cast<uint32_t>(replay->pointers.size()),
                static_cast<uint32_t>(instruction.buffers.size()),
                static_cast<uint32_t>(replay->numbers.size()),
                static_cast<uint32_t>(instruction.slots.size()),
                static_cast<uint32_t>(&instruction - function.code.data())};
  for (uint32_t buffer : instruction.buffers) {
    const Buffer &b = function.buffers[buffer];
    if (b.kind == Buffer::Parameter || b.kind == Buffer::Result)
      replay->patches.push_back(
          {static_cast<uint32_t>(replay->pointers.size()), b.kind == Buffer::Result, b.index});
    replay->pointers.push_back(replay->bufferData[buffer]);
  }
  for (Slot slot : instruction.slots)
    replay->numbers.push_back(replay->values[slot]);
  replay->launches.push_back(launch);
  return replay->launches.back();
}

Status Frame::addKernel(const Instruction &instruction) {
  int64_t extent = replay->values[instruction.extent];
  if (extent < 0)
    return planError(text("kernel ", inQuotes(environment.module->kernels[instruction.target].name),
                          " has an extent of ", extent));
  if (extent == 0)
    return {};
  Launch &launch = addLaunch(Launch::Kernel, instruction);
  launch.kernel = environment.kernels[instruction.target];
  launch.extent = extent;
  launch.cost = replay->values[instruction.cost];
  launch.isSerial = environment.pool->isSerial(launch.extent, launch.cost);
  return {};
}

/// A captured function is entered now, for the shapes that it will have, and its launches become
/// ours; another is entered by a launch.
Status Frame::addCall(const Instruction &instruction) {
  addLaunch(Launch::Function, instruction);
  if (!function.captured)
    return {};
  // Where its dimensions are; there are no addresses yet.
  const Launch call = replay->launches.back();
  const std::vector<void *> pointers(call.numPointers);
  RELAX_RETURN_IF_ERROR(
      gatherCall(instruction, pointers.data(), replay->numbers.data() + call.firstNumber));
  Frame &callee = *environment.frames[instruction.target];
  Status status = callee.bindShapes(nestedArguments);
  for (size_t j = 0; status.ok() && j != sizes.size(); ++j)
    status = callee.checkRoom(j, sizes[j]);
  if (status.ok() && callee.replay->arenaMoves != environment.arenaMoves)
    status = callee.layOut();
  if (!status.ok())
    return std::move(status).withContext(callee.function.name);
  auto isOfCallee = [](const Launch &launch) { return launch.kind == Launch::Function; };
  if (replay->launches.size() + callee.replay->launches.size() > maxLaunches ||
      std::any_of(callee.replay->launches.begin(), callee.replay->launches.end(), isOfCallee))
    return {};
  replay->launches.pop_back();
  replay->pointers.resize(call.firstPointer);
  replay->numbers.resize(call.firstNumber);
  while (!replay->patches.empty() && replay->patches.back().pointer >= call.firstPointer)
    replay->patches.pop_back();
  appendLaunches(callee, instruction);
  return {};
}

/// Adds what `callee` launches; its arguments and results are the buffers of `call`.
void Frame::appendLaunches(const Frame &callee, const Instruction &call) {
  const Replay &inner = *callee.replay;
  const auto firstPointer = static_cast<uint32_t>(replay->pointers.size()),
             firstNumber = static_cast<uint32_t>(replay->numbers.size()),
             firstCheck = static_cast<uint32_t>(replay->checks.size());
  replay->pointers.insert(replay->pointers.end(), inner.pointers.begin(), inner.pointers.end());
  replay->numbers.insert(replay->numbers.end(), inner.numbers.begin(), inner.numbers.end());
  for (const Replay::Patch &patch : inner.patches) {
    size_t operand = patch.isResult ? callee.function.parameters.size() + patch.index : patch.index;
    const uint32_t number = call.buffers[operand], pointer = firstPointer + patch.pointer;
    const Buffer &buffer = function.buffers[number];
    if (buffer.kind == Buffer::Parameter || buffer.kind == Buffer::Result)
      replay->patches.push_back({pointer, buffer.kind == Buffer::Result, buffer.index});
    else
      replay->pointers[pointer] = replay->bufferData[number];
  }
  for (Launch launch : inner.launches) {
    launch.firstPointer += firstPointer;
    launch.firstNumber += firstNumber;
    if (launch.kind == Launch::CheckValues)
      launch.target += firstCheck;
    replay->launches.push_back(launch);
  }
  for (CapturedCheck check : inner.checks) {
    check.callees.push_back(&callee.function);
    replay->checks.push_back(std::move(check));
  }
}

} // namespace relax::runtime
