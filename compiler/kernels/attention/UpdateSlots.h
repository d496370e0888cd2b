//===- UpdateSlots.h - write new keys or values into the pages of a cache ---------------------===//
//
// Token i of sequence s is written to slot n = cached_lengths[s] + i - sequence_starts[s]: page
// page_table[s, n / page_size], place n % page_size. Pages are updated where they are; nothing but
// the new slots is touched. A unit is one token. For pages of i8 each 32 elements are quantised on
// the way (QuantizedPages.h).
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/attention/VectorMath.h"

#include <functional>

namespace relax::kernels::attention {

enum class SlotLayout {
  Keys,   ///< [g, kv_heads, head_dim, page_size]: slots innermost.
  Values, ///< [g, kv_heads, page_size, head_dim]
};

struct UpdateSlotsParams {
  int64_t kvHeads = 0;
  int64_t headDim = 0;
  int64_t pageSize = 0;
  SlotLayout layout = SlotLayout::Keys;
};

struct UpdateSlotsOperands {
  mlir::Value pages; ///< f32, f16 or i8, by layout; written
  /// Elements [token, head, dim .. dim + lanes) of the f32 values [t, kv_heads, head_dim]: a scalar
  /// for lanes = 1, otherwise a vector.
  std::function<mlir::Value(mlir::OpBuilder &, mlir::Value token, mlir::Value head, mlir::Value dim,
                            int64_t lanes)>
      values;
  /// Comes before the values of a token's head, where it is set.
  std::function<void(mlir::OpBuilder &, mlir::Value token, mlir::Value head)> beginHead = nullptr;
  mlir::Value sequenceStarts; ///< i32 [b + 1]
  mlir::Value pageTable;      ///< i32 [b, p]
  mlir::Value cachedLengths;  ///< i32 [b]
  mlir::Value begin, end;     ///< index
};

void buildUpdateSlots(mlir::OpBuilder &builder, mlir::Location loc, VectorTarget target,
                      const UpdateSlotsParams &params, const UpdateSlotsOperands &operands);

} // namespace relax::kernels::attention
