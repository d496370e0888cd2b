//===- BytePairEncoder.h - merges the bytes of a word into tokens -----------------------------===//
//
// Byte-pair encoding: a word starts as its bytes; again and again the adjacent pair of lowest rank
// (the order of the model's merges), leftmost on ties, becomes one symbol, until no pair has a
// rank. A priority queue of candidate pairs over a linked list of symbols makes that n log n,
// whatever the word: 40,000 equal letters take milliseconds.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace relax::llm {

class BytePairEncoder {
public:
  /// `tokens` are the vocabulary's texts and `merges` its rules "left right", both written in the
  /// byte alphabet. A rule may name symbols that are no tokens.
  /// `wholeWords`: a word that is a token is that token, whatever the merges would make of it.
  static Expected<BytePairEncoder> create(const std::vector<std::string> &tokens,
                                          const std::vector<std::string> &merges,
                                          bool wholeWords = false);

  /// Appends the tokens of one word. A byte that ends up in no token is dropped.
  void encode(std::string_view word, std::vector<int32_t> &ids) const;

private:
  using Symbol = uint32_t;
  struct Merge {
    uint32_t rank;
    Symbol result;
  };

  Symbol intern(std::string_view text);
  const Merge *findMerge(Symbol left, Symbol right) const;
  void emit(Symbol symbol, std::string_view bytes, std::vector<int32_t> &ids) const;

  std::unordered_map<std::string, Symbol> symbols;
  std::vector<int32_t> tokenOfSymbol; ///< -1: the symbol is no token.
  std::unordered_map<uint64_t, Merge> mergeOfPair;
  std::array<Symbol, 256> symbolOfByte{};
  bool wholeWords = false;
};

} // namespace relax::llm
