#include "compiler/kernels/programs/LoopBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

Value LoopBuilder::index(int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}
Value LoopBuilder::i64(int64_t value) const {
  return arith::ConstantOp::create(b, loc, b.getI64IntegerAttr(value));
}
Value LoopBuilder::boolean(bool value) const {
  return arith::ConstantOp::create(b, loc, b.getBoolAttr(value));
}
Value LoopBuilder::toIndex(Value value) const {
  return arith::IndexCastOp::create(b, loc, b.getIndexType(), value);
}
Value LoopBuilder::toI64(Value value) const {
  return arith::IndexCastOp::create(b, loc, b.getI64Type(), value);
}
Value LoopBuilder::add(Value x, Value y) const { return arith::AddIOp::create(b, loc, x, y); }
Value LoopBuilder::sub(Value x, Value y) const { return arith::SubIOp::create(b, loc, x, y); }
Value LoopBuilder::mul(Value x, Value y) const { return arith::MulIOp::create(b, loc, x, y); }
Value LoopBuilder::half(Value x) const { return arith::ShRUIOp::create(b, loc, x, index(1)); }
Value LoopBuilder::min(Value x, Value y) const { return arith::MinSIOp::create(b, loc, x, y); }
Value LoopBuilder::less(Value x, Value y) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
}
Value LoopBuilder::both(Value x, Value y) const { return arith::AndIOp::create(b, loc, x, y); }
Value LoopBuilder::either(Value x, Value y) const { return arith::OrIOp::create(b, loc, x, y); }
Value LoopBuilder::isNot(Value x) const { return arith::XOrIOp::create(b, loc, x, boolean(true)); }
Value LoopBuilder::select(Value condition, Value x, Value y) const {
  return arith::SelectOp::create(b, loc, condition, x, y);
}

Value LoopBuilder::dim(Value tensor, int64_t dimension) const {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(dimension))
    return index(type.getDimSize(dimension));
  if (symbolic::Expr expr = ir::shapeOf(type)[dimension])
    return ir::SymbolValueOp::create(b, loc, expr);
  return tensor::DimOp::create(b, loc, tensor, dimension);
}
Value LoopBuilder::extract(Value tensor, ValueRange position) const {
  return tensor::ExtractOp::create(b, loc, tensor, position);
}
Value LoopBuilder::insert(Value element, Value tensor, ValueRange position) const {
  return tensor::InsertOp::create(b, loc, element, tensor, position);
}

namespace {
/// Offsets, sizes and strides of the part of a tensor whose first dimensions are at a position.
struct Part {
  SmallVector<OpFoldResult> offsets, sizes, strides;
  RankedTensorType type;
};

bool hasNoElements(RankedTensorType type) {
  return llvm::is_contained(type.getShape(), int64_t(0));
}

Part partOf(const LoopBuilder &l, RankedTensorType type, Value tensor, ValueRange position) {
  Part part;
  auto outer = int64_t(position.size());
  for (int64_t i = 0; i < type.getRank(); ++i) {
    part.offsets.push_back(i < outer ? OpFoldResult(position[i]) : l.b.getIndexAttr(0));
    part.strides.push_back(l.b.getIndexAttr(1));
    if (i < outer)
      part.sizes.push_back(l.b.getIndexAttr(1));
    else if (type.isDynamicDim(i))
      part.sizes.push_back(l.dim(tensor, i));
    else
      part.sizes.push_back(l.b.getIndexAttr(type.getDimSize(i)));
  }
  part.type =
      ir::tensorType(l.b.getContext(), ir::shapeOf(type).drop_front(outer), type.getElementType());
  return part;
}
} // namespace

Value LoopBuilder::slice(Value tensor, ValueRange position) const {
  if (position.empty())
    return tensor;
  Part part = partOf(*this, cast<RankedTensorType>(tensor.getType()), tensor, position);
  if (hasNoElements(part.type)) { // No offset is inside a dimension of 0.
    SmallVector<Value> sizes;
    for (int64_t i = 0; i < part.type.getRank(); ++i)
      if (part.type.isDynamicDim(i))
        sizes.push_back(cast<Value>(part.sizes[position.size() + size_t(i)]));
    return tensor::EmptyOp::create(b, loc, part.type, sizes);
  }
  return tensor::ExtractSliceOp::create(b, loc, part.type, tensor, part.offsets, part.sizes,
                                        part.strides);
}

