// A model that is split over several files is one model; a part that is missing or foreign is
// named.
#include "GgufBuilder.h"
#include "compiler/importers/gguf/File.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace relax::gguf {
namespace {
using test::GgufBuilder;

class Split : public testing::Test {
protected:
  Split() {
    folder = std::filesystem::temp_directory_path() /
             ("relax-split-" + std::to_string(getpid()) + "-" +
              testing::UnitTest::GetInstance()->current_test_info()->name());
    std::filesystem::create_directories(folder);
  }
  ~Split() override { std::filesystem::remove_all(folder); }

  struct Part {
    int number, count = 3, tensors = 3;
    std::string tensor, name = "";
  };
  /// A file with one tensor of 32 bytes, the first of which is `number`.
  static std::vector<uint8_t> part(const Part &part) {
    GgufBuilder file;
    file.header(1, part.name.empty() ? 3 : 4);
    if (!part.name.empty())
      file.text("general.name", part.name);
    file.key("split.no", 2).number<uint16_t>(static_cast<uint16_t>(part.number));
    file.key("split.count", 2).number<uint16_t>(static_cast<uint16_t>(part.count));
    file.key("split.tensors.count", 5).number<int32_t>(part.tensors);
    file.tensor(part.tensor, {8}, 0, 0).pad();
    const size_t start = file.bytes.size();
    file.data(32);
    file.bytes[start] = static_cast<uint8_t>(part.number);
    return file.bytes;
  }
  std::string write(const std::string &name, const std::vector<uint8_t> &bytes) const {
    const std::string path = folder / name;
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
    return path;
  }
  std::string writeAll() const {
    write("m-00003-of-00003.gguf", part({.number = 2, .tensor = "c"}));
    write("m-00002-of-00003.gguf", part({.number = 1, .tensor = "b"}));
    return write("m-00001-of-00003.gguf", part({.number = 0, .tensor = "a", .name = "m"}));
  }
  static void refused(const std::string &path, std::initializer_list<const char *> says) {
    const auto file = File::open(path);
    ASSERT_FALSE(file);
    for (const char *part : says)
      EXPECT_NE(file.status().message().find(part), std::string::npos)
          << file.status().message() << " lacks " << part;
  }

  std::filesystem::path folder;
};

TEST_F(Split, PartsAreOneModel) {
  const auto file = File::open(writeAll());
  ASSERT_TRUE(file) << file.status().message();
  EXPECT_EQ(*file->metadata().string("general.name"), "m");
  ASSERT_EQ(file->parts().size(), 3u);
  ASSERT_EQ(file->tensors().size(), 3u);
  uint64_t size = 0;
  for (uint32_t i = 0; i < 3; ++i) {
    const Tensor *tensor = file->find(std::string(1, static_cast<char>('a' + i)));
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(tensor->part, i);
    EXPECT_EQ(file->bytes(*tensor)[0], i);
    size += file->parts()[i].bytes.size();
  }
  EXPECT_EQ(file->size(), size);
  EXPECT_NE(file->place(*file->find("b")).find("m-00002-of-00003.gguf: byte "), std::string::npos);
}

TEST_F(Split, OnlyTheFirstOpensTheModel) {
  writeAll();
  refused(folder / "m-00002-of-00003.gguf", {"part 2 of 3", "m-00001-of-00003.gguf"});
  const std::string renamed = write("m.gguf", part({.number = 0, .tensor = "a"}));
  refused(renamed, {"part 1 of 3", "-00001-of-00003.gguf"});
}

TEST_F(Split, AMissingPartIsNamed) {
  const std::string path = writeAll();
  std::filesystem::remove(folder / "m-00002-of-00003.gguf");
  refused(path, {"part 2 of 3", "m-00002-of-00003.gguf"});
}

TEST_F(Split, ADamagedPartIsNamed) {
  const std::string path = writeAll();
  std::filesystem::resize_file(folder / "m-00003-of-00003.gguf", 40);
  refused(path, {"part 3 of 3", "m-00003-of-00003.gguf", "byte"});
}

TEST_F(Split, AForeignPartIsNamed) {
  const std::string path = writeAll(), second = "m-00002-of-00003.gguf";
  write(second, part({.number = 2, .tensor = "b"}));
  refused(path, {second.c_str(), "split.no", "found 2", "expected 1"});
  write(second, part({.number = 1, .count = 4, .tensor = "b"}));
  refused(path, {second.c_str(), "split.count", "found 4", "expected 3"});
  write(second, part({.number = 1, .tensors = 9, .tensor = "b"}));
  refused(path, {second.c_str(), "split.tensors.count", "another model"});
  write(second, part({.number = 1, .tensor = "b", .name = "other"}));
  refused(path, {second.c_str(), "general.name", "another model"});
  write(second, part({.number = 1, .tensor = "a"}));
  refused(path, {second.c_str(), "tensor \"a\"", "m-00001-of-00003.gguf already"});
  GgufBuilder whole;
  write(second, whole.header(0, 0).bytes);
  refused(path, {second.c_str(), "split.no"});
}

TEST_F(Split, TooFewTensorsAreNoticed) {
  writeAll();
  const std::string path =
      write("m-00001-of-00003.gguf", part({.number = 0, .tensors = 4, .tensor = "a"}));
  refused(path, {"another"});
  for (int i : {1, 2})
    write("m-0000" + std::to_string(i + 1) + "-of-00003.gguf",
          part({.number = i, .tensors = 4, .tensor = std::string(1, static_cast<char>('a' + i))}));
  refused(path, {"split.tensors.count: found 4, expected 3"});
}

TEST_F(Split, NumbersOutOfRangeAreErrors) {
  refused(write("m-00001-of-00003.gguf", part({.number = 3, .tensor = "a"})), {"split.no"});
  refused(write("m-00001-of-60000.gguf", part({.number = 0, .count = 60000, .tensor = "a"})),
          {"split.count", "60000"});
}

} // namespace
} // namespace relax::gguf
