//===- ScoreEncoder.h - merges the characters of a text into tokens by their scores -----------===//
//
// SentencePiece's byte-pair encoding: a text starts as its characters; again and again the adjacent
// pair whose texts together are the token of highest score, leftmost on ties, becomes one symbol. A
// priority queue over a linked list makes that n log n, whatever the text. A character that is no
// token becomes its bytes' tokens, <0x00> to <0xFF>, or, without those, the unknown token.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace relax::llm {

class ScoreEncoder {
public:
  /// `scores` has one for each of the vocabulary's texts, which write a space as U+2581;
  /// `tokenOfByte` says which token is a byte's, -1 for none.
  ScoreEncoder(const std::vector<std::string> &tokens, const std::vector<double> &scores,
               const std::array<int32_t, 256> &tokenOfByte, std::optional<int32_t> unknown);

  /// Appends the tokens of a text, in which spaces are U+2581 already.
  void encode(std::string_view text, std::vector<int32_t> &ids) const;

private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>()(text); }
  };
  struct Token {
    int32_t id;
    double score;
  };

  const Token *find(std::string_view text) const;
  void emit(std::string_view symbol, std::vector<int32_t> &ids) const;

  std::unordered_map<std::string, Token, Hash, std::equal_to<>> tokenOfText;
  std::array<int32_t, 256> tokenOfByte;
  std::optional<int32_t> unknown;
  size_t longest = 0; ///< Bytes of a token.
};

} // namespace relax::llm