LoopBuilder::Values LoopBuilder::loop(Value lower, Value upper, Value step, ValueRange inits,
                                      llvm::function_ref<Values(Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(b, loc, lower, upper, step, inits,
                                 [&](OpBuilder &inner, Location, Value i, ValueRange carried) {
                                   OpBuilder::InsertionGuard guard(b);
                                   b.setInsertionPoint(inner.getInsertionBlock(),
                                                       inner.getInsertionPoint());
                                   Values next = body(i, carried);
                                   scf::YieldOp::create(b, loc, next);
                                 });
  return Values(loop.getResults());
}

LoopBuilder::Values LoopBuilder::loopWhile(ValueRange inits,
                                           llvm::function_ref<Value(ValueRange)> condition,
                                           llvm::function_ref<Values(ValueRange)> body) const {
  auto loop = scf::WhileOp::create(b, loc, inits.getTypes(), inits);
  OpBuilder::InsertionGuard guard(b);
  SmallVector<Location> locations(inits.size(), loc);
  Block *before = b.createBlock(&loop.getBefore(), {}, inits.getTypes(), locations);
  Value goOn = condition(before->getArguments());
  scf::ConditionOp::create(b, loc, goOn, before->getArguments());
  Block *after = b.createBlock(&loop.getAfter(), {}, inits.getTypes(), locations);
  Values next = body(after->getArguments());
  scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

LoopBuilder::Values LoopBuilder::choose(Value condition, llvm::function_ref<Values()> then,
                                        llvm::function_ref<Values()> otherwise) const {
  auto inside = [&](llvm::function_ref<Values()> body) {
    return [&, body](OpBuilder &inner, Location) {
      OpBuilder::InsertionGuard guard(b);
      b.setInsertionPoint(inner.getInsertionBlock(), inner.getInsertionPoint());
      Values results = body();
      scf::YieldOp::create(b, loc, results);
    };
  };
  auto branch = scf::IfOp::create(b, loc, condition, inside(then), inside(otherwise));
  return Values(branch.getResults());
}

LoopBuilder::Values
LoopBuilder::rows(const ProgramBuilder &program, ArrayRef<RankedTensorType> types, int64_t outer,
                  llvm::function_ref<Values(ValueRange, ValueRange)> body) const {
  Values tensors;
  for (RankedTensorType type : types)
    tensors.push_back(program.empty(type));
  if (outer == 0)
    return body({}, tensors);
  // Without elements there is nothing to do; and a slice of none isn't a valid one.
  if (llvm::all_of(types, hasNoElements))
    return tensors;
  SmallVector<OpFoldResult> extents;
  for (int64_t i = 0; i < outer; ++i)
    extents.push_back(getAsOpFoldResult(dim(tensors[0], i)));
  auto loop = scf::ForallOp::create(b, loc, extents, tensors, std::nullopt);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(loop.getBody());
  SmallVector<Value> position(loop.getInductionVars());
  Values parts;
  for (Value out : loop.getRegionIterArgs())
    parts.push_back(slice(out, position));
  Values results = body(position, parts);
  SmallVector<Part> places;
  for (auto [type, out] : llvm::zip_equal(types, loop.getRegionIterArgs()))
    places.push_back(partOf(*this, type, out, position));
  b.setInsertionPointToStart(loop.getTerminator().getBody());
  for (auto [result, place, out] : llvm::zip_equal(results, places, loop.getRegionIterArgs()))
    if (!hasNoElements(place.type))
      tensor::ParallelInsertSliceOp::create(b, loc, result, out, place.offsets, place.sizes,
                                            place.strides);
  return Values(loop.getResults());
}

} // namespace relax::kernels
