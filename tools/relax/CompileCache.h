//===- CompileCache.h - compiled models, kept ------------------------------------------------===//
//
// A .gguf is compiled when it is first used, and the artifact is kept in the user's cache folder.
// Its name there is a hash of all that it depends on: the header of the model's file (every
// hyper-parameter and every tensor's name, format, shape and place) and its size; the compile
// options; the CPU's features, for the target "native"; the compiler itself, by the content of its
// library; and the versions of format and kernel interface. The weights are no part of an artifact:
// it names the file and the hash of each tensor, which the runtime checks.
//
// Files appear by rename, whole or not at all. Where nothing can be kept, the artifact is used from
// memory. The folder stays small: whenever something is added, what was used longest ago goes,
// until at most maxCachedArtifacts files of maxCachedBytes together are left.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"
#include "tools/relax/CompilerLibrary.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax::tool {

/// An artifact is about 100 KB to 1 MB: its weights are in the model's file.
inline constexpr size_t maxCachedArtifacts = 64;
inline constexpr uint64_t maxCachedBytes = uint64_t(1) << 30;

/// A compiled model: a file, or bytes if it could not be kept.
struct CompiledModel {
  std::string path;           ///< Empty if it is only in memory.
  std::vector<uint8_t> bytes; ///< Empty if it was found in the cache.
  bool fromCache = false;
  double compileSeconds = 0;
};

/// Where the artifact for `request` is kept; empty if there is no cache folder.
Expected<std::string> cachedArtifactPath(const CompileRequest &request);

/// Removes what was used longest ago from the cache's `folder`, down to the limits; `kept`, an
/// artifact in it, stays. Errors are ignored: another process may do the same now.
void pruneCache(const std::string &folder, const std::string &kept,
                size_t maxFiles = maxCachedArtifacts, uint64_t maxBytes = maxCachedBytes);

/// The artifact for `request`, from the cache or compiled now. `refresh`: compile in any case.
Expected<CompiledModel> compiledModel(const CompileRequest &request, bool refresh);

} // namespace relax::tool
