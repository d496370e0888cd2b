#include "tools/relax/Score.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace relax::tool {

std::vector<std::pair<int32_t, float>> topLogits(std::span<const float> logits, size_t count) {
  count = std::min(count, logits.size());
  std::vector<int32_t> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  const auto value = [&](int32_t id) { return logits[static_cast<size_t>(id)]; };
  // NaN sorts last, so that the order is one whatever the logits are.
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count), order.end(),
                    [&](int32_t a, int32_t b) {
                      const bool nanA = std::isnan(value(a)), nanB = std::isnan(value(b));
                      if (nanA || nanB)
                        return nanA == nanB ? a < b : nanB;
                      return value(a) != value(b) ? value(a) > value(b) : a < b;
                    });
  std::vector<std::pair<int32_t, float>> top;
  top.reserve(count);
  for (size_t i = 0; i < count; ++i)
    top.emplace_back(order[i], value(order[i]));
  return top;
}

double logSumExp(std::span<const float> logits) {
  double highest = -INFINITY, sum = 0;
  for (const float logit : logits)
    highest = std::max(highest, static_cast<double>(logit));
  for (const float logit : logits)
    sum += std::exp(logit - highest);
  return highest + std::log(sum);
}

double mean(std::span<const float> logits) {
  double sum = 0;
  for (const float logit : logits)
    sum += logit;
  return sum / static_cast<double>(logits.size());
}

double norm(std::span<const float> logits) {
  double sum = 0;
  for (const float logit : logits)
    sum += static_cast<double>(logit) * logit;
  return std::sqrt(sum);
}

} // namespace relax::tool
