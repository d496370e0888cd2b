#include "tools/relax/RunLibrary.h"

#include "tools/relax/library_api.h"

#include <fmt/format.h>

#include <dlfcn.h>
#include <filesystem>

namespace relax::tool {

Status registerLibrary(const std::string &path, runtime::Registry &registry) {
  // A name without a folder would be looked for in the system's folders.
  std::error_code error;
  const std::filesystem::path absolute = std::filesystem::absolute(path, error);
  void *handle = dlopen(absolute.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (!handle)
    return Status(StatusCode::InvalidFile, fmt::format("cannot load the library: {}", dlerror()));
  const auto entries =
      reinterpret_cast<decltype(&relax_library_entries)>(dlsym(handle, "relax_library_entries"));
  if (!entries)
    return Status(
        StatusCode::InvalidFile,
        fmt::format("{}: exports no relax_library_entries (tools/relax/library_api.h)", path));
  for (const relax_library_entry *entry = entries(); entry && entry->name; ++entry) {
    if (!entry->function)
      return Status(StatusCode::InvalidFile,
                    fmt::format("{}: the entry '{}' has no function", path, entry->name));
    registry.add(
        entry->name,
        [function = entry->function,
         name = std::string(entry->name)](const runtime::LibraryCall &call) -> Status {
          const int code = function(call.buffers.data(), call.sizes.data(), call.buffers.size(),
                                    call.values.data(), call.values.size());
          if (code != 0)
            return Status(StatusCode::Internal,
                          fmt::format("the library function '{}' failed with code {}", name, code));
          return {};
        });
  }
  return {};
}

} // namespace relax::tool
