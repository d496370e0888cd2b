//===- RotaryScaling.h - rotary position embedding beyond the trained length ------------------===//
//
// Angle j of position p is p * base^(-2j / dims) / factors[j]; cosines and sines are multiplied by
// `scale`. All ways of stretching the positions are factors and a scale:
//
//   linear    every factor is rope.scaling.factor (Chen et al., 2023)
//   llama3    the factors are in the file, in the tensor rope_freqs.weight
//   yarn      low frequencies are divided by the factor, high ones not, between them a ramp (Peng
//   et
//             al., 2023); the scale is (1 + 0.1 ln factor) * rope.scaling.attn_factor
//   longrope  two tensors of factors, for contexts up to the original length and for longer ones
//             (Ding et al., 2024); the scale is rope.scaling.attn_factor
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "models/Keys.h"

#include <vector>

namespace relax::models {

struct Rotary {
  double base = 0;
  int64_t dims = 0;
  std::vector<double> factors; ///< dims / 2, or none: all 1.
  double scale = 1;

  bool operator==(const Rotary &) const = default;
};

/// rope.freq_base, rope.dimension_count (the head's size by default) and the scaling of a file.
/// `context`: tokens of a sequence at most; `trainedContext`: what the file says that is.
Rotary readRotary(Keys &keys, int64_t headDim, int64_t context, int64_t trainedContext);

} // namespace relax::models
