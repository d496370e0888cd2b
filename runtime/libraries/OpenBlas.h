//===- OpenBlas.h - the adapter of OpenBLAS ---------------------------------------------------===//
//
//   openblas.matmul   a, b -> result, all f32 or all f64 (cblas_sgemm, cblas_dgemm)
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/vm/Registry.h"

#include <string>

namespace relax::runtime {

const Expected<std::string> &openBlasVersion();
Expected<LibraryFunction> openBlasFunction(const artifact::Library &entry);

} // namespace relax::runtime
