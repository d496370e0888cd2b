#include "runtime/libraries/OneDnn.h"

#include "runtime/libraries/MatmulCall.h"
#include "runtime/libraries/OneDnnAbi.h"
#include "runtime/libraries/OneDnnPrimitive.h"
#include "runtime/support/Text.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <vector>

namespace relax::runtime {

using artifact::DType;
using onednn::OneDnn;
using onednn::Primitive;
using onednn::PrimitiveCache;

namespace {

struct Options {
  bool bias = false, residual = false;
  int64_t relu = 0; ///< 1: at the end, 2: before the residual.

  /// Whether oneDNN adds the residual, or the adapter does, behind its relu.
  [[nodiscard]] bool addsResidual() const { return residual && relu != 2; }
};

class Matmul {
public:
  Matmul(const OneDnn &library, MatmulEntry entry, Options options)
      : library(library), entry(entry), options(options) {}

  Status operator()(const LibraryCall &call) const;

private:
  Status runPart(const LibraryCall &call, const MatmulSizes &sizes, const MatmulPart &part) const;
  void finish(const LibraryCall &call, const MatmulSizes &sizes, const MatmulPart &part) const;

  [[nodiscard]] const void *biasOf(const LibraryCall &call) const { return call.buffers[2]; }
  [[nodiscard]] const float *residualOf(const LibraryCall &call) const {
    return static_cast<const float *>(call.buffers[options.bias ? 3 : 2]);
  }

