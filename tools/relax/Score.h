//===- Score.h - numbers about logits ---------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace relax::tool {

/// The `count` highest logits, the highest first, with their tokens; the lower token first of
/// equals.
std::vector<std::pair<int32_t, float>> topLogits(std::span<const float> logits, size_t count);

// All computed in float64.
double logSumExp(std::span<const float> logits);
double mean(std::span<const float> logits);
double norm(std::span<const float> logits); ///< L2.

} // namespace relax::tool
