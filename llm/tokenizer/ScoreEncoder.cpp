#include "llm/tokenizer/ScoreEncoder.h"

#include "llm/tokenizer/Unicode.h"

#include <algorithm>
#include <queue>

namespace relax::llm {
namespace {

constexpr size_t none = SIZE_MAX;

/// A stretch of the text. One that was merged into its left neighbour is empty.
struct Node {
  size_t begin, end;
  size_t previous, next;
};

/// The pair at the node `position`, whose texts together were `size` bytes; out of date once it has
/// another size.
struct Candidate {
  double score;
  size_t position, size;
};

struct Later {
  bool operator()(const Candidate &a, const Candidate &b) const {
    return a.score != b.score ? a.score < b.score : a.position > b.position;
  }
};

} // namespace

ScoreEncoder::ScoreEncoder(const std::vector<std::string> &tokens,
                           const std::vector<double> &scores,
                           const std::array<int32_t, 256> &tokenOfByte,
                           std::optional<int32_t> unknown)
    : tokenOfByte(tokenOfByte), unknown(unknown) {
  tokenOfText.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); ++i) {
    tokenOfText.try_emplace(tokens[i], Token{static_cast<int32_t>(i), scores[i]});
    longest = std::max(longest, tokens[i].size());
  }
}

const ScoreEncoder::Token *ScoreEncoder::find(std::string_view text) const {
  const auto it = text.size() > longest ? tokenOfText.end() : tokenOfText.find(text);
  return it == tokenOfText.end() ? nullptr : &it->second;
}

void ScoreEncoder::emit(std::string_view symbol, std::vector<int32_t> &ids) const {
  if (const Token *token = find(symbol)) {
    ids.push_back(token->id);
    return;
  }
  for (const char byte : symbol) {
    const int32_t token = tokenOfByte[static_cast<uint8_t>(byte)];
    if (token >= 0)
      ids.push_back(token);
    else if (unknown)
      ids.push_back(*unknown);
  }
}

void ScoreEncoder::encode(std::string_view text, std::vector<int32_t> &ids) const {
  std::vector<Node> nodes;
  nodes.reserve(text.size());
  for (size_t begin = 0; begin < text.size();) {
    const auto codePoint = decodeUtf8(text, begin);
    const size_t end = begin + (codePoint ? codePoint->bytes : 1), i = nodes.size();
    nodes.push_back({begin, end, i == 0 ? none : i - 1, end == text.size() ? none : i + 1});
    begin = end;
  }
  std::priority_queue<Candidate, std::vector<Candidate>, Later> queue;
  const auto consider = [&](size_t position) {
    if (position == none || nodes[position].next == none)
      return;
    const size_t begin = nodes[position].begin, end = nodes[nodes[position].next].end;
    if (const Token *token = find(text.substr(begin, end - begin)))
      queue.push({token->score, position, end - begin});
  };
  for (size_t i = 0; i < nodes.size(); ++i)
    consider(i);
  while (!queue.empty()) {
    const Candidate candidate = queue.top();
    queue.pop();
    Node &left = nodes[candidate.position];
    if (left.begin == left.end || left.next == none ||
        nodes[left.next].end - left.begin != candidate.size)
      continue;
    Node &right = nodes[left.next];
    left.end = right.end;
    left.next = right.next;
    right.begin = right.end;
    if (left.next != none)
      nodes[left.next].previous = candidate.position;
    consider(left.previous);
    consider(candidate.position);
  }
  for (size_t i = nodes.empty() ? none : 0; i != none; i = nodes[i].next)
    emit(text.substr(nodes[i].begin, nodes[i].end - nodes[i].begin), ids);
}

} // namespace relax::llm
