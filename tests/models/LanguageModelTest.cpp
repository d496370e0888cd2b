// The graph that a file becomes, and what is said of files that can't become one.
#include "models/LanguageModel.h"
#include "TinyFile.h"

#include "compiler/dialect/Relax.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace relax::models {
namespace {
using test::TinyFile;

class LanguageModelTest : public testing::Test {
protected:
  LanguageModelTest() { context.loadDialect<ir::RelaxDialect, func::FuncDialect>(); }

  Expected<OwningOpRef<ModuleOp>> build(const TinyFile &tiny, const ModelOptions &options = {}) {
    bytes = tiny.bytes();
    Expected<gguf::File> file = gguf::File::parse("tiny.gguf", bytes);
    if (!file)
      return file.takeStatus();
    return buildLanguageModel(&context, *file, options);
  }
  std::string text(ModuleOp module) {
    std::string out;
    llvm::raw_string_ostream stream(out);
    module.print(stream);
    return out;
  }
  /// Requires an error that begins with the file's name and holds every one of `parts`.
  void expectError(const TinyFile &tiny, StatusCode code, const std::vector<std::string> &parts,
                   const ModelOptions &options = {}) {
    auto module = build(tiny, options);
    ASSERT_FALSE(module.ok());
    EXPECT_EQ(module.status().code(), code) << module.status().message();
    for (const std::string &part : parts)
      EXPECT_NE(module.status().message().find(part), std::string::npos)
          << "no \"" << part << "\" in: " << module.status().message();
  }

