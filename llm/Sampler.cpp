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

/// Fills `candidates` with the top-k, the likeliest first.
void Sampler::keepLikeliest(std::span<const float> logits) {
  candidates.clear();
  for (size_t i = 0; i < logits.size(); ++i)
    if (logits[i] > -INFINITY)
      candidates.push_back({logits[i], static_cast<int32_t>(i), 0});
  const auto likelier = [](const Candidate &a, const Candidate &b) {
    return a.logit != b.logit ? a.logit > b.logit : a.id < b.id;
  };
  const size_t count = options.topK > 0
                           ? std::min(candidates.size(), static_cast<size_t>(options.topK))
                           : candidates.size();
  std::partial_sort(candidates.begin(), candidates.begin() + static_cast<std::ptrdiff_t>(count),
                    candidates.end(), likelier);
  candidates.resize(count);
}

/// Weights in proportion to the probabilities; the first candidate's is 1.
void Sampler::weigh() {
  const double highest = candidates.front().logit;
  for (Candidate &candidate : candidates)
    candidate.weight = candidate.logit == candidates.front().logit
                           ? 1
                           : std::exp((candidate.logit - highest) / options.temperature);
}

void Sampler::cutTail() {
  if (options.topP < 1) {
    double total = 0, sum = 0;
    for (const Candidate &candidate : candidates)
      total += candidate.weight;
    size_t kept = 0;
    while (kept < candidates.size() && (kept == 0 || sum < options.topP * total))
      sum += candidates[kept++].weight;
    candidates.resize(kept);
  }
  while (candidates.size() > 1 && candidates.back().weight < options.minP)
    candidates.pop_back();
}

Expected<int32_t> Sampler::sample(std::span<const float> logits) {
  auto best = argmax(logits);
  if (!best || options.temperature == 0 || options.topK == 1)
    return best;
  keepLikeliest(logits);
  weigh();
  cutTail();
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
