//===- Frame.cpp - check, lay out and run a function ------------------------------------------===//
#include "runtime/vm/Frame.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Interpreter.h"
#include "runtime/vm/Slots.h"

#include <cstring>

namespace relax::runtime {

using artifact::Buffer;
using artifact::Function;
using artifact::Instruction;
using artifact::Slot;
using artifact::TensorType;

namespace {

/// A fault in the artifact that only the shapes at hand bring to light.
Status planError(std::string message) {
  return Status(StatusCode::Internal,
                "the artifact's plan does not fit these shapes: " + std::move(message));
}

/// The size of a tensor of such dims, none of which is negative.
std::optional<uint64_t> sizeInBytes(DType dtype, const std::vector<Slot> &dims,
                                    std::span<const int64_t> values) {
  int64_t bytes = static_cast<int64_t>(artifact::byteSize(dtype));
  for (Slot dim : dims)
    if (values[dim] == 0)
      return 0;
  for (Slot dim : dims)
    if (values[dim] < 0 || __builtin_mul_overflow(bytes, values[dim], &bytes))
      return std::nullopt;
  return static_cast<uint64_t>(bytes);
}

/// Dtype and rank of a parameter of a planned function, or of a general one that R9 lets planned
/// ones call.
std::pair<DType, size_t> kindOf(const Function &function, size_t parameter) {
  const artifact::Parameter &p = function.parameters[parameter];
  if (!function.general)
    return {p.type.dtype, p.type.dims.size()};
  const artifact::TypePattern &pattern = function.patterns[p.pattern];
  return {pattern.dtype, pattern.dims.size()};
}

} // namespace

// Here, where Frame is complete.
Environment::Environment() = default;
Environment::~Environment() = default;

Frame::Frame(const Function &function, Environment &environment)
    : function(function), environment(environment), values(function.slots.size()),
      argumentBytes(function.parameters.size()), resultBytes(function.results.size()),
      bufferBytes(function.buffers.size()), resultDimensions(function.results.size()),
      argumentData(function.parameters.size()), resultData(function.results.size()),
      bufferData(function.buffers.size()) {
  for (const artifact::Parameter &parameter : function.parameters) {
    firstDim.push_back(static_cast<uint32_t>(dims.size()));
    dims.resize(dims.size() + parameter.type.dims.size(), -1);
  }
  for (const artifact::Guard &guard : function.guards)
    readsElements |= guard.kind >= artifact::Guard::ValuesInRange;
  for (size_t j = 0; j != function.results.size(); ++j)
    resultDimensions[j].resize(function.results[j].type.dims.size());
  for (const Instruction &instruction : function.code) {
    Step step{instruction.op,
              instruction.target,
              uint32_t(pointers.size()),
              uint32_t(instruction.buffers.size()),
              uint32_t(numbers.size()),
              uint32_t(instruction.slots.size()),
              0,
              0};
    for (uint32_t buffer : instruction.buffers) {
      const Buffer &b = function.buffers[buffer];
      if (b.kind == Buffer::Parameter || b.kind == Buffer::Result)
        patches.push_back({uint32_t(pointers.size()), b.kind == Buffer::Result, b.index});
      pointers.push_back(nullptr);
    }
    numbers.resize(numbers.size() + instruction.slots.size());
    steps.push_back(step);
  }
}

// ---- What depends on shapes alone
// ----------------------------------------------------------------

/// Takes over the arguments' dimensions, and evaluates and checks what depends on them if they are
/// not those of the last call.
Status Frame::bindShapes(std::span<const TensorView> arguments) {
  if (running) [[unlikely]]
    return Status(StatusCode::Unsupported,
                  "is called while it runs; only general functions can be");
  if (arguments.size() != function.parameters.size())
    return Status(
        StatusCode::InvalidArgument,
        text("found ", arguments.size(), " arguments, expected ", function.parameters.size()));
  bool same = evaluated;
  for (size_t i = 0; i != arguments.size(); ++i) {
    const TensorView &view = arguments[i];
    const TensorType &type = function.parameters[i].type;
    if (view.dtype != type.dtype || view.dims.size() != type.dims.size()) [[unlikely]]
      return checkKind(type, view).withContext(argumentText(function, i));
    int64_t *last = dims.data() + firstDim[i];
    for (size_t axis = 0; axis != view.dims.size(); ++axis)
      if (last[axis] != view.dims[axis]) {
        last[axis] = view.dims[axis];
        same = evaluated = false;
      }
  }
  return same ? Status() : evaluate(arguments);
}

Status Frame::evaluate(std::span<const TensorView> arguments) {
  evaluated = laidOut = false;
  for (size_t i = 0; i != arguments.size(); ++i)
    if (Status status = checkKind(function.parameters[i].type, arguments[i]); !status.ok())
      return std::move(status).withContext(argumentText(function, i));
  size_t known = evaluateSlots(function, dims, firstDim, values);
  // A wrong dimension is the better explanation of an overflow that follows from it.
  RELAX_RETURN_IF_ERROR(checkDimensions(function, arguments, values, known));
  if (known != values.size())
    return slotError(function, known, values);
  RELAX_RETURN_IF_ERROR(checkShapeGuards(function, values));
  RELAX_RETURN_IF_ERROR(measureTensors());
  evaluated = true;
  return {};
}

Status Frame::measureTensors() {
  auto tooLarge = [](const std::string &what) {
    return Status(StatusCode::InvalidArgument, text(what, ": its size does not fit 64 bits"));
  };
  for (size_t i = 0; i != function.parameters.size(); ++i) {
    const TensorType &type = function.parameters[i].type;
    std::optional<uint64_t> bytes = sizeInBytes(type.dtype, type.dims, values);
    if (!bytes)
      return tooLarge(argumentText(function, i));
    argumentBytes[i] = *bytes;
  }
  for (size_t j = 0; j != function.results.size(); ++j) {
    const artifact::Result &result = function.results[j];
    for (size_t axis = 0; axis != result.type.dims.size(); ++axis) {
      resultDimensions[j][axis] = values[result.type.dims[axis]];
      if (resultDimensions[j][axis] < 0)
        return planError(
            text(resultText(function, j), ", dimension ", axis, " is ", resultDimensions[j][axis]));
    }
    std::optional<uint64_t> bytes = sizeInBytes(result.type.dtype, result.type.dims, values);
    if (!bytes)
      return tooLarge(resultText(function, j));
    resultBytes[j] = *bytes;
    if (result.alias >= 0 && *bytes != argumentBytes[static_cast<size_t>(result.alias)])
      return planError(text(resultText(function, j), " has ", *bytes,
                            " bytes; the argument whose "
                            "storage it shares has ",
                            argumentBytes[static_cast<size_t>(result.alias)]));
  }
  return {};
}

/// Gets the arena, and the addresses and numbers of all steps.
Status Frame::layOut() {
  uint64_t need = 0;
  if (function.arenaSize != artifact::noSlot) {
    int64_t bytes = values[function.arenaSize];
    if (bytes < 0)
      return planError(text("the arena has ", bytes, " bytes"));
    if (function.arenaMaximum && bytes > *function.arenaMaximum)
      return planError(text("the arena has ", bytes, " bytes; at most ", *function.arenaMaximum,
                            " were promised"));
    need = static_cast<uint64_t>(bytes);
  }
  RELAX_RETURN_IF_ERROR(placeBuffers());
  RELAX_RETURN_IF_ERROR(refreshSteps());
  if (Status status = arena.grow(need, environment.account, "the arena"); !status.ok()) {
    const Slot slots[] = {function.arenaSize};
    std::string where = symbolsText(function, slots, values);
    return Status(status.code(), status.message() + where);
  }
  for (size_t i = 0; i != function.buffers.size(); ++i)
    if (function.buffers[i].kind == Buffer::Arena)
      bufferData[i] = arena.data() ? arena.data() + values[function.buffers[i].offset] : nullptr;
  size_t pointer = 0;
  for (const Instruction &instruction : function.code)
    for (uint32_t buffer : instruction.buffers)
      pointers[pointer++] = bufferData[buffer];
  laidOut = true;
  return {};
}

/// The sizes of all buffers, and the addresses of those that do not move.
Status Frame::placeBuffers() {
  for (size_t i = 0; i != function.buffers.size(); ++i) {
    const Buffer &buffer = function.buffers[i];
    switch (buffer.kind) {
    case Buffer::Parameter:
      bufferBytes[i] = argumentBytes[buffer.index];
      break;
    case Buffer::Result:
      bufferBytes[i] = resultBytes[buffer.index];
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
      int64_t end = values[function.arenaSize];
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
  return {};
}

Status Frame::refreshSteps() {
  for (size_t i = 0; i != steps.size(); ++i) {
    const Instruction &instruction = function.code[i];
    Step &step = steps[i];
    for (size_t n = 0; n != instruction.slots.size(); ++n)
      numbers[step.firstNumber + n] = values[instruction.slots[n]];
    if (instruction.op != Instruction::CallKernel)
      continue;
    step.extent = values[instruction.extent];
    step.cost = values[instruction.cost];
    if (step.extent < 0)
      return planError(text("kernel ",
                            inQuotes(environment.module->kernels[instruction.target].name),
                            " has an extent of ", step.extent));
  }
  return {};
}

// ---- A call
// --------------------------------------------------------------------------------------

Status Frame::bindArguments(std::span<const TensorView> arguments) {
  for (size_t i = 0; i != arguments.size(); ++i) {
    if (Status status = checkStorage(arguments[i], argumentBytes[i]); !status.ok())
      return std::move(status).withContext(argumentText(function, i));
    argumentData[i] = arguments[i].data;
  }
  return readsElements ? checkDataGuards(function, arguments, values) : Status();
}

Status Frame::bindResult(size_t index, TensorView &view) {
  const artifact::Result &result = function.results[index];
  RELAX_RETURN_IF_ERROR(checkKind(result.type, view));
  for (size_t axis = 0; axis != view.dims.size(); ++axis)
    if (Slot slot = result.type.dims[axis]; view.dims[axis] != values[slot])
      return Status(StatusCode::InvalidArgument,
                    text("dimension ", axis, ": found ", view.dims[axis], ", expected ",
                         valueText(function, slot, values),
                         symbolsText(function, std::span(&slot, 1), values)));
  if (result.alias >= 0) {
    auto argument = static_cast<size_t>(result.alias);
    if (view.data && view.data != argumentData[argument])
      return Status(StatusCode::InvalidArgument,
                    text("has storage of its own, but shares that of ",
                         argumentText(function, argument), ": pass the same pointer, or null"));
    view.data = argumentData[argument];
  }
  RELAX_RETURN_IF_ERROR(checkStorage(view, resultBytes[index]));
  resultData[index] = view.data;
  return {};
}

Status Frame::bindResults(std::span<TensorView> results) {
  if (results.size() != function.results.size())
    return Status(StatusCode::InvalidArgument,
                  text("found ", results.size(), " results, expected ", function.results.size()));
  for (size_t j = 0; j != results.size(); ++j)
    if (Status status = bindResult(j, results[j]); !status.ok())
      return std::move(status).withContext(resultText(function, j));
  return {};
}

Status Frame::prepare(std::span<const TensorView> arguments) {
  RELAX_RETURN_IF_ERROR(bindShapes(arguments));
  return bindArguments(arguments);
}

Status Frame::call(std::span<const TensorView> arguments, std::span<TensorView> results) {
  Status status = prepare(arguments);
  if (status.ok())
    status = bindResults(results);
  if (status.ok() && !laidOut)
    status = layOut();
  if (status.ok())
    status = run();
  return status.ok() ? Status() : std::move(status).withContext(function.name);
}

Status Frame::callNested(std::span<const TensorView> arguments, std::span<void *const> results,
                         std::span<const uint64_t> room) {
  Status status = prepare(arguments);
  for (size_t j = 0; status.ok() && j != results.size(); ++j) {
    resultData[j] = results[j];
    if (room[j] < resultBytes[j])
      status = planError(text(resultText(function, j), " needs ", resultBytes[j],
                              " bytes; its caller has room for ", room[j]));
    else if (int32_t alias = function.results[j].alias;
             alias >= 0 && results[j] != argumentData[static_cast<size_t>(alias)])
      status = planError(text(resultText(function, j), " shares an argument's storage; its caller "
                                                       "passes another"));
  }
  if (status.ok() && !laidOut)
    status = layOut();
  if (status.ok())
    status = run();
  return status.ok() ? Status() : std::move(status).withContext(function.name);
}

Expected<std::vector<std::vector<int64_t>>>
Frame::resultDims(std::span<const TensorView> arguments) {
  if (Status status = bindShapes(arguments); !status.ok())
    return std::move(status).withContext(function.name);
  return resultDimensions;
}

Status Frame::bind(std::span<const TensorView> arguments) {
  Status status = bindShapes(arguments);
  return status.ok() ? Status() : std::move(status).withContext(function.name);
}

Status Frame::run() {
  struct Flag {
    bool &flag;
    ~Flag() { flag = false; } // Also when a host function throws.
  };
  running = true;
  Flag flag{running};
  return execute();
}

Status Frame::execute() {
  for (const Patch &patch : patches)
    pointers[patch.pointer] = patch.isResult ? resultData[patch.index] : argumentData[patch.index];
  Profiler *profiler = environment.profiler->enabled() ? environment.profiler.get() : nullptr;
  for (size_t pc = 0;; ++pc) {
    const Step &step = steps[pc];
    switch (step.op) {
    case Instruction::CallKernel: {
      if (step.extent == 0)
        break;
      KernelFunction kernel = environment.kernels[step.target];
      void *const *buffers = pointers.data() + step.firstPointer;
      const int64_t *symbols = numbers.data() + step.firstNumber;
      auto units = [&](int64_t begin, int64_t end) { kernel(buffers, symbols, begin, end); };
      if (profiler) [[unlikely]]
        profiler->measure(step.target, step.cost,
                          [&] { environment.pool->parallelFor(step.extent, step.cost, units); });
      else
        environment.pool->parallelFor(step.extent, step.cost, units);
      break;
    }
    case Instruction::CallLibrary:
      RELAX_RETURN_IF_ERROR(runLibrary(step));
      break;
    case Instruction::CallFunction:
      RELAX_RETURN_IF_ERROR(callFunction(step));
      break;
    case Instruction::BranchIfZero:
      if (numbers[step.firstNumber] == 0)
        pc = step.target - 1;
      break;
    case Instruction::Jump:
      pc = step.target - 1;
      break;
    case Instruction::CheckValues:
      RELAX_RETURN_IF_ERROR(checkValues(step));
      break;
    default: // Return; the others are not in planned functions (R9).
      return {};
    }
  }
}

Status Frame::checkValues(const Step &step) {
  const artifact::Guard &guard = function.guards[step.target];
  size_t instruction = static_cast<size_t>(&step - steps.data());
  uint64_t bytes = bufferBytes[function.code[instruction].buffers[0]];
  uint64_t each = artifact::byteSize(guard.dtype);
  const void *data = pointers[step.firstPointer];
  if (reinterpret_cast<uintptr_t>(data) % each != 0)
    return planError(
        text("a buffer of ", artifact::name(guard.dtype), " is not aligned to ", each, " bytes"));
  return checkElements(guard, guard.dtype, data, static_cast<int64_t>(bytes / each),
                       numbers[step.firstNumber], numbers[step.firstNumber + 1]);
}

Status Frame::runLibrary(const Step &step) {
  size_t instruction = static_cast<size_t>(&step - steps.data());
  sizes.clear();
  for (uint32_t buffer : function.code[instruction].buffers)
    sizes.push_back(bufferBytes[buffer]);
  LibraryCall call{std::span(pointers).subspan(step.firstPointer, step.numPointers), sizes,
                   std::span(numbers).subspan(step.firstNumber, step.numNumbers),
                   *environment.pool};
  const std::string &name = environment.module->libraries[step.target].name;
  if (!environment.libraries[step.target])
    return planError(text("calls the library function ", inQuotes(name), ", which is missing"));
  const LibraryFunction &library = *environment.libraries[step.target];
  Status status;
  if (environment.profiler->enabled()) [[unlikely]]
    environment.profiler->measure(environment.kernels.size() + step.target, 0,
                                  [&] { status = library(call); });
  else
    status = library(call);
  return status.ok() ? Status()
                     : std::move(status).withContext("library function " + inQuotes(name));
}

Status Frame::callFunction(const Step &step) {
  size_t instruction = static_cast<size_t>(&step - steps.data());
  const Function &callee = environment.module->functions[step.target];
  const std::vector<uint32_t> &buffers = function.code[instruction].buffers;
  std::vector<TensorView> &arguments = nestedArguments;
  arguments.clear();
  size_t dim = step.firstNumber;
  for (size_t i = 0; i != callee.parameters.size(); ++i) {
    auto [dtype, rank] = kindOf(callee, i);
    arguments.push_back(
        {pointers[step.firstPointer + i], dtype, std::span(numbers).subspan(dim, rank)});
    dim += rank;
    std::optional<uint64_t> bytes = artifact::byteSize(dtype);
    for (int64_t extent : arguments.back().dims)
      if (uint64_t product; extent < 0 || __builtin_mul_overflow(*bytes, extent, &product))
        return planError(text("an argument of ", inQuotes(callee.name), " has no valid size"));
      else
        bytes = product;
    if (*bytes > bufferBytes[buffers[i]])
      return planError(text("argument ", i, " of ", inQuotes(callee.name), " has ", *bytes,
                            " bytes; its buffer has ", bufferBytes[buffers[i]]));
  }
  if (callee.general)
    return callGeneral(step, arguments);
  sizes.clear();
  for (size_t i = callee.parameters.size(); i != buffers.size(); ++i)
    sizes.push_back(bufferBytes[buffers[i]]);
  return environment.frames[step.target]->callNested(
      arguments,
      std::span(pointers)
          .subspan(step.firstPointer + callee.parameters.size())
          .first(callee.results.size()),
      sizes);
}

/// A general function makes its results, which are then copied to where this one has room for them.
Status Frame::callGeneral(const Step &step, std::span<const TensorView> arguments) {
  const Function &callee = environment.module->functions[step.target];
  size_t instruction = static_cast<size_t>(&step - steps.data());
  const uint32_t *buffers = function.code[instruction].buffers.data() + arguments.size();
  void *const *into = pointers.data() + step.firstPointer + arguments.size();
  std::vector<Value> values, results(callee.results.size());
  values.reserve(arguments.size());
  for (const TensorView &argument : arguments)
    values.push_back(Value::borrow(argument));
  RELAX_RETURN_IF_ERROR(environment.interpreter->invoke(step.target, values, results));
  for (size_t j = 0; j != results.size(); ++j) {
    if (!results[j].isTensor())
      return planError(text(resultText(callee, j), " is ", results[j].text(), ", not a tensor"));
    TensorView result = results[j].asTensor();
    uint64_t bytes = *tensorBytes(result.dtype, result.dims), room = bufferBytes[buffers[j]];
    if (bytes != room)
      return planError(text(resultText(callee, j), " of ", inQuotes(callee.name), " has ", bytes,
                            " bytes; its caller expects ", room));
    if (bytes != 0)
      std::memmove(into[j], result.data, bytes);
  }
  return {};
}

} // namespace relax::runtime
