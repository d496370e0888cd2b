// From the file's rows of blocks to the packed layout, four bytes at a time.
//
// A row is read from its begin to its end, so the source is one sequential stream; the row block
// that is written stays in the cache until all of its 16 rows are there.

#include "compiler/kernels/contraction/Contraction.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::kernels {
namespace {

class Packer {
public:
  Packer(const VectorEmitter &e, const ContractionShape &shape, Value source, Value packed)
      : e(e), layout(shape.layout), shape(shape), source(source), packed(packed) {}

  void rowBlock(Value rowBlock) {
    e.loop(e.index(0), e.index(PackedLayout::rows), 1, [&](Value lane) {
      Value row = e.add(e.scaled(rowBlock, PackedLayout::rows), lane);
      Value exists =
          arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, row, e.index(shape.rows));
      auto units = [&](bool padding) {
        e.loop(e.index(0), e.index(layout.units(shape.columns)), 1, [&](Value unit) {
          readStart = e.scaled(unit, layout.sourceBytes);
          writeStart = e.scaled(unit, layout.unitBytes);
          at = {row, rowBlock, lane};
          isPadding = padding;
          layout.isFloat() ? floatElement() : quantizedBlock();
        });
      };
      if (shape.rows % PackedLayout::rows == 0)
        units(false);
      else
        e.branch(exists, [&] { units(false); }, [&] { units(true); });
    });
  }

private:
  struct Position {
    Value row, rowBlock, lane;
  };

  /// `bytes` bytes of the current block of the file, as an integer; zero in padding.
  Value read(int64_t offset, int64_t bytes) {
    Type type = e.b.getIntegerType(bytes * 8);
    if (isPadding)
      return e.integer(type, 0);
    return e.loadScalar(source, {at.row, e.offset(readStart, offset)}, type);
  }

  /// Writes an integer into the field at `offset` of the unit, in which each row has as many bytes.
  void write(Value value, int64_t offset) {
    int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
    Value inField = e.scaled(at.lane, bytes, offset);
    e.storeScalar(value, packed, {at.rowBlock, e.add(writeStart, inField)});
  }

  void floatElement() { write(read(0, layout.sourceBytes), 0); }

  void quantizedBlock() {
    write(read(0, 2), 0);
    if (layout.hasMin)
      write(read(2, 2), layout.minOffset);
    if (layout.bits == 5)
      write(highBits(read(layout.sourceHighBits, 4)), layout.highOffset);
    for (int64_t quad = 0; quad < layout.numQuads(); ++quad)
      write(read(layout.sourceQuants + 4 * quad, 4),
            layout.quadOffset + quad * PackedLayout::quad * PackedLayout::rows);
  }

  /// Bit 4v + j becomes bit 8j + v: the index bits (v2 v1 v0 j1 j0) are rotated to (j1 j0 v2 v1
  /// v0). Swapping two index bits p > q moves the bits whose index has q set and p clear up by 2^p
  /// - 2^q, and the others down.
  Value highBits(Value word) {
    for (auto [high, low] : {std::pair(1, 0), std::pair(2, 0), std::pair(3, 1), std::pair(4, 2)}) {
      uint32_t mask = 0;
      for (uint32_t bit = 0; bit < 32; ++bit)
        if ((bit >> low & 1) && !(bit >> high & 1))
          mask |= 1u << bit;
      int64_t distance = (1 << high) - (1 << low);
      Value changed = e.maskBits(e.bitXor(word, e.shiftRight(word, distance)), mask);
      word = e.bitXor(e.bitXor(word, changed), e.shiftLeft(changed, distance));
    }
    return word;
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  const ContractionShape &shape;
  Value source, packed;

  // The block that is being packed.
  Position at;
  Value readStart, writeStart;
  bool isPadding = false;
};

} // namespace

void emitPackWeights(const VectorEmitter &e, const ContractionShape &shape, Value source,
                     Value packed, Value begin, Value end) {
  Packer packer(e, shape, source, packed);
  e.loop(begin, end, 1, [&](Value rowBlock) { packer.rowBlock(rowBlock); });
}

} // namespace relax::kernels
