//===- Registry.h - functions of the host that artifacts may call -----------------------------===//
//
// A CallLibrary instruction names its function; the module is refused at load if the name is not
// registered. Register before loading. There is no global registry and no hidden registration.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>

namespace relax::runtime {

class ThreadPool;

/// What a call passes: the instruction's buffers with their sizes in bytes, and its slots' values.
struct LibraryCall {
  std::span<void *const> buffers;
  std::span<const uint64_t> sizes;
  std::span<const int64_t> values;
  ThreadPool &pool;
};

using LibraryFunction = std::function<Status(const LibraryCall &)>;

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

private:
  std::map<std::string, LibraryFunction, std::less<>> functions;
};

} // namespace relax::runtime
