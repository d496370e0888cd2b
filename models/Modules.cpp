#include "models/Modules.h"

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/IndexOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/dialect/ops/NormalizeOps.h"

using namespace mlir;

namespace relax::models {

Value Graph::constant(const Weight &weight) {
  return ir::ConstantOp::create(b, loc, weight.type, weight.reference);
}

Value Graph::numbers(const Weight &weight) {
  return ir::DequantizeOp::create(b, loc, constant(weight), b.getStringAttr(weight.format));
}

Linear::Linear(Weights &weights, const std::string &name, int64_t in, int64_t out)
    : matrix(weights.matrix(name + ".weight", out, in)) {
  if (weights.has(name + ".bias"))
    bias = weights.vector(name + ".bias", out);
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

RmsNorm::RmsNorm(Weights &weights, const std::string &name, int64_t width, double epsilon)
    : scale(weights.vector(name + ".weight", width)), epsilon(epsilon) {}

Value RmsNorm::operator()(Graph &graph, Value x) const {
  return ir::RmsNormOp::create(graph.b, graph.loc, x, graph.constant(scale),
                               graph.b.getF64FloatAttr(epsilon));
}

Attention::Attention(Weights &weights, const std::string &prefix, const AttentionShape &shape)
    : shape(shape), query(weights, prefix + "attn_q", shape.width, shape.heads * shape.headDim),
      key(weights, prefix + "attn_k", shape.width, shape.kvHeads * shape.headDim),
      value(weights, prefix + "attn_v", shape.width, shape.kvHeads * shape.headDim),
      output(weights, prefix + "attn_output", shape.heads * shape.headDim, shape.width) {}

Value Attention::operator()(Graph &graph, Value x, Value rotaryTable, LayerCache &cache) const {
  OpBuilder &b = graph.b;
  Location loc = graph.loc;
  symbolic::Context &context = ir::symbolicContext(b.getContext());
  symbolic::Expr tokens = ir::shapeOf(cast<RankedTensorType>(x.getType()))[0];
  auto split = [&](Value rows, int64_t heads) -> Value {
    SmallVector<symbolic::Expr> dims = {tokens, context.constant(heads),
                                        context.constant(shape.headDim)};
    return ir::ReshapeOp::create(b, loc, rows, dims);
  };
  auto rotate = [&](Value heads) -> Value {
    return ir::RotaryOp::create(b, loc, heads, rotaryTable,
                                shape.interleaved ? b.getUnitAttr() : UnitAttr());
  };
  auto store = [&](Value pages, Value rows, const char *layout) -> Value {
    return ir::UpdateSlotsOp::create(b, loc, pages, rows, graph.sequenceStarts, graph.pageTable,
                                     graph.cachedLengths, b.getStringAttr(layout));
  };
  Value q = rotate(split(query(graph, x), shape.heads));
  Value k = rotate(split(key(graph, x), shape.kvHeads));
  Value v = split(value(graph, x), shape.kvHeads);
  cache.keys = store(cache.keys, k, "keys");
  cache.values = store(cache.values, v, "values");
  Value mixed = ir::PagedAttentionOp::create(b, loc, q, cache.keys, cache.values,
                                             graph.sequenceStarts, graph.pageTable,
                                             graph.cachedLengths, b.getF64FloatAttr(shape.scale));
  SmallVector<symbolic::Expr> dims = {tokens, context.constant(shape.heads * shape.headDim)};
  return output(graph, ir::ReshapeOp::create(b, loc, mixed, dims));
}

GatedMlp::GatedMlp(Weights &weights, const std::string &prefix, int64_t width, int64_t hidden)
    : gate(weights, prefix + "ffn_gate", width, hidden),
      up(weights, prefix + "ffn_up", width, hidden),
      down(weights, prefix + "ffn_down", hidden, width) {}

Value GatedMlp::operator()(Graph &graph, Value x) const {
  Value gated = ir::SiluOp::create(graph.b, graph.loc, gate(graph, x));
  Value hidden = ir::MultiplyOp::create(graph.b, graph.loc, gated, up(graph, x));
  return down(graph, hidden);
}

DecoderLayer::DecoderLayer(Weights &weights, const std::string &prefix, const AttentionShape &shape,
                           int64_t hidden, double epsilon)
    : attentionNorm(weights, prefix + "attn_norm", shape.width, epsilon),
      mlpNorm(weights, prefix + "ffn_norm", shape.width, epsilon),
      attention(weights, prefix, shape), mlp(weights, prefix, shape.width, hidden) {}

Value DecoderLayer::operator()(Graph &graph, Value x, Value rotaryTable, LayerCache &cache) const {
  Value attended = attention(graph, attentionNorm(graph, x), rotaryTable, cache);
  x = ir::AddOp::create(graph.b, graph.loc, x, attended);
  Value transformed = mlp(graph, mlpNorm(graph, x));
  return ir::AddOp::create(graph.b, graph.loc, x, transformed);
}

} // namespace relax::models
