#include "llm/tokenizer/BytePairEncoder.h"

#include "llm/tokenizer/ByteAlphabet.h"

#include <fmt/format.h>

#include <queue>

namespace relax::llm {
namespace {

constexpr uint32_t none = UINT32_MAX;

uint64_t pairKey(uint32_t left, uint32_t right) { return uint64_t(left) << 32 | right; }

/// A stretch of the word: one symbol, linked to its neighbours. A node that was merged into its
/// left neighbour has symbol `none`.
struct Node {
  uint32_t symbol;
  uint32_t previous, next;
  uint32_t begin, end; ///< Bytes of the word.
};

/// The pair (left, right) at the node `position`; out of date once either symbol there has changed.
struct Candidate {
  uint32_t rank;
  uint32_t position;
  uint32_t left, right;
  uint32_t result;
};

struct Later {
  bool operator()(const Candidate &a, const Candidate &b) const {
    return a.rank != b.rank ? a.rank > b.rank : a.position > b.position;
  }
};

} // namespace

BytePairEncoder::Symbol BytePairEncoder::intern(std::string_view text) {
  const auto [it, isNew] = symbols.try_emplace(std::string(text), tokenOfSymbol.size());
  if (isNew)
    tokenOfSymbol.push_back(-1);
  return it->second;
}

Expected<BytePairEncoder> BytePairEncoder::create(const std::vector<std::string> &tokens,
                                                  const std::vector<std::string> &merges,
                                                  bool wholeWords) {
  BytePairEncoder encoder;
  encoder.wholeWords = wholeWords;
  encoder.symbols.reserve(tokens.size() + 256);
  encoder.mergeOfPair.reserve(merges.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Symbol symbol = encoder.intern(tokens[i]);
    if (encoder.tokenOfSymbol[symbol] < 0)
      encoder.tokenOfSymbol[symbol] = static_cast<int32_t>(i);
  }
  for (size_t byte = 0; byte < 256; ++byte)
    encoder.symbolOfByte[byte] = encoder.intern(byteToAlphabet(static_cast<uint8_t>(byte)));

  std::string joined;
  for (size_t rank = 0; rank < merges.size(); ++rank) {
    const std::string_view rule = merges[rank];
    // A symbol may begin with a space in vocabularies that are not byte-level; never be empty.
    const size_t space = rule.find(' ', 1);
    if (space == std::string_view::npos || space + 1 == rule.size())
      return Status(StatusCode::InvalidFile,
                    fmt::format("tokenizer.ggml.merges[{}]: found '{}', expected two symbols with "
                                "a space between them",
                                rank, rule));
    const std::string_view left = rule.substr(0, space), right = rule.substr(space + 1);
    joined.assign(left).append(right);
    const Symbol leftSymbol = encoder.intern(left), rightSymbol = encoder.intern(right);
    const Merge merge{static_cast<uint32_t>(rank), encoder.intern(joined)};
    encoder.mergeOfPair.try_emplace(pairKey(leftSymbol, rightSymbol), merge);
  }
  return encoder;
}

const BytePairEncoder::Merge *BytePairEncoder::findMerge(Symbol left, Symbol right) const {
  const auto it = mergeOfPair.find(pairKey(left, right));
  return it == mergeOfPair.end() ? nullptr : &it->second;
}

void BytePairEncoder::emit(Symbol symbol, std::string_view bytes, std::vector<int32_t> &ids) const {
  if (tokenOfSymbol[symbol] >= 0) {
    ids.push_back(tokenOfSymbol[symbol]);
    return;
  }
  for (const char byte : bytes) {
    const int32_t token = tokenOfSymbol[symbolOfByte[static_cast<uint8_t>(byte)]];
    if (token >= 0)
      ids.push_back(token);
  }
}

void BytePairEncoder::encode(std::string_view word, std::vector<int32_t> &ids) const {
  if (wholeWords) {
    std::string written;
    for (const char byte : word)
      written += byteToAlphabet(static_cast<uint8_t>(byte));
    const auto it = symbols.find(written);
    if (it != symbols.end() && tokenOfSymbol[it->second] >= 0)
      return ids.push_back(tokenOfSymbol[it->second]);
  }
  std::vector<Node> nodes(word.size());
  for (uint32_t i = 0; i < nodes.size(); ++i)
    nodes[i] = {symbolOfByte[static_cast<uint8_t>(word[i])], i == 0 ? none : i - 1,
                i + 1 == nodes.size() ? none : i + 1, i, i + 1};

  std::priority_queue<Candidate, std::vector<Candidate>, Later> queue;
  const auto consider = [&](uint32_t position) {
    if (position == none || nodes[position].next == none)
      return;
    const Symbol left = nodes[position].symbol, right = nodes[nodes[position].next].symbol;
    if (const Merge *merge = findMerge(left, right))
      queue.push({merge->rank, position, left, right, merge->result});
  };
  for (uint32_t i = 0; i < nodes.size(); ++i)
    consider(i);

  while (!queue.empty()) {
    const Candidate candidate = queue.top();
    queue.pop();
    Node &left = nodes[candidate.position];
    if (left.symbol != candidate.left || left.next == none ||
        nodes[left.next].symbol != candidate.right)
      continue;
    Node &right = nodes[left.next];
    left.symbol = candidate.result;
    left.end = right.end;
    left.next = right.next;
    right.symbol = none;
    if (left.next != none)
      nodes[left.next].previous = candidate.position;
    consider(left.previous);
    consider(candidate.position);
  }
  for (uint32_t i = nodes.empty() ? none : 0; i != none; i = nodes[i].next)
    emit(nodes[i].symbol, word.substr(nodes[i].begin, nodes[i].end - nodes[i].begin), ids);
}

} // namespace relax::llm
