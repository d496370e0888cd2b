#include "llm/KvCache.h"

#include <gtest/gtest.h>

namespace relax::llm {
namespace {

TEST(KvCache, TensorsHaveTheShapesOfStep) {
  auto cache = KvCache::create(
      {.layers = 2, .kvHeads = 3, .headDim = 4, .pageSize = 8, .pages = 5, .maxLength = 40});
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

TEST(KvCache, CopiesPagesInEveryLayer) {
  auto cache = KvCache::create(
      {.layers = 2, .kvHeads = 1, .headDim = 2, .pageSize = 4, .pages = 3, .maxLength = 12});
  ASSERT_TRUE(cache) << cache.status().message();
  constexpr size_t page = 8;
  for (const runtime::TensorView &view : cache->tensors())
    for (size_t i = 0; i < 3 * page; ++i)
      static_cast<float *>(view.data)[i] = static_cast<float>(i);
  const runtime::PageCopy copy{0, 2, 4};
  cache->copy({&copy, 1});
  for (const runtime::TensorView &view : cache->tensors())
    for (size_t i = 0; i < 3 * page; ++i)
      EXPECT_EQ(static_cast<float *>(view.data)[i], static_cast<float>(i < 2 * page ? i : i - 16));
}

TEST(KvCache, TooLargeIsAnError) {
  for (const int64_t pages : {int64_t(1) << 30, INT64_MAX / 2}) {
    const auto cache = KvCache::create({.layers = 1000,
                                        .kvHeads = 1000,
                                        .headDim = 1000,
                                        .pageSize = 32,
                                        .pages = pages,
                                        .maxLength = 1000});
    EXPECT_FALSE(cache);
  }
}

} // namespace
} // namespace relax::llm
