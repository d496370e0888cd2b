#include "models/Modules.h"

#include "compiler/dialect/ops/CreateOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/IndexOps.h"
#include "compiler/dialect/ops/LanguageModelOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/dialect/ops/NormalizeOps.h"
#include "compiler/dialect/ops/ShapeOps.h"

using namespace mlir;

namespace relax::models {

Value Graph::constant(const Weight &weight) {
  return ir::ConstantOp::create(b, loc, weight.type, weight.reference);
}

Value Graph::numbers(const Weight &weight) {
  return ir::DequantizeOp::create(b, loc, constant(weight), b.getStringAttr(weight.format));
}

Value Graph::scaled(Value x, double factor) {
  Value number =
      ir::FullOp::create(b, loc, ir::ShapeAttr::get(b.getContext(), ArrayRef<symbolic::Expr>()),
                         b.getF32FloatAttr(static_cast<float>(factor)));
  return ir::MultiplyOp::create(b, loc, x, number);
}

Linear::Linear(Weights &weights, const std::string &name, int64_t in, RowRange range)
    : matrix(weights.matrixPart(name + ".weight", range.rows, in, range.first, range.count)) {
  if (weights.has(name + ".bias"))
    bias = weights.vectorPart(name + ".bias", range.rows, range.first, range.count);
}

Value Linear::operator()(Graph &graph, Value x) const {
  auto product =
      ir::MatmulOp::create(graph.b, graph.loc, x, graph.numbers(matrix), graph.b.getUnitAttr());
  if (isPrecise)
    product->setAttr("relax.precise", graph.b.getUnitAttr());
  Value y = product;
  if (bias)
    y = ir::AddOp::create(graph.b, graph.loc, y, graph.constant(bias));
  return y;
}

Embedding::Embedding(Weights &weights, const std::string &name, int64_t vocabulary, int64_t width)
    : table(weights.matrix(name + ".weight", vocabulary, width)) {}

Value Embedding::operator()(Graph &graph, Value tokens) const {
  return ir::TakeOp::create(graph.b, graph.loc, graph.numbers(table), tokens);
}

Norm::Norm(Weights &weights, const std::string &name, int64_t width, const HyperParameters &p)
    : scale(weights.vector(name + ".weight", width)), kind(p.norm), epsilon(p.epsilon) {
  if (kind == NormKind::Layer && weights.has(name + ".bias"))
    bias = weights.vector(name + ".bias", width);
}

Value Norm::operator()(Graph &graph, Value x) const {
  FloatAttr epsilonAttr = graph.b.getF64FloatAttr(epsilon);
  if (kind == NormKind::Rms)
    return ir::RmsNormOp::create(graph.b, graph.loc, x, graph.constant(scale), epsilonAttr);
  SmallVector<Value> parameters = {graph.constant(scale)};
  if (bias)
    parameters.push_back(graph.constant(bias));
  return ir::LayerNormOp::create(graph.b, graph.loc, x, parameters, graph.b.getI64IntegerAttr(-1),
                                 epsilonAttr);
}

Attention::Attention(Weights &weights, const std::string &prefix, const HyperParameters &p,
                     int64_t layer)
    : heads(p.heads), kvHeads(p.kvHeads), headDim(p.headDim),
      window(p.isLocal(layer) ? p.window : 0), scale(p.attentionScale), softCap(p.attentionSoftCap),
      interleaved(p.interleaved), headNorms(p.headNorms),
      output(weights, prefix + "attn_output", p.heads * p.headDim, p.width) {
  int64_t queries = heads * headDim, keys = kvHeads * headDim, all = queries + 2 * keys;
  if (p.fusedQkv) {
    std::string name = prefix + "attn_qkv";
    query = Linear(weights, name, p.width, RowRange{all, 0, queries});
    key = Linear(weights, name, p.width, RowRange{all, queries, keys});
    value = Linear(weights, name, p.width, RowRange{all, queries + keys, keys});
  } else {
    query = Linear(weights, prefix + "attn_q", p.width, queries);
    key = Linear(weights, prefix + "attn_k", p.width, keys);
    value = Linear(weights, prefix + "attn_v", p.width, keys);
  }
  if (headNorms) {
    queryNorm = Norm(weights, prefix + "attn_q_norm", headDim, p);
    keyNorm = Norm(weights, prefix + "attn_k_norm", headDim, p);
  }
}

Value Attention::operator()(Graph &graph, Value x, Value rotaryTable, LayerCache &cache) const {
  OpBuilder &b = graph.b;
  Location loc = graph.loc;
  symbolic::Context &context = ir::symbolicContext(b.getContext());
  symbolic::Expr tokens = ir::shapeOf(cast<RankedTensorType>(x.getType()))[0];
  Value pageTable = window > 0 ? graph.localPageTable : graph.pageTable;
  auto split = [&](Value rows, int64_t count) -> Value {
    SmallVector<symbolic::Expr> dims = {tokens, context.constant(count), context.constant(headDim)};
    return ir::ReshapeOp::create(b, loc, rows, dims);
  };
  auto placed = [&](Value rows, int64_t count, const Norm &norm) -> Value {
    Value parts = split(rows, count);
    if (headNorms)
      parts = norm(graph, parts);
    if (!rotaryTable)
      return parts;
    return ir::RotaryOp::create(b, loc, parts, rotaryTable,
                                interleaved ? b.getUnitAttr() : UnitAttr());
  };
  auto store = [&](Value pages, Value rows, const char *layout) -> Value {
    return ir::UpdateSlotsOp::create(b, loc, pages, rows, graph.sequenceStarts, pageTable,
                                     graph.cachedLengths, b.getStringAttr(layout));
  };
  Value q = placed(query(graph, x), heads, queryNorm);
  Value k = placed(key(graph, x), kvHeads, keyNorm);
  Value v = split(value(graph, x), kvHeads);
  cache.keys = store(cache.keys, k, "keys");
  cache.values = store(cache.values, v, "values");
  Value mixed = ir::PagedAttentionOp::create(
      b, loc, q, cache.keys, cache.values, graph.sequenceStarts, pageTable, graph.cachedLengths,
      b.getF64FloatAttr(scale), window > 0 ? b.getI64IntegerAttr(window) : IntegerAttr(),
      softCap > 0 ? b.getF64FloatAttr(softCap) : FloatAttr());
  SmallVector<symbolic::Expr> dims = {tokens, context.constant(heads * headDim)};
  return output(graph, ir::ReshapeOp::create(b, loc, mixed, dims));
}

FeedForward::FeedForward(Weights &weights, const std::string &prefix, const HyperParameters &p)
    : activation(p.activation), gated(p.gated),
      down(weights, prefix + "ffn_down", p.hidden, p.width) {
  std::string name = prefix + "ffn_up";
  if (p.fusedGateUp) {
    gate = Linear(weights, name, p.width, RowRange{2 * p.hidden, 0, p.hidden});
    up = Linear(weights, name, p.width, RowRange{2 * p.hidden, p.hidden, p.hidden});
    return;
  }
  up = Linear(weights, name, p.width, p.hidden);
  if (gated)
    gate = Linear(weights, prefix + "ffn_gate", p.width, p.hidden);
}

Value FeedForward::operator()(Graph &graph, Value x) const {
  auto activated = [&](Value y) -> Value {
    if (activation == Activation::Silu)
      return ir::SiluOp::create(graph.b, graph.loc, y);
    return ir::GeluOp::create(graph.b, graph.loc, y,
                              activation == Activation::GeluExact ? graph.b.getUnitAttr()
                                                                  : UnitAttr());
  };
  if (!gated)
    return down(graph, activated(up(graph, x)));
  Value opened = activated(gate(graph, x));
  return down(graph, ir::MultiplyOp::create(graph.b, graph.loc, opened, up(graph, x)));
}

DecoderLayer::DecoderLayer(Weights &weights, const std::string &prefix, const HyperParameters &p,
                           int64_t layer)
    : parallel(p.parallel), postNorms(p.postNorms),
      attentionNorm(weights, prefix + "attn_norm", p.width, p),
      feedForwardNorm(weights, prefix + "ffn_norm", p.width, p),
      attention(weights, prefix, p, layer), feedForward(weights, prefix, p) {
  if (!postNorms)
    return;
  postAttentionNorm = Norm(weights, prefix + "post_attention_norm", p.width, p);
  postFeedForwardNorm = Norm(weights, prefix + "post_ffw_norm", p.width, p);
}

Value DecoderLayer::operator()(Graph &graph, Value x, Value rotaryTable, LayerCache &cache) const {
  auto add = [&](Value l, Value r) -> Value { return ir::AddOp::create(graph.b, graph.loc, l, r); };
  Value attended = attention(graph, attentionNorm(graph, x), rotaryTable, cache);
  if (postNorms)
    attended = postAttentionNorm(graph, attended);
  Value middle = add(x, attended);
  Value transformed = feedForward(graph, feedForwardNorm(graph, parallel ? x : middle));
  if (postNorms)
    transformed = postFeedForwardNorm(graph, transformed);
  return add(middle, transformed);
}

} // namespace relax::models
