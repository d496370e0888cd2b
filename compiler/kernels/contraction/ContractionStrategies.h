// The strategies of the ops around packed weights: quantized-matmul and packed-matmul (with
// whatever elementwise ops follow them in the program), quantize-activations, pack-weights.
#pragma once

#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/contraction/VectorEmitter.h"

namespace relax::kernels {

/// What a kernel is compiled for.
VectorUnit vectorUnit(const KernelContext &context);

const KernelStrategy &quantizedMatmulStrategy();
const KernelStrategy &packedMatmulStrategy();
const KernelStrategy &quantizeActivationsStrategy();
const KernelStrategy &packWeightsStrategy();

} // namespace relax::kernels
