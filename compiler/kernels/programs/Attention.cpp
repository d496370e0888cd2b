// Attention over dense keys and values.

#include "compiler/kernels/programs/Programs.h"

using namespace mlir;

namespace relax::kernels {

ArrayRef<ProgramEntry> attentionPrograms() { return {}; }

ArrayRef<DecompositionEntry> attentionDecompositions() { return {}; }

} // namespace relax::kernels
