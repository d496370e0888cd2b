#include "models/RotaryScaling.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numbers>

namespace relax::models {
namespace {

/// The numbers of a float32 vector of the file, one for each pair.
std::vector<double> readFactors(Keys &keys, const std::string &name, int64_t count) {
  const gguf::Tensor *tensor = keys.source().find(name);
  if (!tensor || tensor->dims != std::vector<int64_t>{count} || tensor->format->id != 0) {
    keys.invalid(
        fmt::format("the tensor '{}' is {}; expected f32 [{}], one factor for each pair of "
                    "the rotary embedding",
                    name, tensor ? tensor->typeText() : "missing", count));
    return {};
  }
  std::vector<float> values(static_cast<size_t>(count));
  std::memcpy(values.data(), keys.source().bytes(*tensor).data(), tensor->size);
  for (float value : values)
    if (!(value > 0 && std::isfinite(value))) {
      keys.invalid(fmt::format("the tensor '{}' holds {}; expected positive numbers", name, value));
      return {};
    }
  return {values.begin(), values.end()};
}

/// The pair that turns `turns` times within the original context.
double pairOfTurns(const Rotary &rotary, double original, double turns) {
  return static_cast<double>(rotary.dims) * std::log(original / (turns * 2 * std::numbers::pi)) /
         (2 * std::log(rotary.base));
}

void applyYarn(Keys &keys, Rotary &rotary, double factor, double original) {
  double fast = keys.optionalNumber("rope.scaling.yarn_beta_fast", 32);
  double slow = keys.optionalNumber("rope.scaling.yarn_beta_slow", 1);
  auto last = static_cast<double>(rotary.dims - 1);
  double low = std::max(0.0, std::floor(pairOfTurns(rotary, original, std::max(fast, 1e-3))));
  double high = std::min(last, std::ceil(pairOfTurns(rotary, original, std::max(slow, 1e-3))));
  for (int64_t j = 0; j < rotary.dims / 2; ++j) {
    double ramp = (static_cast<double>(j) - low) / std::max(0.001, high - low);
    double kept = 1 - std::clamp(ramp, 0.0, 1.0); // Of the unscaled frequency.
    rotary.factors.push_back(1 / ((1 - kept) / factor + kept));
  }
  rotary.scale = keys.optionalNumber("rope.scaling.attn_factor", 1) *
                 (factor > 1 ? 1 + 0.1 * std::log(factor) : 1);
}

} // namespace

Rotary readRotary(Keys &keys, int64_t headDim, int64_t context, int64_t trainedContext) {
  Rotary rotary;
  rotary.dims = keys.integer("rope.dimension_count", headDim, 2, 65536);
  rotary.base = keys.number("rope.freq_base", 10000);
  if (rotary.dims % 2 != 0 || rotary.dims > headDim) {
    keys.invalid(fmt::format("rotary embedding of {} dimensions doesn't fit heads of {}",
                             rotary.dims, headDim));
    return rotary;
  }
  int64_t pairs = rotary.dims / 2;
  double factor = keys.optionalNumber("rope.scaling.factor", 0);
  std::string type =
      keys.text("rope.scaling.type", keys.has("rope.scale_linear") ? "linear" : "none");
  if (factor == 0)
    factor = keys.optionalNumber("rope.scale_linear", 1);
  if (factor <= 0 && (type == "linear" || type == "yarn")) {
    keys.invalid("'rope.scaling.factor' is 0; expected a positive number");
    return rotary;
  }
  int64_t original =
      keys.integer("rope.scaling.original_context_length", trainedContext, 1, int64_t(1) << 31);
  if (type == "linear")
    rotary.factors.assign(static_cast<size_t>(pairs), factor);
  else if (type == "yarn")
    applyYarn(keys, rotary, factor, static_cast<double>(original));
  else if (type != "none" && type != "longrope" && type != "llama3")
    keys.fail(Status(StatusCode::Unsupported,
                     fmt::format("{}: rotary scaling '{}' can't be compiled; supported are none, "
                                 "linear, llama3, yarn, longrope",
                                 keys.source().path(), type)));
  bool isLong = keys.source().find("rope_factors_long.weight") != nullptr;
  if (type == "longrope" || isLong) {
    rotary.factors = readFactors(
        keys, context > original ? "rope_factors_long.weight" : "rope_factors_short.weight", pairs);
    rotary.scale = keys.optionalNumber("rope.scaling.attn_factor", 1);
  } else if (keys.source().find("rope_freqs.weight")) {
    std::vector<double> inFile = readFactors(keys, "rope_freqs.weight", pairs);
    if (rotary.factors.empty())
      rotary.factors.assign(inFile.size(), 1);
    for (size_t j = 0; j < std::min(inFile.size(), rotary.factors.size()); ++j)
      rotary.factors[j] *= inFile[j];
  }
  return rotary;
}

} // namespace relax::models
