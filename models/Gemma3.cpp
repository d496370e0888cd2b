// Gemma 3: queries and keys are normalised head by head; five layers of six have a window and a
// rotary base of their own, which nothing stretches.

#include "models/Architectures.h"

#include <cmath>

namespace relax::models {

void describeGemma3(Keys &keys, HyperParameters &p) {
  describeGemma(keys, p);
  p.postNorms = true;
  p.headNorms = true;
  p.finalSoftCap = keys.optionalNumber("final_logit_softcapping", 0);
  p.window = keys.integer("attention.sliding_window", 0, 0, int64_t(1) << 31);
  for (int64_t layer = 0; layer < p.layers; ++layer)
    p.localLayers.push_back(layer % 6 != 5);
  p.localRotary.dims = p.rotary.dims;
  p.localRotary.base = keys.optionalNumber("rope.freq_base_swa", 10000);
  // The model of 27B parameters alone scales by its width; files don't say so.
  if (p.layers == 62)
    p.attentionScale = 1 / std::sqrt(static_cast<double>(p.width) / static_cast<double>(p.heads));
}

} // namespace relax::models
