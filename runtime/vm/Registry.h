//===- Registry.h - functions of the host that artifacts may call -----------------------------===//
//
// Two kinds. A *library* function computes: it gets the memory of its operands and results, which
// are tensors (CallLibrary). A *packed* function takes and gives values of any kind (InvokePacked),
// and may have effects unless it is registered as pure.
//
// A module is refused at load if a name that it calls is not registered, or not as pure where the
// compiler relied on it. Register before loading. There is no global registry and no hidden
// registration; the C interface keeps one for its callers.
//
// Host functions run on the thread of the call, while the module is locked. They may call functions
// of the same module (a planned function that is running can't be called again), but must not wait
// for other threads that do. A value is theirs for the call only if somebody borrowed it; what they
// keep for longer, they copy.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "runtime/vm/Value.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace relax::runtime {

class MemoryPool;
class ThreadPool;

/// What a call passes: the instruction's buffers with their sizes in bytes, and its slots' values.
struct LibraryCall {
  std::span<void *const> buffers;
  std::span<const uint64_t> sizes;
  std::span<const int64_t> values;
  ThreadPool &pool;
};

using LibraryFunction = std::function<Status(const LibraryCall &)>;

/// What a packed function gets. It sets every result to a value.
struct PackedCall {
  std::span<const Value> arguments;
  std::span<Value> results; ///< As many as the caller wants.
  ThreadPool &pool;
  MemoryPool &memory;

  /// A tensor of the module's memory, with whatever is in it; the limit may be reached.
  [[nodiscard]] Expected<Value> allocate(DType dtype, std::span<const int64_t> dims) const;
};

using PackedFunction = std::function<Status(PackedCall &)>;

class Registry {
public:
  /// Adds a function, or replaces the one of that name.
  void add(std::string name, LibraryFunction function) {
    functions.insert_or_assign(std::move(name), std::move(function));
  }
  /// The function of that name, or null.
  [[nodiscard]] const LibraryFunction *find(std::string_view name) const {
    auto found = functions.find(name);
    return found == functions.end() ? nullptr : &found->second;
  }

  struct Packed {
    PackedFunction function;
    bool pure = false;
  };
  /// `pure`: it has no effects, and equal arguments give equal results.
  void addPacked(std::string name, PackedFunction function, bool pure = false) {
    packed.insert_or_assign(std::move(name), Packed{std::move(function), pure});
  }
  [[nodiscard]] const Packed *findPacked(std::string_view name) const {
    auto found = packed.find(name);
    return found == packed.end() ? nullptr : &found->second;
  }

private:
  std::map<std::string, LibraryFunction, std::less<>> functions;
  std::map<std::string, Packed, std::less<>> packed;
};

} // namespace relax::runtime
