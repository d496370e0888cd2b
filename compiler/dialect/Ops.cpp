//===- Ops.cpp - registration of the op families, and questions about ops ---------------------===//
#include "compiler/dialect/Ops.h"

#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/dialect/ops/LikeliestOps.h"
#include "compiler/dialect/ops/MatrixOps.h"

using namespace mlir;

#include "compiler/dialect/ops/OpInterfaces.cpp.inc"

namespace relax::ir {

// Each is defined in ops/<family>Ops.cpp.
void registerArrangeOps(RelaxDialect &dialect);
void registerAttentionOps(RelaxDialect &dialect);
void registerCallOps(RelaxDialect &dialect);
void registerCheckOps(RelaxDialect &dialect);
void registerContractionOps(RelaxDialect &dialect);
void registerControlFlowOps(RelaxDialect &dialect);
void registerConvolutionOps(RelaxDialect &dialect);
void registerCreateOps(RelaxDialect &dialect);
void registerElementwiseOps(RelaxDialect &dialect);
void registerIndexOps(RelaxDialect &dialect);
void registerLanguageModelOps(RelaxDialect &dialect);
void registerLikeliestOps(RelaxDialect &dialect);
void registerMatrixOps(RelaxDialect &dialect);
void registerNormalizeOps(RelaxDialect &dialect);
void registerQuantizeOps(RelaxDialect &dialect);
void registerRandomOps(RelaxDialect &dialect);
void registerReduceOps(RelaxDialect &dialect);
void registerSearchOps(RelaxDialect &dialect);
void registerShapeOps(RelaxDialect &dialect);
void registerStructureOps(RelaxDialect &dialect);

void RelaxDialect::registerOps() {
  registerArrangeOps(*this);
  registerAttentionOps(*this);
  registerCallOps(*this);
  registerCheckOps(*this);
  registerContractionOps(*this);
  registerControlFlowOps(*this);
  registerConvolutionOps(*this);
  registerCreateOps(*this);
  registerElementwiseOps(*this);
  registerIndexOps(*this);
  registerLanguageModelOps(*this);
  registerLikeliestOps(*this);
  registerMatrixOps(*this);
  registerNormalizeOps(*this);
  registerQuantizeOps(*this);
  registerRandomOps(*this);
  registerReduceOps(*this);
  registerSearchOps(*this);
  registerShapeOps(*this);
  registerStructureOps(*this);
}

bool isStructuredKernelOp(Operation *op) {
  if (auto attention = dyn_cast<AttentionOp>(op))
    return isWholeAttention(attention);
  return isa<QuantizedMatmulOp, PackedMatmulOp, QuantizeActivationsOp, PackWeightsOp,
             PagedAttentionOp, UpdateSlotsOp, RotaryTableOp, LikeliestTermsOp, LikeliestBoundsOp,
             LikeliestThresholdOp, LikeliestMatmulOp>(op);
}

bool isContraction(Operation *op) { return isa<MatmulOp, PackedMatmulOp, QuantizedMatmulOp>(op); }

} // namespace relax::ir
