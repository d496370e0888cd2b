//===- AttentionOps.h - attention over dense keys and values ---------------------------------===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/AttentionOps.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

/// Whether the op has a kernel of its own, which holds no matrix of scores: heads of known size up
/// to 256, every other size an expression, one element type, and heads provably a multiple of
/// key's. Any other is done as products and a softmax.
bool isWholeAttention(AttentionOp op);

} // namespace relax::ir
