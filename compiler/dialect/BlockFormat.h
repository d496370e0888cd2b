//===- BlockFormat.h - how stored weights encode numbers in bytes -----------------------------===//
//
// The one table of weight formats. A row of K numbers is K / blockSize blocks of bytesPerBlock
// bytes. The fields of a block, at byte offsets:
//
//   scaleOffset     f16 d
//   minOffset       f16 m (where hasMin)
//   highBitsOffset  u32, bit j belongs to element j (the fifth bit of q5_0, q5_1)
//   valuesOffset    bits = 8: an i8 for each element
//                   bits = 4, 5: 16 bytes; the low nibble of byte j is element j, the high one
//                   element j + 16
//
// An element is (q - offset) * d, plus m where there is one; q is unsigned, except that of q8_0,
// which is signed. The plain formats f32, f16 and bf16 have blocks of one element and no fields.
// All numbers are little-endian. This is the layout of GGUF files.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include <cstdint>

namespace relax::ir {

struct BlockFormat {
  llvm::StringLiteral name;
  uint32_t ggufType; ///< The tensor type's number in GGUF files.
  int64_t blockSize; ///< Elements of a block.
  int64_t bytesPerBlock;
  int64_t bits; ///< Of one element's q; of the element itself in plain formats.
  bool hasMin;
  int64_t offset;                                               ///< Subtracted from q.
  int64_t scaleOffset, minOffset, highBitsOffset, valuesOffset; ///< Bytes; -1: no such field.

  /// f32, f16 or bf16: no blocks, no scales.
  [[nodiscard]] bool isPlain() const { return blockSize == 1; }
  /// Elements that a packed unit spans along k.
  static constexpr int64_t unitElements = 32;
  /// Rows that the packed layout interleaves.
  static constexpr int64_t packedRows = 16;
  /// Bytes of 32 consecutive elements of a row.
  [[nodiscard]] int64_t bytesPerUnit() const { return unitElements / blockSize * bytesPerBlock; }
  /// Bytes of 16 rows times 32 elements in the packed layout.
  [[nodiscard]] int64_t packedUnitBytes() const { return packedRows * bytesPerUnit(); }
  /// Bytes of a row of `elements`, which must be a multiple of blockSize.
  [[nodiscard]] int64_t rowBytes(int64_t elements) const {
    return elements / blockSize * bytesPerBlock;
  }
};

/// Every format, in the order of GGUF's numbers.
llvm::ArrayRef<BlockFormat> blockFormats();
/// Null if there is none of that name or number.
const BlockFormat *findBlockFormat(llvm::StringRef name);
const BlockFormat *findBlockFormat(uint32_t ggufType);
/// The names of all formats, for messages: "f32, f16, …".
std::string blockFormatNames();

} // namespace relax::ir
