//===- InterpreterValues.cpp - tensors, tuples and shapes in registers ------------------------===//
#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/InlineArray.h"
#include "runtime/vm/Interpreter.h"

#include <algorithm>
#include <cstring>

namespace relax::runtime {

using artifact::Instruction;

/// A tensor of the module's memory, with whatever is in it.
Status Interpreter::allocate(DType dtype, std::span<const int64_t> dims, Value &out) {
  std::optional<uint64_t> bytes = tensorBytes(dtype, dims);
  if (!bytes && std::any_of(dims.begin(), dims.end(), [](int64_t dim) { return dim < 0; }))
    return codeError(text("makes a tensor of ", Value::shape(dims).text()));
  if (!bytes)
    return Status(StatusCode::ResourceExhausted,
                  text("a tensor ", artifact::name(dtype), " of ", Value::shape(dims).text(),
                       " has more bytes than 64 bits can count"));
  MemoryPool::Block block = environment.memory->allocate(*bytes);
  const uint64_t limit = environment.account.limit(); // 0: none.
  if (!block.data)
    return Status(StatusCode::ResourceExhausted,
                  text("no memory for a tensor ", artifact::name(dtype), " of ",
                       Value::shape(dims).text(), ": ", *bytes, " bytes are needed, ",
                       environment.account.current(), " are in use",
                       limit ? text(", and the limit is ", limit) : std::string()));
  out = Value::tensor({block.data, dtype, dims}, std::move(block.memory));
  return {};
}

Status Interpreter::stepValue(Top at, const Instruction &instruction) {
  const std::vector<uint32_t> &names = instruction.buffers;
  switch (instruction.op) {
  case Instruction::Move:
    at.registers[names[0]] = at.registers[names[1]];
    return {};
  case Instruction::Release:
    for (uint32_t name : names)
      at.registers[name] = Value();
    return {};
  case Instruction::View:
    return view(at, instruction);
  case Instruction::MakeTuple:
    return makeTuple(at, instruction);
  case Instruction::TupleGet: {
    const Value &tuple = at.registers[names[1]];
    if (!tuple.isTuple() || instruction.target >= tuple.asTuple().size())
      return codeError(text("takes field ", instruction.target, " of register ", names[1],
                            ", which holds ", tuple.text()));
    // Not by way of the tuple, which the register may be the last to have.
    Value field = tuple.asTuple()[instruction.target];
    at.registers[names[0]] = std::move(field);
    return {};
  }
  case Instruction::MakeFunction:
    at.registers[names[0]] = Value::function(environment.self.lock(), instruction.target);
    return {};
  case Instruction::MakeShape:
  case Instruction::ShapeOf:
  case Instruction::ShapeToTensor:
  case Instruction::TensorToShape:
    return convertShape(at, instruction);
  default:
    return makeTensor(at, instruction);
  }
}

Status Interpreter::view(Top at, const Instruction &instruction) {
  const std::vector<uint32_t> &names = instruction.buffers;
  Expected<TensorView> of = tensorIn(at.registers, names[1]);
  if (!of)
    return of.takeStatus();
  InlineArray<int64_t, artifact::maxRank> fromSlots(instruction.slots.size());
  std::span<const int64_t> dims = fromSlots.constant();
  if (names.size() == 3) {
    const Value &shape = at.registers[names[2]];
    if (!shape.isShape())
      return codeError(text("register ", names[2], " holds ", shape.text(), ", expected a shape"));
    dims = shape.asShape();
    if (dims.size() > artifact::maxRank)
      return Status(StatusCode::Unsupported, text("a tensor of rank ", dims.size(), "; at most ",
                                                  artifact::maxRank, " is allowed"));
  } else {
    for (size_t i = 0; i != fromSlots.size(); ++i)
      fromSlots[i] = at.slots[instruction.slots[i]];
  }
  // Shapes that come from outside need not fit.
  std::optional<uint64_t> bytes = tensorBytes(of->dtype, dims),
                          room = tensorBytes(of->dtype, of->dims);
  bool wholly = instruction.target != 0;
  if (!bytes || *bytes > *room || (wholly && *bytes != *room))
    return shapeError(
        at.function, instruction,
        text(Value::shape(dims).text(), " does not fit ", at.registers[names[1]].text()));
  Value result = Value::tensor({of->data, of->dtype, dims}, at.registers[names[1]].memory());
  at.registers[names[0]] = std::move(result);
  return {};
}

/// Instructions whose result is a new tensor, or one of the module's own.
Status Interpreter::makeTensor(Top at, const Instruction &instruction) {
  Value &out = at.registers[instruction.buffers[0]];
  switch (instruction.op) {
  case Instruction::Allocate: {
    InlineArray<int64_t, artifact::maxRank> dims(instruction.slots.size());
    for (size_t i = 0; i != dims.size(); ++i)
      dims[i] = at.slots[instruction.slots[i]];
    return allocate(static_cast<DType>(instruction.target), dims.constant(), out);
  }
  case Instruction::Copy: {
    Expected<TensorView> of = tensorIn(at.registers, instruction.buffers[1]);
    if (!of)
      return of.takeStatus();
    Value copy;
    RELAX_RETURN_IF_ERROR(allocate(of->dtype, of->dims, copy));
    if (uint64_t bytes = *tensorBytes(of->dtype, of->dims); bytes != 0)
      std::memcpy(copy.asTensor().data, of->data, bytes);
    out = std::move(copy);
    return {};
  }
  case Instruction::LoadConstant: {
    const artifact::Constant &constant = environment.module->constants[instruction.target];
    out = Value::tensor(
        {environment.constants[instruction.target].data, constant.dtype, constant.dims},
        std::shared_ptr<const void>(environment.self.lock()));
    return {};
  }
  case Instruction::LoadState: {
    const artifact::State &state = environment.module->states[instruction.target];
    out = Value::tensor({environment.states[instruction.target].data, state.dtype, state.dims},
                        std::shared_ptr<const void>(environment.self.lock()));
    return {};
  }
  default:
    return codeError("an instruction that isn't one");
  }
}

Status Interpreter::makeTuple(Top at, const Instruction &instruction) {
  std::vector<Value> fields;
  fields.reserve(instruction.buffers.size() - 1);
  for (size_t i = 1; i != instruction.buffers.size(); ++i) {
    fields.push_back(at.registers[instruction.buffers[i]]);
    if (fields.back().isNothing())
      return codeError(
          text("puts register ", instruction.buffers[i], ", which holds nothing, into a tuple"));
  }
  Expected<Value> tuple = Value::tuple(std::move(fields));
  if (!tuple)
    return tuple.takeStatus();
  at.registers[instruction.buffers[0]] = std::move(*tuple);
  return {};
}

Status Interpreter::convertShape(Top at, const Instruction &instruction) {
  Value &out = at.registers[instruction.buffers[0]];
  if (instruction.op == Instruction::MakeShape) {
    InlineArray<int64_t> dims(instruction.slots.size());
    for (size_t i = 0; i != dims.size(); ++i) {
      dims[i] = at.slots[instruction.slots[i]];
      if (dims[i] < 0)
        return Status(StatusCode::InvalidArgument,
                      text("element ", i, " of a shape is ", dims[i], ", expected at least 0"));
    }
    out = Value::shape(dims.constant());
    return {};
  }
  if (instruction.op == Instruction::ShapeToTensor) {
    const Value shape = at.registers[instruction.buffers[1]];
    if (!shape.isShape())
      return codeError(
          text("register ", instruction.buffers[1], " holds ", shape.text(), ", expected a shape"));
    std::span<const int64_t> dims = shape.asShape();
    const int64_t rank[] = {static_cast<int64_t>(dims.size())};
    Value tensor;
    RELAX_RETURN_IF_ERROR(allocate(DType::I64, rank, tensor));
    std::copy(dims.begin(), dims.end(), static_cast<int64_t *>(tensor.asTensor().data));
    out = std::move(tensor);
    return {};
  }
  Expected<TensorView> of = tensorIn(at.registers, instruction.buffers[1]);
  if (!of)
    return of.takeStatus();
  if (instruction.op == Instruction::ShapeOf) {
    Value shape = Value::shape(of->dims);
    out = std::move(shape);
    return {};
  }
  if (!artifact::isInteger(of->dtype) || of->dims.size() != 1)
    return codeError(text("register ", instruction.buffers[1], " holds ",
                          at.registers[instruction.buffers[1]].text(),
                          ", expected integers of rank 1"));
  std::vector<int64_t> dims(static_cast<size_t>(of->dims[0]));
  for (size_t i = 0; i != dims.size(); ++i) {
    dims[i] = integerAt(of->dtype, of->data, static_cast<int64_t>(i));
    if (dims[i] < 0)
      return shapeError(at.function, instruction,
                        text("element ", i, " of a shape is ", dims[i], ", expected at least 0"));
  }
  out = Value::shape(dims);
  return {};
}

} // namespace relax::runtime
