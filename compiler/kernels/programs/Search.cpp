// Order and selection; sizes that depend on values. The programs are in search/.

#include "compiler/kernels/programs/search/SearchPrograms.h"

using namespace mlir;

namespace relax::kernels {

ArrayRef<ProgramEntry> searchPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.sort", buildSort, nullptr, sortBuffers},
      {"relax.argsort", buildArgsort, nullptr, argsortBuffers},
      {"relax.topk", buildTopk, nullptr, topkBuffers},
      {"relax.unique", buildUnique, nullptr, uniqueBuffers, finishUnique},
      {"relax.nonzero", buildNonzero, nullptr, nonzeroBuffers, finishNonzero},
      {"relax.masked_select", buildMaskedSelect, nullptr, maskedSelectBuffers, finishMaskedSelect},
      {"relax.non_max_suppression", buildNonMaxSuppression, nullptr, nonMaxSuppressionBuffers,
       finishMaskedSelect},
      {"relax.top_p_filter", buildTopPFilter, nullptr, topPFilterBuffers, finishTopPFilter},
      {"relax.searchsorted", buildSearchsorted},
      {"relax.bincount", buildBincount, checkBincount},
  };
  return entries;
}

/// All elements will do where only some are wanted.
static LogicalResult asItself(OpBuilder &, Operation *op, SmallVectorImpl<Value> &results) {
  results.push_back(op->getOperand(0));
  return success();
}

ArrayRef<DecompositionEntry> searchDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.likeliest", asItself},
      {"relax.sort", alongLastAxis, hasInnerAxis},
      {"relax.argsort", alongLastAxis, hasInnerAxis},
      {"relax.topk", alongLastAxis, hasInnerAxis},
      {"relax.unique", onVectors, hasOtherRank},
      {"relax.masked_select", onVectors, hasOtherRank},
      {"relax.searchsorted", onVectors, hasOtherRank},
      {"relax.bincount", makePlainBincount, isNotPlainBincount},
  };
  return entries;
}

} // namespace relax::kernels
