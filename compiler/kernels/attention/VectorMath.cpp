#include "compiler/kernels/attention/VectorMath.h"

#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace relax::kernels::attention {

SmallVector<Piece> splitIntoPieces(int64_t extent, int64_t lanes) {
  SmallVector<Piece> pieces;
  for (int64_t offset = 0; offset < extent; offset += lanes)
    pieces.push_back({offset, std::min(lanes, extent - offset)});
  return pieces;
}

//===------------------------------------------------------------------------------------------===//
// Index arithmetic
//===------------------------------------------------------------------------------------------===//

Value VectorMath::index(int64_t value) { return arith::ConstantIndexOp::create(b, value); }
Value VectorMath::add(Value lhs, Value rhs) { return arith::AddIOp::create(b, lhs, rhs); }
Value VectorMath::add(Value lhs, int64_t rhs) { return rhs == 0 ? lhs : add(lhs, index(rhs)); }
Value VectorMath::sub(Value lhs, Value rhs) { return arith::SubIOp::create(b, lhs, rhs); }
Value VectorMath::mul(Value lhs, Value rhs) { return arith::MulIOp::create(b, lhs, rhs); }
Value VectorMath::mul(Value lhs, int64_t rhs) { return rhs == 1 ? lhs : mul(lhs, index(rhs)); }
Value VectorMath::div(Value lhs, Value rhs) { return arith::DivUIOp::create(b, lhs, rhs); }
Value VectorMath::div(Value lhs, int64_t rhs) { return rhs == 1 ? lhs : div(lhs, index(rhs)); }
Value VectorMath::rem(Value lhs, Value rhs) { return arith::RemUIOp::create(b, lhs, rhs); }
Value VectorMath::min(Value lhs, Value rhs) { return arith::MinSIOp::create(b, lhs, rhs); }
Value VectorMath::max(Value lhs, Value rhs) { return arith::MaxSIOp::create(b, lhs, rhs); }
Value VectorMath::lessThan(Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, lhs, rhs);
}

//===------------------------------------------------------------------------------------------===//
// Memory
//===------------------------------------------------------------------------------------------===//

static Type elementTypeOf(Value memref) {
  return cast<MemRefType>(memref.getType()).getElementType();
}

