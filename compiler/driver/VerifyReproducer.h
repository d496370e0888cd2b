//===- VerifyReproducer.h - what shows a difference, as files
//----------------------------------===//
#pragma once

#include "compiler/driver/VerifyKernels.h"

#include <string>
#include <vector>

namespace relax::driver {

struct Reproducer {
  std::vector<std::string> files;
  std::string command; ///< That shows the difference again.
};

/// Writes into `folder` the kernel by itself, or for a whole program nothing but its inputs, and
/// the inputs as NumPy files. `programs` has the kernel's program; `input` is the program's own
/// file.
Expected<Reproducer> writeReproducer(const std::string &folder, mlir::ModuleOp programs,
                                     const std::string &input, const Mismatch &mismatch);

} // namespace relax::driver
