//===- Schedules.h - the generic strategies, for the table in Strategies.cpp -----------------===//
#pragma once

#include "compiler/kernels/KernelStrategy.h"

namespace relax::kernels {

/// Programs that are reductions along the last dimension and elementwise work on the same rows:
/// softmax, RMS normalisation with what is fused around them.
const KernelStrategy &rowReductionStrategy();
/// Programs without a reduction.
const KernelStrategy &elementwiseStrategy();
/// Everything that the pointwise emitter understands; reductions are computed for each element.
const KernelStrategy &fallbackStrategy();
/// Programs written as loops (scf) on tensors, and whatever else can be given memory as it stands;
/// see loops/LoopPrograms.h.
const KernelStrategy &loopsStrategy();

/// Writes loops over the elements of all results: units are runs of the last dimension, or of all
/// elements where the program is one row. Used by elementwise and fallback.
mlir::FailureOr<Schedule> buildElementLoops(KernelContext &context);

} // namespace relax::kernels
