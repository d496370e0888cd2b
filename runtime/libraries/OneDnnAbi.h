//===- OneDnnAbi.h - the part of oneDNN's C interface that the adapter calls ------------------===//
//
// Declared here, so that building the runtime needs no header of oneDNN: version 2, from 2.4 on.
// Descriptors are structs whose contents are oneDNN's own business; here they are room enough, and
// only its functions write them. tests/unit/runtime/OneDnnAbiTest.cpp compares everything with
// oneDNN's header.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/libraries/SharedLibrary.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace relax::runtime::onednn {

struct alignas(16) MemoryDesc {
  std::byte room[1024];
};
struct alignas(16) MatmulDesc {
  std::byte room[4096];
};
struct ExecArg {
  int arg;
  void *memory;
};
struct Version {
  int major, minor, patch;
  const char *hash;
  unsigned cpuRuntime, gpuRuntime;
};

constexpr int maxRank = 12;
using Dims = int64_t[maxRank];

enum DataType : int { F32 = 3, S32 = 4, S8 = 5, U8 = 6 };
constexpr int statusSuccess = 0, engineCpu = 1, scratchpadUser = 1, streamDefault = 1,
              binaryAdd = 0x1fff0, queryScratchpadDesc = 136;
enum Argument : int { Source = 1, Destination = 17, Weights = 33, Bias = 41, Scratchpad = 80 };
/// The second operand of post-op `index`.
constexpr int postOpOperand(int index) { return (16384 * (index + 1)) | 2; }

/// Its functions; handles are void pointers.
struct Api {
  const Version *(*version)();
  int (*createEngine)(void **engine, int kind, size_t index);
  int (*createStream)(void **stream, void *engine, unsigned flags);
  int (*waitStream)(void *stream);
  int (*initMemoryDesc)(MemoryDesc *desc, int rank, const int64_t *dims, int type,
                        const int64_t *strides);
  int (*initMatmulDesc)(MatmulDesc *desc, const MemoryDesc *source, const MemoryDesc *weights,
                        const MemoryDesc *bias, const MemoryDesc *destination);
  int (*createAttributes)(void **attributes);
  int (*destroyAttributes)(void *attributes);
  int (*setScratchpadMode)(void *attributes, int mode);
  int (*createPostOps)(void **postOps);
  int (*destroyPostOps)(void *postOps);
  int (*appendBinary)(void *postOps, int algorithm, const MemoryDesc *operand);
  int (*setPostOps)(void *attributes, const void *postOps);
  int (*createPrimitiveDesc)(void **desc, const void *operation, const void *attributes,
                             void *engine, const void *hint);
  int (*destroyPrimitiveDesc)(void *desc);
  const MemoryDesc *(*queryMemoryDesc)(const void *desc, int what, int index);
  size_t (*memoryDescSize)(const MemoryDesc *desc);
  int (*createPrimitive)(void **primitive, const void *desc);
  int (*destroyPrimitive)(void *primitive);
  int (*execute)(const void *primitive, void *stream, int count, const ExecArg *arguments);
  int (*createMemory)(void **memory, const MemoryDesc *desc, void *engine, void *data);
  int (*destroyMemory)(void *memory);
  // Of the OpenMP that it uses; null where it uses none.
  void (*setThreads)(int);
  int (*getThreads)();

  /// Finds them; false if one is missing.
  bool load(const SharedLibrary &file);
};

} // namespace relax::runtime::onednn
