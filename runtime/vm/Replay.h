//===- Replay.h - what a call does for given shapes, ready to be done again -------------------===//
//
// All that a planned function does follows from the dimensions of its arguments, but for the
// addresses of arguments and results and the elements that checks read. So it is worked out once:
// slots are evaluated, shape checks made, branches followed, kernels of no units left out, and what
// remains is a list of launches with the pointers and numbers that kernels take, one after the
// other. A call with these dimensions patches the pointers of arguments and results, and goes
// through the list.
//
//   code            BranchIfZero s3 -> 3 | CallKernel a | Jump 4 | CallKernel b | CallFunction f
//   launches, s3=0  b, then what f launches
//
// Every function keeps the list of its last call. A captured one (artifact::Function::captured)
// keeps those of the last few different shapes, and has what the functions that it calls launch in
// its own list: they are entered when the list is made, not when it is replayed. So no code of the
// host may run in between, which could call them too; rule R15 in artifact/Load.h sees to that.
//
// A list has absolute addresses in arenas. Arenas move when they grow, which `arenaMoves` counts:
// a list that was made before is made again. Frame.cpp decides which list a call takes, Capture.cpp
// makes lists, Replay.cpp goes through them.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/loader/CodeLibrary.h"

#include <cstdint>
#include <vector>

namespace relax::runtime {

/// One instruction that is left. Its pointers and numbers are ranges of the list's.
struct Launch {
  enum Kind : uint8_t { Kernel, Library, Function, CheckValues };
  Kind kind;
  uint32_t target; ///< The number of the kernel, library, function; of Replay::checks.
  uint32_t firstPointer, numPointers;
  uint32_t firstNumber, numNumbers;
  uint32_t instruction; ///< Library, Function: in the function's own code.
  // Kernel only.
  bool isSerial = false; ///< One call on this thread.
  KernelFunction kernel = nullptr;
  int64_t extent = 0, cost = 0; ///< The extent is positive.
};

/// A check of elements, which may be one of a function that is called.
struct CapturedCheck {
  const artifact::Guard *guard;
  uint64_t bytes;
  /// The functions that were called on the way to it, the innermost first; for messages.
  std::vector<const artifact::Function *> callees = {};
};

struct Replay {
  /// A pointer that changes from call to call.
  struct Patch {
    uint32_t pointer;
    bool isResult;
    uint32_t index;
  };

  // Of the arguments' dimensions.
  std::vector<int64_t> dims;   ///< Of all arguments, one after the other.
  std::vector<int64_t> values; ///< Of all slots.
  bool evaluated = false;      ///< `values` and sizes belong to `dims`, and all shape checks held.
  std::vector<uint64_t> argumentBytes, resultBytes, bufferBytes;
  std::vector<std::vector<int64_t>> resultDims;

  // Of the addresses of arenas.
  static constexpr uint64_t never = UINT64_MAX;
  uint64_t arenaMoves = never;    ///< Environment::arenaMoves when what follows was made.
  std::vector<void *> bufferData; ///< Null for arguments and results.
  std::vector<Launch> launches;
  std::vector<void *> pointers;
  std::vector<int64_t> numbers;
  std::vector<Patch> patches;
  std::vector<CapturedCheck> checks;
};

} // namespace relax::runtime
