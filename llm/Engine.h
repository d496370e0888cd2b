//===- Engine.h - runs a compiled language model on sequences of tokens -----------------------===//
//
// Owns the loaded module and the cache of keys and values, and turns "these tokens come next in
// these sequences" into calls of @step. A batch is ragged: each sequence brings as many tokens as
// it likes, and says of which of them it wants logits. The result for a sequence is the same
// whatever else is in the batch and however its tokens were cut into calls.
//
// Not thread-safe; one engine, one thread. The threads that compute are the module's.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/KvCache.h"
#include "llm/tokenizer/Tokenizer.h"
#include "runtime/Module.h"
#include "runtime/support/Status.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace relax::llm {

struct EngineOptions {
  /// Tokens of a sequence at most; 0: what the model was compiled for, or less where the machine's
  /// memory has no room for their keys and values.
  int64_t context = 0;
  /// The cache has room for so many sequences of full length.
  int64_t sequences = 1;
  /// Bytes that keys and values may take beside what the module has; nothing: the machine's memory.
  std::optional<uint64_t> memory = {};
};

/// One sequence's part of a step.
struct StepPart {
  SequenceId sequence;
  std::span<const int32_t> tokens;
  /// Indices into `tokens`, rising: after which of them logits are wanted.
  std::vector<int32_t> rows;
  /// So many of a row's largest logits are needed, and equal ones; others may be minus infinity,
  /// which can be cheaper. 0: all.
  int64_t likeliest = 0;
};

class Engine {
public:
  /// An error if the module is no language model.
  static Expected<Engine> create(runtime::Module module, const EngineOptions &options);

  [[nodiscard]] const runtime::Module &module() const { return loaded; }
  [[nodiscard]] const Metadata &metadata() const { return loaded.metadata(); }
  [[nodiscard]] const Tokenizer &tokenizer() const { return *text; }
  [[nodiscard]] int64_t context() const { return cache.maxLength(); }
  /// The context that the model was compiled for, and the one that it was trained with.
  [[nodiscard]] int64_t compiledContext() const { return contexts.compiled; }
  [[nodiscard]] int64_t trainedContext() const { return contexts.trained; }
  [[nodiscard]] size_t vocabularySize() const { return vocabulary; }

  /// A new, empty sequence; free() gives its memory back.
  SequenceId createSequence() { return cache.create(); }
  Status free(SequenceId sequence) { return cache.free(sequence); }
  [[nodiscard]] Expected<int64_t> length(SequenceId sequence) const {
    return cache.length(sequence);
  }
  /// The longest beginning of at most `length` tokens that trim and fork can make of a sequence:
  /// that long, or empty, where layers with a window have given back what lies too far behind it.
  [[nodiscard]] Expected<int64_t> resumable(SequenceId sequence, int64_t length) const {
    return cache.resumable(sequence, length);
  }
  /// Forgets what comes after the first `length` tokens.
  Status trim(SequenceId sequence, int64_t length) { return cache.trim(sequence, length); }
  /// A new sequence that begins as `parent`; shared memory is copied only when it must change.
  Expected<SequenceId> fork(SequenceId parent, int64_t length) {
    return cache.fork(parent, length);
  }

  /// Of the cache: tokens of a page, pages in all, and those that no sequence has.
  [[nodiscard]] int64_t pageSize() const { return cache.pageSize(); }
  [[nodiscard]] int64_t pages() const { return cache.pages(); }
  [[nodiscard]] int64_t freePages() const { return cache.freePages(); }
  /// Whether there are pages for `tokens` more tokens of the sequence.
  [[nodiscard]] Expected<bool> hasRoom(SequenceId sequence, int64_t tokens) const {
    return cache.hasRoom(sequence, tokens);
  }

  /// Gives memory that is kept for later back to the system: of free pages, and the module's.
  void trimMemory() {
    cache.discardFree();
    loaded.trimMemory();
  }

  /// Appends each part's tokens to its sequence. The logits are one row of vocabularySize() for
  /// each wanted row, in order of parts; they stay valid until the next step. No sequence may occur
  /// twice. After an error no sequence is longer than before.
  Expected<std::span<const float>> step(std::span<const StepPart> parts);

  /// An error if `count` more tokens don't fit into the sequence's context.
  [[nodiscard]] Status checkRoom(SequenceId sequence, int64_t count) const;

  using OnLogits = std::function<Status(size_t index, std::span<const float> logits)>;
  /// Appends `tokens` in steps of at most `chunk`, and calls `onLogits` for each index in `rows`
  /// (rising) with the logits after that token, of which StepPart::likeliest are needed.
  /// `cancelled` is asked between steps.
  Status append(SequenceId sequence, std::span<const int32_t> tokens, std::span<const int32_t> rows,
                const OnLogits &onLogits, int64_t chunk, const std::function<bool()> &cancelled,
                int64_t likeliest = 0);

  /// The size of steps in which long prompts are read; no sequence may bring more to a step.
  static constexpr int64_t promptChunk = 512;

private:
  struct Contexts {
    int64_t compiled, trained;
  };
  Engine(runtime::Module module, runtime::Function step, std::unique_ptr<Tokenizer> tokenizer,
         KvCache cache, runtime::MemoryReservation cacheMemory, size_t vocabulary,
         Contexts contexts)
      : loaded(std::move(module)), stepFunction(std::move(step)), text(std::move(tokenizer)),
        cache(std::move(cache)), cacheMemory(std::move(cacheMemory)), vocabulary(vocabulary),
        contexts(contexts) {}
  Status checkParts(std::span<const StepPart> parts) const;
  Status gather(std::span<const StepPart> parts);
  Status call(size_t rows);

  runtime::Module loaded;
  runtime::Function stepFunction;
  std::unique_ptr<Tokenizer> text;
  KvCache cache;
  runtime::MemoryReservation cacheMemory;
  size_t vocabulary;
  Contexts contexts;

  // The arguments of the step at hand; kept so that a step allocates nothing in the long run.
  std::vector<int32_t> tokens, positions, starts, cachedLengths, outputRows, outputCounts;
  std::vector<std::vector<int32_t>> pageRows; ///< Of each page table.
  int64_t pagesPerRow = 0;
  std::vector<float> logits;
};

} // namespace relax::llm
