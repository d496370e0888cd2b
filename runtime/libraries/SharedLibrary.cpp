#include "runtime/libraries/SharedLibrary.h"

#include "runtime/support/Text.h"

#include <cstdlib>
#include <dlfcn.h>

namespace relax::runtime {

Expected<SharedLibrary> SharedLibrary::open(const char *title, const char *soname,
                                            const char *variable, const char *package) {
  const char *given = std::getenv(variable);
  std::string path = given && *given ? given : soname;
  void *handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle)
    return SharedLibrary(handle, std::move(path));
  const char *reason = dlerror();
  return Status(StatusCode::NotFound,
                text(title, " is missing: ", reason ? reason : path.c_str(),
                     given && *given ? text(" (", variable, " names it)")
                                     : text("; Debian's package ", package, " has it")));
}

void *SharedLibrary::address(const char *name) const { return dlsym(handle, name); }

} // namespace relax::runtime
