// Token ids of real vocabularies equal those of independent implementations: the three real models'
// (tests/data/reference), and those of a dozen vocabulary-only files that
// scripts/fetch_vocabularies.sh obtains with inputs and expected ids.
#include "tests/unit/llm/Reference.h"

#include "llm/tokenizer/Tokenizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>

namespace relax::llm {
namespace {

using json = nlohmann::ordered_json;
using Ids = std::vector<int32_t>;

Tokenizer makeTokenizer(const std::string &path) {
  auto made = Tokenizer::fromMetadata(test::readMetadata(path));
  if (!made)
    throw std::runtime_error(made.status().message());
  return std::move(*made);
}

std::string fromHex(const std::string &hex) {
  std::string bytes;
  for (size_t i = 0; i < hex.size(); i += 2)
    bytes += static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16));
  return bytes;
}

struct RealModel {
  std::string file, folder, name;
  std::set<int32_t> ends;
};

class RealModelTest : public testing::TestWithParam<RealModel> {
protected:
  void SetUp() override { tokenizer = makeTokenizer(test::modelFolder() + "/" + GetParam().file); }
  /// One list of a reference file.
  json cases(const std::string &kind, const char *list) {
    return test::readReference(GetParam().folder + "/" + kind + "_" + GetParam().name +
                               ".json")[list];
  }
  std::optional<Tokenizer> tokenizer;
};

TEST_P(RealModelTest, TokenIds) {
  for (const json &one : cases("tokenize", "cases")) {
    const std::string text = one["text"];
    EXPECT_EQ(tokenizer->encode(text, {}), one["plain"].get<Ids>()) << one["text"];
    EXPECT_EQ(tokenizer->encode(text, {.addSpecial = true, .parseSpecial = true}),
              one["special"].get<Ids>())
        << one["text"];
  }
  for (const json &one : cases("tokenize_more", "cases")) {
    const Ids ids =
        tokenizer->encode(one["text"].get<std::string>(),
                          {.addSpecial = one["add_special"], .parseSpecial = one["parse_special"]});
    bool equal = one["ids"].is_array() && ids == one["ids"].get<Ids>();
    for (const char *other : {"alt_ids", "ids_nfc"})
      equal |= one.contains(other) && one[other].is_array() && ids == one[other].get<Ids>();
    EXPECT_TRUE(equal) << one << testing::PrintToString(ids);
  }
}

TEST_P(RealModelTest, DecodingGivesTheTextBack) {
  for (const json &one : cases("tokenize", "cases")) {
    const std::string text = one["text"];
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, {}), true), text);
  }
  for (const json &one : cases("tokenize_more", "invalid_utf8"))
    EXPECT_FALSE(tokenizer->encode(fromHex(one["hex"]), {}).empty()) << one["hex"];
  EXPECT_EQ(tokenizer->endTokens(), GetParam().ends);
}

TEST_P(RealModelTest, LongRunsInTimeInProportion) {
  std::string han;
  for (int i = 0; i < 20000; ++i)
    han += "\u4f60\u597d";
  for (const std::string &text :
       {std::string(43000, 'A'), std::string(50000, ' '), std::string(131072, 'Z'),
        std::string(60000, '\n'), std::string(50000, '1'), std::string(50000, '<'), han})
    EXPECT_EQ(tokenizer->decode(tokenizer->encode(text, {.parseSpecial = true}), true), text);
}

INSTANTIATE_TEST_SUITE_P(
    Models, RealModelTest,
    testing::Values(RealModel{"gemma-3-270m-q4_k_m.gguf", "gemma3", "gemma", {1, 106}},
                    RealModel{"Qwen2.5-Coder-0.5B-Instruct-Q4_K_M.gguf",
                              "qwen2.5-coder",
                              "qwen",
                              {151645, 151643, 151662, 151663, 151664}}),
    [](const auto &info) { return info.param.name; });

TEST(SpecialTokens, OneBegin) {
  const Tokenizer gemma = makeTokenizer(test::modelFolder() + "/gemma-3-270m-q4_k_m.gguf");
  const Tokenizer::EncodeOptions options = {.addSpecial = true, .parseSpecial = true};
  Tokenizer::EncodeOptions one = options;
  one.oneBegin = true;
  EXPECT_EQ(gemma.encode("<bos>", options), (Ids{2, 2}));
  EXPECT_EQ(gemma.encode("<bos>", one), (Ids{2}));
  EXPECT_EQ(gemma.encode("<bos>a", one), (Ids{2, 236746}));
  EXPECT_EQ(gemma.encode("", one), (Ids{2}));
}

std::string readFile(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    ADD_FAILURE() << "cannot read " << path << " (scripts/fetch_vocabularies.sh obtains it)";
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string vocabularyFolder() {
  const char *given = std::getenv("RELAX_VOCABULARIES");
  return given ? given : test::modelFolder() + "/../vocabularies";
}

class VocabularyTest : public testing::TestWithParam<std::string> {};

TEST_P(VocabularyTest, ExpectedIds) {
  const std::string path = vocabularyFolder() + "/ggml-vocab-" + GetParam() + ".gguf";
  const Tokenizer tokenizer = makeTokenizer(path);
  const std::string inputs = readFile(path + ".inp"), separator = "\n__ggml_vocab_test__\n";
  std::istringstream expected(readFile(path + ".out"));
  size_t count = 0;
  for (size_t begin = 0; begin <= inputs.size(); ++count) {
    const size_t end = std::min(inputs.find(separator, begin), inputs.size());
    const std::string text = inputs.substr(begin, end - begin);
    std::string line;
    // What follows the last separator is the file's end.
    if (!std::getline(expected, line))
      break;
    std::istringstream numbers(line);
    const Ids ids{std::istream_iterator<int32_t>(numbers), {}};
    EXPECT_EQ(tokenizer.encode(text, {}), ids) << testing::PrintToString(text);
    begin = end + separator.size();
  }
  EXPECT_GT(count, 30u);
}

INSTANTIATE_TEST_SUITE_P(Vocabularies, VocabularyTest,
                         testing::Values("command-r", "deepseek-coder", "deepseek-llm", "falcon",
                                         "gpt-2", "llama-bpe", "llama-spm", "mpt", "phi-3", "qwen2",
                                         "qwen35", "refact", "starcoder"),
                         [](const auto &info) {
                           std::string name = info.param;
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

} // namespace
} // namespace relax::llm
