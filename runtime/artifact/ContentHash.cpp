//===- ContentHash.cpp ------------------------------------------------------------------------===//
#include "runtime/artifact/ContentHash.h"

// xxhash's one header, compiled into this file. It beats a hash of our own because the format must
// be checkable by other tools (`xxhsum -H3`), XXH3 has vector code for every CPU that we run on,
// and its collision tests are public; it adds no library to link.
#define XXH_INLINE_ALL
#include <xxhash.h>

uint64_t relax::artifact::contentHash(std::span<const uint8_t> bytes) {
  return XXH3_64bits(bytes.data(), bytes.size());
}
