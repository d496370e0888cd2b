// The table of strategies. A program goes to the first that matches, so the narrow ones come first:
//   1. programs around one structured op of ours, each with a strategy of its own (no two match
//      the same program)
//   2. matmul before row-reduction before elementwise before fallback: the last takes what all of
//      them would, only slower
//   3. siblings takes programs of independent parts, each for the strategy that takes it alone;
//      fallback would compute the reductions among them for each element
//   4. loops takes what is written as loops, and what no other understands

#include "compiler/kernels/KernelStrategy.h"
#include "compiler/kernels/Schedules.h"
#include "compiler/kernels/Siblings.h"
#include "compiler/kernels/attention/AttentionStrategies.h"
#include "compiler/kernels/attention/DenseAttention.h"
#include "compiler/kernels/contraction/ContractionStrategies.h"
#include "compiler/kernels/contraction/LikeliestStrategies.h"
#include "compiler/kernels/matmul/PlainContraction.h"

namespace relax::kernels {

llvm::ArrayRef<const KernelStrategy *> kernelStrategies() {
  static const KernelStrategy *const table[] = {
      &quantizedMatmulStrategy(), &packedMatmulStrategy(),  &quantizeActivationsStrategy(),
      &packWeightsStrategy(),     likeliestStrategies()[0], likeliestStrategies()[1],
      likeliestStrategies()[2],   likeliestStrategies()[3], &pagedAttentionStrategy(),
      &denseAttentionStrategy(),  &updateSlotsStrategy(),   &rotaryTableStrategy(),
      &matmulStrategy(),          &rowReductionStrategy(),  &siblingsStrategy(),
      &elementwiseStrategy(),     &fallbackStrategy(),      &loopsStrategy(),
  };
  return table;
}

} // namespace relax::kernels
