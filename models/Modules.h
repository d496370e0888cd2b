//===- Modules.h - the building blocks of language models -------------------------------------===//
//
// Each module holds its weights (given when it is made) and, when applied, writes its part of the
// graph at the builder's place. Shapes are those of DESIGN's ragged batch: `t` tokens of all
// sequences together, one row each.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "models/HyperParameters.h"
#include "models/Weights.h"

namespace relax::models {

/// Where and for what batch the graph is written.
struct Graph {
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Value sequenceStarts; ///< i32 [b + 1]
  mlir::Value pageTable;      ///< i32 [b, p]
  mlir::Value localPageTable; ///< i32 [b, p], of layers with a window.
  mlir::Value cachedLengths;  ///< i32 [b]

  /// The constant for a weight; equal ones become one by CSE.
  mlir::Value constant(const Weight &weight);
  /// A matrix as numbers, f32 [rows, columns].
  mlir::Value numbers(const Weight &weight);
  /// x * factor, for a factor other than 1.
  mlir::Value scaled(mlir::Value x, double factor);
};

/// Rows [first, first + count) of a tensor that has `rows` of them.
struct RowRange {
  int64_t rows, first, count;
};

/// y = x W^T (+ bias); x [t, in], y [t, out].
class Linear {
public:
  Linear() = default;
  /// The matrix is `name`.weight [out, in]; the bias `name`.bias, where the file has one.
  Linear(Weights &weights, const std::string &name, int64_t in, int64_t out)
      : Linear(weights, name, in, RowRange{out, 0, out}) {}
  /// The same from some of the tensor's rows.
  Linear(Weights &weights, const std::string &name, int64_t in, RowRange range);
  explicit Linear(Weight matrix) : matrix(std::move(matrix)) {}
  /// Asks for a second plane of 8 bits where activations are quantised to 8: for the output head,
  /// whose rounding errors reach the logits directly, and whose rows are few.
  Linear &&precise() && {
    isPrecise = true;
    return std::move(*this);
  }
  mlir::Value operator()(Graph &graph, mlir::Value x) const;

private:
  Weight matrix, bias;
  bool isPrecise = false;
};

/// Rows of a table [vocabulary, width] by token; tokens i32 [t], result [t, width].
class Embedding {
public:
  Embedding() = default;
  Embedding(Weights &weights, const std::string &name, int64_t vocabulary, int64_t width);
  mlir::Value operator()(Graph &graph, mlir::Value tokens) const;
  [[nodiscard]] const Weight &weight() const { return table; }

private:
  Weight table;
};

/// Over the last dimension: x / sqrt(mean(x^2) + epsilon) * weight, or LayerNorm with weight and,
/// where the file has one, bias.
class Norm {
public:
  Norm() = default;
  Norm(Weights &weights, const std::string &name, int64_t width, const HyperParameters &p);
  mlir::Value operator()(Graph &graph, mlir::Value x) const;

private:
  Weight scale, bias;
  NormKind kind = NormKind::Rms;
  double epsilon = 0;
};

/// The cache of one layer: pages of keys [g, kv_heads, head_dim, page_size] and of values
/// [g, kv_heads, page_size, head_dim].
struct LayerCache {
  mlir::Value keys, values;
};

/// Causal self-attention with grouped heads, rotary embedding and a paged cache.
class Attention {
public:
  /// Matrices `prefix`attn_q, attn_k, attn_v (or attn_qkv), attn_output.
  Attention(Weights &weights, const std::string &prefix, const HyperParameters &p, int64_t layer);
  /// x [t, width], rotary table [t, dims] or null; updates `cache`.
  mlir::Value operator()(Graph &graph, mlir::Value x, mlir::Value rotaryTable,
                         LayerCache &cache) const;

private:
  int64_t heads, kvHeads, headDim, window;
  double scale, softCap;
  bool interleaved, headNorms;
  Linear query, key, value, output;
  Norm queryNorm, keyNorm;
};

/// down(activation(gate x) * up x), or down(activation(up x)).
class FeedForward {
public:
  /// Matrices `prefix`ffn_gate, ffn_up, ffn_down.
  FeedForward(Weights &weights, const std::string &prefix, const HyperParameters &p);
  mlir::Value operator()(Graph &graph, mlir::Value x) const;

private:
  Activation activation;
  bool gated;
  Linear gate, up, down;
};

/// Attention and feed-forward with their norms and residuals.
class DecoderLayer {
public:
  DecoderLayer(Weights &weights, const std::string &prefix, const HyperParameters &p,
               int64_t layer);
  mlir::Value operator()(Graph &graph, mlir::Value x, mlir::Value rotaryTable,
                         LayerCache &cache) const;

private:
  bool parallel, postNorms;
  Norm attentionNorm, feedForwardNorm, postAttentionNorm, postFeedForwardNorm;
  Attention attention;
  FeedForward feedForward;
};

} // namespace relax::models
