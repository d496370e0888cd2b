// Gemma 1. The norms' "1 + weight" is in the file already.

#include "models/Architectures.h"

#include <cmath>

namespace relax::models {

void describeGemma(Keys &keys, HyperParameters &p) {
  p.activation = Activation::GeluTanh;
  p.embeddingScale = std::sqrt(static_cast<double>(p.width));
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
}

} // namespace relax::models
