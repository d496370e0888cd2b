//===- Thresholds.h - from which sizes on libraries are faster, as measured
//--------------------===//
//
// `relax tune-dispatch` measures our kernels and the libraries on a machine and writes one JSON
// file, dispatch.json in the cache folder:
//
//   {"entries": [{"function": "openblas.matmul", "dtype": "f32", "version": "0.3.21",
//                 "cpu": "AMD EPYC 7B13", "rows": 16, "work": 1048576}, …]}
//
// rows and work are what the measures of Entries.h are compared with; -1: never.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/support/Status.h"

#include <cstdint>
#include <string>
#include <vector>

namespace relax::libraries {

struct TunedEntry {
  std::string function, dtype, version, cpu;
  int64_t rows = 0, work = 0; ///< INT64_MAX: never.
};

/// Reads the file; nothing if there is none. An error where it can't be understood.
Expected<std::vector<TunedEntry>> readThresholds(const std::string &path);

/// The measurement for a function and dtype on this CPU; null if there is none.
const TunedEntry *findThreshold(const std::vector<TunedEntry> &entries, const std::string &function,
                                const std::string &dtype, const std::string &cpu);

} // namespace relax::libraries
