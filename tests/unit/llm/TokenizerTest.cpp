// The tokenizer on small vocabularies made here; ReferenceTest.cpp has the real one.
#include "llm/tokenizer/Tokenizer.h"
#include "llm/tokenizer/ByteAlphabet.h"
#include "llm/tokenizer/PreTokenizer.h"

#include <gtest/gtest.h>

namespace relax::llm {
namespace {

using Words = std::vector<std::string_view>;
using Ids = std::vector<int32_t>;

TEST(PreTokenizer, Gpt2Words) {
  const auto split = [](std::string_view text) { return splitWords(PreTokenizer::Gpt2, text); };
  EXPECT_EQ(split(""), Words());
  EXPECT_EQ(split("Hello world"), (Words{"Hello", " world"}));
  EXPECT_EQ(split("a  b"), (Words{"a", " ", " b"}));
  EXPECT_EQ(split("a  "), (Words{"a", "  "}));
  EXPECT_EQ(split("\t\tx"), (Words{"\t", "\t", "x"}));
  EXPECT_EQ(split("x\n y"), (Words{"x", "\n", " y"}));
  EXPECT_EQ(split("don't we'll 'sup THEY'RE"),
            (Words{"don", "'t", " we", "'ll", " '", "sup", " THEY", "'", "RE"}));
  EXPECT_EQ(split("abc123!? \u4f60\u597d"), (Words{"abc", "123", "!?", " \u4f60\u597d"}));
  EXPECT_EQ(split(" 12"), (Words{" 12"}));
}

TEST(PreTokenizer, SmolLmTakesNumbersFirst) {
  const auto split = [](std::string_view text) { return splitWords(PreTokenizer::SmolLm, text); };
  EXPECT_EQ(split("a 12"), (Words{"a", " ", "1", "2"}));
  EXPECT_EQ(split("a  1 b"), (Words{"a", "  ", "1", " b"})) << "a piece ends at a number";
  EXPECT_EQ(split("x\u00bd"), (Words{"x", "\u00bd"}));
}

TEST(PreTokenizer, InvalidBytesAreSymbols) {
  EXPECT_EQ(splitWords(PreTokenizer::SmolLm, "a\xff\xfe b"), (Words{"a", "\xff\xfe", " b"}));
}

TEST(PreTokenizer, NamesTheOneItDoesNotKnow) {
  const auto unknown = preTokenizerByName("tekken");
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.status().code(), StatusCode::Unsupported);
  EXPECT_NE(unknown.status().message().find("'tekken'"), std::string::npos);
}

TEST(ByteAlphabet, RoundTrip) {
  for (int byte = 0; byte < 256; ++byte) {
    const auto back = alphabetToBytes(byteToAlphabet(static_cast<uint8_t>(byte)));
    ASSERT_TRUE(back);
    EXPECT_EQ(*back, std::string(1, static_cast<char>(byte)));
  }
  EXPECT_EQ(byteToAlphabet(' '), "\u0120");
  EXPECT_FALSE(alphabetToBytes("\u4f60"));
  EXPECT_FALSE(alphabetToBytes(" "));
}

/// a b c ab abc, the space, and specials that begin alike. "d" has no token.
Metadata smallMetadata() {
  Metadata metadata("small.gguf");
  metadata.set("tokenizer.ggml.model", "gpt2");
  metadata.set("tokenizer.ggml.pre", "smollm");
  metadata.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "c", "ab", "abc",
                                                                 "\u0120", "<s>", "<s>x", "<u>"});
  metadata.set("tokenizer.ggml.merges", std::vector<std::string>{"a b", "ab c", "b c"});
  metadata.set("tokenizer.ggml.token_type", std::vector<int64_t>{1, 1, 1, 1, 1, 1, 3, 3, 4});
  metadata.set("tokenizer.ggml.bos_token_id", 6);
  metadata.set("tokenizer.ggml.eos_token_id", 7);
  return metadata;
}

Tokenizer smallTokenizer() {
  auto tokenizer = Tokenizer::fromMetadata(smallMetadata());
  EXPECT_TRUE(tokenizer) << tokenizer.status().message();
  return std::move(*tokenizer);
}

TEST(Tokenizer, MergesByRankThenLeftmost) {
  const Tokenizer tokenizer = smallTokenizer();
  EXPECT_EQ(tokenizer.encode("abc", {}), (Ids{4}));
  EXPECT_EQ(tokenizer.encode("abab", {}), (Ids{3, 3}));
  EXPECT_EQ(tokenizer.encode("aabcc", {}), (Ids{0, 4, 2}));
  EXPECT_EQ(tokenizer.encode("bc", {}), (Ids{1, 2})) << "a merge whose result is no token";
  EXPECT_EQ(tokenizer.encode("", {}), Ids());
}

