//===- Sampler.h - from logits to the next token ----------------------------------------------===//
//
// The filters apply in this order, each to what the one before it left: top-k, then the
// probabilities at the temperature, then top-p, then min-p. The likeliest token always stays. Ties
// are broken by the lower id, and the generator is our own, so a seed gives the same tokens on
// every machine on which the logits are the same.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llm/Random.h"
#include "runtime/support/Status.h"

#include <cstdint>
#include <span>
#include <vector>

namespace relax::llm {

struct SamplingOptions {
  double temperature = 0; ///< 0: always the likeliest token (greedy). At least 0, finite.
  int64_t topK = 0;       ///< Only the k likeliest; 0: all.
  double topP = 1;        ///< Only the likeliest whose probabilities reach p together; (0, 1].
  double minP = 0;        ///< Only those with at least p times the highest probability; [0, 1].
  uint64_t seed = 0;
};

class Sampler {
public:
  /// Checks the options; errors name the one that is out of its range.
  static Expected<Sampler> create(const SamplingOptions &options);

  /// Of how many of the largest logits, and those equal to the least of them, tokens are chosen;
  /// 0: of all.
  [[nodiscard]] int64_t candidateCount() const {
    return options.temperature == 0 ? 1 : options.topK;
  }

  /// The next token. +inf and finite logits compete, -inf means never. A NaN among the logits, or
  /// no logit above -inf, is an error: the numbers of the model are broken.
  Expected<int32_t> sample(std::span<const float> logits);

private:
  struct Candidate {
    float logit;
    int32_t id;
    double weight;
  };

  explicit Sampler(const SamplingOptions &options) : options(options), random(options.seed) {}
  static bool likelier(const Candidate &a, const Candidate &b);
  void gather(std::span<const float> logits);
  void weigh(float highest);
  void keepTopP();

  SamplingOptions options;
  Random random;
  std::vector<Candidate> candidates;
};

/// The index of the largest logit, the first of equals; errors as Sampler::sample.
Expected<int32_t> argmax(std::span<const float> logits);

} // namespace relax::llm
