//===- SharedLibrary.h - a library that is opened when it is needed ---------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <string>

namespace relax::runtime {

/// Stays open as long as the process: libraries have threads and memory of their own.
class SharedLibrary {
public:
  /// Opens `soname`, or the file that the environment variable names. The error says what was
  /// looked for, and which package has it.
  static Expected<SharedLibrary> open(const char *title, const char *soname, const char *variable,
                                      const char *package);

  /// Sets `function` to the library's function of that name; false if there is none.
  template <typename F> bool find(const char *name, F *&function) const {
    function = reinterpret_cast<F *>(address(name));
    return function != nullptr;
  }
  /// What was opened, as it was named.
  [[nodiscard]] const std::string &name() const { return path; }

private:
  SharedLibrary(void *handle, std::string path) : handle(handle), path(std::move(path)) {}
  [[nodiscard]] void *address(const char *name) const;

  void *handle;
  std::string path;
};

} // namespace relax::runtime