  MLIRContext context;
  std::vector<uint8_t> bytes;
};

size_t count(const std::string &text, const std::string &part) {
  size_t found = 0;
  for (size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

TEST_F(LanguageModelTest, WritesStep) {
  auto module = build(TinyFile());
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_TRUE(succeeded(verify(**module)));
  std::string out = text(**module);
  for (const char *part :
       {"func.func @step", "relax.symbols = #relax.symbols<t = [0, 8192]", "p = [0, 4]",
        "relax.name = \"tokens\"", "relax.values = #relax.values<0, 40>",
        "tensor<?xi32, #relax.shape<[b + 1]>>", "tensor<?x?xi32, #relax.shape<[b, p]>>",
        "tensor<?x2x8x32xf32, #relax.shape<[g, 2, 8, 32]>>",
        "tensor<?x2x32x8xf32, #relax.shape<[g, 2, 32, 8]>>", "relax.donated",
        "tensor<?x40xf32, #relax.shape<[r, 40]>>", "relax.dataflow", "relax.ragged", "interleaved"})
    EXPECT_NE(out.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << out;
  EXPECT_EQ(count(out, "relax.rotary_table"), 1u) << "one table for all layers";
  EXPECT_EQ(count(out, "relax.update_slots"), 4u);
  EXPECT_EQ(count(out, "relax.paged_attention"), 2u);
  EXPECT_EQ(count(out, "relax.matmul"), 15u) << "seven in each layer, and the head";
  EXPECT_EQ(count(out, "relax.rms_norm"), 5u);
  EXPECT_EQ(count(out, "relax.likeliest"), 1u);
}

TEST_F(LanguageModelTest, TextReadsBackToTheSame) {
  ModelOptions options;
  options.cacheType = "f16";
  options.hashWeights = true;
  auto module = build(TinyFile(), options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::string first = text(**module);
  EXPECT_NE(first.find("x2x8x32xf16"), std::string::npos);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(first, &context);
  ASSERT_TRUE(again);
  EXPECT_EQ(text(*again), first);
}

TEST_F(LanguageModelTest, QuantisedCachesHaveRoomForScales) {
  ModelOptions options;
  options.cacheType = "q8_0";
  auto module = build(TinyFile(), options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_TRUE(succeeded(verify(**module)));
  std::string out = text(**module);
  // A scale of two bytes for the 8 elements of a head.
  EXPECT_NE(out.find("tensor<?x2x10x32xi8, #relax.shape<[g, 2, 10, 32]>>"), std::string::npos);
  EXPECT_NE(out.find("tensor<?x2x32x10xi8, #relax.shape<[g, 2, 32, 10]>>"), std::string::npos);
  options.cacheType = "q4_0";
  module = build(TinyFile(), options);
  ASSERT_FALSE(module.ok());
  EXPECT_EQ(module.status().message(), "unknown cache type 'q4_0'; expected f32, f16 or q8_0");
}

TEST_F(LanguageModelTest, WeightsReferToTheFile) {
  ModelOptions options;
  options.hashWeights = true;
  TinyFile tiny;
  auto module = build(tiny, options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  Expected<gguf::File> file = gguf::File::parse("tiny.gguf", bytes);
  std::set<std::string> seen;
  (*module)->walk([&](ir::ConstantOp op) {
    ir::WeightAttr weight = op.getWeight();
    const gguf::Tensor *tensor = file->find(weight.getName().str());
    ASSERT_NE(tensor, nullptr);
    EXPECT_EQ(weight.getOffset(), tensor->offset);
    EXPECT_EQ(weight.getSize(), tensor->size);
    EXPECT_EQ(weight.getHash().size(), 16u);
    seen.insert(tensor->name);
  });
  EXPECT_EQ(seen.size(), tiny.tensors.size());
}

TEST_F(LanguageModelTest, HeadMayBeItsOwn) {
  TinyFile tiny;
  tiny.tensors.push_back({"output.weight", {32, 40}, 3});
  auto module = build(tiny);
  ASSERT_TRUE(module.ok()) << module.status().message();
  std::string out = text(**module);
  EXPECT_NE(out.find("format = \"q4_1\""), std::string::npos);
  EXPECT_NE(out.find("\"output.weight\""), std::string::npos);
}

TEST_F(LanguageModelTest, ContextLimitBoundsThePages) {
  ModelOptions options;
  options.contextLimit = 33;
  auto module = build(TinyFile(), options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_NE(text(**module).find("p = [0, 2]"), std::string::npos);
  // Longer than the file's 100 tokens, too.
  options.contextLimit = 200;
  module = build(TinyFile(), options);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_NE(text(**module).find("p = [0, 7]"), std::string::npos);
  options.contextLimit = -1;
  expectError(TinyFile(), StatusCode::InvalidArgument, {"context limit is -1"}, options);
}

TEST_F(LanguageModelTest, LayersWithAWindowHaveTheirOwnPages) {
  TinyFile tiny;
  tiny.architecture = "gemma2";
  tiny.numbers["attention.sliding_window"] = 20;
  for (const char *prefix : {"blk.0.", "blk.1."})
    for (const char *name : {"post_attention_norm.weight", "post_ffw_norm.weight"})
      tiny.tensors.push_back({std::string(prefix) + name, {32}, 0});
  auto module = build(tiny);
  ASSERT_TRUE(module.ok()) << module.status().message();
  ASSERT_TRUE(succeeded(verify(**module)));
  const std::string out = text(**module);
  for (const char *part :
       {"relax.name = \"local_page_table\"", "relax.values = #relax.values<0, h>",
        "tensor<?x2x8x32xf32, #relax.shape<[h, 2, 8, 32]>> {relax.donated, relax.name = "
        "\"k_pages.0\"",
        "tensor<?x2x8x32xf32, #relax.shape<[g, 2, 8, 32]>> {relax.donated, relax.name = "
        "\"k_pages.1\""})
    EXPECT_NE(out.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << out;
  // Where every layer has one, or none has, there is one page table.
  tiny.numbers["attention.sliding_window"] = 0;
  module = build(tiny);
  ASSERT_TRUE(module.ok()) << module.status().message();
  EXPECT_EQ(text(**module).find("local_page_table"), std::string::npos);
}

TEST_F(LanguageModelTest, TensorsMustBeThereAndFit) {
  TinyFile tiny;
  tiny.remove("blk.1.ffn_up.weight");
  expectError(tiny, StatusCode::InvalidFile,
              {"tiny.gguf", "'blk.1.ffn_up.weight' is missing", "[64, 32]"});
  tiny = TinyFile();
  tiny.tensor("blk.0.attn_k.weight").dims = {32, 8};
  expectError(tiny, StatusCode::InvalidFile,
              {"'blk.0.attn_k.weight' is q8_0 [8, 32]", "expected the shape [16, 32]"});
  tiny = TinyFile();
  tiny.remove("token_embd.weight");
  expectError(tiny, StatusCode::InvalidFile, {"token_embd.weight", "missing"});
  tiny = TinyFile();
  tiny.tensors.push_back({"blk.0.attn_q.norm", {8}, 0});
  expectError(tiny, StatusCode::Unsupported, {"blk.0.attn_q.norm", "f32 [8]", "doesn't use"});
  tiny = TinyFile();
  tiny.tensors.push_back({"rope_freqs.weight", {3}, 0});
  expectError(tiny, StatusCode::InvalidFile, {"rope_freqs.weight", "f32 [3]", "f32 [4]"});
  tiny = TinyFile();
  tiny.tensor("blk.0.ffn_up.weight").format = 39; // mxfp4
  expectError(tiny, StatusCode::Unsupported, {"'blk.0.ffn_up.weight'", "mxfp4", "q4_1"});
}

TEST_F(LanguageModelTest, HyperParametersMustFit) {
  TinyFile tiny;
  tiny.architecture = "mamba";
  expectError(tiny, StatusCode::Unsupported, {"tiny.gguf", "'mamba'", "supported are", "llama"});
  tiny = TinyFile();
  tiny.texts["rope.scaling.type"] = "twisted";
  expectError(tiny, StatusCode::Unsupported, {"'twisted'", "linear", "yarn"});
  tiny = TinyFile();
  tiny.texts["rope.scaling.type"] = "longrope";
  expectError(tiny, StatusCode::InvalidFile, {"rope_factors_short.weight", "missing"});
  tiny = TinyFile();
  tiny.numbers["expert_count"] = 8;
  expectError(tiny, StatusCode::Unsupported, {"expert_count", "8"});
  tiny = TinyFile();
  tiny.numbers["attention.head_count_kv"] = 3;
  expectError(tiny, StatusCode::InvalidFile, {"4 attention heads", "3 key heads"});
  tiny = TinyFile();
  tiny.numbers["rope.dimension_count"] = 10;
  expectError(tiny, StatusCode::InvalidFile, {"10 dimensions", "heads of 8"});
  tiny = TinyFile();
  tiny.numbers.erase("block_count");
  expectError(tiny, StatusCode::NotFound, {"'llama.block_count' is missing"});
  tiny = TinyFile();
  tiny.numbers["block_count"] = 0;
  expectError(tiny, StatusCode::InvalidFile,
              {"'llama.block_count' is 0", "expected a number from 1"});
  tiny = TinyFile();
  tiny.numbers["attention.value_length"] = 4;
  expectError(tiny, StatusCode::Unsupported, {"keys of 8 and values of 4"});
  tiny = TinyFile();
  tiny.tokens.resize(41);
  expectError(tiny, StatusCode::InvalidFile, {"41 entries", "at most 40"});
}

TEST_F(LanguageModelTest, MetadataGoesWithTheModel) {
  bytes = TinyFile().bytes();
  Expected<gguf::File> file = gguf::File::parse("tiny.gguf", bytes);
  ASSERT_TRUE(file.ok());
  Expected<Metadata> metadata = modelMetadata(*file, {});
  ASSERT_TRUE(metadata.ok()) << metadata.status().message();
  EXPECT_EQ(*metadata->integer("relax.num_layers"), 2);
  EXPECT_EQ(*metadata->integer("relax.head_dim"), 8);
  EXPECT_EQ(*metadata->integer("relax.vocabulary_size"), 40);
  EXPECT_EQ(*metadata->string("relax.cache_type"), "f32");
  EXPECT_EQ((*metadata->strings("tokenizer.ggml.tokens"))->size(), 40u);
}

} // namespace
} // namespace relax::models
