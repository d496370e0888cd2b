#include "llm/tokenizer/Tokenizer.h"

#include "llm/tokenizer/ByteAlphabet.h"
#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

#include <algorithm>

namespace relax::llm {
namespace {

/// Names of tokens after which an answer is over, whatever the file says: ends of a turn or text,
/// and the marks of fill-in-the-middle training that never belong into an answer.
constexpr std::string_view endNames[] = {
    "<|endoftext|>", "<|end_of_text|>", "<|im_end|>", "<|end|>",    "<|eot_id|>",
    "<|eom_id|>",    "<end_of_turn>",   "<EOT>",      "_<EOT>",     "<end_of_utterance>",
    "<|fim_pad|>",   "<fim-pad>",       "<fim_pad>",  "<PAD>",      "<|fim_repo|>",
    "<|repo_name|>", "<fim-repo>",      "<REPO>",     "<reponame>", "<|file_sep|>",
};

/// `text` without what is not UTF-8; a copy is made only if there is such.
std::string_view validText(std::string_view text, std::string &storage) {
  for (size_t i = 0; i < text.size();) {
    const auto codePoint = decodeUtf8(text, i);
    if (!codePoint) {
      storage = replaceInvalidUtf8(text);
      return storage;
    }
    i += codePoint->bytes;
  }
  return text;
}

} // namespace

Expected<Tokenizer> Tokenizer::fromMetadata(const Metadata &metadata) {
  const auto fail = [&](Status status) {
    return metadata.source().empty() ? status : std::move(status).withContext(metadata.source());
  };
  auto model = metadata.string("tokenizer.ggml.model");
  if (!model)
    return model.takeStatus();
  if (*model != "gpt2")
    return fail(Status(StatusCode::Unsupported,
                       fmt::format("tokenizer.ggml.model: found '{}', expected 'gpt2' (byte-level "
                                   "BPE)",
                                   *model)));
  auto preName = metadata.string("tokenizer.ggml.pre");
  if (!preName)
    return preName.takeStatus();
  auto preTokenizer = preTokenizerByName(*preName);
  if (!preTokenizer)
    return fail(preTokenizer.takeStatus());
  auto tokens = metadata.strings("tokenizer.ggml.tokens");
  if (!tokens)
    return tokens.takeStatus();
  if ((*tokens)->empty() || (*tokens)->size() > INT32_MAX)
    return fail(Status(StatusCode::InvalidFile,
                       fmt::format("tokenizer.ggml.tokens: found {} tokens, expected 1 to {}",
                                   (*tokens)->size(), INT32_MAX)));
  auto merges = metadata.strings("tokenizer.ggml.merges");
  if (!merges)
    return merges.takeStatus();
  auto encoder = BytePairEncoder::create(**tokens, **merges);
  if (!encoder)
    return fail(encoder.takeStatus());

  Tokenizer tokenizer(std::move(*encoder), *preTokenizer);
  RELAX_RETURN_IF_ERROR(tokenizer.readKinds(metadata, (*tokens)->size()));
  tokenizer.readTexts(**tokens);
  RELAX_RETURN_IF_ERROR(tokenizer.readSpecialIds(metadata));
  return tokenizer;
}

Status Tokenizer::readKinds(const Metadata &metadata, size_t count) {
  kinds.assign(count, Kind::Normal);
  if (!metadata.contains("tokenizer.ggml.token_type"))
    return {};
  auto types = metadata.integers("tokenizer.ggml.token_type");
  if (!types)
    return types.takeStatus();
  if ((*types)->size() != count)
    return Status(StatusCode::InvalidFile,
                  fmt::format("{}: tokenizer.ggml.token_type: found {} entries, expected one for "
                              "each of the {} tokens",
                              metadata.source(), (*types)->size(), count));
  for (size_t i = 0; i < count; ++i) {
    switch ((**types)[i]) {
    case 2:
      kinds[i] = Kind::Unknown;
      break;
    case 3:
      kinds[i] = Kind::Control;
      break;
    case 4:
      kinds[i] = Kind::UserDefined;
      break;
    case 5:
      kinds[i] = Kind::Unused;
      break;
    default:
      break;
    }
  }
  return {};
}

void Tokenizer::readTexts(const std::vector<std::string> &texts) {
  tokenBytes.reserve(texts.size());
  for (size_t i = 0; i < texts.size(); ++i) {
    const bool literal = kinds[i] == Kind::Control || kinds[i] == Kind::UserDefined;
    std::optional<std::string> bytes;
    if (!literal)
      bytes = alphabetToBytes(texts[i]);
    tokenBytes.push_back(bytes ? std::move(*bytes) : texts[i]);
    if (literal && !texts[i].empty())
      specials.push_back({texts[i], static_cast<int32_t>(i), kinds[i] == Kind::UserDefined});
    if (literal && std::ranges::find(endNames, texts[i]) != std::end(endNames))
      ends.insert(static_cast<int32_t>(i));
  }
  std::ranges::sort(specials, [](const Special &a, const Special &b) {
    return a.text.size() != b.text.size() ? a.text.size() > b.text.size() : a.id < b.id;
  });
}

Status Tokenizer::readSpecialIds(const Metadata &metadata) {
  const auto readId = [&](const char *key, std::optional<int32_t> &id) -> Status {
    if (!metadata.contains(key))
      return {};
    auto value = metadata.integer(key);
    if (!value)
      return value.takeStatus();
    if (!contains(*value))
      return Status(StatusCode::InvalidFile,
                    fmt::format("{}: {}: found {}, expected a token, 0 to {}", metadata.source(),
                                key, *value, vocabularySize() - 1));
    id = static_cast<int32_t>(*value);
    return {};
  };
  std::optional<int32_t> endOfTurn;
  RELAX_RETURN_IF_ERROR(readId("tokenizer.ggml.bos_token_id", begin));
  RELAX_RETURN_IF_ERROR(readId("tokenizer.ggml.eos_token_id", end));
  RELAX_RETURN_IF_ERROR(readId("tokenizer.ggml.eot_token_id", endOfTurn));
  for (const auto &id : {end, endOfTurn})
    if (id)
      ends.insert(*id);
  auto wantsBegin = metadata.boolean("tokenizer.ggml.add_bos_token", false);
  if (!wantsBegin)
    return wantsBegin.takeStatus();
  auto wantsEnd = metadata.boolean("tokenizer.ggml.add_eos_token", false);
  if (!wantsEnd)
    return wantsEnd.takeStatus();
  addBegin = *wantsBegin && begin;
  addEnd = *wantsEnd && end;
  return {};
}

std::vector<Tokenizer::Fragment> Tokenizer::cutSpecials(std::string_view text,
                                                        bool parseSpecial) const {
  std::vector<Fragment> fragments{{text, -1}}, cut;
  for (const Special &special : specials) {
    if (!special.always && !parseSpecial)
      continue;
    cut.clear();
    for (const Fragment &fragment : fragments) {
      std::string_view rest = fragment.text;
      size_t at;
      while (fragment.id < 0 && (at = rest.find(special.text)) != std::string_view::npos) {
        if (at > 0)
          cut.push_back({rest.substr(0, at), -1});
        cut.push_back({rest.substr(at, special.text.size()), special.id});
        rest.remove_prefix(at + special.text.size());
      }
      if (!rest.empty())
        cut.push_back({rest, fragment.id});
    }
    fragments.swap(cut);
  }
  return fragments;
}

std::vector<int32_t> Tokenizer::encode(std::string_view text, EncodeOptions options) const {
  std::vector<int32_t> ids;
  if (options.addSpecial && addBegin)
    ids.push_back(*begin);
  std::string storage;
  for (const Fragment &fragment : cutSpecials(validText(text, storage), options.parseSpecial)) {
    if (fragment.id >= 0) {
      ids.push_back(fragment.id);
      continue;
    }
    for (const std::string_view word : splitWords(preTokenizer, fragment.text))
      encoder.encode(word, ids);
  }
  if (options.addSpecial && addEnd)
    ids.push_back(*end);
  return ids;
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool showSpecial) const {
  std::string bytes;
  for (const int32_t id : ids)
    if (showSpecial || !isControl(id))
      bytes += tokenBytes[id];
  return bytes;
}

} // namespace relax::llm
