//===- Tokenizer.h - text to token ids and back -----------------------------------------------===//
//
// What a model's file says about its tokens, made into two functions. encode(): special tokens are
// cut out of the text first, the longest first. In byte-level BPE (`gpt2`) each piece between them
// is split into words (PreTokenizer.h) and each word into tokens (BytePairEncoder.h); in
// SentencePiece's
// (`llama`) spaces become U+2581, one maybe comes before, and the whole piece becomes tokens
// (ScoreEncoder.h). decode(): the bytes of the tokens, one after the other; StreamDecoder.h makes
// text of them while they come.
//
// Invalid UTF-8 is encoded with U+FFFD for each byte that starts no character, as the reference
// implementations do. A Tokenizer doesn't change after it is made, and may be shared by threads.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/tokenizer/BytePairEncoder.h"
#include "llm/tokenizer/PreTokenizer.h"
#include "llm/tokenizer/ScoreEncoder.h"
#include "runtime/support/Metadata.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace relax::llm {

class Tokenizer {
public:
  struct EncodeOptions {
    bool addSpecial = false;   ///< Begin and end tokens, where the model's file asks for them.
    bool parseSpecial = false; ///< Text such as "<|im_end|>" becomes the token of that name.
    bool oneBegin = false;     ///< A text that begins with the begin token gets no second one.
  };

  /// Reads the keys `tokenizer.ggml.*`. Errors name the key, what it holds and what it should.
  static Expected<Tokenizer> fromMetadata(const Metadata &metadata);

  [[nodiscard]] std::vector<int32_t> encode(std::string_view text, EncodeOptions options) const;

  /// The bytes of `ids`, special tokens as their names or not at all. Ids must be in the
  /// vocabulary.
  [[nodiscard]] std::string decode(std::span<const int32_t> ids, bool showSpecial) const;

  [[nodiscard]] size_t vocabularySize() const { return tokenBytes.size(); }
  [[nodiscard]] bool contains(int64_t id) const {
    return id >= 0 && static_cast<uint64_t>(id) < tokenBytes.size();
  }
  /// The bytes of one token of the vocabulary; a special token's name.
  [[nodiscard]] const std::string &bytesOf(int32_t id) const { return tokenBytes[id]; }
  /// True for control tokens, which are no part of a text; false for user-defined ones, which are.
  [[nodiscard]] bool isControl(int32_t id) const { return kinds[id] == Kind::Control; }

  [[nodiscard]] std::optional<int32_t> beginToken() const { return begin; }
  [[nodiscard]] std::optional<int32_t> endToken() const { return end; }
  /// The tokens that end an answer: the file's, and those known by their names.
  [[nodiscard]] const std::set<int32_t> &endTokens() const { return ends; }

private:
  enum class Kind : uint8_t { Normal, Unknown, Control, UserDefined, Unused, Byte };
  struct Special {
    std::string text;
    int32_t id;
    bool always; ///< User-defined: recognised whatever the options say.
  };
  /// A part of the text: one special token, or (id < 0) a piece that is still to be encoded.
  struct Fragment {
    std::string_view text;
    int32_t id;
  };

  Tokenizer() = default;
  Status readBytePairs(const Metadata &metadata, const std::vector<std::string> &texts);
  Status readScores(const Metadata &metadata, const std::vector<std::string> &texts);
  Status readKinds(const Metadata &metadata, size_t count);
  void readTexts(const std::vector<std::string> &texts);
  /// The bytes of an ordinary token that is written as `text`.
  [[nodiscard]] std::string ordinaryBytes(const std::string &text, Kind kind) const;
  void encodePiece(std::string_view text, bool afterSpecial, std::vector<int32_t> &ids) const;
  Status readSpecialIds(const Metadata &metadata);
  std::vector<Fragment> cutSpecials(std::string_view text, bool parseSpecial) const;

  std::optional<BytePairEncoder> bytePairs; ///< This or `scores`.
  std::optional<ScoreEncoder> scores;
  PreTokenizer preTokenizer = PreTokenizer::Gpt2;
  bool addSpacePrefix = false; ///< To a piece at the begin or after a special token.
  bool composes = false;       ///< Texts are normalised to form C first.
  std::vector<std::string> tokenBytes;
  std::vector<Kind> kinds;
  std::vector<Special> specials; ///< The longest first; in order of ids among equals.
  std::optional<int32_t> begin, end;
  std::set<int32_t> ends;
  bool addBegin = false, addEnd = false;
};

} // namespace relax::llm
