//===- WeightsFile.h - constants that stay in the model's original file -----------------------===//
//
// An artifact names a weights file by path and size, the hash of its first 64 KiB, and the hash of
// the bytes of each constant. Before constants are used their bytes must have been hashed once;
// but to hash a file of many gigabytes at each start would cost seconds. So:
//
//  * Every start checks the size and the hash of the first 64 KiB.
//  * The first start hashes every constant, on all cores, at memory or disk speed, and then leaves
//  a
//    stamp in the user's cache folder: the file's path, size, device, inode, times of modification
//    and change (nanoseconds), and a digest of all (offset, size, hash) that were checked.
//  * A later start whose stamp is equal in all of these skips the hashing.
//
// A file that was written in the last two seconds gets no stamp: it could change again within one
// tick of its clock. A stamp notices any change made through the file system; it does not notice a
// disk that flips bits, nor somebody who may write the cache folder. Without a writable cache
// folder every start hashes.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/MappedFile.h"
#include "runtime/support/Status.h"
#include "runtime/threads/ThreadPool.h"

#include <string>

namespace relax::runtime {

/// Maps weights file number `index` of `module`, found at `path`, and makes sure that it holds what
/// the module's constants expect. `cacheFolder` is where stamps are kept; empty for nowhere.
Expected<MappedFile> openWeightsFile(const artifact::Module &module, size_t index,
                                     const std::string &path, const std::string &cacheFolder,
                                     ThreadPool &pool);

/// Where weights file `file` is: its path relative to `artifactFolder`, or, if nothing is there,
/// the file of the same name in `artifactFolder`, so that the two may move together. If
/// `weightsPath` is not empty: that path, or the file of the same name in it if it is a folder.
std::string weightsFilePath(const artifact::WeightsFile &file, const std::string &artifactFolder,
                            const std::string &weightsPath);

} // namespace relax::runtime
