// Each element of the result from one place of an operand: permutations and the like.

#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace relax::kernels {

static SmallVector<Value> buildPermute(ProgramBuilder &program) {
  ArrayRef<int64_t> permutation = cast<ir::PermuteOp>(program.op).getPermutation();
  MLIRContext *context = program.b.getContext();
  int64_t rank = program.types[0].getRank();
  // Dimension i of the result is dimension permutation[i] of the operand.
  SmallVector<AffineExpr> results(rank);
  for (int64_t i = 0; i < rank; ++i)
    results[permutation[i]] = getAffineDimExpr(i, context);
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, results, context),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return {program.generic(program.inputs, program.empty(program.types[0]), maps, iterators,
                          [](OpBuilder &, Location, ValueRange v) { return v[0]; })};
}

ArrayRef<ProgramEntry> arrangePrograms() {
  static const ProgramEntry entries[] = {
      {"relax.permute", buildPermute},
  };
  return entries;
}

ArrayRef<DecompositionEntry> arrangeDecompositions() { return {}; }

} // namespace relax::kernels
