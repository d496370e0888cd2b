//===- OneDnn.h - the adapter of oneDNN -------------------------------------------------------===//
//
//   onednn.matmul   a, b, bias [n] with the option `bias`, residual [..., m, n] with `residual`
//                   -> result. All f32; or i8 or u8 with i8 in i32, without further options.
//
// With `relu` = 1 the sum goes through relu; with 2 the residual is added behind it. oneDNN's own
// relu turns NaN into 0, so the adapter does it, on each part while it is in the cache.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "runtime/artifact/Artifact.h"
#include "runtime/support/Status.h"
#include "runtime/vm/Registry.h"

#include <string>

namespace relax::runtime {

const Expected<std::string> &oneDnnVersion();
Expected<LibraryFunction> oneDnnFunction(const artifact::Library &entry);

} // namespace relax::runtime
