//===- Environment.cpp - what the functions of a loaded module share --------------------------===//
#include "runtime/vm/Environment.h"

#include "runtime/support/Text.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Interpreter.h"

namespace relax::runtime {

// Here, where Frame and Interpreter are complete.
Environment::Environment() = default;
Environment::~Environment() = default;

Status Environment::callLibrary(size_t index, std::span<void *const> buffers,
                                std::span<const uint64_t> sizes, std::span<const int64_t> values) {
  const std::string &name = module->libraries[index].name;
  if (!libraries[index])
    return codeError(text("calls the library function ", inQuotes(name), ", which is missing"));
  const LibraryFunction &library = *libraries[index];
  const LibraryCall call{buffers, sizes, values, *pool};
  Status status;
  if (profiler->enabled()) [[unlikely]]
    profiler->measure(kernels.size() + index, 0, {}, [&] { status = library(call); });
  else
    status = library(call);
  return status.ok() ? Status()
                     : std::move(status).withContext("library function " + inQuotes(name));
}

} // namespace relax::runtime
