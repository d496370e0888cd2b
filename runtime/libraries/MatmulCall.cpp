#include "runtime/libraries/MatmulCall.h"

#include "runtime/support/Text.h"

#include <algorithm>

namespace relax::runtime {
namespace {

/// A part is divided while it takes more multiplications than `fine`, as long as there are few, and
/// than `coarse` in any case: below some 0.1 ms handing over costs, above a few cores wait.
constexpr int64_t fine = 4'000'000, coarse = 64'000'000, fewParts = 4;
/// Libraries work on blocks of about this many rows or columns at least.
constexpr int64_t leastBlock = 48;

Status unlike(const artifact::Library &entry, const std::string &message) {
  return Status(StatusCode::InvalidFile,
                text("the library function ", inQuotes(entry.name), ' ', message));
}

int64_t ceilDivide(int64_t a, int64_t b) { return (a + b - 1) / b; }

int64_t product(std::span<const int64_t> dims) {
  int64_t count = 1;
  for (int64_t dim : dims)
    count *= dim;
  return count;
}

} // namespace

int64_t optionOf(const artifact::Library &entry, std::string_view name) {
  for (const artifact::Library::Option &option : entry.options)
    if (option.name == name)
      return option.value;
  return 0;
}

Expected<MatmulEntry> MatmulEntry::of(const artifact::Library &entry, size_t others) {
  if (entry.tensors.size() != others + 3)
    return unlike(entry, text("has ", entry.tensors.size(), " tensors; expected ", others + 3));
  MatmulEntry out;
  out.a = entry.tensors[0].dtype;
  out.b = entry.tensors[1].dtype;
  out.result = entry.tensors.back().dtype;
  out.rankA = entry.tensors[0].rank;
  out.rankB = entry.tensors[1].rank;
  out.rankResult = entry.tensors.back().rank;
  out.transposeA = optionOf(entry, "transpose_a") != 0;
  out.transposeB = optionOf(entry, "transpose_b") != 0;
  if (out.rankA < 2 || out.rankResult != out.rankA || (out.rankB != 2 && out.rankB != out.rankA))
    return unlike(entry, text("multiplies tensors of rank ", out.rankA, " and ", out.rankB,
                              ", to one of rank ", out.rankResult));
  return out;
}

Expected<MatmulSizes> MatmulSizes::of(const MatmulEntry &entry, const LibraryCall &call) {
  std::span<const int64_t> a = call.values.first(entry.rankA);
  std::span<const int64_t> b = call.values.subspan(entry.rankA, entry.rankB);
  size_t front = entry.rankA - 2;
  int64_t rowsA = a[front], columnsA = a[front + 1];
  int64_t rowsB = b[entry.rankB - 2], columnsB = b[entry.rankB - 1];
  MatmulSizes out;
  out.batch = product(a.first(front));
  out.m = entry.transposeA ? columnsA : rowsA;
  out.k = entry.transposeA ? rowsA : columnsA;
  out.n = entry.transposeB ? rowsB : columnsB;
  out.strideA = out.m * out.k;
  bool sharesB = entry.rankB == 2;
  out.strideB = sharesB ? 0 : out.k * out.n;
  bool fits = (entry.transposeB ? columnsB : rowsB) == out.k &&
              (sharesB || std::ranges::equal(a.first(front), b.first(front)));
  // Rows of all batches are rows of one matrix.
  if (sharesB && !entry.transposeA) {
    out.m *= out.batch;
    out.batch = 1;
  }
  uint64_t elements = static_cast<uint64_t>(out.batch * out.m * out.n);
  if (!fits || call.sizes.back() != elements * artifact::byteSize(entry.result))
    return Status(StatusCode::Internal, "the sizes of its operands don't fit each other");
  auto addressable = [](int64_t size) { return size <= INT32_MAX; };
  if (!addressable(out.m) || !addressable(out.n) || !addressable(out.k))
    return Status(StatusCode::Unsupported,
                  text("a matrix product of ", out.m, " x ", out.k, " and ", out.k, " x ", out.n,
                       ": the library's sizes have 32 bits"));
  out.rowsPerPart = out.m;
  out.columnsPerPart = out.n;
  out.rowParts = out.columnParts = elements == 0 ? 0 : 1;
  if (elements == 0)
    return out;
  for (;;) {
    double work =
        static_cast<double>(out.rowsPerPart) * out.columnsPerPart * std::max(out.k, int64_t{1});
    bool byRows = out.rowsPerPart >= out.columnsPerPart;
    int64_t &extent = byRows ? out.rowsPerPart : out.columnsPerPart;
    if (extent < 2 * leastBlock || work <= fine || (out.parts() >= fewParts && work <= coarse))
      return out;
    // Whole vectors and register tiles: a multiple of 48 is one of 6, 8 and 16.
    extent = ceilDivide(ceilDivide(extent, 2), leastBlock) * leastBlock;
    out.rowParts = ceilDivide(out.m, out.rowsPerPart);
    out.columnParts = ceilDivide(out.n, out.columnsPerPart);
  }
}

int64_t MatmulSizes::cost() const {
  double work = static_cast<double>(batch) * m * n * std::max(k, int64_t{1});
  return work > 1e18 ? int64_t{1'000'000'000'000'000'000} : static_cast<int64_t>(work);
}

MatmulPart::MatmulPart(const MatmulEntry &entry, const MatmulSizes &sizes, int64_t index) {
  column = index % sizes.columnParts * sizes.columnsPerPart;
  row = index / sizes.columnParts % sizes.rowParts * sizes.rowsPerPart;
  batch = index / sizes.columnParts / sizes.rowParts;
  rows = std::min(sizes.rowsPerPart, sizes.m - row);
  columns = std::min(sizes.columnsPerPart, sizes.n - column);
  a = batch * sizes.strideA + (entry.transposeA ? row : row * sizes.k);
  b = batch * sizes.strideB + (entry.transposeB ? column * sizes.k : column);
  result = (batch * sizes.m + row) * sizes.n + column;
}

} // namespace relax::runtime
