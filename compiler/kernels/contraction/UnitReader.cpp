#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"

using namespace mlir;

namespace relax::kernels {

Value UnitReader::bytes(int64_t offset, int64_t count, Type element) const {
  return e.loadBytes(packed, {rowBlock, e.offset(start, offset)}, count, element);
}

Value UnitReader::cachedBytes(int64_t offset) {
  Value &value = cache[offset];
  if (!value)
    value = bytes(offset, 4 * e.unit.lanes, e.b.getI8Type());
  return value;
}

void UnitReader::prefetch(int64_t distance) const {
  for (int64_t line = 0; line < layout.unitBytes; line += 64)
    memref::PrefetchOp::create(e.b, e.loc, packed,
                               ValueRange{rowBlock, e.offset(start, distance + line)},
                               /*isWrite=*/false, /*localityHint=*/3, /*isDataCache=*/true);
}

Value UnitReader::scales(int64_t firstRow) const {
  return e.widen(bytes(2 * firstRow, 2 * e.unit.lanes, e.b.getF16Type()));
}

Value UnitReader::minimums(int64_t firstRow) const {
  return e.widen(bytes(layout.minOffset + 2 * firstRow, 2 * e.unit.lanes, e.b.getF16Type()));
}

Value UnitReader::quad(int64_t quad, int64_t firstRow) {
  constexpr int64_t quadBytes = PackedLayout::quad * PackedLayout::rows;
  int64_t rowOffset = PackedLayout::quad * firstRow;
  if (layout.bits == 8)
    return cachedBytes(layout.quadOffset + quad * quadBytes + rowOffset);

  Value nibbles = cachedBytes(layout.quadOffset + quad % 4 * quadBytes + rowOffset);
  nibbles = e.maskBits(quad < 4 ? nibbles : e.shiftRight(nibbles, 4), 0xF);
  if (layout.bits == 4)
    return nibbles;
  Value high = cachedBytes(layout.highOffset + rowOffset);
  high = quad < 4 ? e.shiftLeft(high, 4 - quad) : e.shiftRight(high, quad - 4);
  return e.bitOr(nibbles, e.maskBits(high, 0x10));
}

Value UnitReader::column(int64_t column, int64_t firstRow) {
  VectorType words = e.type(e.b.getI32Type(), e.unit.lanes);
  int64_t byte = column % 4;
  Value value = e.bitcast(quad(column / 4, firstRow), words);
  if (layout.bits == 8)
    return e.shiftRightSigned(e.shiftLeft(value, 24 - 8 * byte), 24);
  value = e.maskBits(e.shiftRight(value, 8 * byte), 0xFF);
  return layout.offset ? e.sub(value, e.integer(words, layout.offset)) : value;
}

} // namespace relax::kernels
