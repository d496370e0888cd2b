// Reads one unit of packed quantised weights (PackedLayout.h) as vectors whose lanes are rows.
#pragma once

#include "compiler/kernels/contraction/PackedLayout.h"
#include "compiler/kernels/contraction/VectorEmitter.h"

#include <map>

namespace relax::kernels {

class UnitReader {
public:
  /// The unit whose first byte is packed[rowBlock, start].
  UnitReader(const VectorEmitter &e, const PackedLayout &layout, mlir::Value packed,
             mlir::Value rowBlock, mlir::Value start)
      : e(e), layout(layout), packed(packed), rowBlock(rowBlock), start(start) {}

  /// Asks for the cache lines of a unit `distance` bytes further, which may be past the end.
  void prefetch(int64_t distance) const;

  /// Scale and minimum of rows firstRow .. firstRow + lanes, f32.
  mlir::Value scales(int64_t firstRow) const;
  mlir::Value minimums(int64_t firstRow) const;

  /// Columns 4 * quad .. 4 * quad + 3 of rows firstRow .. firstRow + lanes, as 4 * lanes bytes as
  /// stored: unsigned for 4 and 5 bits, signed for 8.
  mlir::Value quad(int64_t quad, int64_t firstRow);
  /// One column of rows firstRow .. firstRow + lanes as i32, the format's offset subtracted.
  mlir::Value column(int64_t column, int64_t firstRow);

private:
  mlir::Value bytes(int64_t offset, int64_t count, mlir::Type element) const;
  /// The same bytes are asked for several times: low and high nibbles, high bits, columns.
  mlir::Value cachedBytes(int64_t offset);

  const VectorEmitter &e;
  const PackedLayout &layout;
  mlir::Value packed, rowBlock, start;
  std::map<int64_t, mlir::Value> cache;
};

} // namespace relax::kernels
