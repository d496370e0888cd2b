//===- Llama.h - the architecture `llama`: Llama, SmolLM2, Mistral without its window
//----------===//
#pragma once

#include "models/HyperParameters.h"
#include "models/Modules.h"

namespace relax::models {

class Llama {
public:
  Llama(Weights &weights, const HyperParameters &parameters);
  /// tokens, positions, outputRows: i32 vectors. Updates `caches`, one for each layer. Returns the
  /// logits f32 [r, vocabulary].
  mlir::Value operator()(Graph &graph, mlir::Value tokens, mlir::Value positions,
                         mlir::Value outputRows, std::vector<LayerCache> &caches) const;

private:
  HyperParameters parameters;
  Embedding embedding;
  std::vector<DecoderLayer> layers;
  RmsNorm norm;
  Linear head;
};

} // namespace relax::models
