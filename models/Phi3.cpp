// Phi 3 and 3.5: q, k and v in one matrix, gate and up in another; LongRope.

#include "models/Architectures.h"

namespace relax::models {

void describePhi3(Keys &keys, HyperParameters &p) {
  p.fusedQkv = true;
  p.fusedGateUp = true;
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
  p.window = keys.integer("attention.sliding_window", 0, 0, int64_t(1) << 31);
  p.localRotary = p.rotary;
}

} // namespace relax::models
