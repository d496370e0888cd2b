//===- Environment.h - what the functions of a loaded module share ----------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/loader/CodeLibrary.h"
#include "runtime/memory/MemoryPool.h"
#include "runtime/profiler/Profiler.h"
#include "runtime/threads/ThreadPool.h"
#include "runtime/vm/Registry.h"

#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace relax::runtime {

/// A constant or a state in memory.
struct Storage {
  void *data = nullptr;
  uint64_t size = 0;
};

class Frame;
class Interpreter;

/// Filled by the loader; only frames, the interpreter and the memory change afterwards, under the
/// module's lock.
struct Environment {
  Environment();
  ~Environment();
  Environment(const Environment &) = delete;
  Environment &operator=(const Environment &) = delete;

  /// Calls library function `index` of the module with what LibraryCall has, and profiles it.
  Status callLibrary(size_t index, std::span<void *const> buffers, std::span<const uint64_t> sizes,
                     std::span<const int64_t> values);

  const artifact::Module *module = nullptr;
  /// The loaded module that this belongs to; none in tests.
  std::weak_ptr<LoadedModule> self;
  std::vector<Storage> constants;
  std::vector<Storage> states;
  std::vector<KernelFunction> kernels;
  /// Null for one that is missing, and has an alternative.
  std::vector<const LibraryFunction *> libraries;
  std::vector<PackedFunction>
      packed; ///< Copies: values may keep a module longer than the registry.
  std::shared_ptr<ThreadPool> pool;
  /// Of general functions' tensors and of results; values may keep it longer than the module.
  Ref<MemoryPool> memory{new MemoryPool};
  MemoryAccount &account = memory->account;
  /// How deep calls of general functions may nest.
  uint32_t callDepthLimit = defaultCallDepth;
  static constexpr uint32_t defaultCallDepth = 10'000;
  /// After so many instructions a call of general functions fails; 0: never. For tests.
  uint64_t instructionLimit = 0;
  /// How often an arena of a frame has moved: addresses that were taken before may be wrong.
  uint64_t arenaMoves = 0;
  /// One for each planned function, null for general ones; charged to the account.
  std::vector<std::unique_ptr<Frame>> frames;
  std::unique_ptr<Interpreter> interpreter; ///< Of general functions; calls planned ones, too.
  /// Told after each kernel that a planned function launches, and on the way of large ones, where
  /// it is set: how many steps are done, of how many; a launch has watchSteps. While "initialize"
  /// runs.
  static constexpr size_t watchSteps = 16;
  const std::function<void(size_t done, size_t all)> *watch = nullptr;
  /// Rows: the kernels, then the libraries. Never null.
  std::unique_ptr<Profiler> profiler;
};

} // namespace relax::runtime
