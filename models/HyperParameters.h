//===- HyperParameters.h - the numbers that describe a decoder-only language model ------------===//
//
// What all families have, read from the same keys. What sets a family apart is in its own file,
// which starts from these defaults (Architectures.h).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "models/Keys.h"
#include "models/LanguageModel.h"
#include "models/RotaryScaling.h"

#include <string>
#include <vector>

namespace relax::models {

enum class NormKind { Rms, Layer };
enum class Activation { Silu, GeluTanh, GeluExact };

struct HyperParameters {
  int64_t layers, width, hidden, heads, kvHeads, headDim, vocabulary;
  int64_t context;        ///< Tokens of a sequence at most.
  int64_t trainedContext; ///< What the file says.
  double epsilon;

  // Attention.
  bool fusedQkv = false;         ///< One matrix has the rows of q, k and v.
  bool headNorms = false;        ///< q and k are normalised head by head.
  bool usesRotary = true;        ///< Else a learned vector for each position.
  bool interleaved = false;      ///< Rotary pairs are (2i, 2i + 1), else (i, i + dims / 2).
  Rotary rotary, localRotary;    ///< Of global layers, and of those with a window.
  int64_t window = 0;            ///< Slots that a token sees in local layers; 0: no such layers.
  std::vector<bool> localLayers; ///< Empty: with a window, all.
  double attentionScale;         ///< 1 / sqrt(headDim).
  double attentionSoftCap = 0;   ///< 0: none.

  // The layers.
  NormKind norm = NormKind::Rms;
  bool postNorms = false; ///< Also after attention and feed-forward, before each residual.
  bool parallel = false;  ///< Both read the layer's input, and both are added to it.
  Activation activation = Activation::Silu;
  bool gated = true;         ///< down(activation(gate x) * up x), else down(activation(up x)).
  bool fusedGateUp = false;  ///< One matrix has the rows of gate, then up.
  double embeddingScale = 1; ///< Of the rows of the embedding table.
  double finalSoftCap = 0;   ///< Of the logits; 0: none.

  std::vector<std::string> warnings; ///< About keys that are missing and have a default.

  [[nodiscard]] bool isLocal(int64_t layer) const {
    return window > 0 && (localLayers.empty() || localLayers[static_cast<size_t>(layer)]);
  }

  /// Whether there are layers with a window beside others.
  [[nodiscard]] bool mixesLayers() const {
    int64_t local = 0;
    for (int64_t layer = 0; layer < layers; ++layer)
      local += isLocal(layer);
    return local > 0 && local < layers;
  }

  /// Reads and checks the keys of the file's architecture.
  static Expected<HyperParameters> read(const gguf::File &file, const ModelOptions &options);
};

} // namespace relax::models
