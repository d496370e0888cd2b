// The packed form of a weight matrix [N, K]: what pack-weights writes and the matmuls read.
//
// Rows are taken 16 at a time (a *row block*; the last one is padded with zero rows), and columns
// in blocks of the format, each of which is one or more *units* of 32 columns. The blocks of a row
// block follow each other, so a kernel that walks along K reads one sequential stream. Lane = row
// everywhere. A block is
//
//   16 x f16 scale
//   16 x f16 minimum      in formats that have one, with its sign
//   units
//
// and a unit
//
//   16 rows x S           i8, one or two for each row: the groups' integer scales, where there are
//   16 rows x M           the same for minimums
//   planes of q           the highest bits first
//
// A plane of b bits (1, 2, 4 or 8) has b words for each row: 16 rows x 4 bytes, b times. A *quad*
// is four consecutive columns, one a byte; quad v of the eight lies in word v mod b at bit b * (v
// div b) of each byte. Five bits are a plane of 1 bit and one of 4, six are 2 and 4, three are 1
// and 2. What is needed first comes first: scales after the data would cost a third of the read
// bandwidth.
//
// A *split* layout (formats of 8 bits with one scale and nothing else) has the high four bits of
// all integers first, so that a kernel can read these alone: row block by row block scales and a
// plane of 4 bits, and after the last row block the planes of the low four bits. The integers'
// highest bit is inverted, so that both halves are numbers without a sign: q = 16 * (high - 8) +
// low.
//
// The float formats (f32, f16, bf16) have units of one column: 16 rows x one element.
#pragma once

#include "compiler/dialect/BlockFormat.h"

#include <optional>

namespace relax::kernels {

struct PackedLayout {
  /// Rows of a row block.
  static constexpr int64_t rows = ir::BlockFormat::packedRows;
  /// Columns of a quad, and bytes of a row in it.
  static constexpr int64_t quad = 4;

  struct Plane {
    int64_t bits;
    int64_t base;   ///< Its lowest bit's place in q.
    int64_t offset; ///< In the unit, or in the low half's unit.
    bool isLow = false;
  };

  const ir::BlockFormat *format;
  /// Columns in a unit: 32, or 1 for float formats.
  int64_t unitColumns;
  int64_t unitsPerBlock;

  // The block.
  int64_t minimumOffset;
  int64_t headerBytes;
  int64_t blockBytes;
  // The unit.
  int64_t unitBytes;
  int64_t integerMinimumOffset;
  std::vector<Plane> planes;
  /// Of a split layout; blockBytes and unitBytes are those of the high halves.
  bool isSplit = false;
  int64_t lowUnitBytes = 0;

  bool isFloat() const { return format->isPlain(); }
  bool hasMinimum() const { return format->hasMinimum(); }
  /// Do groups of columns have integer scales?
  bool hasIntegers() const { return format->scales.exists(); }
  int64_t groups() const { return format->groupsPerUnit(); }
  int64_t bits() const { return format->quants.bits(); }
  /// Are weights bytes with a sign, when a quad is read?
  bool isSigned() const { return format->quants.isSigned || !format->quants.codebook.empty(); }
  /// What to subtract from an element as it is read.
  int64_t offset() const { return format->quants.offset; }

  int64_t blocks(int64_t columns) const { return columns / (unitColumns * unitsPerBlock); }
  int64_t rowBlocks(int64_t numRows) const { return (numRows + rows - 1) / rows; }
  /// Bytes of a row block that lie together; of a split layout, those of the high halves.
  int64_t strideBytes(int64_t columns) const { return blocks(columns) * blockBytes; }
  int64_t lowBytes(int64_t columns) const { return blocks(columns) * lowUnitBytes; }
  int64_t rowBlockBytes(int64_t columns) const { return strideBytes(columns) + lowBytes(columns); }
};

/// The layout of a format.
PackedLayout packedLayout(const ir::BlockFormat &format);
/// The split layout of a format that has halves (ir::hasHalves).
PackedLayout splitLayout(const ir::BlockFormat &format);
/// The high halves of a split layout alone, as numbers of 4 bits: 16 times less than what they
/// stand for.
PackedLayout highLayout(const PackedLayout &split);

} // namespace relax::kernels
