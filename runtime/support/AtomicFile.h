//===- AtomicFile.h - write a file as a whole or not at all -----------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace relax {

/// Writes `bytes` to a new file beside `path`, flushes it to the disk and renames it to `path`. A
/// reader sees the old file or the new one, whatever happens meanwhile. On an error (a full disk,
/// no permission, no such folder) the new file is removed; the message begins with the path.
Status writeFileAtomically(const std::string &path, std::span<const uint8_t> bytes);
/// The same of several parts, one after the other.
Status writeFileAtomically(const std::string &path,
                           const std::vector<std::span<const uint8_t>> &parts);

} // namespace relax
