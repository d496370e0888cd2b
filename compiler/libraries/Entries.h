//===- Entries.h - what the compiler knows of libraries ---------------------------------------===//
//
// An *entry* is a pattern of graph ops, when it is legal, the library function that does it, and
// what that costs. The pass claim-library asks each entry of the libraries that may be used, and
// makes the claim that takes the most ops; of equals the cheapest. Users add entries as PDL or PDLL
// (LibraryPatterns.h), without building anything.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/libraries/Claim.h"
#include "compiler/libraries/Thresholds.h"

namespace relax::libraries {

struct Entry {
  const char *library;  ///< As --libraries names it, and the prefix of `function`.
  const char *function; ///< Its adapter is in runtime/libraries.
  /// The claim whose last op is `root`, if the pattern is there and legal.
  std::optional<Claim> (*match)(mlir::Operation *root, const Entry &entry);
  /// Nanoseconds for a thousand multiplications of a large product on one core of about 3 GHz with
  /// AVX2: only the order of entries depends on it.
  double cost;
  /// Where nothing was measured, a library is called from these sizes on: rows and columns, and
  /// multiplications. Large enough that it is never slower for its calling costs.
  int64_t rows, work;
};

/// All entries, in an order that decides between equals.
llvm::ArrayRef<Entry> libraryEntries();

/// The names that --libraries takes.
llvm::SmallVector<llvm::StringRef> libraryNames();

std::optional<Claim> matchMatmul(mlir::Operation *root, const Entry &entry);
std::optional<Claim> matchMatmulWithEpilogue(mlir::Operation *root, const Entry &entry);
std::optional<Claim> matchIntegerMatmul(mlir::Operation *root, const Entry &entry);

/// The dtype that measurements of a claim go by: "f32".
std::string dtypeOf(const Claim &claim);

} // namespace relax::libraries
