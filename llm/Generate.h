//===- Generate.h - continues a sequence, token by token --------------------------------------===//
#pragma once

#include "llm/Engine.h"
#include "llm/Sampler.h"
#include "llm/Statistics.h"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace relax::llm {

struct GenerateOptions {
  int64_t maxTokens = 64; ///< At least 0.
  SamplingOptions sampling;
  bool ignoreEnd = false; ///< Go on after an end token, which then is a token like any other.
  std::vector<std::string> stops; ///< Texts that end the answer and are no part of it; not empty.
  bool showControl = true;        ///< Control tokens are written as their names, else not at all.
};

enum class StopReason {
  EndToken,  ///< The model said that it is done.
  StopText,  ///< One of GenerateOptions::stops came.
  MaxTokens, ///< As many as asked for.
  Context,   ///< The context is full.
  Cancelled
};
const char *name(StopReason reason); ///< "end_token", "stop_text", "max_tokens", "context" or
                                     ///< "cancelled".

struct Generation {
  std::vector<int32_t> tokens; ///< Without the end token that stopped it; those of a stop too.
  std::string text;            ///< Valid UTF-8, up to a stop.
  StopReason reason = StopReason::MaxTokens;
  int32_t endToken = -1; ///< The one that stopped it, or -1.
  Statistics statistics;
};

/// How a generation talks to its caller; each may be empty.
struct GenerateObserver {
  /// Generation::text, in pieces of whole characters, as soon as they are certain.
  std::function<void(std::string_view text)> onText;
  std::function<void(int32_t token)> onToken; ///< Each of Generation::tokens, as it comes.
  std::function<bool()> cancelled;            ///< Asked between steps.
};

/// Appends `prompt` (not empty) to the sequence and generates what follows. All generated tokens
/// but the last one are then part of the sequence. Being cancelled is no error.
Expected<Generation> generate(Engine &engine, SequenceId sequence, std::span<const int32_t> prompt,
                              const GenerateOptions &options, const GenerateObserver &observer);

} // namespace relax::llm
