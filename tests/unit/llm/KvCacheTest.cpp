#include "llm/KvCache.h"

#include <gtest/gtest.h>

namespace relax::llm {
namespace {

/// Two layers, of which the second has a window of 8 slots.
KvCacheShape mixed(int64_t maxLength) {
  return {.layers = 2,
          .kvHeads = 1,
          .headDim = 2,
          .pageSize = 4,
          .maxLength = maxLength,
          .window = 8,
          .localLayers = {false, true},
          .stepTokens = 16};
}

void append(KvCache &cache, SequenceId sequence, int64_t slots) {
  ASSERT_TRUE(cache.reserve(sequence, slots).ok());
  ASSERT_TRUE(cache.advance(sequence, slots).ok());
}

TEST(KvCache, TensorsHaveTheShapesOfStep) {
  auto cache =
      KvCache::create({.layers = 2, .kvHeads = 3, .headDim = 4, .pageSize = 8, .maxLength = 40});
  ASSERT_TRUE(cache) << cache.status().message();
  const KvCache moved = std::move(*cache);
  ASSERT_EQ(moved.tensors().size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    const runtime::TensorView &view = moved.tensors()[i];
    const std::vector<int64_t> dims(view.dims.begin(), view.dims.end());
    EXPECT_EQ(dims,
              i % 2 == 0 ? (std::vector<int64_t>{5, 3, 4, 8}) : (std::vector<int64_t>{5, 3, 8, 4}));
    EXPECT_EQ(reinterpret_cast<uintptr_t>(view.data) % 64, 0u);
  }
}

// Long sequences move to huge pages as they grow.
TEST(KvCache, LongSequencesKeepWhatTheyHold) {
  auto cache = KvCache::create(
      {.layers = 2, .kvHeads = 1, .headDim = 64, .pageSize = 64, .maxLength = 20'000});
  ASSERT_TRUE(cache) << cache.status().message();
  const SequenceId sequence = cache->create();
  constexpr int64_t step = 500, elements = step * 64;
  for (int64_t length = 0; length + step <= 20'000; length += step) {
    append(*cache, sequence, step);
    for (const runtime::TensorView &view : cache->tensors()) {
      auto *data = static_cast<float *>(view.data);
      for (int64_t i = 0; i < elements; ++i)
        data[length * 64 + i] = static_cast<float>(length + i);
      for (int64_t earlier = 0; earlier <= length; earlier += step)
        ASSERT_EQ(data[earlier * 64 + 7], static_cast<float>(earlier + 7));
    }
  }
}

TEST(KvCache, CopiesSharedPagesInEveryLayer) {
  auto cache =
      KvCache::create({.layers = 2, .kvHeads = 1, .headDim = 2, .pageSize = 4, .maxLength = 12});
  ASSERT_TRUE(cache) << cache.status().message();
  constexpr size_t page = 8;
  const SequenceId parent = cache->create();
  append(*cache, parent, 2);
  for (const runtime::TensorView &view : cache->tensors())
    for (size_t i = 0; i < 3 * page; ++i)
      static_cast<float *>(view.data)[i] = static_cast<float>(i);
  const SequenceId child = *cache->fork(parent, 2);
  EXPECT_EQ(cache->freePages(), 2);
  append(*cache, child, 1);
  EXPECT_EQ(cache->freePages(), 1);
  ASSERT_EQ(*cache->table(0).pages(parent), std::vector<int32_t>{0});
  ASSERT_EQ(*cache->table(0).pages(child), std::vector<int32_t>{1});
  for (const runtime::TensorView &view : cache->tensors())
    for (size_t i = 0; i < 3 * page; ++i) {
      const size_t from = i / page == 1 ? i - page : i;
      EXPECT_EQ(static_cast<float *>(view.data)[i], static_cast<float>(from));
    }
}

TEST(KvCache, LayersWithAWindowHaveFewerPages) {
  const KvCacheShape shape = mixed(4000);
  EXPECT_EQ(shape.pages(), 1000);
  EXPECT_EQ(shape.localPages(), (8 + 512 + 16) / 4 + 2);
  EXPECT_EQ(mixed(100).localPages(), 25);
  EXPECT_EQ(*KvCache::bytes(shape), 2 * 2 * 4 * 4u * (1000 + 136));
  auto cache = KvCache::create(shape);
  ASSERT_TRUE(cache) << cache.status().message();
  ASSERT_EQ(cache->numTables(), 2u);
  EXPECT_EQ(cache->tensors()[0].dims[0], 1000);
  EXPECT_EQ(cache->tensors()[2].dims[0], 136);
  // All layers local: one table, with a window.
  KvCacheShape all = shape;
  all.localLayers = {true, true};
  auto local = KvCache::create(all);
  ASSERT_TRUE(local);
  EXPECT_EQ(local->numTables(), 1u);
  EXPECT_EQ(local->tensors()[0].dims[0], 136);
}

TEST(KvCache, WhatLiesBehindAWindowIsGivenBack) {
  auto cache = KvCache::create(mixed(4000));
  ASSERT_TRUE(cache) << cache.status().message();
  const int64_t all = cache->freePages();
  const SequenceId sequence = cache->create();
  for (int64_t length = 16; length <= 4000; length += 16) {
    ASSERT_TRUE(*cache->hasRoom(sequence, 16));
    append(*cache, sequence, 16);
  }
  EXPECT_EQ(cache->table(0).numFreePages(), 0);
  EXPECT_GE(cache->table(1).numFreePages(), 4);
  EXPECT_EQ(*cache->table(1).firstSlot(sequence), 4000 - 8 - 512);
  // A little shorter it can go on; much shorter it can't, but from nothing.
  EXPECT_EQ(*cache->resumable(sequence, 3600), 3600);
  EXPECT_EQ(*cache->resumable(sequence, 3487), 3487);
  EXPECT_EQ(*cache->resumable(sequence, 3486), 0);
  EXPECT_EQ(cache->trim(sequence, 3000).code(), StatusCode::ResourceExhausted);
  EXPECT_FALSE(cache->fork(sequence, 1));
  EXPECT_EQ(*cache->length(sequence), 4000);
  ASSERT_TRUE(cache->trim(sequence, 3600).ok());
  const SequenceId fork = *cache->fork(sequence, 3550);
  EXPECT_FALSE(*cache->hasRoom(fork, 450)); // The parent has the pages.
  ASSERT_TRUE(cache->trim(sequence, 0).ok());
  EXPECT_TRUE(*cache->hasRoom(fork, 450));
  ASSERT_TRUE(cache->free(fork).ok());
  ASSERT_TRUE(cache->free(sequence).ok());
  EXPECT_EQ(cache->freePages(), all);
  cache->discardFree();
}

TEST(KvCache, FreePagesGiveTheirMemoryBack) {
  auto cache =
      KvCache::create({.layers = 1, .kvHeads = 1, .headDim = 1024, .pageSize = 4, .maxLength = 12});
  ASSERT_TRUE(cache) << cache.status().message();
  const SequenceId sequence = cache->create();
  append(*cache, sequence, 4);
  auto *keys = static_cast<float *>(cache->tensors()[0].data);
  keys[0] = keys[4096] = 5;
  cache->discardFree();
  EXPECT_EQ(keys[0], 5);
  EXPECT_EQ(keys[4096], 0);
}

TEST(KvCache, TooLargeIsAnError) {
  for (const int64_t length : {int64_t(INT32_MAX), INT64_MAX / 2}) {
    const auto cache = KvCache::create({.layers = 1000,
                                        .kvHeads = 1000,
                                        .headDim = 1000,
                                        .pageSize = 32,
                                        .maxLength = length,
                                        .sequences = 1000});
    EXPECT_FALSE(cache);
  }
}

} // namespace
} // namespace relax::llm
