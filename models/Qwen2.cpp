// Qwen 1.5, 2 and 2.5: biases on q, k and v, which any linear layer takes from the file.

#include "models/Architectures.h"

namespace relax::models {

void describeQwen2(Keys &keys, HyperParameters &p) {
  p.rotary = readRotary(keys, p.headDim, p.context, p.trainedContext);
}

} // namespace relax::models
