//===- CacheType.h - how a cache holds keys and values ----------------------------------------===//
//
// f32 and f16 hold the numbers themselves. q8_0 holds 8-bit integers, with one float16 scale for
// each 32 elements of a token's head, as the GGUF format of that name: d = the largest magnitude /
// 127, rounded to float16, and q = x / d rounded half to even. A block with NaN or infinity, or
// with magnitudes beyond 8.3e6, has a scale that is none, and reads as NaN.
//
// A page has the dimensions [kv_heads, d, page_size] of keys, [kv_heads, page_size, d] of values.
// With q8_0, d is storedHeadDim: the bytes of a head in a page are first its integers, in the same
// order, and then the scales, float16 [ceildiv(head_dim, 32), page_size].
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace relax::runtime {

/// The names of the cache types, for messages.
inline constexpr const char *cacheTypeNames = "f32, f16 or q8_0";

/// Elements of a token's head that share a scale, in a quantised cache.
inline constexpr int64_t cacheBlock = 32;

/// Scales of a token's head.
constexpr int64_t cacheBlocks(int64_t headDim) { return (headDim + cacheBlock - 1) / cacheBlock; }

/// Bytes of a token's head in a quantised cache.
constexpr int64_t quantizedHeadDim(int64_t headDim) { return headDim + 2 * cacheBlocks(headDim); }

/// Elements of a cache of a type; nothing if there is no such type.
inline std::optional<artifact::DType> cacheElement(std::string_view type) {
  if (type == "f32")
    return artifact::DType::F32;
  if (type == "f16")
    return artifact::DType::F16;
  if (type == "q8_0")
    return artifact::DType::I8;
  return std::nullopt;
}

/// The dimension that stands for head_dim in pages of that type.
inline int64_t storedHeadDim(artifact::DType element, int64_t headDim) {
  return element == artifact::DType::I8 ? quantizedHeadDim(headDim) : headDim;
}

} // namespace relax::runtime
