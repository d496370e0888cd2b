#include "models/Decoder.h"

#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/IndexOps.h"
#include "compiler/dialect/ops/LanguageModelOps.h"
#include "compiler/dialect/ops/LikeliestOps.h"

using namespace mlir;

namespace relax::models {

Decoder::Decoder(Weights &weights, const HyperParameters &parameters)
    : p(parameters), embedding(weights, "token_embd", p.vocabulary, p.width),
      norm(weights, "output_norm", p.width, p) {
  // Read by readRotary, whichever it chose.
  for (const char *name :
       {"rope_freqs.weight", "rope_factors_long.weight", "rope_factors_short.weight"})
    if (p.usesRotary)
      weights.use(name);
  if (!p.usesRotary)
    positionEmbedding.emplace(weights, "position_embd", p.trainedContext, p.width);
  for (int64_t i = 0; i < p.layers; ++i)
    layers.emplace_back(weights, "blk." + std::to_string(i) + ".", p, i);
  // A file without an output head of its own shares the embedding table.
  head = weights.has("output.weight") ? Linear(weights, "output", p.width, p.vocabulary).precise()
                                      : Linear(embedding.weight()).precise();
}

Value Decoder::operator()(Graph &graph, Value tokens, Value positions, Value outputRows,
                          Value counts, std::vector<LayerCache> &caches) const {
  OpBuilder &b = graph.b;
  Value x = embedding(graph, tokens);
  if (p.embeddingScale != 1)
    x = graph.scaled(x, p.embeddingScale);
  if (positionEmbedding)
    x = ir::AddOp::create(b, graph.loc, x, (*positionEmbedding)(graph, positions));
  auto makeTable = [&](const Rotary &rotary) -> Value {
    return ir::RotaryTableOp::create(
        b, graph.loc, positions, b.getF64FloatAttr(rotary.base), b.getI64IntegerAttr(rotary.dims),
        rotary.factors.empty() ? DenseF64ArrayAttr() : b.getDenseF64ArrayAttr(rotary.factors),
        rotary.scale == 1 ? FloatAttr() : b.getF64FloatAttr(rotary.scale));
  };
  // One table for all layers that turn alike.
  Value global, local;
  for (auto [i, layer] : llvm::enumerate(layers)) {
    bool isLocal = p.isLocal(static_cast<int64_t>(i)) && !(p.localRotary == p.rotary);
    Value &table = isLocal ? local : global;
    if (p.usesRotary && !table)
      table = makeTable(isLocal ? p.localRotary : p.rotary);
    x = layer(graph, x, table, caches[i]);
  }
  // Only the rows that are asked for go through the output head.
  x = ir::TakeOp::create(b, graph.loc, x, outputRows);
  Value logits = head(graph, norm(graph, x));
  // A soft cap would turn minus infinity into a number.
  if (p.finalSoftCap == 0)
    return ir::LikeliestOp::create(b, graph.loc, logits, counts);
  return capped(graph, logits);
}

/// cap * tanh(logits / cap).
Value Decoder::capped(Graph &graph, Value logits) const {
  if (p.finalSoftCap == 0)
    return logits;
  Value inside = graph.scaled(logits, 1 / p.finalSoftCap);
  return graph.scaled(ir::TanhOp::create(graph.b, graph.loc, inside), p.finalSoftCap);
}

} // namespace relax::models
