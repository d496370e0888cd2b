//===- Decoder.h - a decoder-only language model of any family --------------------------------===//
#pragma once

#include "models/Modules.h"

#include <optional>

namespace relax::models {

class Decoder {
public:
  Decoder(Weights &weights, const HyperParameters &parameters);
  /// tokens, positions, outputRows and how many of each row's logits are wanted (0: all): i32
  /// vectors. Updates `caches`, one for each layer. Returns the logits f32 [r, vocabulary].
  mlir::Value operator()(Graph &graph, mlir::Value tokens, mlir::Value positions,
                         mlir::Value outputRows, mlir::Value counts,
                         std::vector<LayerCache> &caches) const;

private:
  mlir::Value capped(Graph &graph, mlir::Value logits) const;

  HyperParameters p;
  Embedding embedding;
  std::optional<Embedding> positionEmbedding;
  std::vector<DecoderLayer> layers;
  Norm norm;
  Linear head;
};

} // namespace relax::models
