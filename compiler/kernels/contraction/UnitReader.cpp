#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace relax::kernels {

Value UnitReader::bytes(Value base, int64_t offset, int64_t count, Type element) const {
  return e.loadBytes(place.packed, {place.rowBlock, e.offset(base, offset)}, count, element);
}

Value UnitReader::cachedBytes(const PackedLayout::Plane &plane, int64_t offset) {
  Value &value = cache[{plane.isLow, offset}];
  if (!value)
    value = bytes(plane.isLow ? place.low : place.unit, offset, 4 * e.unit.lanes, e.b.getI8Type());
  return value;
}

Value strideView(const VectorEmitter &e, const PackedLayout &layout, int64_t rows, int64_t columns,
                 Value packed) {
  int64_t sizes[] = {layout.rowBlocks(rows), layout.strideBytes(columns)};
  int64_t strides[] = {sizes[1], 1};
  auto type = MemRefType::get(sizes, e.b.getI8Type());
  return memref::ReinterpretCastOp::create(e.b, e.loc, type, packed, /*offset=*/0, sizes, strides);
}

Value lowPlace(const VectorEmitter &e, const PackedLayout &layout, int64_t rows, int64_t columns,
               Value rowBlock, Value number) {
  int64_t high = layout.strideBytes(columns), low = layout.lowBytes(columns);
  // Counted from the begin of the row block's high halves.
  Value lowHalves = e.sub(e.index(layout.rowBlocks(rows) * high), e.scaled(rowBlock, high - low));
  return e.add(lowHalves, e.scaled(number, layout.lowUnitBytes));
}

void UnitReader::prefetch(int64_t distance) const {
  int64_t size = layout.unitsPerBlock == 1 ? layout.blockBytes : layout.unitBytes;
  Value base = layout.unitsPerBlock == 1 ? place.block : place.unit;
  auto linesOf = [](int64_t bytes) { return llvm::divideCeil(bytes, VectorEmitter::lineBytes); };
  e.prefetchLines(place.packed, place.rowBlock, e.offset(base, distance), linesOf(size));
  if (layout.lowUnitBytes > 0)
    e.prefetchLines(place.packed, place.rowBlock, e.offset(place.low, distance),
                    linesOf(layout.lowUnitBytes));
}

Value UnitReader::scales(int64_t firstRow) const {
  return e.widen(bytes(place.block, 2 * firstRow, 2 * e.unit.lanes, e.b.getF16Type()));
}

Value UnitReader::minimums(int64_t firstRow) const {
  int64_t at = layout.minimumOffset + 2 * firstRow;
  return e.widen(bytes(place.block, at, 2 * e.unit.lanes, e.b.getF16Type()));
}

Value UnitReader::integerPairs(int64_t offset, int64_t firstRow) {
  int64_t lanes = e.unit.lanes, groups = layout.groups();
  Value stored = bytes(place.unit, offset + groups * firstRow, groups * lanes, e.b.getI8Type());
  if (groups == 1) {
    SmallVector<int64_t> twice;
    for (int64_t i = 0; i < lanes; ++i)
      twice.append({i, i});
    stored = vector::ShuffleOp::create(e.b, e.loc, stored, stored, twice);
  }
  return arith::ExtSIOp::create(e.b, e.loc, e.type(e.b.getI16Type(), 2 * lanes), stored);
}

Value UnitReader::scalePairs(int64_t firstRow) { return integerPairs(0, firstRow); }

Value UnitReader::minimumPairs(int64_t firstRow) {
  return integerPairs(layout.integerMinimumOffset, firstRow);
}

Value UnitReader::groupIntegers(Value pairs, int64_t group) const {
  Value words = e.bitcast(pairs, e.type(e.b.getI32Type(), e.unit.lanes));
  return e.shiftRightSigned(group == 0 ? e.shiftLeft(words, 16) : words, 16);
}

Value UnitReader::groupPairs(Value pairs, int64_t group) const {
  if (layout.groups() == 1)
    return pairs;
  Value words = e.bitcast(pairs, e.type(e.b.getI32Type(), e.unit.lanes));
  Value low = group == 0 ? e.maskBits(words, 0xFFFF) : e.shiftRight(words, 16);
  return e.bitcast(e.bitOr(low, e.shiftLeft(low, 16)), cast<VectorType>(pairs.getType()));
}

Value UnitReader::quad(int64_t quad, int64_t firstRow) {
  Value &result = quads[{quad, firstRow}];
  if (result)
    return result;
  constexpr int64_t wordBytes = PackedLayout::quad * PackedLayout::rows;
  for (const PackedLayout::Plane &plane : layout.planes) {
    int64_t word = quad % plane.bits, shift = quad / plane.bits * plane.bits;
    Value stored =
        cachedBytes(plane, plane.offset + word * wordBytes + PackedLayout::quad * firstRow);
    if (plane.bits == 8) {
      result = stored;
      break;
    }
    Value moved = shift >= plane.base ? e.shiftRight(stored, shift - plane.base)
                                      : e.shiftLeft(stored, plane.base - shift);
    moved = e.maskBits(moved, ((1 << plane.bits) - 1) << plane.base);
    result = result ? e.bitOr(result, moved) : moved;
  }
  if (layout.isSplit)
    result = e.bitXor(result, e.integer(result.getType(), 128));
  if (!layout.format->quants.codebook.empty())
    result = lookUp(result);
  return result;
}

/// The codebook's entries at `codes`, bytes of 0 to 15.
Value UnitReader::lookUp(Value codes) const {
  auto type = cast<VectorType>(codes.getType());
  ArrayRef<int64_t> codebook = layout.format->quants.codebook;
  int64_t count = type.getNumElements();
  if (e.unit.hasByteShuffle) {
    // Within each 128 bits; so the table is there as often.
    SmallVector<int8_t> entries;
    for (int64_t i = 0; i < count; ++i)
      entries.push_back(static_cast<int8_t>(codebook[static_cast<size_t>(i % 16)]));
    Value table = arith::ConstantOp::create(
        e.b, e.loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(entries)));
    StringRef name = count == 16   ? "llvm.x86.ssse3.pshuf.b.128"
                     : count == 32 ? "llvm.x86.avx2.pshuf.b"
                                   : "llvm.x86.avx512.pshuf.b.512";
    return e.intrinsic(type, name, {table, codes});
  }
  Value result = e.integer(type, codebook[0]);
  for (int64_t code = 1; code < 16; ++code) {
    Value equal =
        arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::eq, codes, e.integer(type, code));
    result = arith::SelectOp::create(e.b, e.loc, equal, e.integer(type, codebook[code]), result);
  }
  return result;
}

Value UnitReader::column(int64_t column, int64_t firstRow) {
  VectorType words = e.type(e.b.getI32Type(), e.unit.lanes);
  int64_t byte = column % 4;
  Value value = e.bitcast(quad(column / 4, firstRow), words);
  if (layout.isSigned())
    return e.shiftRightSigned(e.shiftLeft(value, 24 - 8 * byte), 24);
  value = e.maskBits(e.shiftRight(value, 8 * byte), 0xFF);
  return layout.offset() ? e.sub(value, e.integer(words, layout.offset())) : value;
}

} // namespace relax::kernels
