#include "compiler/kernels/contraction/VectorEmitter.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace relax::kernels {

VectorUnit VectorUnit::fromFeatures(llvm::function_ref<bool(llvm::StringRef)> hasFeature,
                                    int64_t vectorBits) {
  VectorUnit unit;
  unit.lanes = vectorBits >= 512 ? 16 : vectorBits >= 256 ? 8 : 4;
  unit.registers = hasFeature("avx512vl") ? 32 : 16;
  unit.hasFma = hasFeature("fma") || hasFeature("avx512f");
  bool widthHasBytes = unit.lanes == 16  ? hasFeature("avx512bw")
                       : unit.lanes == 8 ? hasFeature("avx2")
                                         : hasFeature("ssse3");
  unit.hasByteShuffle = widthHasBytes;
  if (hasFeature("avx512vnni") || (hasFeature("avxvnni") && unit.lanes <= 8))
    unit.dot = Dot::Vnni;
  else if (widthHasBytes)
    unit.dot = Dot::MultiplyAdd;
  return unit;
}

Value VectorEmitter::index(int64_t value) const {
  return arith::ConstantIndexOp::create(b, loc, value);
}

Value VectorEmitter::offset(Value value, int64_t by) const {
  return by == 0 ? value : Value(arith::AddIOp::create(b, loc, value, index(by)));
}

Value VectorEmitter::scaled(Value value, int64_t by, int64_t plus) const {
  return offset(by == 1 ? value : Value(arith::MulIOp::create(b, loc, value, index(by))), plus);
}