TEST(Tokenizer, DropsBytesWithoutToken) {
  EXPECT_EQ(smallTokenizer().encode("adb", {}), (Ids{0, 1}));
}

TEST(Tokenizer, SpecialTokens) {
  const Tokenizer tokenizer = smallTokenizer();
  EXPECT_EQ(tokenizer.encode("a<s>xa<s>b", {.parseSpecial = true}), (Ids{0, 7, 0, 6, 1}))
      << "the longest first";
  EXPECT_EQ(tokenizer.encode("a<s>b", {}), (Ids{0, 1})) << "text otherwise";
  EXPECT_EQ(tokenizer.encode("<u>", {}), (Ids{8})) << "user-defined: always";
  EXPECT_EQ(tokenizer.encode("a", {.addSpecial = true}), (Ids{0})) << "the file asks for none";
  EXPECT_TRUE(tokenizer.isControl(6));
  EXPECT_FALSE(tokenizer.isControl(8));
  EXPECT_EQ(tokenizer.endTokens(), (std::set<int32_t>{7}));
}

TEST(Tokenizer, AddsBeginAndEndIfTheFileSaysSo) {
  Metadata metadata = smallMetadata();
  metadata.set("tokenizer.ggml.add_bos_token", true);
  metadata.set("tokenizer.ggml.add_eos_token", true);
  auto tokenizer = Tokenizer::fromMetadata(metadata);
  ASSERT_TRUE(tokenizer) << tokenizer.status().message();
  EXPECT_EQ(tokenizer->encode("a", {.addSpecial = true}), (Ids{6, 0, 7}));
  EXPECT_EQ(tokenizer->encode("a", {}), (Ids{0}));
}

TEST(Tokenizer, Decodes) {
  const Tokenizer tokenizer = smallTokenizer();
  EXPECT_EQ(tokenizer.decode(Ids{6, 4, 5, 0, 8}, true), "<s>abc a<u>");
  EXPECT_EQ(tokenizer.decode(Ids{6, 4, 5, 0, 8}, false), "abc a<u>");
}

void expectError(const Metadata &metadata, std::string_view part) {
  const auto tokenizer = Tokenizer::fromMetadata(metadata);
  ASSERT_FALSE(tokenizer) << "expected an error about " << part;
  const std::string &message = tokenizer.status().message();
  EXPECT_NE(message.find("small.gguf"), std::string::npos) << message;
  EXPECT_NE(message.find(part), std::string::npos) << message;
}

TEST(Tokenizer, RefusesMetadataThatMakesNoSense) {
  Metadata metadata = smallMetadata();
  metadata.set("tokenizer.ggml.model", "bert");
  expectError(metadata, "tokenizer.ggml.model");

  metadata = smallMetadata();
  metadata.set("tokenizer.ggml.merges", std::vector<std::string>{"a b", "ab"});
  expectError(metadata, "tokenizer.ggml.merges[1]");

  metadata = smallMetadata();
  metadata.set("tokenizer.ggml.token_type", std::vector<int64_t>{1, 1});
  expectError(metadata, "tokenizer.ggml.token_type");

  metadata = smallMetadata();
  metadata.set("tokenizer.ggml.eos_token_id", 9);
  expectError(metadata, "tokenizer.ggml.eos_token_id");

  metadata = smallMetadata();
  metadata.set("tokenizer.ggml.tokens", std::vector<std::string>{});
  expectError(metadata, "tokenizer.ggml.tokens");

  metadata = smallMetadata();
  metadata.set("tokenizer.ggml.tokens", 3);
  expectError(metadata, "tokenizer.ggml.tokens");
}

/// A chain of merges in which every power of two of 'a' is a symbol: the deepest that merging gets.
TEST(Tokenizer, LongRunsMergeCompletely) {
  std::vector<std::string> tokens{"a"}, merges;
  for (std::string run = "a"; run.size() < 4096; run += run) {
    merges.push_back(run + " " + run);
    tokens.push_back(run + run);
  }
  Metadata metadata = smallMetadata();
  metadata.set("tokenizer.ggml.token_type", std::vector<int64_t>(tokens.size(), 1));
  metadata.set("tokenizer.ggml.tokens", tokens);
  metadata.set("tokenizer.ggml.merges", merges);
  metadata.set("tokenizer.ggml.bos_token_id", 0);
  metadata.set("tokenizer.ggml.eos_token_id", 0);
  auto tokenizer = Tokenizer::fromMetadata(metadata);
  ASSERT_TRUE(tokenizer) << tokenizer.status().message();
  const std::string text(131072 + 3, 'a');
  const Ids ids = tokenizer->encode(text, {});
  EXPECT_EQ(ids.size(), 131072u / 4096 + 2);
  EXPECT_EQ(tokenizer->decode(ids, true), text);
}

} // namespace
} // namespace relax::llm
