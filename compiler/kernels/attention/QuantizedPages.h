//===- QuantizedPages.h - pages of 8-bit keys or values, as kernels address them --------------===//
//
// The layout is that of the cache type q8_0 (runtime/kv_cache/CacheType.h): in each page the bytes
// of a head are page_size * head_dim integers, then the scales of block 0 in each slot, of block 1,
// and so on. Keys have slots innermost and values have elements, so an integer's place is given by
// the caller; scales have slots innermost in both.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/kernels/attention/VectorMath.h"

namespace relax::kernels::attention {

class QuantizedPages {
public:
  QuantizedPages() = default;
  /// `pages` is an i8 memref of rank 4. Emits its flat form where `m` stands.
  QuantizedPages(VectorMath &m, mlir::Value pages, int64_t headDim, int64_t pageSize);

  [[nodiscard]] static bool isQuantized(mlir::Value pages);
  [[nodiscard]] int64_t blocks() const;

  /// Integers [place .. place + lanes) of a head's, as f32.
  mlir::Value loadIntegers(VectorMath &m, mlir::Value page, mlir::Value head, mlir::Value place,
                           int64_t lanes) const;
  /// Scales of `block` in the slots [slot .. slot + lanes), as f32.
  mlir::Value loadScales(VectorMath &m, mlir::Value page, mlir::Value head, mlir::Value block,
                         mlir::Value slot, int64_t lanes) const;
  /// Asks for the line in which a byte of a head is.
  void prefetch(VectorMath &m, mlir::Value page, mlir::Value head, mlir::Value byte) const;
  [[nodiscard]] mlir::Value scaleByte(VectorMath &m, mlir::Value block, mlir::Value slot) const;

  /// Quantises elements of one block, given as vectors, and stores the scale of `slot`. Returns the
  /// integers as i8 vectors.
  llvm::SmallVector<mlir::Value> quantize(VectorMath &m, llvm::ArrayRef<mlir::Value> elements,
                                          mlir::Value page, mlir::Value head, int64_t block,
                                          mlir::Value slot) const;
  /// Stores integers at a place of a head's.
  void store(VectorMath &m, mlir::Value integers, mlir::Value page, mlir::Value head,
             mlir::Value place) const;

private:
  mlir::Value flat; ///< [g, kv_heads, bytes of a head]
  int64_t headDim = 0, pageSize = 0;
};

} // namespace relax::kernels::attention
