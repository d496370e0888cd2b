//===- Replay.cpp - go through the list of what a call launches -------------------------------===//
#include "runtime/vm/Replay.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Interpreter.h"

#include <algorithm>
#include <cstring>

namespace relax::runtime {

using artifact::Function;
using artifact::Guard;
using artifact::Instruction;

namespace {

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

Status Frame::run() {
  struct Flag {
    bool &flag;
    ~Flag() { flag = false; } // Also when a host function throws.
  };
  running = true;
  Flag flag{running};
  return launchAll();
}

Status Frame::launchAll() {
  for (const Replay::Patch &patch : replay->patches)
    replay->pointers[patch.pointer] =
        patch.isResult ? resultData[patch.index] : argumentData[patch.index];
  void *const *pointers = replay->pointers.data();
  const int64_t *numbers = replay->numbers.data();
  bool observed = environment.profiler->enabled() || environment.watch;
  for (const Launch &launch : replay->launches)
    if (launch.kind != Launch::Kernel)
      RELAX_RETURN_IF_ERROR(launchOther(launch));
    else if (launch.isSerial && !observed) [[likely]]
      launch.kernel(pointers + launch.firstPointer, numbers + launch.firstNumber, 0, launch.extent);
    else
      launchKernel(launch);
  return {};
}

void Frame::launchKernel(const Launch &launch) {
  void *const *buffers = replay->pointers.data() + launch.firstPointer;
  const int64_t *symbols = replay->numbers.data() + launch.firstNumber;
  auto units = [&](int64_t begin, int64_t end) { launch.kernel(buffers, symbols, begin, end); };
  auto all = [&] { environment.pool->parallelFor(launch.extent, launch.cost, units); };
  if (environment.profiler->enabled()) [[unlikely]]
    environment.profiler->measure(launch.target, launch.cost, {symbols, launch.numNumbers}, all);
  else if (environment.watch) [[unlikely]]
    launchWatched(launch);
  else
    all();
}

/// In pieces of some 10 MB each, with a word to who watches after each.
void Frame::launchWatched(const Launch &launch) {
  constexpr int64_t costOfPiece = 10'000'000;
  constexpr auto steps = static_cast<int64_t>(Environment::watchSteps);
  void *const *buffers = replay->pointers.data() + launch.firstPointer;
  const int64_t *symbols = replay->numbers.data() + launch.firstNumber;
  const int64_t first = (&launch - replay->launches.data()) * steps;
  const int64_t pieces =
      std::clamp<int64_t>(std::min(launch.cost / costOfPiece, launch.extent), 1, steps);
  const int64_t quotient = launch.extent / pieces, rest = launch.extent % pieces;
  int64_t begin = 0;
  for (int64_t i = 0; i != pieces; ++i) {
    const int64_t count = quotient + (i < rest ? 1 : 0);
    environment.pool->parallelFor(count, launch.cost / pieces, [&](int64_t from, int64_t to) {
      launch.kernel(buffers, symbols, begin + from, begin + to);
    });
    begin += count;
    (*environment.watch)(static_cast<size_t>(first + (i + 1) * steps / pieces),
                         replay->launches.size() * Environment::watchSteps);
  }
}

Status Frame::launchOther(const Launch &launch) {
  if (launch.kind == Launch::CheckValues)
    return checkValues(launch);
  return launch.kind == Launch::Library ? runLibrary(launch) : callFunction(launch);
}

Status Frame::checkValues(const Launch &launch) {
  const CapturedCheck &check = replay->checks[launch.target];
  const Guard &guard = *check.guard;
  uint64_t each = artifact::byteSize(guard.dtype);
  const void *data = replay->pointers[launch.firstPointer];
  const int64_t *bounds = replay->numbers.data() + launch.firstNumber;
  Status status =
      reinterpret_cast<uintptr_t>(data) % each != 0
          ? planError(text("a buffer of ", artifact::name(guard.dtype), " is not aligned to ", each,
                           " bytes"))
          : checkElements(guard, guard.dtype, data, static_cast<int64_t>(check.bytes / each),
                          bounds[0], bounds[1]);
  if (!status.ok())
    for (const Function *callee : check.callees)
      status = std::move(status).withContext(callee->name);
  return status;
}

Status Frame::runLibrary(const Launch &launch) {
  sizes.clear();
  for (uint32_t buffer : function.code[launch.instruction].buffers)
    sizes.push_back(replay->bufferBytes[buffer]);
  return environment.callLibrary(
      launch.target, std::span(replay->pointers).subspan(launch.firstPointer, launch.numPointers),
      sizes, std::span(replay->numbers).subspan(launch.firstNumber, launch.numNumbers));
}

Status Frame::gatherCall(const Instruction &instruction, void *const *pointers,
                         const int64_t *numbers) {
  const Function &callee = environment.module->functions[instruction.target];
  const std::vector<uint32_t> &buffers = instruction.buffers;
  nestedArguments.clear();
  for (size_t i = 0; i != callee.parameters.size(); ++i) {
    auto [dtype, rank] = kindOf(callee, i);
    nestedArguments.push_back({pointers[i], dtype, {numbers, rank}});
    numbers += rank;
    uint64_t bytes = artifact::byteSize(dtype);
    for (int64_t extent : nestedArguments.back().dims)
      if (extent < 0 || __builtin_mul_overflow(bytes, extent, &bytes))
        return planError(text("an argument of ", inQuotes(callee.name), " has no valid size"));
    if (uint64_t room = replay->bufferBytes[buffers[i]]; bytes > room)
      return planError(text("argument ", i, " of ", inQuotes(callee.name), " has ", bytes,
                            " bytes; its buffer has ", room));
  }
  sizes.clear();
  for (size_t i = callee.parameters.size(); i != buffers.size(); ++i)
    sizes.push_back(replay->bufferBytes[buffers[i]]);
  return {};
}

Status Frame::callFunction(const Launch &launch) {
  const Function &callee = environment.module->functions[launch.target];
  RELAX_RETURN_IF_ERROR(gatherCall(function.code[launch.instruction],
                                   replay->pointers.data() + launch.firstPointer,
                                   replay->numbers.data() + launch.firstNumber));
  if (callee.general)
    return callGeneral(launch);
  return environment.frames[launch.target]->callNested(
      nestedArguments,
      std::span(replay->pointers)
          .subspan(launch.firstPointer + callee.parameters.size())
          .first(callee.results.size()),
      sizes);
}

/// A general function makes its results, which are then copied to where this one has room for them.
Status Frame::callGeneral(const Launch &launch) {
  const Function &callee = environment.module->functions[launch.target];
  void *const *into = replay->pointers.data() + launch.firstPointer + nestedArguments.size();
  std::vector<Value> values, results(callee.results.size());
  values.reserve(nestedArguments.size());
  for (const TensorView &argument : nestedArguments)
    values.push_back(Value::borrow(argument));
  RELAX_RETURN_IF_ERROR(environment.interpreter->invoke(launch.target, values, results));
  for (size_t j = 0; j != results.size(); ++j) {
    if (!results[j].isTensor())
      return planError(text(resultText(callee, j), " is ", results[j].text(), ", not a tensor"));
    TensorView result = results[j].asTensor();
    uint64_t bytes = *tensorBytes(result.dtype, result.dims), room = sizes[j];
    if (bytes != room)
      return planError(text(resultText(callee, j), " of ", inQuotes(callee.name), " has ", bytes,
                            " bytes; its caller expects ", room));
    if (bytes != 0)
      std::memmove(into[j], result.data, bytes);
  }
  return {};
}

} // namespace relax::runtime