static Type withElement(Type type, Type element) {
  if (auto vector = dyn_cast<VectorType>(type))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Value VectorMath::loadIndex(Value memref, ValueRange indices) {
  Value value = memref::LoadOp::create(b, memref, indices);
  return arith::IndexCastOp::create(b, b.getIndexType(), value);
}

Value VectorMath::load(Value memref, ValueRange indices, int64_t lanes) {
  if (lanes == 1)
    return memref::LoadOp::create(b, memref, indices);
  auto type = cast<VectorType>(vectorOf(elementTypeOf(memref), lanes));
  return vector::LoadOp::create(b, type, memref, indices);
}

Value VectorMath::loadAsF32(Value memref, ValueRange indices, int64_t lanes) {
  Value value = load(memref, indices, lanes);
  if (elementTypeOf(memref).isF32())
    return value;
  return arith::ExtFOp::create(b, withElement(value.getType(), b.getF32Type()), value);
}

Value VectorMath::loadSplat(Value memref, ValueRange indices, int64_t lanes) {
  return splat(load(memref, indices, 1), lanes);
}

void VectorMath::store(Value value, Value memref, ValueRange indices) {
  if (isa<VectorType>(value.getType()))
    vector::StoreOp::create(b, value, memref, indices);
  else
    memref::StoreOp::create(b, value, memref, indices);
}

Value VectorMath::asElementOf(Value memref, Value value) {
  Type element = elementTypeOf(memref);
  if (element.isF32())
    return value;
  return arith::TruncFOp::create(b, withElement(value.getType(), element), value);
}

//===------------------------------------------------------------------------------------------===//
// Control flow
//===------------------------------------------------------------------------------------------===//

void VectorMath::loop(Value lower, Value upper, int64_t step, Body body) {
  auto forOp = scf::ForOp::create(b, lower, upper, index(step));
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  body(forOp.getInductionVar());
}

SmallVector<Value> VectorMath::loop(Value lower, Value upper, ValueRange inits, CarryingBody body) {
  auto forOp = scf::ForOp::create(b, lower, upper, index(1), inits);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(forOp.getBody());
  SmallVector<Value> next = body(forOp.getInductionVar(), forOp.getRegionIterArgs());
  scf::YieldOp::create(b, next);
  return SmallVector<Value>(forOp.getResults());
}

void VectorMath::blocks(int64_t extent, int64_t lanes, int64_t vectors,
                        llvm::function_ref<void(ArrayRef<Run>)> body) {
  auto emitBlock = [&](Value base, int64_t size) {
    SmallVector<Run> runs;
    for (Piece piece : splitIntoPieces(size, lanes))
      runs.push_back({add(base, piece.offset), piece.lanes});
    body(runs);
  };
  int64_t blockSize = lanes * vectors, whole = extent / blockSize * blockSize;
  if (whole > 2 * blockSize)
    loop(index(0), index(whole), blockSize, [&](Value base) { emitBlock(base, blockSize); });
  else
    for (int64_t offset = 0; offset < whole; offset += blockSize)
      emitBlock(index(offset), blockSize);
  if (whole < extent)
    emitBlock(index(whole), extent - whole);
}

void VectorMath::ifThen(Value condition, llvm::function_ref<void()> body) {
  auto ifOp = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(ifOp.thenBlock());
  body();
}

//===------------------------------------------------------------------------------------------===//
// Floating point
//===------------------------------------------------------------------------------------------===//

Type VectorMath::vectorOf(Type element, int64_t lanes) {
  return lanes == 1 ? element : VectorType::get({lanes}, element);
}

Value VectorMath::constant(Type type, double value) {
  Type element = getElementTypeOrSelf(type);
  TypedAttr attr = isa<FloatType>(element)
                       ? TypedAttr(b.getFloatAttr(element, value))
                       : TypedAttr(b.getIntegerAttr(element, static_cast<int64_t>(value)));
  if (auto vector = dyn_cast<VectorType>(type))
    attr = DenseElementsAttr::get(vector, Attribute(attr));
  return arith::ConstantOp::create(b, attr);
}

Value VectorMath::f32(double value, int64_t lanes) {
  return constant(vectorOf(b.getF32Type(), lanes), value);
}

Value VectorMath::splat(Value scalar, int64_t lanes) {
  if (lanes == 1)
    return scalar;
  return vector::BroadcastOp::create(b, vectorOf(scalar.getType(), lanes), scalar);
}

Value VectorMath::addF(Value lhs, Value rhs) { return arith::AddFOp::create(b, lhs, rhs); }
Value VectorMath::subF(Value lhs, Value rhs) { return arith::SubFOp::create(b, lhs, rhs); }
Value VectorMath::mulF(Value lhs, Value rhs) { return arith::MulFOp::create(b, lhs, rhs); }

Value VectorMath::fma(Value lhs, Value rhs, Value addend) {
  if (target.fma)
    return math::FmaOp::create(b, lhs, rhs, addend);
  return addF(mulF(lhs, rhs), addend);
}

Value VectorMath::greater(Value lhs, Value rhs) {
  Value isGreater = arith::CmpFOp::create(b, arith::CmpFPredicate::OGT, lhs, rhs);
  return arith::SelectOp::create(b, isGreater, lhs, rhs);
}

Value VectorMath::reduceLanes(Value vector, llvm::function_ref<Value(Value, Value)> combine) {
  auto type = dyn_cast<VectorType>(vector.getType());
  if (!type)
    return vector;
  // After the step of distance s, lane i holds the combination of all lanes equal to i modulo s.
  int64_t lanes = type.getNumElements();
  for (int64_t distance = lanes / 2; distance >= 1; distance /= 2) {
    SmallVector<int64_t> exchange;
    for (int64_t lane = 0; lane < lanes; ++lane)
      exchange.push_back(lane ^ distance);
    vector = combine(vector, vector::ShuffleOp::create(b, vector, vector, exchange));
  }
  return vector;
}

Value VectorMath::greatestLane(Value vector) {
  return reduceLanes(vector, [&](Value lhs, Value rhs) { return greater(lhs, rhs); });
}

Value VectorMath::sumOfLanes(Value vector) {
  return reduceLanes(vector, [&](Value lhs, Value rhs) { return addF(lhs, rhs); });
}

Value VectorMath::polynomial(Value x, ArrayRef<double> coefficients) {
  Value sum = constant(x.getType(), coefficients.back());
  for (double coefficient : llvm::reverse(coefficients.drop_back()))
    sum = fma(sum, x, constant(x.getType(), coefficient));
  return sum;
}

// Adding 1.5 * 2^23 rounds x to an integer, which then stands in the low bits of the sum; with 127
// added too, those bits shifted into the exponent's place are the float 2^round(x). What is left,
// |r| <= 1/2 and exact, goes through a minimax polynomial of 2^r (relative error 2e-9, and 1 at 0).
Value VectorMath::exp2NonPositive(Value x) {
  constexpr double roundingBias = 12582912.0 + 127.0;
  constexpr double coefficients[] = {1.0,
                                     0.6931472028550427,
                                     0.24022647913631517,
                                     0.055503324711603394,
                                     0.009618437357517919,
                                     0.0013398874403024001,
                                     0.0001535336191978917};
  Type type = x.getType();
  Type integerType = withElement(type, b.getI32Type());
  Value biased = addF(x, constant(type, roundingBias));
  Value rest = subF(x, subF(biased, constant(type, roundingBias)));
  Value bits = arith::BitcastOp::create(b, integerType, biased);
  bits = arith::ShLIOp::create(b, bits, constant(integerType, 23));
  Value power = arith::BitcastOp::create(b, type, bits);
  Value result = mulF(polynomial(rest, coefficients), power);
  Value vanishes = arith::CmpFOp::create(b, arith::CmpFPredicate::OLT, x, constant(type, -126.0));
  return arith::SelectOp::create(b, vanishes, constant(type, 0.0), result);
}

// Cody and Waite: pi/2 in two parts, the first of 33 bits, so that quadrant * part is exact for 20
// bits of quadrant. Then the polynomials of fdlibm's k_sin.c and k_cos.c on |r| <= pi/4, exchanged
// and negated by quadrant.
std::pair<Value, Value> VectorMath::sineCosine(Value angle) {
  constexpr double twoOverPi = 0.63661977236758134308, roundingBias = 6755399441055744.0;
  constexpr double halfPiHigh = 1.57079632673412561417, halfPiLow = 6.07710050650619224932e-11;
  constexpr double sine[] = {-1.66666666666666324348e-01, 8.33333333332248946124e-03,
                             -1.98412698298579493134e-04, 2.75573137070700676789e-06,
                             -2.50507602534068634195e-08, 1.58969099521155010221e-10};
  constexpr double cosine[] = {4.16666666666666019037e-02, -1.38888888888741095749e-03,
                               2.48015872894767294178e-05, -2.75573143513906633035e-07,
                               2.08757232129817482790e-09, -1.13596475577881948265e-11};
  Type type = angle.getType();
  Type integerType = withElement(type, b.getI64Type());
  Value biased = addF(mulF(angle, constant(type, twoOverPi)), constant(type, roundingBias));
  Value quadrant = arith::BitcastOp::create(b, integerType, biased);
  Value count = subF(biased, constant(type, roundingBias));
  Value r = subF(subF(angle, mulF(count, constant(type, halfPiHigh))),
                 mulF(count, constant(type, halfPiLow)));
  Value square = mulF(r, r);
  Value sinR = fma(mulF(square, r), polynomial(square, sine), r);
  Value cosR = fma(mulF(square, square), polynomial(square, cosine),
                   fma(square, constant(type, -0.5), constant(type, 1.0)));

  auto bitIsSet = [&](Value value, double bit) -> Value {
    Value masked = arith::AndIOp::create(b, value, constant(integerType, bit));
    return arith::CmpIOp::create(b, arith::CmpIPredicate::ne, masked, constant(integerType, 0));
  };
  auto negateIf = [&](Value condition, Value value) -> Value {
    return arith::SelectOp::create(b, condition, arith::NegFOp::create(b, value), value);
  };
  Value exchanged = bitIsSet(quadrant, 1);
  Value next = arith::AddIOp::create(b, quadrant, constant(integerType, 1));
  Value sin = arith::SelectOp::create(b, exchanged, cosR, sinR);
  Value cos = arith::SelectOp::create(b, exchanged, sinR, cosR);
  return {negateIf(bitIsSet(quadrant, 2), sin), negateIf(bitIsSet(next, 2), cos)};
}

} // namespace relax::kernels::attention
