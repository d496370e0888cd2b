//===- MatmulCall.h - what the adapters' matrix products have in common -----------------------===//
//
// An entry "….matmul" of an artifact: operands a [..., m, k] and b [..., k, n] (or transposed),
// then the optional ones, then the result [..., m, n]. Options: transpose_a, transpose_b, and those
// of the adapter. b may have rank 2 and a more; else their dimensions in front are equal.
//
// The product is done in parts: batches, and blocks of rows and columns in each. Where the parts
// begin depends on the sizes alone.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/threads/ThreadPool.h"
#include "runtime/vm/Registry.h"

#include <cstdint>
#include <string_view>

namespace relax::runtime {

/// The value of an option of an entry; 0 if it has none of that name.
int64_t optionOf(const artifact::Library &entry, std::string_view name);

/// What an entry says of every call of it.
struct MatmulEntry {
  artifact::DType a, b, result;
  uint32_t rankA = 0, rankB = 0, rankResult = 0;
  bool transposeA = false, transposeB = false;

  /// Checks the entry's operands: a, b, `others` more, and a result.
  static Expected<MatmulEntry> of(const artifact::Library &entry, size_t others);
};

/// The sizes of one call, in elements. Rows of a stored matrix follow each other without gaps.
struct MatmulSizes {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  int64_t strideA = 0, strideB = 0; ///< From one batch to the next; 0 where all share one matrix.
  int64_t rowsPerPart = 0, columnsPerPart = 0;
  int64_t rowParts = 0, columnParts = 0;

  /// Reads the dimensions of a call, and checks them against each other and the buffers.
  static Expected<MatmulSizes> of(const MatmulEntry &entry, const LibraryCall &call);
  [[nodiscard]] int64_t parts() const { return batch * rowParts * columnParts; }
  [[nodiscard]] int64_t cost() const;
};

/// One part of a product: where its blocks of a, b and the result begin, in elements.
struct MatmulPart {
  int64_t batch = 0, row = 0, column = 0, rows = 0, columns = 0;
  int64_t a = 0, b = 0, result = 0;

  MatmulPart(const MatmulEntry &entry, const MatmulSizes &sizes, int64_t index);
};

} // namespace relax::runtime
