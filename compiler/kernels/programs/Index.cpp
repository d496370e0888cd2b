// Elements by index: the place comes from a tensor of integers.

#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

static SmallVector<Value> buildTake(ProgramBuilder &program) {
  MLIRContext *context = program.b.getContext();
  int64_t rank = program.types[0].getRank();
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, getAffineDimExpr(0, context)),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Value table = program.inputs[0];
  return {program.generic(ValueRange{program.inputs[1]}, program.empty(program.types[0]), maps,
                          iterators, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                            SmallVector<Value> indices = {
                                arith::IndexCastOp::create(b, loc, b.getIndexType(), v[0])};
                            for (int64_t i = 1; i < rank; ++i)
                              indices.push_back(linalg::IndexOp::create(b, loc, i));
                            return tensor::ExtractOp::create(b, loc, table, indices);
                          })};
}

ArrayRef<ProgramEntry> indexPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.take", buildTake},
  };
  return entries;
}

} // namespace relax::kernels