Value VectorEmitter::integer(Type type, int64_t value) const {
  Type element = getElementTypeOrSelf(type);
  unsigned width = element.isIndex() ? 64 : element.getIntOrFloatBitWidth();
  TypedAttr attribute =
      b.getIntegerAttr(element, APInt(64, static_cast<uint64_t>(value)).trunc(width));
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value VectorEmitter::real(Type type, double value) const {
  TypedAttr attribute = b.getFloatAttr(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    attribute = DenseElementsAttr::get(vector, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

Value VectorEmitter::loadBytes(Value memref, ValueRange indices, int64_t bytes,
                               Type element) const {
  Value raw = vector::LoadOp::create(b, loc, type(b.getI8Type(), bytes), memref, indices);
  return bitcast(raw, type(element, bytes * 8 / element.getIntOrFloatBitWidth()));
}

Value VectorEmitter::loadScalar(Value memref, ValueRange indices, Type scalar) const {
  Value vector = loadBytes(memref, indices, scalar.getIntOrFloatBitWidth() / 8, scalar);
  return vector::ExtractOp::create(b, loc, vector, ArrayRef<int64_t>{0});
}

void VectorEmitter::storeScalar(Value value, Value memref, ValueRange indices) const {
  int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
  store(bitcast(splat(value, 1), type(b.getI8Type(), bytes)), memref, indices);
}

Value VectorEmitter::load(Value memref, ValueRange indices) const {
  return memref::LoadOp::create(b, loc, memref, indices);
}

Value VectorEmitter::loadVector(Value memref, ValueRange indices, int64_t lanes) const {
  Type element = cast<MemRefType>(memref.getType()).getElementType();
  return vector::LoadOp::create(b, loc, type(element, lanes), memref, indices);
}

void VectorEmitter::store(Value value, Value memref, ValueRange indices) const {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, loc, value, memref, indices);
  else
    memref::StoreOp::create(b, loc, value, memref, indices);
}

void VectorEmitter::prefetchLines(Value packed, Value rowBlock, Value begin, int64_t lines,
                                  uint32_t locality) const {
  for (int64_t line = 0; line < lines; ++line)
    memref::PrefetchOp::create(b, loc, packed,
                               ValueRange{rowBlock, offset(begin, line * lineBytes)},
                               /*isWrite=*/false, locality, /*isDataCache=*/true);
}

Value VectorEmitter::splat(Value scalar, int64_t lanes) const {
  return vector::BroadcastOp::create(b, loc, type(scalar.getType(), lanes), scalar);
}

Value VectorEmitter::bitcast(Value value, VectorType type) const {
  return value.getType() == type ? value : vector::BitCastOp::create(b, loc, type, value);
}

Value VectorEmitter::intrinsic(Type result, llvm::StringRef name, ValueRange operands) const {
  return LLVM::CallIntrinsicOp::create(b, loc, result, b.getStringAttr(name), operands)
      ->getResult(0);
}

Value VectorEmitter::add(Value lhs, Value rhs) const {
  return arith::AddIOp::create(b, loc, lhs, rhs);
}
Value VectorEmitter::sub(Value lhs, Value rhs) const {
  return arith::SubIOp::create(b, loc, lhs, rhs);
}
Value VectorEmitter::mul(Value lhs, Value rhs) const {
  return arith::MulIOp::create(b, loc, lhs, rhs);
}
Value VectorEmitter::maskBits(Value value, int64_t mask) const {
  return arith::AndIOp::create(b, loc, value, integer(value.getType(), mask));
}
Value VectorEmitter::remainder(Value value, int64_t divisor) const {
  return arith::RemUIOp::create(b, loc, value, integer(value.getType(), divisor));
}
Value VectorEmitter::bitOr(Value lhs, Value rhs) const {
  return arith::OrIOp::create(b, loc, lhs, rhs);
}
Value VectorEmitter::bitXor(Value lhs, Value rhs) const {
  return arith::XOrIOp::create(b, loc, lhs, rhs);
}
Value VectorEmitter::shiftLeft(Value value, int64_t by) const {
  return by == 0 ? value
                 : Value(arith::ShLIOp::create(b, loc, value, integer(value.getType(), by)));
}
Value VectorEmitter::shiftRight(Value value, int64_t by) const {
  return by == 0 ? value
                 : Value(arith::ShRUIOp::create(b, loc, value, integer(value.getType(), by)));
}
Value VectorEmitter::shiftRightSigned(Value value, int64_t by) const {
  return by == 0 ? value
                 : Value(arith::ShRSIOp::create(b, loc, value, integer(value.getType(), by)));
}

Value VectorEmitter::mulf(Value lhs, Value rhs) const {
  return arith::MulFOp::create(b, loc, lhs, rhs);
}

Value VectorEmitter::toFloat(Value value) const {
  int64_t lanes = cast<VectorType>(value.getType()).getNumElements();
  return arith::SIToFPOp::create(b, loc, type(b.getF32Type(), lanes), value);
}

Value VectorEmitter::widen(Value value) const {
  auto vector = cast<VectorType>(value.getType());
  int64_t lanes = vector.getNumElements();
  if (vector.getElementType().isF32())
    return value;
  if (!vector.getElementType().isBF16())
    return arith::ExtFOp::create(b, loc, type(b.getF32Type(), lanes), value);
  // bfloat16 is the upper half of a float32.
  Value bits = bitcast(value, type(b.getI16Type(), lanes));
  Value wide = arith::ExtUIOp::create(b, loc, type(b.getI32Type(), lanes), bits);
  return bitcast(shiftLeft(wide, 16), type(b.getF32Type(), lanes));
}

Value VectorEmitter::fma(Value a, Value x, Value c) const {
  if (unit.hasFma)
    return math::FmaOp::create(b, loc, a, x, c);
  return arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, a, x), c);
}

void VectorEmitter::fence(MutableArrayRef<Value> values) const {
  if (unit.dot == VectorUnit::Dot::Generic || values.empty())
    return;
  // An empty assembly text whose operands are the values, tied to its results; "x" is a vector
  // register, "v" one of all 32.
  std::string results, operands;
  SmallVector<Type> types;
  for (auto [i, value] : llvm::enumerate(values)) {
    results += (i == 0 ? "=" : ",=") + std::string(unit.registers == 32 ? "v" : "x");
    operands += "," + std::to_string(i);
    types.push_back(value.getType());
  }
  Type type =
      types.size() == 1 ? types[0] : LLVM::LLVMStructType::getLiteral(b.getContext(), types);
  auto assembly = LLVM::InlineAsmOp::create(
      b, loc, type, ValueRange(values), /*asm_string=*/"", results + operands,
      /*has_side_effects=*/true, /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr{}, ArrayAttr{});
  for (auto [i, value] : llvm::enumerate(values))
    value = types.size() == 1
                ? assembly->getResult(0)
                : Value(LLVM::ExtractValueOp::create(b, loc, assembly->getResult(0), i));
}

void VectorEmitter::loop(Value lower, Value upper, int64_t step,
                         llvm::function_ref<void(Value)> body) const {
  loop(lower, upper, step, ValueRange{}, [&](Value i, ValueRange) {
    body(i);
    return Values{};
  });
}

VectorEmitter::Values
VectorEmitter::loop(Value lower, Value upper, int64_t step, ValueRange inits,
                    llvm::function_ref<Values(Value, ValueRange)> body) const {
  auto loop = scf::ForOp::create(b, loc, lower, upper, index(step), inits);
  OpBuilder::InsertionGuard guard(b);
  // Without carried values the terminator is there already.
  if (inits.empty())
    b.setInsertionPoint(loop.getBody()->getTerminator());
  else
    b.setInsertionPointToStart(loop.getBody());
  Values next = body(loop.getInductionVar(), loop.getRegionIterArgs());
  if (!inits.empty())
    scf::YieldOp::create(b, loc, next);
  return Values(loop.getResults());
}

void VectorEmitter::branch(Value condition, llvm::function_ref<void()> then,
                           llvm::function_ref<void()> otherwise) const {
  auto branch = scf::IfOp::create(b, loc, condition, /*withElseRegion=*/bool(otherwise));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPoint(branch.thenBlock()->getTerminator());
  then();
  if (otherwise) {
    b.setInsertionPoint(branch.elseBlock()->getTerminator());
    otherwise();
  }
}

Value VectorEmitter::lessEqual(Value lhs, Value rhs) const {
  return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sle, lhs, rhs);
}
Value VectorEmitter::minimum(Value lhs, Value rhs) const {
  return arith::MinSIOp::create(b, loc, lhs, rhs);
}

} // namespace relax::kernels
