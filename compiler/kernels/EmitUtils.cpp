#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {

Value emitExpr(OpBuilder &b, Location loc, Expr expr, const std::map<std::string, Value> &symbols) {
  if (!expr)
    return {};
  if (expr.isConstant())
    return arith::ConstantIndexOp::create(b, loc, expr.constantValue());
  if (expr.isSymbol()) {
    auto it = symbols.find(expr.symbolName());
    return it == symbols.end() ? Value() : it->second;
  }
  SmallVector<Value> operands;
  for (Expr operand : expr.operands()) {
    operands.push_back(emitExpr(b, loc, operand, symbols));
    if (!operands.back())
      return {};
  }
  auto combine = [&](Value lhs, Value rhs) -> Value {
    LaneValue left = LaneValue::uniform(lhs), right = LaneValue::uniform(rhs);
    switch (expr.kind()) {
    case symbolic::Kind::Add:
      return emitLaneOp(b, loc, LaneOp::Add, left, right, 1).value;
    case symbolic::Kind::Mul:
      return emitLaneOp(b, loc, LaneOp::Mul, left, right, 1).value;
    case symbolic::Kind::FloorDiv:
      return emitLaneOp(b, loc, LaneOp::FloorDiv, left, right, 1).value;
    case symbolic::Kind::CeilDiv:
      return emitLaneOp(b, loc, LaneOp::CeilDiv, left, right, 1).value;
    case symbolic::Kind::Mod:
      return emitLaneOp(b, loc, LaneOp::Mod, left, right, 1).value;
    case symbolic::Kind::Min:
      return arith::MinSIOp::create(b, loc, lhs, rhs);
    case symbolic::Kind::Max:
      return arith::MaxSIOp::create(b, loc, lhs, rhs);
    case symbolic::Kind::Symbol:
    case symbolic::Kind::Constant:
      break;
    }
    return {};
  };
  Value result = operands.front();
  for (Value operand : ArrayRef(operands).drop_front())
    result = combine(result, operand);
  return result;
}

Value emitFma(KernelContext &context, Value a, Value b, Value c) {
  OpBuilder &builder = context.b;
  if (context.hasFeature("fma"))
    return math::FmaOp::create(builder, context.loc, a, b, c);
  Value product = arith::MulFOp::create(builder, context.loc, a, b);
  return arith::AddFOp::create(builder, context.loc, product, c);
}

void emitLoop(KernelContext &context, Value lower, Value upper, Value step,
              llvm::function_ref<void(Value)> body) {
  emitLoop(context, lower, upper, step, ValueRange{},
           [&](Value iv, ValueRange) -> SmallVector<Value> {
             body(iv);
             return {};
           });
}

SmallVector<Value> emitLoop(KernelContext &context, Value lower, Value upper, Value step,
                            ValueRange inits,
                            llvm::function_ref<SmallVector<Value>(Value, ValueRange)> body) {
  auto loop = scf::ForOp::create(context.b, context.loc, lower, upper, step, inits);
  OpBuilder::InsertionGuard guard(context.b);
  // A loop without carried values is created with its terminator.
  Block *block = loop.getBody();
  if (!block->empty() && block->back().hasTrait<OpTrait::IsTerminator>())
    block->back().erase();
  context.b.setInsertionPointToStart(block);
  SmallVector<Value> next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  scf::YieldOp::create(context.b, context.loc, next);
  return SmallVector<Value>(loop.getResults());
}

void emitVectorLoop(KernelContext &context, Value lower, Value upper, int64_t lanes,
                    llvm::function_ref<void(Value, int64_t)> body) {
  OpBuilder &b = context.b;
  Location loc = context.loc;
  Value rest = lower;
  if (lanes > 1) {
    Value step = context.index(lanes);
    Value count = arith::SubIOp::create(b, loc, upper, lower);
    Value whole =
        emitLaneOp(b, loc, LaneOp::FloorDiv, LaneValue::uniform(count), LaneValue::uniform(step), 1)
            .value;
    whole = b.createOrFold<arith::MulIOp>(loc, whole, step);
    rest = b.createOrFold<arith::AddIOp>(loc, lower, whole);
    emitLoop(context, lower, rest, step, [&](Value i) { body(i, lanes); });
  }
  emitLoop(context, rest, upper, context.index(1), [&](Value i) { body(i, 1); });
}

/// A memref of i1 as the bytes that it has in memory, one an element. (A vector of i1 in memory
/// would be packed bits.) Both types are one and the same descriptor in LLVM.
static Value asBytes(KernelContext &context, Value memref) {
  auto type = cast<MemRefType>(memref.getType());
  auto bytes = MemRefType::get(type.getShape(), context.b.getI8Type(), type.getLayout(),
                               type.getMemorySpace());
  return UnrealizedConversionCastOp::create(context.b, context.loc, TypeRange{bytes},
                                            ValueRange{memref})
      .getResult(0);
}

