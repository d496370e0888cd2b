//===- Weights.h - random stored weights and the programs that use them -----------------------===//
#pragma once

#include "tests/unit/kernels/KernelRunner.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax::test {

/// What a GGUF block of a format holds; written down here once more, independently of the compiler.
struct StoredFormat {
  std::string name;
  int bits;
  bool hasMin;
  int offset;
  int blockBytes;
  int elements = 32;   ///< Of a block; 1 in float formats.
  int packedBytes = 0; ///< Of a block of 16 rows in the packed layout; 0: as stored.

  bool isFloat() const { return bits >= 16; }
  int blockSize() const { return isFloat() ? 1 : elements; }
  /// Bytes of a block of 16 rows in the packed layout.
  int64_t packedBlockBytes() const { return packedBytes ? packedBytes : 16 * blockBytes; }
  int64_t rowBytes(int64_t columns) const { return columns / blockSize() * blockBytes; }
};

/// All formats, the block formats first.
const std::vector<StoredFormat> &storedFormats();

/// Bytes [begin, end) of each block.
struct BlockBytes {
  int begin = 0, end = 0;
};

/// A matrix of `rows` x `columns` with random bytes, save those of each block that are to be 0.
struct StoredMatrix {
  StoredMatrix(const StoredFormat &format, int64_t rows, int64_t columns, BlockBytes zeros = {});

  StoredFormat format;
  int64_t rows, columns;
  std::vector<uint8_t> bytes;
  /// The numbers they stand for, and the magnitudes whose sum bounds rounding errors: |d * q| +
  /// |m|.
  std::vector<double> values, magnitudes;
};

/// Programs of one op each. `target` of the options is the caller's.
std::string packProgram(const StoredMatrix &matrix);
std::string quantizeProgram(int64_t columns, int64_t planes);
std::string quantizedMatmulProgram(const StoredMatrix &matrix, int64_t planes,
                                   bool withEpilogue = false);
std::string packedMatmulProgram(const StoredMatrix &matrix);

std::vector<float> randomActivations(int64_t tokens, int64_t columns);

/// Activations as quantize_activations writes them.
struct QuantizedRows {
  std::vector<int8_t> quants;
  std::vector<float> scales;
  std::vector<int32_t> sums;
};
QuantizedRows quantize(const std::vector<float> &x, int64_t columns, int64_t planes,
                       const KernelOptions &options = {});
/// The packed bytes, from the pack kernel.
std::vector<uint8_t> pack(const StoredMatrix &matrix, const KernelOptions &options = {});

} // namespace relax::test
