// Each element of the result from one place of an operand, or two: permutations, lookups,
// rotations.

#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

SmallVector<Value> buildPermute(ProgramBuilder &program) {
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

SmallVector<Value> buildTake(ProgramBuilder &program) {
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

/// out[t, h, i] = x[i] cos(a_j) -+ x[partner] sin(a_j), where i is one of the pair of angle j; the
/// element before its partner takes the minus.
SmallVector<Value> buildRotary(ProgramBuilder &program) {
  Value x = program.inputs[0], table = program.inputs[1];
  bool interleaved = cast<ir::RotaryOp>(program.op).getInterleaved();
  int64_t dims = program.inputType(1).getDimSize(1);
  int64_t half = dims / 2;
  bool partial = program.types[0].getDimSize(2) != dims;
  return {program.pointwise(
      program.types[0], ValueRange{x}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        auto index = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        auto compare = [&](arith::CmpIPredicate predicate, Value l, Value r) -> Value {
          return arith::CmpIOp::create(b, loc, predicate, l, r);
        };
        auto select = [&](Value condition, Value l, Value r) -> Value {
          return arith::SelectOp::create(b, loc, condition, l, r);
        };
        Value t = linalg::IndexOp::create(b, loc, 0), h = linalg::IndexOp::create(b, loc, 1);
        Value i = linalg::IndexOp::create(b, loc, 2);
        Value rotated = compare(arith::CmpIPredicate::ult, i, index(dims));
        Value inside = partial ? select(rotated, i, index(0)) : i;
        Value isFirst, angle, step;
        if (interleaved) {
          Value odd = arith::RemUIOp::create(b, loc, inside, index(2));
          isFirst = compare(arith::CmpIPredicate::eq, odd, index(0));
          angle = arith::DivUIOp::create(b, loc, inside, index(2));
          step = index(1);
        } else {
          isFirst = compare(arith::CmpIPredicate::ult, inside, index(half));
          angle = arith::RemUIOp::create(b, loc, inside, index(half));
          step = index(half);
        }
        Value partner = select(isFirst, arith::AddIOp::create(b, loc, inside, step),
                               arith::SubIOp::create(b, loc, inside, step));
        Value other = tensor::ExtractOp::create(b, loc, x, ValueRange{t, h, partner});
        Value cosine = tensor::ExtractOp::create(b, loc, table, ValueRange{t, angle});
        Value sine = tensor::ExtractOp::create(
            b, loc, table, ValueRange{t, arith::AddIOp::create(b, loc, angle, index(half))});
        Value signedSine = select(isFirst, arith::NegFOp::create(b, loc, sine), sine);
        Value result = arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, v[0], cosine),
                                             arith::MulFOp::create(b, loc, other, signedSine));
        return partial ? select(rotated, result, v[0]) : result;
      })};
}

} // namespace relax::kernels
