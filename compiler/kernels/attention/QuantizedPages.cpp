#include "compiler/kernels/attention/QuantizedPages.h"

#include "runtime/kv_cache/CacheType.h"

#include <limits>

using namespace mlir;

namespace relax::kernels::attention {

QuantizedPages::QuantizedPages(VectorMath &m, Value pages, int64_t headDim, int64_t pageSize)
    : headDim(headDim), pageSize(pageSize) {
  SmallVector<ReassociationIndices> dims = {{0}, {1}, {2, 3}};
  flat = memref::CollapseShapeOp::create(m.b, pages, dims);
}

bool QuantizedPages::isQuantized(Value pages) {
  return cast<MemRefType>(pages.getType()).getElementType().isInteger(8);
}

int64_t QuantizedPages::blocks() const { return runtime::cacheBlocks(headDim); }

Value QuantizedPages::loadIntegers(VectorMath &m, Value page, Value head, Value place,
                                   int64_t lanes) const {
  Value bytes = m.load(flat, {page, head, place}, lanes);
  return arith::SIToFPOp::create(m.b, m.vectorOf(m.b.getF32Type(), lanes), bytes);
}

Value QuantizedPages::scaleByte(VectorMath &m, Value block, Value slot) const {
  Value place = m.add(m.mul(block, pageSize), slot);
  return m.add(m.mul(place, 2), pageSize * headDim);
}

Value QuantizedPages::loadScales(VectorMath &m, Value page, Value head, Value block, Value slot,
                                 int64_t lanes) const {
  Value bytes = m.load(flat, {page, head, scaleByte(m, block, slot)}, 2 * lanes);
  Value halves = vector::BitCastOp::create(m.b, VectorType::get({lanes}, m.b.getF16Type()), bytes);
  Value scales = arith::ExtFOp::create(m.b, VectorType::get({lanes}, m.b.getF32Type()), halves);
  return lanes == 1 ? vector::ExtractOp::create(m.b, scales, 0).getResult() : scales;
}

void QuantizedPages::prefetch(VectorMath &m, Value page, Value head, Value byte) const {
  memref::PrefetchOp::create(m.b, flat, ValueRange{page, head, byte}, /*isWrite=*/false,
                             /*localityHint=*/2, /*isDataCache=*/true);
}

/// The magnitude of the largest element; NaN if there is one. Magnitudes are compared as integers,
/// among which NaN is above infinity, and infinity above everything finite.
static Value largestMagnitude(VectorMath &m, ArrayRef<Value> elements) {
  Value largest;
  for (Value element : elements) {
    auto type = dyn_cast<VectorType>(element.getType());
    Type words = m.vectorOf(m.b.getI32Type(), type ? type.getNumElements() : 1);
    Value bits = arith::BitcastOp::create(m.b, words, element);
    bits = arith::AndIOp::create(m.b, bits, m.constant(words, 0x7FFFFFFF));
    if (type)
      bits = vector::ReductionOp::create(m.b, vector::CombiningKind::MAXUI, bits);
    largest = largest ? arith::MaxUIOp::create(m.b, largest, bits).getResult() : bits;
  }
  return arith::BitcastOp::create(m.b, m.b.getF32Type(), largest);
}

SmallVector<Value> QuantizedPages::quantize(VectorMath &m, ArrayRef<Value> elements, Value page,
                                            Value head, int64_t block, Value slot) const {
  ImplicitLocOpBuilder &b = m.b;
  Value exact = arith::DivFOp::create(b, largestMagnitude(m, elements), m.f32(127, 1));
  Value half = arith::TruncFOp::create(b, b.getF16Type(), exact);
  Value halves = vector::BroadcastOp::create(b, VectorType::get({1}, b.getF16Type()), half);
  m.store(vector::BitCastOp::create(b, VectorType::get({2}, b.getI8Type()), halves), flat,
          {page, head, scaleByte(m, m.index(block), slot)});

  // Where the scale is 0, infinite or NaN, integers are 0.
  Value scale = arith::ExtFOp::create(b, b.getF32Type(), half);
  auto compare = [&](arith::CmpFPredicate predicate, double bound) -> Value {
    return arith::CmpFOp::create(b, predicate, scale, m.f32(bound, 1));
  };
  Value usable = arith::AndIOp::create(
      b, compare(arith::CmpFPredicate::OGT, 0),
      compare(arith::CmpFPredicate::OLT, std::numeric_limits<float>::infinity()));
  Value divisor = arith::SelectOp::create(b, usable, scale, m.f32(1, 1));
  SmallVector<Value> integers;
  for (Value element : elements) {
    auto type = dyn_cast<VectorType>(element.getType());
    int64_t lanes = type ? type.getNumElements() : 1;
    Type words = m.vectorOf(b.getI32Type(), lanes);
    Value ratio = arith::DivFOp::create(b, element, m.splat(divisor, lanes));
    // The addition of 1.5 * 2^23 rounds half to even and leaves the integer in the low bits.
    Value biased = arith::BitcastOp::create(b, words, m.addF(ratio, m.f32(12582912.0, lanes)));
    Value q = arith::SubIOp::create(b, biased, m.constant(words, 0x4B400000));
    // A subnormal scale is coarse, so the ratio may exceed 127.
    q = arith::MinSIOp::create(b, q, m.constant(words, 127));
    q = arith::MaxSIOp::create(b, q, m.constant(words, -127));
    q = arith::SelectOp::create(b, m.splat(usable, lanes), q, m.constant(words, 0));
    integers.push_back(arith::TruncIOp::create(b, m.vectorOf(b.getI8Type(), lanes), q));
  }
  return integers;
}

void QuantizedPages::store(VectorMath &m, Value integers, Value page, Value head,
                           Value place) const {
  m.store(integers, flat, {page, head, place});
}

} // namespace relax::kernels::attention
