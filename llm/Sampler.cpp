#include "llm/Sampler.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace relax::llm {
namespace {

Status outOfRange(const char *option, double found, const char *expected) {
  return Status(StatusCode::InvalidArgument,
                fmt::format("{}: found {}, expected {}", option, found, expected));
}

} // namespace

Expected<int32_t> argmax(std::span<const float> logits) {
  int32_t best = -1;
  float highest = -INFINITY;
  for (size_t i = 0; i < logits.size(); ++i) {
    if (std::isnan(logits[i]))
      return Status(StatusCode::Internal,
                    fmt::format("the logit of token {} is not a number: the model's weights or a "
                                "kernel are broken",
                                i));
    if (logits[i] > highest) {
      highest = logits[i];
      best = static_cast<int32_t>(i);
    }
  }
  if (best < 0)
    return Status(StatusCode::Internal,
                  fmt::format("none of the {} logits is above minus infinity", logits.size()));
  return best;
}

/// An order of all candidates, so what is sorted by it is so in one way only.
bool Sampler::likelier(const Candidate &a, const Candidate &b) {
  return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
}

Expected<Sampler> Sampler::create(const SamplingOptions &options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0)
    return outOfRange("temperature", options.temperature, "a finite number, at least 0");
  if (options.topK < 0)
    return outOfRange("top-k", static_cast<double>(options.topK), "0 (all) or more");
  if (!(options.topP > 0 && options.topP <= 1))
    return outOfRange("top-p", options.topP, "above 0, at most 1");
  if (!(options.minP >= 0 && options.minP <= 1))
    return outOfRange("min-p", options.minP, "0 to 1");
  return Sampler(options);
}

/// Fills `candidates` with the top-k in the order of ids; one pass, whatever k is.
void Sampler::gather(std::span<const float> logits) {
  candidates.clear();
  const size_t most =
      options.topK > 0 ? std::min(logits.size(), static_cast<size_t>(options.topK)) : logits.size();
  float least = -INFINITY; // What isn't above it is not among the top-k.
  const auto drop = [&] {
    const auto last = candidates.begin() + static_cast<std::ptrdiff_t>(most) - 1;
    std::nth_element(candidates.begin(), last, candidates.end(), likelier);
    least = last->logit;
    candidates.resize(most);
  };
  for (size_t i = 0; i < logits.size(); ++i) {
    if (!(logits[i] > least))
      continue;
    candidates.push_back({logits[i], static_cast<int32_t>(i), 0});
    if (candidates.size() >= 2 * most + 64)
      drop();
  }
  if (candidates.size() > most)
    drop();
  if (most < logits.size())
    std::ranges::sort(candidates, {}, &Candidate::id);
}

/// Weights in proportion to the probabilities; the likeliest candidate's is 1.
void Sampler::weigh(float highest) {
  for (Candidate &candidate : candidates)
    candidate.weight =
        candidate.logit == highest
            ? 1
            : std::exp((static_cast<double>(candidate.logit) - highest) / options.temperature);
}

/// Sorts no more candidates than stay: of a large vocabulary that is nearly always a few.
void Sampler::keepTopP() {
  double total = 0, sum = 0;
  for (const Candidate &candidate : candidates)
    total += candidate.weight;
  size_t kept = 0, sorted = 0;
  while (kept < candidates.size() && (kept == 0 || sum < options.topP * total)) {
    if (kept == sorted) {
      sorted = std::min(candidates.size(), std::max<size_t>(64, 8 * sorted));
      const auto first = candidates.begin() + static_cast<std::ptrdiff_t>(kept),
                 last = candidates.begin() + static_cast<std::ptrdiff_t>(sorted);
      std::nth_element(first, last, candidates.end(), likelier);
      std::sort(first, last, likelier);
    }
    sum += candidates[kept++].weight;
  }
  candidates.resize(kept);
}

Expected<int32_t> Sampler::sample(std::span<const float> logits) {
  auto best = argmax(logits);
  if (!best || options.temperature == 0 || options.topK == 1)
    return best;
  gather(logits);
  weigh(logits[static_cast<size_t>(*best)]);
  if (options.topP < 1)
    keepTopP();
  std::erase_if(candidates, [&](const Candidate &c) { return c.weight < options.minP; });
  double total = 0;
  for (const Candidate &candidate : candidates)
    total += candidate.weight;
  double rest = random.uniform() * total;
  for (const Candidate &candidate : candidates) {
    rest -= candidate.weight;
    if (rest < 0)
      return candidate.id;
  }
  // Rounding can leave a little; it belongs to the last candidate that has any weight.
  while (candidates.size() > 1 && candidates.back().weight == 0)
    candidates.pop_back();
  return candidates.back().id;
}

} // namespace relax::llm
