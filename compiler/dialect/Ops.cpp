//===- Ops.cpp - registration of the op families, and questions about ops ---------------------===//
#include "compiler/dialect/Ops.h"

#include "compiler/dialect/ops/MatrixOps.h"

using namespace mlir;

namespace relax::ir {

// Each is defined in ops/<family>Ops.cpp.
void registerArrangeOps(RelaxDialect &dialect);
void registerContractionOps(RelaxDialect &dialect);
void registerElementwiseOps(RelaxDialect &dialect);
void registerIndexOps(RelaxDialect &dialect);
void registerLanguageModelOps(RelaxDialect &dialect);
void registerMatrixOps(RelaxDialect &dialect);
void registerNormalizeOps(RelaxDialect &dialect);
void registerShapeOps(RelaxDialect &dialect);
void registerStructureOps(RelaxDialect &dialect);

void RelaxDialect::registerOps() {
  registerArrangeOps(*this);
  registerContractionOps(*this);
  registerElementwiseOps(*this);
  registerIndexOps(*this);
  registerLanguageModelOps(*this);
  registerMatrixOps(*this);
  registerNormalizeOps(*this);
  registerShapeOps(*this);
  registerStructureOps(*this);
}

bool isStructuredKernelOp(Operation *op) {
  return isa<QuantizedMatmulOp, PackedMatmulOp, QuantizeActivationsOp, PackWeightsOp,
             PagedAttentionOp, UpdateSlotsOp, RotaryTableOp>(op);
}

bool isContraction(Operation *op) { return isa<MatmulOp, PackedMatmulOp, QuantizedMatmulOp>(op); }

} // namespace relax::ir
