//===- Environment.h - what the functions of a loaded module share ----------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/loader/CodeLibrary.h"
#include "runtime/memory/Account.h"
#include "runtime/profiler/Profiler.h"
#include "runtime/threads/ThreadPool.h"
#include "runtime/vm/Registry.h"

#include <memory>
#include <vector>

namespace relax::runtime {

/// A constant or a state in memory.
struct Storage {
  void *data = nullptr;
  uint64_t size = 0;
};

class Frame;

/// Filled by the loader; only frames and the account change afterwards.
struct Environment {
  Environment();
  ~Environment();

  const artifact::Module *module = nullptr;
  std::vector<Storage> constants;
  std::vector<Storage> states;
  std::vector<KernelFunction> kernels;
  std::vector<const LibraryFunction *> libraries;
  std::shared_ptr<ThreadPool> pool;
  MemoryAccount account;
  std::vector<std::unique_ptr<Frame>> frames; ///< One for each function; charged to the account.
  /// Rows: the kernels, then the libraries. Never null.
  std::unique_ptr<Profiler> profiler;
};

} // namespace relax::runtime
