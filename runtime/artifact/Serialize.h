//===- Serialize.h - write an artifact --------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"

#include <string>
#include <vector>

namespace relax::artifact {

/// The bytes of the artifact file. A module that breaks a rule (see Load.h) is an Internal error:
/// it is its compiler's fault. Equal modules give equal bytes.
Expected<std::vector<uint8_t>> serialize(const Module &module);

/// Serializes and writes to `path` as a whole or not at all: a temporary file beside it, fsync,
/// rename. On an error (a full disk, no permission) nothing is left, and an older file stays.
Status writeFile(const Module &module, const std::string &path);

} // namespace relax::artifact
