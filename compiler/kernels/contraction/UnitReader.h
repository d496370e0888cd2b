// Reads one unit of packed quantised weights (PackedLayout.h) as vectors whose lanes are rows.
#pragma once

#include "compiler/kernels/contraction/PackedLayout.h"
#include "compiler/kernels/contraction/VectorEmitter.h"

#include <map>

namespace relax::kernels {

/// Where a unit is: its block and itself begin at these bytes of packed[rowBlock]; in a split
/// layout its low half at `low`, which lies beyond that row.
struct UnitPlace {
  mlir::Value packed, rowBlock, block, unit, low = {};
};
/// The place of the low half of unit `number`.
mlir::Value lowPlace(const VectorEmitter &e, const PackedLayout &layout, int64_t rows,
                     int64_t columns, mlir::Value rowBlock, mlir::Value number);

/// Packed weights of a split layout, addressed by row blocks as far as their high halves go:
/// memref<rowBlocks x strideBytes x i8>, behind which the low halves lie.
mlir::Value strideView(const VectorEmitter &e, const PackedLayout &layout, int64_t rows,
                       int64_t columns, mlir::Value packed);

class UnitReader {
public:
  UnitReader(const VectorEmitter &e, const PackedLayout &layout, const UnitPlace &place)
      : e(e), layout(layout), place(place) {}

  /// Asks for the cache lines of a unit `distance` bytes further, which may be past the end.
  void prefetch(int64_t distance) const;

  /// The block's scale and minimum of rows firstRow .. firstRow + lanes, f32.
  mlir::Value scales(int64_t firstRow) const;
  mlir::Value minimums(int64_t firstRow) const;

  /// The integer scales of the unit's groups as pairs of i16: (S of columns 0 to 15, S of columns
  /// 16 to 31), 2 * lanes of them. minimumPairs: the same of M.
  mlir::Value scalePairs(int64_t firstRow);
  mlir::Value minimumPairs(int64_t firstRow);
  /// One of the two in both halves of each pair.
  mlir::Value groupPairs(mlir::Value pairs, int64_t group) const;
  /// One of the two as i32.
  mlir::Value groupIntegers(mlir::Value pairs, int64_t group) const;

  /// Columns 4 * quad .. 4 * quad + 3 of rows firstRow .. firstRow + lanes, as 4 * lanes bytes:
  /// signed if layout.isSigned(), else without sign and the format's offset still in.
  mlir::Value quad(int64_t quad, int64_t firstRow);
  /// One column of rows firstRow .. firstRow + lanes as i32, the format's offset subtracted.
  mlir::Value column(int64_t column, int64_t firstRow);

private:
  mlir::Value bytes(mlir::Value base, int64_t offset, int64_t count, mlir::Type element) const;
  /// The same bytes are asked for several times: planes, columns.
  mlir::Value cachedBytes(const PackedLayout::Plane &plane, int64_t offset);
  mlir::Value integerPairs(int64_t offset, int64_t firstRow);
  mlir::Value lookUp(mlir::Value codes) const;

  const VectorEmitter &e;
  const PackedLayout &layout;
  UnitPlace place;
  std::map<std::pair<bool, int64_t>, mlir::Value> cache;
  std::map<std::pair<int64_t, int64_t>, mlir::Value> quads;
};

} // namespace relax::kernels
