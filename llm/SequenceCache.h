//===- SequenceCache.h - what was computed for one conversation serves the next ---------------===//
//
// Keeps the sequences of earlier texts, each with the tokens that it holds. A new text goes on from
// the one that shares the most tokens with it from the beginning: the sequence itself where hardly
// anything of it would be lost, else a fork, which shares the pages and copies the last one only
// when it must change. So a conversation that is edited, begun anew and resumed computes only what
// it did not have. Pages that are needed are taken from the text that was used longest ago.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/Engine.h"

#include <list>
#include <span>
#include <vector>

namespace relax::llm {

class SequenceCache {
public:
  /// The engine must outlive it; `most`: texts that are kept, at least 1.
  explicit SequenceCache(Engine &engine, size_t most = 8) : engine(&engine), most(most) {}
  SequenceCache(SequenceCache &&) = default;
  SequenceCache &operator=(SequenceCache &&) = delete;
  ~SequenceCache() { clear(); }

  struct Text {
    SequenceId sequence;
    std::vector<int32_t> tokens; ///< Whose first ones the sequence holds; may be more than it does.
  };

  /// A text that holds a beginning of `prompt`, as long as any has but at least one token short of
  /// it: the tokens of the result are that beginning, and the rest is to be appended to both the
  /// sequence and them. There is room for `room` tokens after the prompt as far as the context
  /// goes. Valid until the next call.
  Expected<Text *> begin(std::span<const int32_t> prompt, int64_t room);

  /// Frees all sequences.
  void clear();
  [[nodiscard]] size_t size() const { return texts.size(); }

private:
  struct Match {
    std::list<Text>::iterator text;
    size_t common = 0;
  };
  Expected<Match> longest(std::span<const int32_t> prompt);
  Status makeRoom(const Text &text, int64_t tokens);

  Engine *engine;
  size_t most;
  std::list<Text> texts; ///< The one that was used last is first.
};

} // namespace relax::llm
