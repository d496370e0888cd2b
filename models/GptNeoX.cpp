// GPT-NeoX and Pythia: attention and feed-forward beside each other, rotary embedding of a part of
// each head.

#include "models/Architectures.h"

namespace relax::models {

void describeGptNeoX(Keys &keys, HyperParameters &p) {
  p.norm = NormKind::Layer;
  p.activation = Activation::GeluExact;
  p.gated = false;
  p.fusedQkv = true;
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
  Expected<bool> parallel = keys.source().metadata().boolean("gptneox.use_parallel_residual", true);
  if (!parallel)
    return keys.fail(parallel.takeStatus());
  p.parallel = *parallel;
}

} // namespace relax::models
