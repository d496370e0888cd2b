//===- Header.h - the first 64 bytes of an artifact -------------------------------------------===//
//
// Little-endian, so that the magic is at the file's beginning and the FlatBuffer after it keeps the
// 64-byte alignment of its constants:
//
//    0  4  "RLX1"
//    4  4  format version
//    8  4  kernel ABI version
//   12  4  0
//   16  8  length of the whole file
//   24  8  XXH3-64 of the payload: bytes 64 to the end
//   32 24  0
//   56  8  XXH3-64 of bytes 0 to 55
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace relax::artifact {

static_assert(std::endian::native == std::endian::little,
              "artifacts are little-endian, and read in place");

struct Header {
  char magic[4] = {'R', 'L', 'X', '1'};
  uint32_t formatVersion = 0;
  uint32_t kernelAbiVersion = 0;
  uint32_t zero = 0;
  uint64_t fileSize = 0;
  uint64_t payloadHash = 0;
  uint64_t zeros[3] = {0, 0, 0};
  uint64_t headerHash = 0;
};
static_assert(sizeof(Header) == 64);

inline constexpr size_t hashedHeaderBytes = offsetof(Header, headerHash);

/// Far below the 2 GiB that FlatBuffers can address; larger constants belong into weights files.
inline constexpr uint64_t maxPayloadBytes = (uint64_t{1} << 31) - (1 << 20);

} // namespace relax::artifact
