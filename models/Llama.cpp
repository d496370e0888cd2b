// Llama 2 and 3, Code Llama, SmolLM2, Mistral.

#include "models/Architectures.h"

namespace relax::models {

void describeLlama(Keys &keys, HyperParameters &p) {
  // In files of this architecture the rows of q and k are permuted so that pairs are adjacent.
  p.interleaved = true;
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
  // Mistral's; local in every layer.
  p.window = keys.integer("attention.sliding_window", 0, 0, int64_t(1) << 31);
  p.localRotary = p.rotary;
}

} // namespace relax::models
