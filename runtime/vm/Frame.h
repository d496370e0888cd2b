//===- Frame.h - one function, ready to be called ---------------------------------------------===//
//
// A Frame keeps what stays from call to call: the arena, and for the shapes of the last calls what
// a call does (Replay.h). A call with shapes that it has only checks pointers and elements, patches
// the pointers of arguments and results, and replays.
//
// Planned functions do not call themselves (artifact/Load.h, R10), so one frame for each suffices.
// By way of general or host functions they could: while a frame runs, a call of it is refused. Not
// thread-safe: the module's lock is held around a call.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/memory/Arena.h"
#include "runtime/vm/Environment.h"
#include "runtime/vm/Replay.h"
#include "runtime/vm/TensorView.h"

#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace relax::runtime {

class Frame {
public:
  Frame(const artifact::Function &function, Environment &environment);

  /// Checks everything, then runs. Nothing has run if the status is InvalidArgument, or is
  /// ResourceExhausted for this function's own arena. A result that shares an argument's storage
  /// may come with a null pointer and gets that argument's.
  Status call(std::span<const TensorView> arguments, std::span<TensorView> results);

  /// The dimensions of the results for such arguments; their elements are not looked at.
  Expected<std::vector<std::vector<int64_t>>> resultDims(std::span<const TensorView> arguments);

  /// Takes over the arguments' shapes for a call that follows, and checks them.
  Status bind(std::span<const TensorView> arguments);
  /// The dimensions of a result for the shapes of the last `bind`.
  [[nodiscard]] std::span<const int64_t> dimsOfResult(size_t result) const {
    return replay->resultDims[result];
  }

  /// For how many different shapes it has launches, of the last calls.
  [[nodiscard]] size_t numReplays() const { return replays.size(); }
  /// How many different shapes a captured function keeps the launches of.
  static constexpr size_t maxReplays = 8;
  /// Functions that are called aren't made part of a longer list.
  static constexpr size_t maxLaunches = 16'384;

private:
  // Frame.cpp: which replay a call takes, and its checks.
  Status bindShapes(std::span<const TensorView> arguments);
  [[nodiscard]] bool hasDims(const Replay &candidate, std::span<const TensorView> arguments) const;
  Status chooseReplay(std::span<const TensorView> arguments);
  Status evaluate(std::span<const TensorView> arguments);
  Status measureTensors();
  Status bindArguments(std::span<const TensorView> arguments);
  Status bindResults(std::span<TensorView> results);
  Status bindResult(size_t index, TensorView &view);
  Status prepare(std::span<const TensorView> arguments);
  /// The call of one function by another; results are written to `results`, which have room for
  /// `room` bytes each.
  Status callNested(std::span<const TensorView> arguments, std::span<void *const> results,
                    std::span<const uint64_t> room);
  Status checkRoom(size_t result, uint64_t room) const;

  // Capture.cpp: makes the replay's list of launches.
  Status layOut();
  Status placeBuffers();
  Status listLaunches();
  Status addKernel(const artifact::Instruction &instruction);
  Status addCall(const artifact::Instruction &instruction);
  void appendLaunches(const Frame &callee, const artifact::Instruction &call);
  Launch &addLaunch(Launch::Kind kind, const artifact::Instruction &instruction);

  // Replay.cpp: goes through it.
  Status run();
  Status launchAll();
  Status launchOther(const Launch &launch);
  void launchKernel(const Launch &launch);
  void launchWatched(const Launch &launch);
  Status checkValues(const Launch &launch);
  Status runLibrary(const Launch &launch);
  Status callFunction(const Launch &launch);
  Status callGeneral(const Launch &launch);
  /// Fills `nestedArguments`, and `sizes` with the room for the results.
  Status gatherCall(const artifact::Instruction &instruction, void *const *pointers,
                    const int64_t *numbers);

  const artifact::Function &function;
  Environment &environment;
  bool readsElements = false; ///< Whether there are guards that do.
  bool running = false;

  std::vector<uint32_t> firstDim; ///< For each parameter, where its dimensions are in `dims`.
  std::vector<std::unique_ptr<Replay>> replays; ///< That of the last call first; never empty.
  Replay *replay;                               ///< The first.

  Arena arena;
  std::vector<void *> argumentData, resultData;
  std::vector<uint64_t> sizes; ///< Scratch for library calls and nested calls.
  /// Scratch for nested calls: kept, so that a call allocates nothing. This frame isn't called
  /// again while it runs, so one is enough.
  std::vector<TensorView> nestedArguments;
};

/// A fault in the artifact that only the shapes at hand bring to light.
Status planError(std::string message);

} // namespace relax::runtime
