#include "llm/tokenizer/Tokenizer.h"

#include "llm/tokenizer/ByteAlphabet.h"
#include "llm/tokenizer/Unicode.h"

#include <fmt/format.h>

#include <algorithm>
#include <bitset>

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

/// What SentencePiece writes for a space.
constexpr std::string_view writtenSpace = "\u2581";

/// The byte of a token "<0xAB>".
std::optional<uint8_t> byteOfName(std::string_view name) {
  if (name.size() != 6 || !name.starts_with("<0x") || name[5] != '>')
    return std::nullopt;
  int value = 0;
  for (const char c : name.substr(3, 2)) {
    const size_t digit = std::string_view("0123456789ABCDEF").find(c);
    if (digit == std::string_view::npos)
      return std::nullopt;
    value = value * 16 + static_cast<int>(digit);
  }
  return static_cast<uint8_t>(value);
}

std::string replaceAll(std::string_view text, std::string_view from, std::string_view to) {
  std::string out;
  for (size_t at; (at = text.find(from)) != std::string_view::npos;) {
    out.append(text.substr(0, at)).append(to);
    text.remove_prefix(at + from.size());
  }
  return out.append(text);
}

/// Which three bytes occur beside each other in a text, roughly: says for most special tokens that
/// they can't be in it.
class Triples {
public:
  explicit Triples(std::string_view text) {
    for (size_t i = 0; i + 3 <= text.size(); ++i)
      present.set(place(text, i));
  }
  [[nodiscard]] bool mayContain(std::string_view part) const {
    return part.size() < 3 ||
           (present.test(place(part, 0)) && present.test(place(part, part.size() - 3)));
  }

private:
  static size_t place(std::string_view text, size_t i) {
    const auto byte = [&](size_t j) {
      return static_cast<uint32_t>(static_cast<uint8_t>(text[j]));
    };
    const uint32_t word = byte(i) | byte(i + 1) << 8 | byte(i + 2) << 16;
    return word * 2654435761u >> 16;
  }
  std::bitset<65536> present;
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
  if (*model != "gpt2" && *model != "llama")
    return fail(Status(StatusCode::Unsupported,
                       fmt::format("tokenizer.ggml.model: found '{}', expected 'gpt2' (byte-level "
                                   "BPE) or 'llama' (SentencePiece)",
                                   *model)));
  auto tokens = metadata.strings("tokenizer.ggml.tokens");
  if (!tokens)
    return tokens.takeStatus();
  if ((*tokens)->empty() || (*tokens)->size() > INT32_MAX)
    return fail(Status(StatusCode::InvalidFile,
                       fmt::format("tokenizer.ggml.tokens: found {} tokens, expected 1 to {}",
                                   (*tokens)->size(), INT32_MAX)));
  Tokenizer tokenizer;
  RELAX_RETURN_IF_ERROR(tokenizer.readKinds(metadata, (*tokens)->size()));
  const bool isBytePairs = *model == "gpt2";
  if (Status status = isBytePairs ? tokenizer.readBytePairs(metadata, **tokens)
                                  : tokenizer.readScores(metadata, **tokens);
      !status.ok())
    return fail(std::move(status));
  tokenizer.readTexts(**tokens);
  RELAX_RETURN_IF_ERROR(tokenizer.readSpecialIds(metadata));
  return tokenizer;
}

Status Tokenizer::readBytePairs(const Metadata &metadata, const std::vector<std::string> &texts) {
  auto preName = metadata.string("tokenizer.ggml.pre", "default");
  if (!preName)
    return preName.takeStatus();
  auto named = preTokenizerByName(*preName);
  if (!named)
    return named.takeStatus();
  preTokenizer = *named;
  composes = preTokenizer == PreTokenizer::Qwen2;
  auto merges = metadata.strings("tokenizer.ggml.merges");
  if (!merges)
    return merges.takeStatus();
  auto encoder = BytePairEncoder::create(texts, **merges, takesWholeWords(preTokenizer));
  if (!encoder)
    return encoder.takeStatus();
  bytePairs = std::move(*encoder);
  return {};
}

