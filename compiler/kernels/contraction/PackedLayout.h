// The packed form of a weight matrix [N, K]: what pack-weights writes and the matmuls read.
//
// Rows are taken 16 at a time (a *row block*; the last one is padded with zero rows), and columns
// in *units* of 32. The units of a row block follow each other, so a kernel that walks along K
// reads one sequential stream. Lane = row everywhere:
//
//   offset  0   16 x f16 d            scale of each row's block of 32
//          32   16 x f16 m            minimum, in formats that have one
//           .   16 rows x 4 bytes     5-bit formats: bit v of byte j is the high bit of column 4v+j
//           .   quads                 16 rows x 4 bytes (four consecutive columns) each
//
// Formats of 4 and 5 bits have 4 quads: the low nibbles of quad v are columns 4v .. 4v+3, the high
// nibbles columns 16+4v .. 16+4v+3, the same pairs as in a GGUF block. q8_0 has 8 quads of signed
// bytes. What is needed first comes first: scales after the data would cost a third of the read
// bandwidth.
//
// The float formats (f32, f16, bf16) have units of one column: 16 rows x one element.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>

namespace relax::kernels {

struct PackedLayout {
  /// Rows of a row block.
  static constexpr int64_t rows = 16;
  /// Columns of a quad, and bytes of a row in it.
  static constexpr int64_t quad = 4;

  enum class Element { Quantized, F32, F16, BF16 };

  llvm::StringRef format;
  Element element;
  /// Columns in a unit: 32, or 1 for float formats.
  int64_t unitColumns;
  /// Bits of a quantised element; bits of a float.
  int64_t bits;
  bool hasMin;
  /// What to subtract from a stored unsigned element: 8 (q4_0), 16 (q5_0), 0.
  int64_t offset;

  // The block of 32 (or the element) in the file.
  int64_t sourceBytes;
  int64_t sourceHighBits; ///< Byte offset of the 32 high bits; 5-bit formats only.
  int64_t sourceQuants;   ///< Byte offset of the nibbles or bytes.

  // The unit.
  int64_t unitBytes;
  int64_t minOffset;
  int64_t highOffset;
  int64_t quadOffset;

  bool isFloat() const { return element != Element::Quantized; }
  int64_t numQuads() const { return bits == 8 ? 8 : 4; }
  int64_t units(int64_t columns) const { return columns / unitColumns; }
  int64_t rowBlocks(int64_t numRows) const { return (numRows + rows - 1) / rows; }
  int64_t rowBlockBytes(int64_t columns) const { return units(columns) * unitBytes; }
  int64_t sourceRowBytes(int64_t columns) const { return units(columns) * sourceBytes; }
};

/// The layout for a format: "f32", "f16", "bf16", "q4_0", "q4_1", "q5_0", "q5_1" or "q8_0"; nothing
/// for another name.
std::optional<PackedLayout> packedLayout(llvm::StringRef format);

} // namespace relax::kernels
