// Qwen 3: queries and keys are normalised head by head.

#include "models/Architectures.h"

namespace relax::models {

void describeQwen3(Keys &keys, HyperParameters &p) {
  p.headNorms = true;
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
}

} // namespace relax::models
