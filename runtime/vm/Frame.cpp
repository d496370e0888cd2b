//===- Frame.cpp - check a call's arguments, and choose what it replays -----------------------===//
#include "runtime/vm/Frame.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Interpreter.h"
#include "runtime/vm/Slots.h"

#include <algorithm>

namespace relax::runtime {

using artifact::Function;
using artifact::Slot;
using artifact::TensorType;

namespace {

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

} // namespace

Status planError(std::string message) {
  return Status(StatusCode::Internal,
                "the artifact's plan does not fit these shapes: " + std::move(message));
}

Frame::Frame(const Function &function, Environment &environment)
    : function(function), environment(environment), argumentData(function.parameters.size()),
      resultData(function.results.size()) {
  uint32_t numDims = 0;
  for (const artifact::Parameter &parameter : function.parameters) {
    firstDim.push_back(numDims);
    numDims += static_cast<uint32_t>(parameter.type.dims.size());
  }
  for (const artifact::Guard &guard : function.guards)
    readsElements |=
        guard.kind == artifact::Guard::ValuesInRange || guard.kind == artifact::Guard::Ragged;
  replays.push_back(std::make_unique<Replay>());
  replay = replays.front().get();
}

// ---- What depends on shapes alone
// ----------------------------------------------------------------

/// Takes over the arguments' dimensions: what depends on them is that of a call before, or is
/// evaluated and checked now.
Status Frame::bindShapes(std::span<const TensorView> arguments) {
  if (running) [[unlikely]]
    return Status(StatusCode::Unsupported,
                  "is called while it runs; only general functions can be");
  if (arguments.size() != function.parameters.size())
    return Status(
        StatusCode::InvalidArgument,
        text("found ", arguments.size(), " arguments, expected ", function.parameters.size()));
  for (size_t i = 0; i != arguments.size(); ++i) {
    const TensorView &view = arguments[i];
    const TensorType &type = function.parameters[i].type;
    if (view.dtype != type.dtype || view.dims.size() != type.dims.size()) [[unlikely]]
      return checkKind(type, view).withContext(argumentText(function, i));
  }
  return hasDims(*replay, arguments) ? Status() : chooseReplay(arguments);
}

bool Frame::hasDims(const Replay &candidate, std::span<const TensorView> arguments) const {
  if (!candidate.evaluated)
    return false;
  const int64_t *dims = candidate.dims.data();
  for (const TensorView &view : arguments)
    for (int64_t dim : view.dims)
      if (dim != *dims++)
        return false;
  return true;
}

/// The replay with these dimensions comes first; where there is none, the one that wasn't used the
/// longest gives way.
Status Frame::chooseReplay(std::span<const TensorView> arguments) {
  auto same = [&](const std::unique_ptr<Replay> &candidate) {
    return hasDims(*candidate, arguments);
  };
  auto found = std::find_if(replays.begin(), replays.end(), same);
  bool isNew = found == replays.end();
  if (isNew) {
    if (function.captured && replay->evaluated && replays.size() < maxReplays)
      replays.push_back(std::make_unique<Replay>());
    // What failed is of no use any more.
    found = replay->evaluated ? replays.end() - 1 : replays.begin();
  }
  std::rotate(replays.begin(), found, found + 1);
  replay = replays.front().get();
  return isNew ? evaluate(arguments) : Status();
}

Status Frame::evaluate(std::span<const TensorView> arguments) {
  replay->evaluated = false;
  replay->arenaMoves = Replay::never;
  replay->dims.clear();
  for (const TensorView &view : arguments)
    replay->dims.insert(replay->dims.end(), view.dims.begin(), view.dims.end());
  replay->values.resize(function.slots.size());
  std::span<int64_t> values = replay->values;
  for (size_t i = 0; i != arguments.size(); ++i)
    if (Status status = checkKind(function.parameters[i].type, arguments[i]); !status.ok())
      return std::move(status).withContext(argumentText(function, i));
  size_t known = evaluateSlots(function, replay->dims, firstDim, values);
  // A wrong dimension is the better explanation of an overflow that follows from it.
  RELAX_RETURN_IF_ERROR(checkDimensions(function, arguments, values, known));
  if (known != values.size())
    return slotError(function, known, values);
  RELAX_RETURN_IF_ERROR(checkShapeGuards(function, values));
  RELAX_RETURN_IF_ERROR(measureTensors());
  replay->evaluated = true;
  return {};
}

Status Frame::measureTensors() {
  const std::vector<int64_t> &values = replay->values;
  std::vector<uint64_t> &argumentBytes = replay->argumentBytes, &resultBytes = replay->resultBytes;
  argumentBytes.resize(function.parameters.size());
  resultBytes.resize(function.results.size());
  replay->resultDims.resize(function.results.size());
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
    std::vector<int64_t> &dims = replay->resultDims[j];
    dims.resize(result.type.dims.size());
    for (size_t axis = 0; axis != result.type.dims.size(); ++axis) {
      dims[axis] = values[result.type.dims[axis]];
      if (dims[axis] < 0)
        return planError(text(resultText(function, j), ", dimension ", axis, " is ", dims[axis]));
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

// ---- A call
// --------------------------------------------------------------------------------------

Status Frame::bindArguments(std::span<const TensorView> arguments) {
  for (size_t i = 0; i != arguments.size(); ++i) {
    if (Status status = checkStorage(arguments[i], replay->argumentBytes[i]); !status.ok())
      return std::move(status).withContext(argumentText(function, i));
    argumentData[i] = arguments[i].data;
  }
  return readsElements ? checkDataGuards(function, arguments, replay->values) : Status();
}

Status Frame::bindResult(size_t index, TensorView &view) {
  std::span<const int64_t> values = replay->values;
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
  RELAX_RETURN_IF_ERROR(checkStorage(view, replay->resultBytes[index]));
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
  if (status.ok() && replay->arenaMoves != environment.arenaMoves)
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
    status = checkRoom(j, room[j]);
    if (int32_t alias = function.results[j].alias;
        status.ok() && alias >= 0 && results[j] != argumentData[static_cast<size_t>(alias)])
      status = planError(text(resultText(function, j), " shares an argument's storage; its caller "
                                                       "passes another"));
  }
  if (status.ok() && replay->arenaMoves != environment.arenaMoves)
    status = layOut();
  if (status.ok())
    status = run();
  return status.ok() ? Status() : std::move(status).withContext(function.name);
}

Status Frame::checkRoom(size_t result, uint64_t room) const {
  if (room >= replay->resultBytes[result])
    return {};
  return planError(text(resultText(function, result), " needs ", replay->resultBytes[result],
                        " bytes; its caller has room for ", room));
}

Expected<std::vector<std::vector<int64_t>>>
Frame::resultDims(std::span<const TensorView> arguments) {
  if (Status status = bindShapes(arguments); !status.ok())
    return std::move(status).withContext(function.name);
  return replay->resultDims;
}

Status Frame::bind(std::span<const TensorView> arguments) {
  Status status = bindShapes(arguments);
  return status.ok() ? Status() : std::move(status).withContext(function.name);
}

} // namespace relax::runtime
