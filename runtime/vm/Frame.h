//===- Frame.h - one function, ready to be called ---------------------------------------------===//
//
// A Frame keeps what stays from call to call: the slots' values, the arena, and for each
// instruction its pointers and symbol values, laid out as kernels take them. A call with the
// dimensions of the last one skips everything that depends on shapes: it checks pointers and
// elements, patches the pointers of arguments and results, and runs.
//
// Planned functions do not call themselves (artifact/Load.h, R10), so one frame for each suffices.
// By way of general or host functions they could: while a frame runs, a call of it is refused. Not
// thread-safe: the module's lock is held around a call.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/memory/Arena.h"
#include "runtime/vm/Environment.h"
#include "runtime/vm/TensorView.h"

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
    return resultDimensions[result];
  }

  /// Of the last shapes.
  [[nodiscard]] uint64_t arenaBytes() const { return arena.capacity(); }

private:
  /// An instruction with what its slots say for the shapes at hand. Pointers and values are ranges
  /// of `pointers` and `numbers`.
  struct Step {
    artifact::Instruction::Op op;
    uint32_t target;
    uint32_t firstPointer, numPointers;
    uint32_t firstNumber, numNumbers;
    int64_t extent, cost;
  };
  /// A pointer that changes from call to call.
  struct Patch {
    uint32_t pointer;
    bool isResult;
    uint32_t index;
  };

  Status bindShapes(std::span<const TensorView> arguments);
  Status evaluate(std::span<const TensorView> arguments);
  Status measureTensors();
  Status layOut();
  Status placeBuffers();
  Status refreshSteps();
  Status bindArguments(std::span<const TensorView> arguments);
  Status bindResults(std::span<TensorView> results);
  Status bindResult(size_t index, TensorView &view);
  Status run();
  Status execute();
  Status runLibrary(const Step &step);
  Status checkValues(const Step &step);
  Status callFunction(const Step &step);
  Status callGeneral(const Step &step, std::span<const TensorView> arguments);
  Status prepare(std::span<const TensorView> arguments);
  /// The call of one function by another; results are written to `results`, which have room for
  /// `room` bytes each.
  Status callNested(std::span<const TensorView> arguments, std::span<void *const> results,
                    std::span<const uint64_t> room);

  const artifact::Function &function;
  Environment &environment;
  bool readsElements = false; ///< Whether there are guards that do.
  bool running = false;

  std::vector<uint32_t> firstDim; ///< For each parameter, where its dimensions are in `dims`.
  std::vector<int64_t> dims;      ///< Of all arguments of the last call.
  std::vector<int64_t> values;    ///< Of all slots.
  bool evaluated = false;         ///< `values` and sizes belong to `dims`, and all checks held.
  bool laidOut = false;           ///< So do the arena and the steps.
  std::vector<uint64_t> argumentBytes, resultBytes, bufferBytes;
  std::vector<std::vector<int64_t>> resultDimensions;

  Arena arena;
  std::vector<void *> argumentData, resultData, bufferData;
  std::vector<Step> steps;
  std::vector<void *> pointers;
  std::vector<int64_t> numbers;
  std::vector<Patch> patches;
  std::vector<uint64_t> sizes; ///< Scratch for library calls and nested calls.
  /// Scratch for nested calls: kept, so that a call allocates nothing. This frame isn't called
  /// again while it runs, so one is enough.
  std::vector<TensorView> nestedArguments;
};

} // namespace relax::runtime
