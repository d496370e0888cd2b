//===- Modules.h - the building blocks of language models -------------------------------------===//
//
// Each module holds its weights (given when it is made) and, when applied, writes its part of the
// graph at the builder's place. Shapes are those of DESIGN's ragged batch: `t` tokens of all
// sequences together, one row each.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "models/Weights.h"

namespace relax::models {

/// Where and for what batch the graph is written.
struct Graph {
  mlir::OpBuilder b;
  mlir::Location loc;
  mlir::Value sequenceStarts; ///< i32 [b + 1]
  mlir::Value pageTable;      ///< i32 [b, p]
  mlir::Value cachedLengths;  ///< i32 [b]

  /// The constant for a weight; equal ones become one by CSE.
  mlir::Value constant(const Weight &weight);
  /// A matrix as numbers, f32 [rows, columns].
  mlir::Value numbers(const Weight &weight);
};

/// y = x W^T (+ bias); x [t, in], y [t, out].
class Linear {
public:
  Linear() = default;
  /// The matrix is `name`.weight [out, in]; the bias `name`.bias, where the file has one.
  Linear(Weights &weights, const std::string &name, int64_t in, int64_t out);
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

/// x / sqrt(mean(x^2) + epsilon) * weight over the last dimension.
class RmsNorm {
public:
  RmsNorm() = default;
  RmsNorm(Weights &weights, const std::string &name, int64_t width, double epsilon);
  mlir::Value operator()(Graph &graph, mlir::Value x) const;

private:
  Weight scale;
  double epsilon = 0;
};

struct AttentionShape {
  int64_t width, heads, kvHeads, headDim;
  double scale;     ///< Of the scores; usually 1 / sqrt(headDim).
  bool interleaved; ///< Rotary pairs are (2i, 2i + 1), else (i, i + dims / 2).
};

/// The cache of one layer: pages of keys [g, kv_heads, head_dim, page_size] and of values
/// [g, kv_heads, page_size, head_dim].
struct LayerCache {
  mlir::Value keys, values;
};

/// Causal self-attention with grouped heads, rotary embedding and a paged cache.
class Attention {
public:
  Attention() = default;
  /// Matrices `prefix`attn_q, attn_k, attn_v, attn_output.
  Attention(Weights &weights, const std::string &prefix, const AttentionShape &shape);
  /// x [t, width], rotary table [t, dims]; updates `cache`.
  mlir::Value operator()(Graph &graph, mlir::Value x, mlir::Value rotaryTable,
                         LayerCache &cache) const;

private:
  AttentionShape shape{};
  Linear query, key, value, output;
};

/// down(silu(gate x) * up x).
class GatedMlp {
public:
  GatedMlp() = default;
  /// Matrices `prefix`ffn_gate, ffn_up, ffn_down.
  GatedMlp(Weights &weights, const std::string &prefix, int64_t width, int64_t hidden);
  mlir::Value operator()(Graph &graph, mlir::Value x) const;

private:
  Linear gate, up, down;
};

/// x + attention(norm x), then + mlp(norm of that).
class DecoderLayer {
public:
  DecoderLayer() = default;
  DecoderLayer(Weights &weights, const std::string &prefix, const AttentionShape &shape,
               int64_t hidden, double epsilon);
  mlir::Value operator()(Graph &graph, mlir::Value x, mlir::Value rotaryTable,
                         LayerCache &cache) const;

private:
  RmsNorm attentionNorm, mlpNorm;
  Attention attention;
  GatedMlp mlp;
};

} // namespace relax::models
