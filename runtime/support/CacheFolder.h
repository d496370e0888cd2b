//===- CacheFolder.h - where things are kept that can be made again ---------------------------===//
#pragma once

#include <string>

namespace relax {

/// $XDG_CACHE_HOME/relax, or $HOME/.cache/relax, or nothing if neither variable is set (absolute).
/// It may not exist, or not be writable: whoever uses it works without.
std::string cacheFolder();

/// Makes the folder and those above it, as far as they are missing. False if that fails.
bool makeFolders(const std::string &path);

} // namespace relax