  const OneDnn &library;
  MatmulEntry entry;
  Options options;
  std::shared_ptr<PrimitiveCache> cache = std::make_shared<PrimitiveCache>();
};

Status Matmul::operator()(const LibraryCall &call) const {
  Expected<MatmulSizes> sizes = MatmulSizes::of(entry, call);
  if (!sizes)
    return sizes.takeStatus();
  size_t next = 2;
  if (options.bias && call.sizes[next++] != static_cast<uint64_t>(sizes->n) * 4)
    return Status(StatusCode::Internal, "the bias isn't one number for each column");
  if (options.residual && call.sizes[next] != call.sizes.back())
    return Status(StatusCode::Internal, "the residual hasn't the sizes of the result");
  std::atomic<bool> failed = false;
  std::mutex lock;
  Status status;
  call.pool.parallelFor(sizes->parts(), sizes->cost(), [&](int64_t begin, int64_t end) {
    onednn::OneThread oneThread(library.api);
    for (int64_t i = begin; i != end && !failed.load(std::memory_order_relaxed); ++i)
      if (Status part = runPart(call, *sizes, MatmulPart(entry, *sizes, i)); !part.ok()) {
        std::lock_guard<std::mutex> guard(lock);
        failed = true;
        status = std::move(part);
      }
  });
  return status;
}

int typeOf(DType dtype) {
  switch (dtype) {
  case DType::I8:
    return onednn::S8;
  case DType::U8:
    return onednn::U8;
  case DType::I32:
    return onednn::S32;
  default:
    return onednn::F32;
  }
}

const std::byte *at(const void *base, int64_t elements, DType dtype) {
  return static_cast<const std::byte *>(base) +
         elements * static_cast<int64_t>(artifact::byteSize(dtype));
}

Status Matmul::runPart(const LibraryCall &call, const MatmulSizes &sizes,
                       const MatmulPart &part) const {
  if (sizes.k != 0) {
    onednn::MatmulShape shape;
    shape.m = part.rows;
    shape.n = part.columns;
    shape.k = sizes.k;
    shape.rowStrideA = entry.transposeA ? 1 : sizes.k;
    shape.columnStrideA = entry.transposeA ? sizes.m : 1;
    shape.rowStrideB = entry.transposeB ? 1 : sizes.n;
    shape.columnStrideB = entry.transposeB ? sizes.k : 1;
    shape.rowStrideResult = sizes.n;
    shape.a = typeOf(entry.a);
    shape.b = typeOf(entry.b);
    shape.result = typeOf(entry.result);
    shape.bias = options.bias;
    shape.residual = options.addsResidual();
    Expected<std::shared_ptr<const Primitive>> primitive = cache->get(library, shape);
    if (!primitive)
      return primitive.takeStatus();
    onednn::Pointers pointers;
    pointers.a = at(call.buffers[0], part.a, entry.a);
    pointers.b = at(call.buffers[1], part.b, entry.b);
    pointers.result = at(call.buffers.back(), part.result, entry.result);
    if (options.bias)
      pointers.bias = at(biasOf(call), part.column, DType::F32);
    if (options.addsResidual())
      pointers.residual = at(residualOf(call), part.result, DType::F32);
    RELAX_RETURN_IF_ERROR((*primitive)->run(pointers));
  }
  finish(call, sizes, part);
  return {};
}

/// What oneDNN leaves: relu and a residual behind it; and everything of a sum of nothing.
void Matmul::finish(const LibraryCall &call, const MatmulSizes &sizes,
                    const MatmulPart &part) const {
  bool all = sizes.k == 0;
  if (!all && options.relu == 0)
    return;
  for (int64_t i = 0; i != part.rows; ++i) {
    int64_t begin = part.result + i * sizes.n;
    if (entry.result != DType::F32) {
      std::memset(static_cast<int32_t *>(call.buffers.back()) + begin, 0,
                  static_cast<size_t>(part.columns) * sizeof(int32_t));
      continue;
    }
    float *row = static_cast<float *>(call.buffers.back()) + begin;
    const float *residual = options.residual ? residualOf(call) + begin : nullptr;
    const float *bias =
        options.bias ? static_cast<const float *>(biasOf(call)) + part.column : nullptr;
    if (all)
      for (int64_t j = 0; j != part.columns; ++j)
        row[j] =
            (bias ? bias[j] : 0.0f) + (options.addsResidual() && residual ? residual[j] : 0.0f);
    if (options.relu != 0)
      for (int64_t j = 0; j != part.columns; ++j)
        row[j] = row[j] <= 0.0f ? 0.0f : row[j]; // NaN stays.
    if (options.relu == 2 && residual)
      for (int64_t j = 0; j != part.columns; ++j)
        row[j] += residual[j];
  }
}

/// Without VNNI oneDNN adds pairs of 8-bit products in 16 bits, which saturate; ours are exact.
Status checkIntegers(const Matmul &multiply, const MatmulEntry &entry) {
  constexpr int64_t k = 64, n = 16;
  bool isSigned = entry.a == DType::I8;
  std::vector<uint8_t> a(k, isSigned ? 0x80 : 0xff), b(k * n, isSigned ? 0x80 : 0x7f);
  std::vector<int32_t> result(n);
  std::vector<int64_t> dims;
  auto dimsOf = [&](uint32_t rank, int64_t rows, int64_t columns, bool transposed) {
    dims.insert(dims.end(), rank - 2, 1);
    dims.push_back(transposed ? columns : rows);
    dims.push_back(transposed ? rows : columns);
  };
  dimsOf(entry.rankA, 1, k, entry.transposeA);
  dimsOf(entry.rankB, k, n, entry.transposeB);
  dimsOf(entry.rankResult, 1, n, false);
  void *buffers[] = {a.data(), b.data(), result.data()};
  uint64_t sizes[] = {a.size(), b.size(), result.size() * sizeof(int32_t)};
  ThreadPool pool(1);
  RELAX_RETURN_IF_ERROR(multiply({buffers, sizes, dims, pool}));
  int32_t expected = k * (isSigned ? 128 * 128 : 255 * 127);
  if (std::ranges::all_of(result, [&](int32_t value) { return value == expected; }))
    return {};
  return Status(StatusCode::Unsupported, "oneDNN's products of 8-bit integers aren't exact on this "
                                         "CPU, which lacks VNNI");
}

} // namespace

const Expected<std::string> &oneDnnVersion() {
  static const Expected<std::string> version = [] {
    const Expected<OneDnn> &library = onednn::oneDnn();
    return library ? Expected<std::string>(library->version)
                   : Expected<std::string>(Status(library.status()));
  }();
  return version;
}

Expected<LibraryFunction> oneDnnFunction(const artifact::Library &wanted) {
  const Expected<OneDnn> &library = onednn::oneDnn();
  if (!library)
    return Status(library.status());
  if (wanted.name != "onednn.matmul")
    return Status(StatusCode::Unsupported,
                  text("this runtime has no library function ", inQuotes(wanted.name)));
  Options options{optionOf(wanted, "bias") != 0, optionOf(wanted, "residual") != 0,
                  optionOf(wanted, "relu")};
  Expected<MatmulEntry> entry =
      MatmulEntry::of(wanted, size_t{options.bias} + size_t{options.residual});
  if (!entry)
    return entry.takeStatus();
  bool floats = std::ranges::all_of(wanted.tensors, [](const artifact::Library::Tensor &tensor) {
    return tensor.dtype == DType::F32;
  });
  bool integers = (entry->a == DType::I8 || entry->a == DType::U8) && entry->b == DType::I8 &&
                  entry->result == DType::I32 && wanted.tensors.size() == 3 && options.relu == 0;
  if (!floats && !integers)
    return Status(StatusCode::Unsupported,
                  "oneDNN multiplies f32, or 8-bit integers in i32; found other types");
  Matmul multiply(*library, *entry, options);
  if (integers)
    RELAX_RETURN_IF_ERROR(checkIntegers(multiply, *entry));
  return LibraryFunction(std::move(multiply));
}

} // namespace relax::runtime
