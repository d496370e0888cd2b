// Gemma 2: norms around both halves of a layer, soft caps, a window in every other layer.

#include "models/Architectures.h"

#include <cmath>

namespace relax::models {

void describeGemma2(Keys &keys, HyperParameters &p) {
  describeGemma(keys, p);
  p.postNorms = true;
  p.attentionSoftCap = keys.optionalNumber("attn_logit_softcapping", 50);
  p.finalSoftCap = keys.optionalNumber("final_logit_softcapping", 30);
  p.window = keys.integer("attention.sliding_window", 4096, 0, int64_t(1) << 31);
  for (int64_t layer = 0; layer < p.layers; ++layer)
    p.localLayers.push_back(layer % 2 == 0);
  p.localRotary = p.rotary;
  // The model of 27B parameters alone scales by its width; files don't say so.
  if (p.layers == 46)
    p.attentionScale = 1 / std::sqrt(static_cast<double>(p.width) / static_cast<double>(p.heads));
}

} // namespace relax::models
