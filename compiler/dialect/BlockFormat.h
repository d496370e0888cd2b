//===- BlockFormat.h - how stored weights encode numbers in bytes -----------------------------===//
//
// A weight format is data. A row of K numbers is K / elements blocks of `bytes` bytes; a number of
// a block is
//
//   scale * S * (q - offset)  +  minimum * M
//
// where scale and minimum are float16s of the block, S and M small integers of the number's group
// (1 where the format has none), and q an integer of the number's own, maybe looked up in a
// codebook. The integers are bit fields: each is put together from planes, the lowest bits first,
// and plane by plane an affine map says in which byte of the block, and at which bit of it, the
// field of index j begins. All numbers are little-endian.
//
// The decode program (`relax.dequantize`), the packing for kernels, the products and the
// interpreter are all made from this record, and none knows a format by its name. A record is
// written as an MLIR dictionary; the folder formats/ has one file for each that is built in, and a
// user may add one (addBlockFormat; `--block-format FILE`). The keys:
//
//   element     f32, f16 or bf16: a plain format, nothing else follows
//   elements    numbers of a block, a multiple of 32
//   bytes       bytes of a block
//   quants      the field q:     {planes = [{bits = 4, at = affine_map<(j) -> (byte, bit)>}, …]},
//               and, where they apply, signed, offset = 8, codebook = [16 numbers]
//   scale       byte of the float16 scale
//   minimum     byte of the float16 minimum, if there is one
//   subtract_minimum   (unit) the minimum is subtracted
//   group       16 or 32: numbers that share the integers `scales` and `minimums`
//   scales, minimums   fields like q, indexed by group; absent: 1
//
// Kernels take 32 numbers at a time, so a field's place in the 32 must not depend on which 32 of
// the block they are, beyond a common shift of bytes and bits.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/MLIRContext.h"
#include "mlir/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax::ir {

/// Some bits of an integer field.
struct BitPlane {
  int64_t bits;
  std::string map;             ///< Text of the affine map (j) -> (byte, bit).
  std::vector<int64_t> byteOf; ///< The same by j.
  std::vector<int64_t> bitOf;
};

/// An integer for each number or group of a block.
struct IntegerField {
  std::vector<BitPlane> planes; ///< The lowest bits first; none: the field is absent.
  bool isSigned = false;        ///< Two's complement of bits().
  int64_t offset = 0;           ///< Subtracted.
  std::vector<int64_t> codebook;

  [[nodiscard]] bool exists() const { return !planes.empty(); }
  [[nodiscard]] int64_t bits() const;
  /// The integer at `index`, before codebook and offset, of a block's bytes.
  [[nodiscard]] int64_t raw(const uint8_t *block, int64_t index) const;
  /// With codebook and offset.
  [[nodiscard]] int64_t value(const uint8_t *block, int64_t index) const;
};

struct BlockFormat {
  enum class Element { Blocks, F32, F16, BF16 };

  std::string name;
  Element element = Element::Blocks;
  int64_t blockSize = 1; ///< Numbers of a block.
  int64_t bytesPerBlock = 0;
  IntegerField quants, scales, minimums;
  int64_t scaleOffset = -1, minimumOffset = -1; ///< Bytes; -1: no such field.
  bool subtractsMinimum = false;
  int64_t group = 32;

  /// f32, f16 or bf16: no blocks, no scales.
  [[nodiscard]] bool isPlain() const { return element != Element::Blocks; }
  [[nodiscard]] bool hasMinimum() const { return minimumOffset >= 0; }

  /// Elements that a packed unit spans along k.
  static constexpr int64_t unitElements = 32;
  /// Rows that the packed layout interleaves.
  static constexpr int64_t packedRows = 16;
  /// Groups of a unit: 1 or 2.
  [[nodiscard]] int64_t groupsPerUnit() const { return unitElements / group; }
  [[nodiscard]] int64_t unitsPerBlock() const { return blockSize / unitElements; }
  /// Bytes of 16 rows in the packed layout (kernels/contraction/PackedLayout.h): what a block has
  /// once, and what each of its units has.
  [[nodiscard]] int64_t packedHeaderBytes() const;
  [[nodiscard]] int64_t packedUnitBytes() const;
  /// Bytes of 16 rows of `elements`.
  [[nodiscard]] int64_t packedBytes(int64_t elements) const;
  /// Bytes of a row of `elements`, which must be a multiple of blockSize.
  [[nodiscard]] int64_t rowBytes(int64_t elements) const {
    return elements / blockSize * bytesPerBlock;
  }
};

/// Every format that is built in, by name.
llvm::ArrayRef<BlockFormat> blockFormats();
/// The format of that name, built in or added to the context; null if there is none.
const BlockFormat *findBlockFormat(mlir::MLIRContext *context, llvm::StringRef name);
/// The names of the built-in formats, for messages: "bf16, f16, …".
std::string blockFormatNames();

/// Adds a format to a context, which must have the dialect loaded and must not be in use by several
/// threads. Errors are reported at the context's diagnostics and name the key that is wrong.
mlir::LogicalResult addBlockFormat(mlir::MLIRContext *context, llvm::StringRef name,
                                   llvm::StringRef text);
/// The same from a file, `name`.mlir.
mlir::LogicalResult addBlockFormatFile(mlir::MLIRContext *context, llvm::StringRef path);

} // namespace relax::ir
