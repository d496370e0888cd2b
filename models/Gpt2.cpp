// GPT-2: a learned vector for each position, LayerNorm, biases everywhere.

#include "models/Architectures.h"

namespace relax::models {

void describeGpt2(Keys &, HyperParameters &p) {
  p.norm = NormKind::Layer;
  p.activation = Activation::GeluTanh;
  p.gated = false;
  p.fusedQkv = true;
  p.usesRotary = false;
}

} // namespace relax::models
