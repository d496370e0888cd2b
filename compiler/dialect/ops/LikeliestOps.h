//===- LikeliestOps.h - products of which only the largest are wanted -------------------------===//
#pragma once

#include "compiler/dialect/ops/OpSupport.h"

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter" // In generated code.
#define GET_OP_CLASSES
#include "compiler/dialect/ops/LikeliestOps.h.inc"
#pragma GCC diagnostic pop

namespace relax::ir {

struct BlockFormat;

/// Whether integers of a format can be split into high and low halves: 8 bits with a sign, one
/// scale for 32, nothing else.
bool hasHalves(const BlockFormat &format);

/// The attribute of pack_weights that asks for split weights.
inline constexpr const char *splitAttr = "relax.split";

} // namespace relax::ir
