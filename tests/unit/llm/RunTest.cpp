// The parts of `relax run` and of the cache of compiled models that need no program.
#include "tools/relax/CompileCache.h"
#include "tools/relax/Lists.h"
#include "tools/relax/Numbers.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>

namespace relax::tool {
namespace {

using artifact::DType;

TEST(Lists, WholeNumbers) {
  const auto accepts = [](const CLI::Validator &validator, std::string text) {
    return validator(text).empty();
  };
  const CLI::Validator positive = wholeNumber(0, INT64_MAX), any = wholeNumber(-5, UINT64_MAX);
  for (const char *text : {"0", "7", "9223372036854775807"})
    EXPECT_TRUE(accepts(positive, text)) << text;
  for (const char *text : {"", "-1", "x", "1x", "1.5", "9223372036854775808",
                           "18446744073709551616", "99999999999999999999999999"})
    EXPECT_FALSE(accepts(positive, text)) << text;
  EXPECT_TRUE(accepts(any, "-5"));
  EXPECT_TRUE(accepts(any, "18446744073709551615"));
  EXPECT_FALSE(accepts(any, "-6"));
}

TEST(Numbers, SixteenBits) {
  // Every float16 and bfloat16 reads back as itself; between two, the nearest even is taken.
  for (const DType dtype : {DType::F16, DType::BF16}) {
    Array one = *makeArray(dtype, {1}), copy = *makeArray(dtype, {1});
    for (int bits = 0; bits < 65536; ++bits) {
      one.data = {static_cast<uint8_t>(bits), static_cast<uint8_t>(bits >> 8)};
      setElement(copy, 0, elementAt(one, 0));
      if (std::isnan(elementAt(one, 0)))
        EXPECT_TRUE(std::isnan(elementAt(copy, 0)));
      else
        ASSERT_EQ(copy.data, one.data) << bits;
    }
  }
  Array half = *makeArray(DType::F16, {6});
  const double values[] = {65519.99, 65520, 1 + 0x1p-11, 1 + 0x3p-11, 0x1p-25, 0x1.8p-25};
  const double expected[] = {65504, HUGE_VAL, 1, 1 + 0x1p-9, 0, 0x1p-24};
  for (size_t i = 0; i < 6; ++i) {
    setElement(half, i, values[i]);
    EXPECT_EQ(elementAt(half, i), expected[i]) << values[i];
  }
}

TEST(Numbers, Texts) {
  Array bytes = *makeArray(DType::I8, {1});
  for (const char *text : {"-128", "127", "+5"})
    EXPECT_TRUE(setElement(bytes, 0, std::string_view(text))) << text;
  for (const char *text : {"", "-129", "128", "1.0", "true", "+", "nan"})
    EXPECT_FALSE(setElement(bytes, 0, std::string_view(text))) << text;
  Array flag = *makeArray(DType::Bool, {1});
  EXPECT_TRUE(setElement(flag, 0, std::string_view("true")));
  EXPECT_EQ(elementText(flag, 0), "true");
  EXPECT_FALSE(setElement(flag, 0, std::string_view("2")));
  Array wide = *makeArray(DType::I64, {1});
  EXPECT_TRUE(setElement(wide, 0, std::string_view("-9223372036854775808")));
  EXPECT_EQ(elementText(wide, 0), "-9223372036854775808");
  EXPECT_FALSE(makeArray(DType::F32, {INT64_MAX, 4}));
  EXPECT_EQ(makeArray(DType::F32, {INT64_MAX, 0})->count(), 0u);
}

TEST(Numbers, LongArraysAreCut) {
  const Array large = *makeArray(DType::F32, {1000, 1000});
  EXPECT_LT(arrayText(large).size(), 500u);
  EXPECT_NE(arrayText(large).find("…"), std::string::npos);
  EXPECT_EQ(arrayText(*makeArray(DType::I32, {2, 0})), "  [[],\n   []]");
}

TEST(Npy, EveryTypeReadsBack) {
  for (const DType dtype : {DType::F64, DType::F32, DType::F16, DType::BF16, DType::I64, DType::I32,
                            DType::I16, DType::I8, DType::U8, DType::Bool})
    for (const std::vector<int64_t> &dims :
         {std::vector<int64_t>{}, {0}, {3}, {2, 3}, {1, 0, 5}, {1, 2, 1, 2, 1, 2, 1, 2}}) {
      Array array = *makeArray(dtype, dims);
      for (size_t i = 0; i < array.count(); ++i)
        setInteger(array, i, static_cast<int64_t>(i % 2));
      const auto bytes = npyBytes(array);
      const auto again = parseNpy(bytes, "x.npy");
      ASSERT_TRUE(again) << again.status().message();
      EXPECT_EQ(again->dims, dims);
      EXPECT_EQ(again->dtype, dtype);
      EXPECT_EQ(again->data, array.data);
      EXPECT_EQ((bytes.size() - array.data.size()) % 64, 0u);
    }
}

TEST(CompileCache, TheMostRecentlyUsedStay) {
  const std::filesystem::path folder =
      std::filesystem::path(testing::TempDir()) / "relax-prune-cache";
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  const auto now = std::filesystem::file_time_type::clock::now();
  const auto path = [&](int i) { return folder / (std::to_string(i) + ".rlx"); };
  for (int i = 0; i < 6; ++i) {
    std::ofstream(path(i)) << std::string(100, 'x');
    std::filesystem::last_write_time(path(i), now - std::chrono::hours(i));
  }
  std::ofstream(folder / "other.txt") << "not ours";
  const auto left = [&] {
    std::string names;
    for (int i = 0; i < 6; ++i)
      names += std::filesystem::exists(path(i)) ? std::to_string(i) : "";
    return names;
  };
  pruneCache(folder, path(5), 100, 1000);
  EXPECT_EQ(left(), "012345");
  // What was just made stays, whatever its time; of the others the newest.
  pruneCache(folder, path(5), 4, 1000);
  EXPECT_EQ(left(), "0125");
  pruneCache(folder, path(5), 4, 250);
  EXPECT_EQ(left(), "05");
  pruneCache(folder, path(5), 0, 0);
  EXPECT_EQ(left(), "5");
  EXPECT_TRUE(std::filesystem::exists(folder / "other.txt"));
  pruneCache(folder / "missing", path(5));
  std::filesystem::remove_all(folder);
}

} // namespace
} // namespace relax::tool
