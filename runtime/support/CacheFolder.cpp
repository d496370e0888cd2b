//===- CacheFolder.cpp ------------------------------------------------------------------------===//
#include "runtime/support/CacheFolder.h"

#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace relax {

std::string cacheFolder() {
  // Relative values are to be ignored: XDG Base Directory Specification.
  if (const char *folder = std::getenv("XDG_CACHE_HOME"); folder && folder[0] == '/')
    return std::string(folder) + "/relax";
  if (const char *home = std::getenv("HOME"); home && home[0] == '/')
    return std::string(home) + "/.cache/relax";
  return {};
}

bool makeFolders(const std::string &path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  return !error && std::filesystem::is_directory(path, error);
}

} // namespace relax
