#include "compiler/kernels/programs/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace relax::kernels {

Value elementwiseFrom(ProgramBuilder &program, RankedTensorType type,
                      llvm::function_ref<Value(OpBuilder &, Location, ValueRange, ValueRange)> body,
                      ValueRange operands, ArrayRef<AffineMap> maps) {
  int64_t rank = type.getRank();
  SmallVector<AffineMap> all(maps);
  all.push_back(AffineMap::getMultiDimIdentityMap(rank, program.b.getContext()));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return program.generic(operands, program.empty(type), all, iterators,
                         [&](OpBuilder &b, Location loc, ValueRange elements) {
                           SmallVector<Value> indices;
                           for (int64_t i = 0; i < rank; ++i)
                             indices.push_back(linalg::IndexOp::create(b, loc, i));
                           return body(b, loc, indices, elements.drop_back());
                         });
}

Value branch(OpBuilder &b, Location loc, Value condition,
             llvm::function_ref<Value(OpBuilder &)> then,
             llvm::function_ref<Value(OpBuilder &)> otherwise) {
  auto yield = [loc](llvm::function_ref<Value(OpBuilder &)> part) {
    return
        [part, loc](OpBuilder &inner, Location) { scf::YieldOp::create(inner, loc, part(inner)); };
  };
  return scf::IfOp::create(b, loc, condition, yield(then), yield(otherwise)).getResult(0);
}

Value Indexing::constant(int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}
Value Indexing::add(Value x, Value y) const { return b.createOrFold<arith::AddIOp>(loc, x, y); }
Value Indexing::sub(Value x, Value y) const { return b.createOrFold<arith::SubIOp>(loc, x, y); }
Value Indexing::mul(Value x, Value y) const { return b.createOrFold<arith::MulIOp>(loc, x, y); }
Value Indexing::min(Value x, Value y) const { return b.createOrFold<arith::MinSIOp>(loc, x, y); }
Value Indexing::max(Value x, Value y) const { return b.createOrFold<arith::MaxSIOp>(loc, x, y); }
Value Indexing::less(Value x, Value y) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
Value Indexing::select(Value condition, Value x, Value y) const {
  return arith::SelectOp::create(b, loc, condition, x, y);
}
Value Indexing::mod(Value x, Value y) const {
  Value rest = arith::RemSIOp::create(b, loc, x, y);
  return select(less(rest, constant(0)), add(rest, y), rest);
}
Value Indexing::position(Value element, Value size) const {
  Value index = arith::IndexCastOp::create(b, loc, b.getIndexType(), element);
  return select(less(index, constant(0)), add(index, size), index);
}

} // namespace relax::kernels
