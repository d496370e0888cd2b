#include "compiler/transforms/ByteSize.h"

using namespace mlir;

namespace relax::transforms {

symbolic::Expr byteSize(RankedTensorType type) {
  if (!type.getElementType().isIntOrFloat())
    return {};
  symbolic::Context &context = ir::symbolicContext(type.getContext());
  symbolic::Expr count = ir::elementCount(type.getContext(), ir::shapeOf(type));
  if (!count)
    return {};
  return context.mul(count, context.constant((type.getElementTypeBitWidth() + 7) / 8));
}

} // namespace relax::transforms
