//===- OneDnnPrimitive.h - prepared matrix products of oneDNN ---------------------------------===//
//
// oneDNN makes code for each size and kind of product: a primitive, which takes longer to make than
// a small product to run. A cache keeps those of the last sizes.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/libraries/OneDnnAbi.h"
#include "runtime/support/Status.h"

#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <string>

namespace relax::runtime::onednn {

/// The opened library, its one engine, and its version "2.6.3".
struct OneDnn {
  Api api;
  void *engine = nullptr;
  std::string version;
};
const Expected<OneDnn> &oneDnn();

/// While one lives, oneDNN's OpenMP computes on this thread only.
class OneThread {
public:
  explicit OneThread(const Api &api) : api(api) {
    if (!api.setThreads)
      return;
    before = api.getThreads();
    if (before != 1)
      api.setThreads(1);
  }
  OneThread(const OneThread &) = delete;
  OneThread &operator=(const OneThread &) = delete;
  ~OneThread() {
    if (before != 1)
      api.setThreads(before);
  }

private:
  const Api &api;
  int before = 1;
};

/// A product of two matrices, with where their elements are; strides in elements.
struct MatmulShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t rowStrideA = 0, columnStrideA = 0, rowStrideB = 0, columnStrideB = 0, rowStrideResult = 0;
  int a = F32, b = F32, result = F32; ///< DataType.
  bool bias = false, residual = false;
  auto operator<=>(const MatmulShape &) const = default;
};

struct Pointers {
  const void *a = nullptr, *b = nullptr, *bias = nullptr, *residual = nullptr, *result = nullptr;
};

class Primitive {
public:
  static Expected<std::shared_ptr<const Primitive>> create(const OneDnn &library,
                                                           const MatmulShape &shape);
  explicit Primitive(const OneDnn &library) : library(library) {}
  Primitive(const Primitive &) = delete;
  Primitive &operator=(const Primitive &) = delete;
  ~Primitive();

  /// May run on several threads at once.
  Status run(const Pointers &pointers) const;

private:
  Status init(const MatmulShape &shape);
  Status describe(const MatmulShape &shape);

  const OneDnn &library;
  MemoryDesc a, b, bias, result, scratchpad;
  size_t scratchpadBytes = 0;
  bool hasBias = false, hasResidual = false;
  void *primitive = nullptr;
};

class PrimitiveCache {
public:
  Expected<std::shared_ptr<const Primitive>> get(const OneDnn &library, const MatmulShape &shape);

private:
  static constexpr size_t maxEntries = 256;
  std::mutex lock;
  std::map<MatmulShape, std::shared_ptr<const Primitive>> primitives;
};

} // namespace relax::runtime::onednn
