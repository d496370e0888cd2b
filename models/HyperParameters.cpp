#include "models/HyperParameters.h"

#include <fmt/format.h>

namespace relax::models {
namespace {

/// Reads keys of one architecture; the first error stays.
class Reader {
public:
  Reader(const gguf::File &file, std::string prefix) : file(file), prefix(std::move(prefix)) {}

  int64_t integer(const char *key, int64_t least, int64_t most) {
    return check(key, file.metadata().integer(prefix + key), least, most);
  }
  int64_t integer(const char *key, int64_t otherwise, int64_t least, int64_t most) {
    return check(key, file.metadata().integer(prefix + key, otherwise), least, most);
  }
  /// Models differ in these numbers, so a default that is taken is worth a word.
  double number(const char *key, double otherwise, std::vector<std::string> &warnings) {
    if (!file.metadata().contains(prefix + key))
      warnings.push_back(
          fmt::format("{}: warning: '{}{}' is missing; the default {} is taken, with which the "
                      "model's answers are wrong if it was trained with another",
                      file.path(), prefix, key, otherwise));
    Expected<double> value = file.metadata().number(prefix + key, otherwise);
    if (value && *value > 0 && *value < 1e12)
      return *value;
    fail(value ? Status(StatusCode::InvalidFile,
                        fmt::format("{}: '{}{}' is {}; expected a positive number", file.path(),
                                    prefix, key, *value))
               : value.takeStatus());
    return otherwise;
  }
  void fail(Status error) {
    if (first.ok())
      first = std::move(error);
  }

  Status first;

private:
  int64_t check(const char *key, Expected<int64_t> value, int64_t least, int64_t most) {
    if (!value) {
      fail(value.takeStatus());
      return least;
    }
    if (*value >= least && *value <= most)
      return *value;
    fail(Status(StatusCode::InvalidFile,
                fmt::format("{}: '{}{}' is {}; expected a number from {} to {}", file.path(),
                            prefix, key, *value, least, most)));
    return least;
  }

  const gguf::File &file;
  std::string prefix;
};

} // namespace

Expected<HyperParameters> HyperParameters::read(const gguf::File &file,
                                                const ModelOptions &options) {
  Expected<std::string> architecture = file.metadata().string("general.architecture");
  if (!architecture)
    return architecture.takeStatus();
  Reader reader(file, *architecture + ".");
  HyperParameters result{};
  constexpr int64_t large = int64_t(1) << 24;
  result.layers = reader.integer("block_count", 1, 4096);
  result.width = reader.integer("embedding_length", 1, large);
  result.hidden = reader.integer("feed_forward_length", 1, large);
  result.heads = reader.integer("attention.head_count", 1, 65536);
  result.kvHeads = reader.integer("attention.head_count_kv", result.heads, 1, 65536);
  result.headDim = reader.integer("attention.key_length", result.width / result.heads, 1, 65536);
  result.context = reader.integer("context_length", 1, int64_t(1) << 31);
  result.ropeDims = reader.integer("rope.dimension_count", result.headDim, 2, 65536);
  result.epsilon = reader.number("attention.layer_norm_rms_epsilon", 1e-5, result.warnings);
  result.ropeBase = reader.number("rope.freq_base", 10000, result.warnings);
  RELAX_RETURN_IF_ERROR(reader.first);
  auto invalid = [&](const std::string &text) {
    return Status(StatusCode::InvalidFile, file.path() + ": " + text);
  };
  if (result.heads % result.kvHeads != 0)
    return invalid(fmt::format("{} attention heads can't share {} key heads evenly", result.heads,
                               result.kvHeads));
  if (result.ropeDims % 2 != 0 || result.ropeDims > result.headDim)
    return invalid(fmt::format("rotary embedding of {} dimensions doesn't fit heads of {}",
                               result.ropeDims, result.headDim));
  Expected<int64_t> valueLength =
      file.metadata().integer(*architecture + ".attention.value_length", result.headDim);
  if (!valueLength)
    return valueLength.takeStatus();
  if (*valueLength != result.headDim)
    return Status(StatusCode::Unsupported,
                  fmt::format("{}: keys of {} and values of {} elements; only equal lengths can be "
                              "compiled",
                              file.path(), result.headDim, *valueLength));
  if (options.contextLimit < 0)
    return Status(
        StatusCode::InvalidArgument,
        fmt::format("the context limit is {}; expected a positive number", options.contextLimit));
  if (options.contextLimit > 0)
    result.context = std::min(result.context, options.contextLimit);
  const gguf::Tensor *embedding = file.find("token_embd.weight");
  if (!embedding || embedding->dims.size() != 2)
    return invalid("the tensor 'token_embd.weight' is missing or no matrix; every language model "
                   "has an embedding table");
  result.vocabulary = embedding->dims[0];
  if (file.metadata().contains("tokenizer.ggml.tokens")) {
    Expected<const std::vector<std::string> *> tokens =
        file.metadata().strings("tokenizer.ggml.tokens");
    if (!tokens)
      return tokens.takeStatus();
    if (static_cast<int64_t>((*tokens)->size()) > result.vocabulary)
      return invalid(fmt::format("'tokenizer.ggml.tokens' has {} entries; expected at most {}, the "
                                 "rows of the tensor 'token_embd.weight'",
                                 (*tokens)->size(), result.vocabulary));
  }
  return result;
}

} // namespace relax::models
