// Convolution, pooling, interpolation.

#include "compiler/kernels/programs/Programs.h"

using namespace mlir;

namespace relax::kernels {

ArrayRef<ProgramEntry> convolutionPrograms() { return {}; }

ArrayRef<DecompositionEntry> convolutionDecompositions() { return {}; }

} // namespace relax::kernels
