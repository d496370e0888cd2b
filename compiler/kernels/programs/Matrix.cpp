// Products of matrices.

#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

/// a [..., m, k] times b [k, n] or [n, k]: each element is the sum over k, in order, in float32 at
/// least.
static SmallVector<Value> buildMatmul(ProgramBuilder &program) {
  auto op = cast<ir::MatmulOp>(program.op);
  MLIRContext *context = program.b.getContext();
  RankedTensorType type = program.types[0];
  int64_t rank = type.getRank(); // Loops: the result's dimensions, then k.
  AffineExpr n = getAffineDimExpr(rank - 1, context), k = getAffineDimExpr(rank, context);
  SmallVector<AffineExpr> left;
  for (int64_t i = 0; i + 1 < rank; ++i)
    left.push_back(getAffineDimExpr(i, context));
  left.push_back(k);
  SmallVector<AffineExpr> right = {k, n};
  if (op.getTransposeB())
    std::swap(right[0], right[1]);
  SmallVector<AffineMap> maps = {
      AffineMap::get(rank + 1, 0, left, context), AffineMap::get(rank + 1, 0, right, context),
      AffineMap::getMultiDimIdentityMap(rank + 1, context).getMajorSubMap(rank)};
  SmallVector<utils::IteratorType> iterators(rank + 1, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;

  Type element = type.getElementType();
  Type accumulator = element.isF64() ? element : Type(program.b.getF32Type());
  RankedTensorType sums = ir::tensorType(context, ir::shapeOf(type), accumulator);
  auto widen = [&](OpBuilder &b, Location loc, Value x) -> Value {
    return x.getType() == accumulator ? x : Value(arith::ExtFOp::create(b, loc, accumulator, x));
  };
  Value product =
      program.generic(program.inputs, program.filled(sums, program.b.getFloatAttr(accumulator, 0)),
                      maps, iterators, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                        Value term =
                            arith::MulFOp::create(b, loc, widen(b, loc, v[0]), widen(b, loc, v[1]));
                        return arith::AddFOp::create(b, loc, v[2], term);
                      });
  if (element == accumulator)
    return {product};
  return {program.pointwise(type, ValueRange{product},
                            [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
                              return arith::TruncFOp::create(b, loc, element, v[0]);
                            })};
}

ArrayRef<ProgramEntry> matrixPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.matmul", buildMatmul},
  };
  return entries;
}

ArrayRef<DecompositionEntry> matrixDecompositions() { return {}; }

} // namespace relax::kernels
