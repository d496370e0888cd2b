// What a well-formed file says, and that each part of it is where the reader says it is.
#include "compiler/importers/gguf/File.h"
#include "GgufBuilder.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>

namespace relax::gguf {
namespace {
using test::GgufBuilder;

/// One entry of each type, two tensors.
GgufBuilder wholeFile(uint32_t version) {
  GgufBuilder file;
  file.header(2, 17, version);
  file.text("general.architecture", "llama");
  file.key("u8", 0).number<uint8_t>(200);
  file.key("i8", 1).number<int8_t>(-5);
  file.key("u16", 2).number<uint16_t>(60000);
  file.key("i16", 3).number<int16_t>(-300);
  file.u32("u32", 4000000000u);
  file.key("i32", 5).number<int32_t>(-7);
  file.f32("f32", 0.5f);
  file.key("yes", 7).number<uint8_t>(1);
  file.key("u64", 10).number<uint64_t>(uint64_t(1) << 62);
  file.key("i64", 11).number<int64_t>(INT64_MIN);
  file.key("f64", 12).number<double>(0.1);
  file.strings("strings", {"a", "", std::string("n\0l", 3)});
  file.floats("floats", {1.5f, -2});
  file.key("bools", 9)
      .number<uint32_t>(7)
      .number<uint64_t>(2)
      .number<uint8_t>(1)
      .number<uint8_t>(0);
  file.key("bytes", 9).number<uint32_t>(0).number<uint64_t>(1).number<uint8_t>(255);
  file.key("none", 9).number<uint32_t>(5).number<uint64_t>(0);
  file.tensor("a", {64, 3}, 3, 0).tensor("b", {2}, 0, 128);
  return file.data(136);
}

TEST(GgufFile, ReadsEveryType) {
  for (uint32_t version : {2u, 3u}) {
    GgufBuilder built = wholeFile(version);
    Expected<File> file = File::parse("f.gguf", built.bytes);
    ASSERT_TRUE(file.ok()) << file.status().message();
    EXPECT_EQ(file->version(), version);
    const Metadata &m = file->metadata();
    EXPECT_EQ(m.size(), 17u);
    EXPECT_EQ(*m.string("general.architecture"), "llama");
    EXPECT_EQ(*m.integer("u8"), 200);
    EXPECT_EQ(*m.integer("i8"), -5);
    EXPECT_EQ(*m.integer("u16"), 60000);
    EXPECT_EQ(*m.integer("i16"), -300);
    EXPECT_EQ(*m.integer("u32"), 4000000000);
    EXPECT_EQ(*m.integer("i32"), -7);
    EXPECT_EQ(*m.number("f32"), 0.5);
    EXPECT_EQ(*m.boolean("yes"), true);
    EXPECT_EQ(*m.integer("u64"), int64_t(1) << 62);
    EXPECT_EQ(*m.integer("i64"), INT64_MIN);
    EXPECT_EQ(*m.number("f64"), 0.1);
    EXPECT_EQ(**m.strings("strings"), (std::vector<std::string>{"a", "", std::string("n\0l", 3)}));
    EXPECT_EQ(**m.numbers("floats"), (std::vector<double>{1.5, -2}));
    EXPECT_EQ(**m.booleans("bools"), (std::vector<bool>{true, false}));
    EXPECT_EQ(**m.integers("bytes"), (std::vector<int64_t>{255}));
    EXPECT_TRUE((*m.integers("none"))->empty());
  }
}

TEST(GgufFile, DescribesTensors) {
  GgufBuilder built = wholeFile(3);
  Expected<File> file = File::parse("f.gguf", built.bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  ASSERT_EQ(file->tensors().size(), 2u);
  const Tensor *a = file->find("a");
  ASSERT_NE(a, nullptr);
  EXPECT_EQ(a->dims, (std::vector<int64_t>{3, 64}));
  EXPECT_EQ(a->typeText(), "q4_1 [3, 64]");
  EXPECT_EQ(a->rowBytes(), 40);
  EXPECT_EQ(a->size, 120u);
  EXPECT_EQ(a->offset, file->parts()[0].headerSize);
  const Tensor *b = file->find("b");
  EXPECT_EQ(b->size, 8u);
  EXPECT_EQ(file->bytes(*b)[0], 128);
  EXPECT_EQ(file->find("c"), nullptr);
}

TEST(GgufFile, MapsAFile) {
  GgufBuilder built = wholeFile(3);
  std::string path = testing::TempDir() + "/relax_gguf_file_test.gguf";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(built.bytes.data()),
             static_cast<std::streamsize>(built.bytes.size()));
  Expected<File> file = File::open(path);
  ASSERT_TRUE(file.ok()) << file.status().message();
  File moved = std::move(*file);
  EXPECT_EQ(moved.bytes(*moved.find("b"))[7], 135);
  EXPECT_EQ(moved.path(), path);
  std::filesystem::remove(path);
  Expected<File> missing = File::open(path);
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.status().message().find(path), std::string::npos);
}

TEST(GgufFile, MayBeWithoutTensors) {
  GgufBuilder built;
  built.header(0, 1).text("general.architecture", "llama");
  Expected<File> file = File::parse("f.gguf", built.bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_TRUE(file->tensors().empty());
}

TEST(GgufFile, HonoursTheAlignment) {
  GgufBuilder built;
  built.header(1, 1).u32("general.alignment", 256).tensor("a", {2}, 0, 0);
  built.pad(256);
  size_t start = built.bytes.size();
  built.data(8);
  Expected<File> file = File::parse("f.gguf", built.bytes);
  ASSERT_TRUE(file.ok()) << file.status().message();
  EXPECT_EQ(file->find("a")->offset, start);
}

TEST(TensorFormats, HaveUniqueIdsAndNames) {
  for (const TensorFormat &format : tensorFormats()) {
    EXPECT_EQ(findTensorFormat(format.id), &format) << format.name;
    EXPECT_EQ(removedTensorFormat(format.id), nullptr) << format.name;
    EXPECT_GT(format.blockBytes, 0u);
  }
  EXPECT_EQ(findTensorFormat(99), nullptr);
  EXPECT_STREQ(removedTensorFormat(31), "q4_0_4_4");
}

} // namespace
} // namespace relax::gguf
