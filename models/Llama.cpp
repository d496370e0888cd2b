#include "models/Llama.h"

#include "compiler/dialect/ops/IndexOps.h"

#include <cmath>

using namespace mlir;

namespace relax::models {

Llama::Llama(Weights &weights, const HyperParameters &parameters)
    : parameters(parameters),
      embedding(weights, "token_embd", parameters.vocabulary, parameters.width),
      norm(weights, "output_norm", parameters.width, parameters.epsilon) {
  if (weights.has("rope_freqs.weight"))
    weights.fail(
        Status(StatusCode::Unsupported,
               weights.path() +
                   ": the tensor 'rope_freqs.weight' scales the rotary embedding, which can't be "
                   "compiled yet"));
  // In files of this architecture the rows of q and k are permuted so that pairs are adjacent.
  AttentionShape shape{parameters.width,
                       parameters.heads,
                       parameters.kvHeads,
                       parameters.headDim,
                       1 / std::sqrt(static_cast<double>(parameters.headDim)),
                       /*interleaved=*/true};
  for (int64_t i = 0; i < parameters.layers; ++i)
    layers.emplace_back(weights, "blk." + std::to_string(i) + ".", shape, parameters.hidden,
                        parameters.epsilon);
  // A file without an output head of its own shares the embedding table.
  head = weights.has("output.weight")
             ? Linear(weights, "output", parameters.width, parameters.vocabulary).precise()
             : Linear(embedding.weight()).precise();
}

Value Llama::operator()(Graph &graph, Value tokens, Value positions, Value outputRows,
                        std::vector<LayerCache> &caches) const {
  OpBuilder &b = graph.b;
  Value x = embedding(graph, tokens);
  Value table =
      ir::RotaryTableOp::create(b, graph.loc, positions, b.getF64FloatAttr(parameters.ropeBase),
                                b.getI64IntegerAttr(parameters.ropeDims));
  for (auto [layer, cache] : llvm::zip(layers, caches))
    x = layer(graph, x, table, cache);
  // Only the rows that are asked for go through the output head.
  x = ir::TakeOp::create(b, graph.loc, x, outputRows);
  return head(graph, norm(graph, x));
}

} // namespace relax::models