Value emitLoad(KernelContext &context, Value memref, ArrayRef<Value> indices, int64_t lanes) {
  OpBuilder &b = context.b;
  Location loc = context.loc;
  if (lanes == 1)
    return memref::LoadOp::create(b, loc, memref, indices);
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  if (!element.isInteger(1))
    return vector::LoadOp::create(b, loc, VectorType::get({lanes}, element), memref, indices);
  auto type = VectorType::get({lanes}, b.getI8Type());
  Value bytes = vector::LoadOp::create(b, loc, type, asBytes(context, memref), indices);
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, bytes,
                               emitConstant(context, type, 0));
}

void emitStore(KernelContext &context, Value value, Value memref, ArrayRef<Value> indices) {
  OpBuilder &b = context.b;
  auto vector = dyn_cast<VectorType>(value.getType());
  if (!vector) {
    memref::StoreOp::create(b, context.loc, value, memref, indices);
    return;
  }
  if (vector.getElementType().isInteger(1)) {
    auto type = VectorType::get(vector.getShape(), b.getI8Type());
    value = arith::ExtUIOp::create(b, context.loc, type, value);
    memref = asBytes(context, memref);
  }
  vector::StoreOp::create(b, context.loc, value, memref, indices);
}

SmallVector<Value> emitDelinearize(KernelContext &context, Value linear, ArrayRef<Value> extents) {
  SmallVector<Value> position(extents.size());
  LaneValue rest = LaneValue::uniform(linear);
  for (size_t i = extents.size(); i-- > 0;) {
    if (i == 0) {
      position[0] = rest.value;
      break;
    }
    if (constantInteger(extents[i]) == 1) {
      position[i] = context.index(0);
      continue;
    }
    LaneValue extent = LaneValue::uniform(extents[i]);
    Value quotient = arith::DivUIOp::create(context.b, context.loc, rest.value, extent.value);
    Value product = arith::MulIOp::create(context.b, context.loc, quotient, extent.value);
    position[i] = arith::SubIOp::create(context.b, context.loc, rest.value, product);
    rest = LaneValue::uniform(quotient);
  }
  return position;
}

Value emitSplat(KernelContext &context, Value value, int64_t lanes) {
  if (lanes == 1 || isa<VectorType>(value.getType()))
    return value;
  return vector::BroadcastOp::create(context.b, context.loc,
                                     VectorType::get({lanes}, value.getType()), value);
}

Value emitConstant(KernelContext &context, Type type, double value) {
  OpBuilder &b = context.b;
  Type element = getElementTypeOrSelf(type);
  TypedAttr attribute;
  if (isa<FloatType>(element))
    attribute = b.getFloatAttr(element, value);
  else
    attribute = b.getIntegerAttr(element, static_cast<int64_t>(value));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, context.loc, attribute);
}

Value emitScratch(KernelContext &context, ArrayRef<int64_t> shape, Type elementType) {
  OpBuilder &b = context.entry();
  return memref::AllocaOp::create(b, context.loc, MemRefType::get(shape, elementType),
                                  b.getI64IntegerAttr(64));
}

Value emitReshapedView(KernelContext &context, Value memref, ArrayRef<Value> extents) {
  OpBuilder &b = context.entry();
  auto type = cast<MemRefType>(memref.getType());
  SmallVector<OpFoldResult> sizes, strides(extents.size());
  SmallVector<int64_t> shape;
  for (Value extent : extents) {
    std::optional<int64_t> constant = constantInteger(extent);
    shape.push_back(constant.value_or(ShapedType::kDynamic));
    sizes.push_back(constant ? OpFoldResult(b.getIndexAttr(*constant)) : OpFoldResult(extent));
  }
  Value stride = context.index(1);
  for (size_t i = extents.size(); i-- > 0;) {
    std::optional<int64_t> constant = constantInteger(stride);
    strides[i] = constant ? OpFoldResult(b.getIndexAttr(*constant)) : OpFoldResult(stride);
    if (i > 0)
      stride = b.createOrFold<arith::MulIOp>(context.loc, stride, extents[i]);
  }
  // The layout map of row-major strides, as the op infers it; the cast makes it the identity again.
  SmallVector<int64_t> staticStrides;
  for (OpFoldResult value : strides)
    staticStrides.push_back(getConstantIntValue(value).value_or(ShapedType::kDynamic));
  auto layout = StridedLayoutAttr::get(b.getContext(), 0, staticStrides);
  auto viewType = MemRefType::get(shape, type.getElementType(), layout);
  Value view = memref::ReinterpretCastOp::create(b, context.loc, viewType, memref,
                                                 OpFoldResult(b.getIndexAttr(0)), sizes, strides);
  return view;
}

} // namespace relax::kernels
