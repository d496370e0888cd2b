//===- ContentHash.h - the hash that identifies bytes -----------------------------------------===//
//
// XXH3-64: the checksum of an artifact and the identity of a constant's bytes in a weights file. It
// notices damage and mix-ups; it is no defence against somebody who forges bytes.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>

namespace relax::artifact {

/// XXH3-64, seed 0, of the bytes. More than 10 GB/s on one core.
uint64_t contentHash(std::span<const uint8_t> bytes);

} // namespace relax::artifact
