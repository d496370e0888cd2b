// The strategies of the four programs that give the likeliest of a product (Likeliest.h): terms,
// bounds, threshold, matmul.
#pragma once

#include "compiler/kernels/KernelStrategy.h"

namespace relax::kernels {

llvm::ArrayRef<const KernelStrategy *> likeliestStrategies();

} // namespace relax::kernels