Status Tokenizer::readScores(const Metadata &metadata, const std::vector<std::string> &texts) {
  const MetadataValue *value = metadata.find("tokenizer.ggml.scores");
  const auto *list = value ? std::get_if<std::vector<double>>(value) : nullptr;
  if (!list || list->size() != texts.size())
    return Status(StatusCode::InvalidFile,
                  fmt::format("tokenizer.ggml.scores: found {}, expected {} numbers, one for each "
                              "token",
                              list    ? fmt::format("{} numbers", list->size())
                              : value ? metadataTypeName(*value)
                                      : "nothing",
                              texts.size()));
  std::array<int32_t, 256> tokenOfByte;
  tokenOfByte.fill(-1);
  std::optional<int32_t> unknown;
  for (size_t i = 0; i < texts.size(); ++i) {
    if (kinds[i] == Kind::Unknown && !unknown)
      unknown = static_cast<int32_t>(i);
    if (const auto byte = byteOfName(texts[i]); byte && kinds[i] == Kind::Byte)
      tokenOfByte[*byte] = static_cast<int32_t>(i);
  }
  auto prefix = metadata.boolean("tokenizer.ggml.add_space_prefix", true);
  if (!prefix)
    return prefix.takeStatus();
  addSpacePrefix = *prefix;
  scores.emplace(texts, *list, tokenOfByte, unknown);
  return {};
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
    case 6:
      kinds[i] = Kind::Byte;
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
    tokenBytes.push_back(literal ? texts[i] : ordinaryBytes(texts[i], kinds[i]));
    if (literal && !texts[i].empty())
      specials.push_back({texts[i], static_cast<int32_t>(i), kinds[i] == Kind::UserDefined});
    if (literal && std::ranges::find(endNames, texts[i]) != std::end(endNames))
      ends.insert(static_cast<int32_t>(i));
  }
  std::ranges::sort(specials, [](const Special &a, const Special &b) {
    return a.text.size() != b.text.size() ? a.text.size() > b.text.size() : a.id < b.id;
  });
}

std::string Tokenizer::ordinaryBytes(const std::string &text, Kind kind) const {
  if (bytePairs)
    return alphabetToBytes(text).value_or(text);
  if (const auto byte = byteOfName(text); byte && kind == Kind::Byte)
    return {static_cast<char>(*byte)};
  return replaceAll(text, writtenSpace, " ");
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
  // What the families do whose files don't say.
  const bool beginsByDefault = scores || preTokenizer == PreTokenizer::Llama3;
  auto wantsBegin = metadata.boolean("tokenizer.ggml.add_bos_token", beginsByDefault);
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
  const Triples triples(text);
  for (const Special &special : specials) {
    if ((!special.always && !parseSpecial) || !triples.mayContain(special.text))
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
  bool afterSpecial = true;
  for (const Fragment &fragment : cutSpecials(validText(text, storage), options.parseSpecial)) {
    if (fragment.id >= 0) {
      const bool isSecondBegin = fragment.id == begin && ids.size() == 1 && ids[0] == fragment.id;
      if (!options.oneBegin || !isSecondBegin)
        ids.push_back(fragment.id);
    } else if (!fragment.text.empty()) {
      encodePiece(fragment.text, afterSpecial, ids);
    }
    afterSpecial = fragment.id >= 0;
  }
  if (options.addSpecial && addEnd)
    ids.push_back(*end);
  return ids;
}

void Tokenizer::encodePiece(std::string_view text, bool afterSpecial,
                            std::vector<int32_t> &ids) const {
  if (scores) {
    std::string written = addSpacePrefix && afterSpecial ? std::string(writtenSpace) : "";
    return scores->encode(written + replaceAll(text, " ", writtenSpace), ids);
  }
  std::string storage;
  if (composes) {
    storage = composed(text);
    text = storage;
  }
  for (const std::string_view word : splitWords(preTokenizer, text))
    bytePairs->encode(word, ids);
}

std::string Tokenizer::decode(std::span<const int32_t> ids, bool showSpecial) const {
  std::string bytes;
  for (const int32_t id : ids)
    if (showSpecial || !isControl(id))
      bytes += tokenBytes[id];
  return bytes;
}

} // namespace relax::llm
