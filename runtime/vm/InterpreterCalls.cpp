//===- InterpreterCalls.cpp - general functions call kernels, the host, and functions ---------===//
#include "runtime/support/Text.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/InlineArray.h"
#include "runtime/vm/Interpreter.h"

namespace relax::runtime {

using artifact::Buffer;
using artifact::Function;
using artifact::Instruction;

/// Address and size of a buffer of a general function.
struct BufferReader {
  const Environment &environment;
  const Function &function;
  const Value *registers;

  Status read(uint32_t index, void *&data, uint64_t &bytes) const {
    const Buffer &buffer = function.buffers[index];
    if (buffer.kind == Buffer::Register) {
      Expected<TensorView> view = tensorIn(registers, buffer.index);
      if (!view)
        return view.takeStatus();
      data = view->data;
      bytes = static_cast<uint64_t>(elementCount(view->dims)) * artifact::byteSize(view->dtype);
      return {};
    }
    const Storage &storage = buffer.kind == Buffer::Constant ? environment.constants[buffer.index]
                                                             : environment.states[buffer.index];
    data = storage.data;
    bytes = storage.size;
    return {};
  }
};

Status Interpreter::callKernel(Top at, const Instruction &instruction) {
  int64_t extent = at.slots[instruction.extent], cost = at.slots[instruction.cost];
  if (extent <= 0) {
    if (extent == 0)
      return {};
    return codeError(text("kernel ", inQuotes(environment.module->kernels[instruction.target].name),
                          " has an extent of ", extent));
  }
  const BufferReader reader{environment, at.function, at.registers};
  InlineArray<void *> buffers(instruction.buffers.size());
  const std::vector<uint32_t> &inRegister = prepared[at.activation.index].registers;
  for (size_t i = 0; i != buffers.size(); ++i) {
    uint32_t buffer = instruction.buffers[i], index = inRegister[buffer];
    uint64_t bytes;
    if (index != notInRegister && at.registers[index].isTensor()) [[likely]]
      buffers[i] = at.registers[index].asTensor().data;
    else
      RELAX_RETURN_IF_ERROR(reader.read(buffer, buffers[i], bytes));
  }
  InlineArray<int64_t> symbols(instruction.slots.size());
  for (size_t i = 0; i != symbols.size(); ++i)
    symbols[i] = at.slots[instruction.slots[i]];
  KernelFunction kernel = environment.kernels[instruction.target];
  void *const *bufferData = buffers.data();
  const int64_t *symbolData = symbols.data();
  auto units = [=](int64_t begin, int64_t end) { kernel(bufferData, symbolData, begin, end); };
  if (environment.profiler->enabled()) [[unlikely]]
    environment.profiler->measure(instruction.target, cost, {symbolData, symbols.size()},
                                  [&] { environment.pool->parallelFor(extent, cost, units); });
  else
    environment.pool->parallelFor(extent, cost, units);
  return {};
}

Status Interpreter::callLibrary(Top at, const Instruction &instruction) {
  InlineArray<void *> buffers(instruction.buffers.size());
  InlineArray<uint64_t> sizes(instruction.buffers.size());
  const BufferReader reader{environment, at.function, at.registers};
  for (size_t i = 0; i != buffers.size(); ++i)
    RELAX_RETURN_IF_ERROR(reader.read(instruction.buffers[i], buffers[i], sizes[i]));
  InlineArray<int64_t> values(instruction.slots.size());
  for (size_t i = 0; i != values.size(); ++i)
    values[i] = at.slots[instruction.slots[i]];
  return environment.callLibrary(instruction.target, buffers.constant(), sizes.constant(),
                                 values.constant());
}

Status Interpreter::invokeFunction(Top at, const Instruction &instruction) {
  (void)at;
  return invokeIn(instruction.target, instruction, 0);
}

Status Interpreter::invokeValue(Top at, const Instruction &instruction) {
  const Value &callee = at.registers[instruction.buffers[0]];
  if (!callee.isFunction())
    return codeError(text("register ", instruction.buffers[0], " holds ", callee.text(),
                          ", expected a function"));
  const Value::FunctionReference &reference = callee.asFunction();
  // Two modules that call each other from two threads would wait for each other.
  if (reference.module != environment.self.lock())
    return Status(StatusCode::Unsupported, "calls a function of another module");
  size_t index = reference.index;
  const Function &function = environment.module->functions[index];
  size_t numResults = instruction.buffers.size() - 1 - instruction.count;
  if (function.parameters.size() != instruction.count || function.results.size() != numResults)
    return Status(StatusCode::InvalidArgument,
                  text("calls ", inQuotes(function.name), " with ", instruction.count,
                       " arguments for ", numResults, " results; it has ",
                       function.parameters.size(), " and ", function.results.size()));
  return invokeIn(index, instruction, 1);
}

/// Calls a function with registers from `firstArgument` on of those that the instruction names.
Status Interpreter::invokeIn(size_t index, const Instruction &instruction, uint32_t firstArgument) {
  const Function &function = environment.module->functions[index];
  auto numArguments = static_cast<uint32_t>(function.parameters.size());
  const uint32_t *names = instruction.buffers.data() + firstArgument;
  size_t caller = activations.back().firstRegister;
  if (function.general) {
    RELAX_RETURN_IF_ERROR(push(index, &instruction, firstArgument + numArguments));
    // The stack may have moved.
    Value *arguments = top().registers;
    for (uint32_t i = 0; i != numArguments; ++i)
      arguments[i] = registers[caller + names[i]];
    return enter();
  }
  InlineArray<Value> arguments(numArguments), results(function.results.size());
  for (uint32_t i = 0; i != numArguments; ++i)
    arguments[i] = registers[caller + names[i]];
  RELAX_RETURN_IF_ERROR(invokePlanned(index, arguments.constant(), results));
  for (size_t j = 0; j != results.size(); ++j)
    registers[caller + names[numArguments + j]] = std::move(results[j]);
  return {};
}

Status Interpreter::invokePlanned(size_t index, std::span<const Value> arguments,
                                  std::span<Value> results) {
  const Function &function = environment.module->functions[index];
  Frame &frame = *environment.frames[index];
  InlineArray<TensorView> inputs(arguments.size()), outputs(results.size());
  for (size_t i = 0; i != arguments.size(); ++i) {
    if (!arguments[i].isTensor())
      return Status(StatusCode::InvalidArgument,
                    text(function.name, ": argument ", i, ' ',
                         inQuotes(function.parameters[i].name), ": found ", arguments[i].text(),
                         ", expected a tensor"));
    inputs[i] = arguments[i].asTensor();
  }
  RELAX_RETURN_IF_ERROR(frame.bind(inputs.constant()));
  for (size_t j = 0; j != results.size(); ++j) {
    const artifact::Result &result = function.results[j];
    std::span<const int64_t> dims = frame.dimsOfResult(j);
    if (result.alias >= 0) {
      const Value &donated = arguments[static_cast<size_t>(result.alias)];
      results[j] =
          Value::tensor({donated.asTensor().data, result.type.dtype, dims}, donated.memory());
    } else if (Status status = allocate(result.type.dtype, dims, results[j]); !status.ok()) {
      return std::move(status).withContext(function.name);
    }
    outputs[j] = results[j].asTensor();
  }
  return frame.call(inputs.constant(), outputs);
}

Status Interpreter::invokePacked(Top at, const Instruction &instruction) {
  const std::string &name = environment.module->packed[instruction.target].name;
  size_t numArguments = instruction.count, caller = at.activation.firstRegister;
  InlineArray<Value> arguments(numArguments), results(instruction.buffers.size() - numArguments);
  for (size_t i = 0; i != numArguments; ++i) {
    arguments[i] = at.registers[instruction.buffers[i]];
    if (arguments[i].isNothing())
      return codeError(text("passes register ", instruction.buffers[i], ", which holds nothing"));
  }
  PackedCall call{arguments.constant(), results, *environment.pool, *environment.memory};
  Status status = environment.packed[instruction.target](call);
  for (size_t j = 0; status.ok() && j != results.size(); ++j)
    status = results[j].check().withContext(text("result ", j));
  if (!status.ok())
    return std::move(status).withContext("packed function " + inQuotes(name));
  for (size_t j = 0; j != results.size(); ++j)
    registers[caller + instruction.buffers[numArguments + j]] = std::move(results[j]);
  return {};
}

Expected<Value> PackedCall::allocate(DType dtype, std::span<const int64_t> dims) const {
  std::optional<uint64_t> bytes = tensorBytes(dtype, dims);
  if (!bytes || dims.size() > artifact::maxRank)
    return Status(StatusCode::InvalidArgument, "no tensor has such dimensions");
  MemoryPool::Block block = memory.allocate(*bytes);
  if (!block.data)
    return Status(StatusCode::ResourceExhausted,
                  text("no memory for a tensor: ", *bytes, " bytes are needed, ",
                       memory.account.current(), " are in use, and the limit is ",
                       memory.account.limit()));
  return Value::tensor({block.data, dtype, dims}, std::move(block.memory));
}

} // namespace relax::runtime
