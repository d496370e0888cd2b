// Reductions and running sums along axes.

#include "compiler/kernels/programs/Programs.h"

using namespace mlir;

namespace relax::kernels {

ArrayRef<ProgramEntry> reducePrograms() { return {}; }

ArrayRef<DecompositionEntry> reduceDecompositions() { return {}; }

} // namespace relax::kernels
