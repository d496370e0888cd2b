//===- DenseAttention.h - attention over dense keys and values --------------------------------===//
//
// softmax(scale * query * key^T + mask) * value without a matrix of scores in memory. A unit is a
// head of a batch times a tile of queries. Keys come in blocks of `blockKeys`, from key 0 on:
//
//   x  = scale * q . k (then the soft cap, the mask), -infinity where a key is hidden
//   m' = max(m, max x)    p = exp(x - m')    l' = l * exp(m - m') + sum p
//   acc' = acc * exp(m - m') + p V           out = acc / l, or 0 where no key is seen
//
// A row goes through the same operations whatever else the call computes: sums of a score run over
// the head's elements in order, acc over keys in order, l block by block. A block in which a row
// sees nothing changes none of its numbers, and what `causal` and `window` hide is never
// multiplied, so the result doesn't depend on the tile that a row falls in.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

namespace relax::kernels {

/// A program that is relax.attention on its own arguments.
const KernelStrategy &denseAttentionStrategy();

} // namespace relax::kernels
