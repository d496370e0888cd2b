// Damaged and hostile files: each gives an error that says where, what was found and expected.
#include "GgufBuilder.h"
#include "compiler/importers/gguf/Cursor.h"
#include "compiler/importers/gguf/File.h"

#include <gtest/gtest.h>

#include <memory>

namespace relax::gguf {
namespace {
using test::GgufBuilder;

/// Parses bytes in a buffer of exactly their size, so that a sanitizer sees any read beyond.
Status parse(std::span<const uint8_t> bytes) {
  std::unique_ptr<uint8_t[]> exact(new uint8_t[bytes.size()]);
  std::copy(bytes.begin(), bytes.end(), exact.get());
  Expected<File> file = File::parse("bad.gguf", {exact.get(), bytes.size()});
  return file ? Status() : file.takeStatus();
}

/// Requires an error that begins with the file and byte, and holds every one of `parts`.
void expectError(const GgufBuilder &built, size_t at, const std::vector<std::string> &parts) {
  Status status = parse(built.bytes);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.code(), StatusCode::InvalidFile);
  EXPECT_TRUE(status.message().starts_with("bad.gguf: byte " + std::to_string(at) + ", "))
      << status.message();
  for (const std::string &part : parts)
    EXPECT_NE(status.message().find(part), std::string::npos)
        << "no \"" << part << "\" in: " << status.message();
}

GgufBuilder smallFile() {
  GgufBuilder file;
  file.header(2, 4).text("general.architecture", "llama").u32("llama.block_count", 1);
  file.strings("tokenizer.ggml.tokens", {"a", "b"});
  file.floats("tokenizer.ggml.scores", {0, 1});
  return file.tensor("x", {32, 2}, 8, 0).tensor("y", {4}, 0, 96).data(112);
}

TEST(GgufHostile, EveryTruncationIsAnError) {
  GgufBuilder file = smallFile();
  ASSERT_TRUE(parse(file.bytes).ok()) << parse(file.bytes).message();
  for (size_t size = 0; size < file.bytes.size(); ++size) {
    Status status = parse(std::span(file.bytes).first(size));
    ASSERT_FALSE(status.ok()) << "cut after " << size << " bytes";
    EXPECT_EQ(status.code(), StatusCode::InvalidFile);
    EXPECT_TRUE(status.message().starts_with("bad.gguf: byte ")) << status.message();
    EXPECT_NE(status.message().find("expected"), std::string::npos) << status.message();
  }
}

TEST(GgufHostile, SectionBoundariesNameTheNextItem) {
  GgufBuilder file = smallFile();
  const char *names[] = {"empty",
                         "metadata entry 0 of 4",
                         "metadata entry 1 of 4",
                         "metadata entry 2 of 4",
                         "metadata entry 3 of 4",
                         "tensor info 0 of 2",
                         "tensor info 1 of 2"};
  for (size_t i = 1; i < std::size(names); ++i) {
    // Counts are checked against what is left, which may be noticed first; give them room.
    Status status = parse(std::span(file.bytes).first(file.boundaries[i]));
    ASSERT_FALSE(status.ok());
    bool counted = status.message().find("as the number of") != std::string::npos;
    EXPECT_TRUE(counted || status.message().find(names[i]) != std::string::npos)
        << status.message();
  }
}

TEST(GgufHostile, EveryByteFlippedIsSafe) {
  GgufBuilder file = smallFile();
  for (size_t i = 0; i < file.bytes.size(); ++i)
    for (uint8_t bits : {0x01, 0x80, 0xff}) {
      std::vector<uint8_t> damaged = file.bytes;
      damaged[i] ^= bits;
      Status status = parse(damaged); // An error or a file, never a crash.
      EXPECT_TRUE(status.ok() || status.message().starts_with("bad.gguf: byte "))
          << status.message();
    }
}

TEST(GgufHostile, Header) {
  GgufBuilder file = smallFile();
  file.bytes[0] = 'H';
  expectError(file, 0, {"found", "expected 46554747", "not a GGUF file"});
  file = smallFile();
  std::copy_n("FUGG", 4, file.bytes.begin());
  expectError(file, 0, {"FUGG", "byte-swapped"});
  expectError(GgufBuilder().header(0, 0, 1), 4, {"version 1", "expected 2 or 3", "Convert"});
  expectError(GgufBuilder().header(0, 0, 4), 4, {"version 4", "expected 2 or 3"});
  expectError(GgufBuilder().header(0, 0, 0x03000000), 4, {"big-endian"});
  expectError(GgufBuilder(), 0, {"empty"});
}

TEST(GgufHostile, Counts) {
  for (uint64_t count : {uint64_t(1) << 60, UINT64_MAX, uint64_t(1) << 32}) {
    std::string number = std::to_string(count);
    expectError(GgufBuilder().header(count, 0), 8,
                {number, "number of tensors", "expected at most"});
    expectError(GgufBuilder().header(0, count), 16, {number, "number of metadata entries"});
    GgufBuilder array;
    array.header(0, 1).key("a", 9).number<uint32_t>(8).number<uint64_t>(count);
    expectError(array, 41, {number, "number of elements", "metadata entry 0 of 1 (\"a\")"});
    GgufBuilder string;
    string.header(0, 1).key("a", 8).number<uint64_t>(count);
    expectError(string, 37, {number, "length of the string"});
    GgufBuilder key;
    key.header(0, 1).number<uint64_t>(count).number<uint64_t>(0);
    expectError(key, 24, {number, "length of the key"});
  }
}

TEST(GgufHostile, Alignment) {
  for (uint32_t alignment : {0u, 3u, 48u, 1u << 30, UINT32_MAX}) {
    GgufBuilder file;
    file.header(0, 1).u32("general.alignment", alignment);
    expectError(file, 24,
                {"found " + std::to_string(alignment), "general.alignment",
                 "power of two from 1 to 1048576"});
  }
  GgufBuilder file;
  file.header(0, 1).text("general.alignment", "32");
  expectError(file, 24, {"general.alignment", "string", "expected", "integer"});
}

TEST(GgufHostile, Names) {
  GgufBuilder twice;
  twice.header(0, 2).u32("a", 1).u32("a", 2);
  expectError(twice, twice.boundaries[2], {"\"a\" a second time", "first is at byte 24"});
  GgufBuilder tensorTwice;
  tensorTwice.header(2, 0).tensor("x", {4}, 0, 0).tensor("x", {4}, 0, 32).data(48);
  expectError(tensorTwice, tensorTwice.boundaries[2], {"\"x\" a second time", "at byte 24"});
  expectError(GgufBuilder().header(0, 1).u32("", 1), 24, {"key is empty"});
  expectError(GgufBuilder().header(0, 1).u32(std::string_view("a\0b", 3), 1), 24,
              {"control character 0", "a\\x00b"});
  expectError(GgufBuilder().header(0, 1).u32("a\xffz", 1), 24, {"a\\xffz", "not UTF-8"});
  expectError(GgufBuilder().header(0, 1).u32(std::string(70000, 'k'), 1), 24, {"70000 bytes"});
  GgufBuilder name;
  name.header(1, 0).tensor("t\n", {4}, 0, 0).data(16);
  expectError(name, 24, {"control character 10"});
}

TEST(GgufHostile, Values) {
  expectError(GgufBuilder().header(0, 1).key("a", 13), 33, {"found 13", "expected 0 to 12"});
  expectError(GgufBuilder().header(0, 1).key("a", 7).number<uint8_t>(2), 37,
              {"found 2 as a boolean", "expected 0 or 1"});
  expectError(GgufBuilder().header(0, 1).key("a", 10).number<uint64_t>(UINT64_MAX), 37,
              {"18446744073709551615", "2^63 - 1"});
  expectError(GgufBuilder().header(0, 1).key("a", 9).number<uint32_t>(9).number<uint64_t>(1), 37,
              {"array inside an array"});
  expectError(GgufBuilder().header(0, 1).key("a", 9).number<uint32_t>(13).number<uint64_t>(1), 37,
              {"found 13"});
}

TEST(GgufHostile, Tokenizer) {
  GgufBuilder scores;
  scores.header(0, 2).strings("tokenizer.ggml.tokens", {"a", "b", "c"});
  scores.floats("tokenizer.ggml.scores", {0, 1});
  expectError(scores, scores.boundaries[2],
              {"found 2 elements in tokenizer.ggml.scores", "expected 3"});
  GgufBuilder id;
  id.header(0, 2).strings("tokenizer.ggml.tokens", {"a"}).u32("tokenizer.ggml.eos_token_id", 1);
  expectError(id, id.boundaries[2], {"found 1 as tokenizer.ggml.eos_token_id", "number of tokens"});
}

TEST(GgufHostile, Dimensions) {
  auto one = [](const std::vector<uint64_t> &dims, uint32_t format) {
    GgufBuilder file;
    return file.header(1, 0).tensor("x", dims, format, 0).data(64);
  };
  expectError(one({4, 0}, 0), 45, {"found 0 as dimension 1", "tensor info 0 of 1 (\"x\")"});
  expectError(one({UINT64_MAX}, 0), 37, {"18446744073709551615 as dimension 0"});
  expectError(one({(uint64_t(1) << 42) + 1}, 0), 33, {"[4398046511105]", "16.0 TiB", "the file"});
  expectError(one({uint64_t(1) << 32, uint64_t(1) << 32, uint64_t(1) << 32}, 0), 33,
              {"more than 2^64 bytes"});
  expectError(one({uint64_t(1) << 62, 4}, 0), 33, {"more than 2^64 bytes"});
  expectError(one({48, 2}, 3), 33, {"rows of 48", "multiple of 32", "q4_1"});
  expectError(one({1, 1, 1, 1, 1}, 0), 33, {"rank 5", "at most 4"});
  expectError(one({4}, 99), 45, {"format 99", "unknown", "q4_1"});
  expectError(one({4}, 31), 45, {"q4_0_4_4", "removed"});
}

TEST(GgufHostile, Offsets) {
  auto two = [](uint64_t first, uint64_t second) {
    GgufBuilder file;
    return file.header(2, 0).tensor("x", {8}, 0, first).tensor("y", {8}, 0, second).data(64);
  };
  ASSERT_TRUE(parse(two(0, 32).bytes).ok());
  ASSERT_TRUE(parse(two(32, 0).bytes).ok()) << "the order of the data is free";
  GgufBuilder any = two(0, 32);
  size_t x = any.boundaries[1], y = any.boundaries[2];
  expectError(two(0, 0), y, {"\"y\" starts at byte", "\"x\" ends"});
  expectError(two(0, 64), y, {"32 bytes at offset 64", "64 bytes that are there"});
  expectError(two(8, 32), x, {"offset 8", "multiple of the alignment 32"});
  expectError(two(0, UINT64_MAX - 31), y, {"offset 18446744073709551584"});
}

TEST(Utf8, AcceptsExactlyWellFormedText) {
  for (const char *good : {"", "a", "é", "€", "😀", "\xed\x9f\xbf", "\xf4\x8f\xbf\xbf"})
    EXPECT_TRUE(isUtf8(good)) << good;
  for (const char *bad : {"\x80", "\xc0\x80", "\xc1\xbf", "\xc3", "\xe0\x9f\xbf", "\xed\xa0\x80",
                          "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "a\xff"})
    EXPECT_FALSE(isUtf8(bad)) << nameText(bad);
}

} // namespace
} // namespace relax::gguf
