#include "llm/Generate.h"

#include "llm/StopText.h"
#include "llm/tokenizer/StreamDecoder.h"

#include <fmt/format.h>

namespace relax::llm {
namespace {

/// One generation at work.
class Run {
public:
  Run(Engine &engine, SequenceId sequence, const GenerateOptions &options,
      const GenerateObserver &observer, Sampler sampler)
      : engine(engine), sequence(sequence), options(options), observer(observer),
        sampler(std::move(sampler)), stop(options.stops) {}

  Expected<Generation> operator()(std::span<const int32_t> prompt) {
    auto done = run(prompt);
    // What is held back is part of the answer, however it ended.
    show(decoder.finish());
    give(stop.finish());
    if (!done.ok())
      return done;
    return std::move(result);
  }

private:
  Status run(std::span<const int32_t> prompt) {
    auto next = readPrompt(prompt);
    if (!next && next.status().code() == StatusCode::Cancelled) {
      result.reason = StopReason::Cancelled;
      return {};
    }
    if (!next)
      return next.takeStatus();
    Statistics &statistics = result.statistics;
    statistics.firstTokenSeconds = watch.seconds();
    while (!stops(*next)) {
      ++statistics.generatedTokens;
      take(*next);
      if (stop.stopped()) {
        result.reason = StopReason::StopText;
        break;
      }
      // The last token needs no step: nobody asks what follows it.
      if (static_cast<int64_t>(result.tokens.size()) == options.maxTokens)
        break;
      if (isCancelled() || isFull())
        break;
      const Stopwatch decode;
      next = decodeStep(*next);
      if (!next)
        return next.takeStatus();
      statistics.decodeSeconds += decode.seconds();
      ++statistics.decodeSteps;
    }
    return {};
  }

  void take(int32_t token) {
    result.tokens.push_back(token);
    if (observer.onToken)
      observer.onToken(token);
    const Tokenizer &tokenizer = engine.tokenizer();
    if (options.showControl || !tokenizer.isControl(token))
      show(decoder.push(tokenizer.bytesOf(token)));
  }

  void show(std::string_view piece) { give(stop.push(piece)); }

  void give(std::string_view text) {
    result.text += text;
    if (observer.onText && !text.empty())
      observer.onText(text);
  }

  Expected<int32_t> readPrompt(std::span<const int32_t> prompt) {
    auto cached = engine.length(sequence);
    if (!cached)
      return cached.takeStatus();
    result.statistics.reusedTokens = *cached;
    result.statistics.promptTokens = *cached + static_cast<int64_t>(prompt.size());
    const int32_t last[] = {static_cast<int32_t>(prompt.size()) - 1};
    int32_t token = -1;
    const Stopwatch prefill;
    RELAX_RETURN_IF_ERROR(engine.append(
        sequence, prompt, last,
        [&](size_t, std::span<const float> logits) -> Status {
          auto sampled = sampler.sample(logits);
          if (!sampled)
            return sampled.takeStatus();
          token = *sampled;
          return {};
        },
        Engine::promptChunk, observer.cancelled, sampler.candidateCount()));
    result.statistics.prefillSeconds = prefill.seconds();
    return token;
  }

  Expected<int32_t> decodeStep(int32_t token) {
    const StepPart part{sequence, {&token, 1}, {0}, sampler.candidateCount()};
    auto logits = engine.step({&part, 1});
    if (!logits)
      return logits.takeStatus();
    return sampler.sample(*logits);
  }

  /// Whether there is to be no such token: an end token, or none were wanted.
  bool stops(int32_t token) {
    if (options.maxTokens == 0)
      return true;
    if (options.ignoreEnd || !engine.tokenizer().endTokens().contains(token))
      return false;
    result.reason = StopReason::EndToken;
    result.endToken = token;
    ++result.statistics.generatedTokens;
    return true;
  }

  bool isCancelled() {
    if (!observer.cancelled || !observer.cancelled())
      return false;
    result.reason = StopReason::Cancelled;
    return true;
  }

  bool isFull() {
    if (engine.checkRoom(sequence, 1).ok())
      return false;
    result.reason = StopReason::Context;
    return true;
  }

  Engine &engine;
  SequenceId sequence;
  const GenerateOptions &options;
  const GenerateObserver &observer;
  Sampler sampler;
  StreamDecoder decoder;
  StopText stop;
  Stopwatch watch;
  Generation result;
};

} // namespace

const char *name(StopReason reason) {
  switch (reason) {
  case StopReason::EndToken:
    return "end_token";
  case StopReason::StopText:
    return "stop_text";
  case StopReason::MaxTokens:
    return "max_tokens";
  case StopReason::Context:
    return "context";
  case StopReason::Cancelled:
    return "cancelled";
  }
  return "";
}

Expected<Generation> generate(Engine &engine, SequenceId sequence, std::span<const int32_t> prompt,
                              const GenerateOptions &options, const GenerateObserver &observer) {
  if (prompt.empty())
    return Status(StatusCode::InvalidArgument, "the prompt is empty: there is nothing to continue");
  if (options.maxTokens < 0)
    return Status(StatusCode::InvalidArgument,
                  fmt::format("number of tokens: found {}, expected 0 or more", options.maxTokens));
  for (const std::string &stop : options.stops)
    if (stop.empty())
      return Status(StatusCode::InvalidArgument,
                    "a stop is empty: the answer would end before it began");
  auto sampler = Sampler::create(options.sampling);
  if (!sampler)
    return sampler.takeStatus();
  return Run(engine, sequence, options, observer, std::move(*sampler))(prompt);
}

} // namespace relax::llm
