#include "models/HyperParameters.h"

#include "models/Architectures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>

namespace relax::models {
namespace {

void readSizes(Keys &keys, HyperParameters &p) {
  constexpr int64_t large = int64_t(1) << 24;
  p.layers = keys.integer("block_count", 1, 4096);
  p.width = keys.integer("embedding_length", 1, large);
  p.hidden = keys.integer("feed_forward_length", 1, large);
  p.heads = keys.integer("attention.head_count", 1, 65536);
  p.kvHeads = keys.integer("attention.head_count_kv", p.heads, 1, 65536);
  p.headDim = keys.integer("attention.key_length", p.width / p.heads, 1, 65536);
  p.context = p.trainedContext = keys.integer("context_length", 1, int64_t(1) << 31);
  p.attentionScale = 1 / std::sqrt(static_cast<double>(p.headDim));
  if (keys.status().ok() && p.heads % p.kvHeads != 0)
    keys.invalid(
        fmt::format("{} attention heads can't share {} key heads evenly", p.heads, p.kvHeads));
  int64_t values = keys.integer("attention.value_length", p.headDim, 0, int64_t(1) << 40);
  if (keys.status().ok() && values != p.headDim)
    keys.fail(Status(StatusCode::Unsupported,
                     fmt::format("{}: keys of {} and values of {} elements; only equal lengths can "
                                 "be compiled",
                                 keys.source().path(), p.headDim, values)));
}

void readVocabulary(Keys &keys, HyperParameters &p) {
  const gguf::File &file = keys.source();
  const gguf::Tensor *embedding = file.find("token_embd.weight");
  if (!embedding || embedding->dims.size() != 2)
    return keys.invalid("the tensor 'token_embd.weight' is missing or no matrix; every language "
                        "model has an embedding table");
  p.vocabulary = embedding->dims[0];
  if (!file.metadata().contains("tokenizer.ggml.tokens"))
    return;
  Expected<const std::vector<std::string> *> tokens =
      file.metadata().strings("tokenizer.ggml.tokens");
  if (!tokens)
    return keys.fail(tokens.takeStatus());
  if (static_cast<int64_t>((*tokens)->size()) > p.vocabulary)
    keys.invalid(
        fmt::format("'tokenizer.ggml.tokens' has {} entries; expected at most {}, the rows "
                    "of the tensor 'token_embd.weight'",
                    (*tokens)->size(), p.vocabulary));
}

} // namespace

Expected<HyperParameters> HyperParameters::read(const gguf::File &file,
                                                const ModelOptions &options) {
  Expected<std::string> name = file.metadata().string("general.architecture");
  if (!name)
    return name.takeStatus();
  const Architecture *architecture = findArchitecture(*name);
  if (!architecture)
    return Status(StatusCode::Unsupported,
                  fmt::format("{}: the architecture '{}' can't be compiled; supported are: {}",
                              file.path(), *name, architectureNames()));
  if (options.contextLimit < 0)
    return Status(
        StatusCode::InvalidArgument,
        fmt::format("the context limit is {}; expected a positive number", options.contextLimit));
  Keys keys(file, *name);
  HyperParameters p{};
  readSizes(keys, p);
  RELAX_RETURN_IF_ERROR(keys.status());
  readVocabulary(keys, p);
  if (options.contextLimit > 0)
    p.context = options.contextLimit;
  architecture->describe(keys, p);
  if (!p.usesRotary && p.context > p.trainedContext)
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: the context is {} tokens; expected at most {}: the model has a "
                              "vector for each position",
                              file.path(), p.context, p.trainedContext));
  p.epsilon = keys.number(p.norm == NormKind::Rms ? "attention.layer_norm_rms_epsilon"
                                                  : "attention.layer_norm_epsilon",
                          1e-5);
  if (int64_t experts = keys.integer("expert_count", 0, 0, 65536); experts != 0)
    keys.fail(Status(StatusCode::Unsupported,
                     fmt::format("{}: '{}.expert_count' is {}; mixtures of experts can't be "
                                 "compiled yet",
                                 file.path(), *name, experts)));
  p.warnings = keys.warnings();
  RELAX_RETURN_IF_ERROR(keys.status());
  return p;
}

} // namespace relax::models
