// From the file's rows of blocks to the packed layout.
//
// A row is read from its begin to its end, so the source is one sequential stream; the row block
// that is written stays in the cache until all of its 16 rows are there. The 32 integers of a unit
// are taken from their planes as one vector of bytes, and their bits go into the packed planes four
// columns at a time.

#include "compiler/kernels/contraction/Contraction.h"

#include "compiler/dialect/FieldPlace.h"
#include "compiler/kernels/contraction/UnitReader.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace relax::kernels {
namespace {

class Packer {
public:
  Packer(const VectorEmitter &e, const ContractionShape &shape, Value source, Value packed)
      : e(e), layout(shape.layout), format(*shape.layout.format), shape(shape), source(source),
        packed(packed) {
    if (layout.isSplit)
      this->packed = strideView(e, layout, shape.rows, shape.columns, packed);
  }

  void rowBlock(Value rowBlock) {
    e.loop(e.index(0), e.index(PackedLayout::rows), 1, [&](Value lane) {
      Value row = e.add(e.scaled(rowBlock, PackedLayout::rows), lane);
      Value exists =
          arith::CmpIOp::create(e.b, e.loc, arith::CmpIPredicate::slt, row, e.index(shape.rows));
      auto blocks = [&](bool padding) {
        at = {row, rowBlock, lane};
        if (padding)
          return zeros();
        e.loop(e.index(0), e.index(layout.blocks(shape.columns)), 1, [&](Value number) {
          readStart = e.scaled(number, format.bytesPerBlock);
          writeStart = e.scaled(number, layout.blockBytes);
          setLow(number);
          layout.isFloat() ? floatElement() : block();
        });
      };
      if (shape.rows % PackedLayout::rows == 0)
        blocks(false);
      else
        e.branch(exists, [&] { blocks(false); }, [&] { blocks(true); });
    });
  }

private:
  struct Position {
    Value row, rowBlock, lane;
  };

  Value read(Value place, Type type) { return e.loadScalar(source, {at.row, place}, type); }

  /// Writes an integer into the field at `offset` from `start`, in which each row has as many
  /// bytes.
  void write(Value value, Value start, int64_t offset) {
    int64_t bytes = value.getType().getIntOrFloatBitWidth() / 8;
    Value inField = e.scaled(at.lane, bytes, offset);
    e.storeScalar(value, packed, {at.rowBlock, e.add(start, inField)});
  }

  void floatElement() {
    write(read(readStart, e.b.getIntegerType(format.bytesPerBlock * 8)), writeStart, 0);
  }

  /// A row of padding: zero in each of its fields.
  void zeros() {
    e.loop(e.index(0), e.index(layout.blocks(shape.columns)), 1, [&](Value number) {
      Value start = e.scaled(number, layout.blockBytes);
      setLow(number);
      auto zero = [&](int64_t bytes) { return e.integer(e.b.getIntegerType(bytes * 8), 0); };
      if (layout.isFloat())
        return write(zero(format.bytesPerBlock), start, 0);
      write(zero(2), start, 0);
      if (layout.hasMinimum())
        write(zero(2), start, layout.minimumOffset);
      units(
          [&](Value, Value begin) {
            if (format.scales.exists())
              write(zero(layout.groups()), begin, 0);
            if (format.minimums.exists())
              write(zero(layout.groups()), begin, layout.integerMinimumOffset);
            for (const PackedLayout::Plane &plane : layout.planes)
              for (int64_t word = 0; word < plane.bits; ++word)
                write(zero(4), plane.isLow ? lowStart : begin, wordOffset(plane, word));
          },
          start);
    });
  }

  void setLow(Value number) {
    if (layout.isSplit)
      lowStart = lowPlace(e, layout, shape.rows, shape.columns, at.rowBlock, number);
  }

  static int64_t wordOffset(const PackedLayout::Plane &plane, int64_t word) {
    return plane.offset + word * PackedLayout::quad * PackedLayout::rows;
  }

  void units(llvm::function_ref<void(Value unit, Value begin)> body, Value start) {
    e.loop(e.index(0), e.index(layout.unitsPerBlock), 1, [&](Value unit) {
      Value inBlock = e.scaled(unit, layout.unitBytes, layout.headerBytes);
      body(unit, e.add(start, inBlock));
    });
  }

  void block() {
    Type half = e.b.getI16Type();
    write(read(e.offset(readStart, format.scaleOffset), half), writeStart, 0);
    if (layout.hasMinimum()) {
      Value minimum = read(e.offset(readStart, format.minimumOffset), half);
      if (format.subtractsMinimum)
        minimum = e.bitXor(minimum, e.integer(half, 0x8000));
      write(minimum, writeStart, layout.minimumOffset);
    }
    units(
        [&](Value unit, Value begin) {
          if (format.scales.exists())
            integers(format.scales, unit, begin, 0);
          if (format.minimums.exists())
            integers(format.minimums, unit, begin, layout.integerMinimumOffset);
          quants(unit, begin);
        },
        writeStart);
  }

  /// The integers of the unit's groups, beside each other.
  void integers(const ir::IntegerField &field, Value unit, Value begin, int64_t offset) {
    Type type = e.b.getIntegerType(8 * layout.groups());
    auto integerOf = [&](int64_t group) {
      Value index = e.scaled(unit, layout.groups(), group), value;
      int64_t shift = 0;
      for (const ir::BitPlane &plane : field.planes) {
        auto [byteOf, bitOf] = ir::emitFieldPlace(e.b, e.loc, plane, index);
        Value bits = read(e.add(readStart, byteOf), e.b.getI8Type());
        bits = arith::ShRUIOp::create(e.b, e.loc, bits, toByte(bitOf));
        bits = e.shiftLeft(e.maskBits(bits, (1 << plane.bits) - 1), shift);
        value = value ? e.bitOr(value, bits) : bits;
        shift += plane.bits;
      }
      if (!value)
        llvm_unreachable("a field has planes");
      if (field.isSigned && shift < 8)
        value = e.shiftRightSigned(e.shiftLeft(value, 8 - shift), 8 - shift);
      if (field.offset != 0)
        value = e.sub(value, e.integer(value.getType(), field.offset));
      if (layout.groups() > 1)
        value = e.shiftLeft(arith::ExtUIOp::create(e.b, e.loc, type, value), 8 * group);
      return value;
    };
    Value all = integerOf(0);
    for (int64_t group = 1; group < layout.groups(); ++group)
      all = e.bitOr(all, integerOf(group));
    write(all, begin, offset);
  }

  Value toByte(Value index) {
    return arith::IndexCastOp::create(e.b, e.loc, e.b.getI8Type(), index);
  }

  /// The unit's integers as bytes, without sign.
  Value unitQuants(Value unit) {
    Value first = e.scaled(unit, layout.unitColumns), result;
    int64_t shift = 0;
    for (const ir::BitPlane &plane : format.quants.planes) {
      Value bits = e.shiftLeft(e.maskBits(planeBits(plane, first), (1 << plane.bits) - 1), shift);
      result = result ? e.bitOr(result, bits) : bits;
      shift += plane.bits;
    }
    return result;
  }

  /// The bytes of one plane of 32 columns from `first`, shifted so that the field comes lowest.
  Value planeBits(const ir::BitPlane &plane, Value first) {
    constexpr size_t count = ir::BlockFormat::unitElements;
    ArrayRef<int64_t> byteOf = ArrayRef(plane.byteOf).take_front(count);
    ArrayRef<int64_t> bitOf = ArrayRef(plane.bitOf).take_front(count);
    int64_t least = *llvm::min_element(byteOf), span = *llvm::max_element(byteOf) - least + 1;
    // Each unit lies as the first one does, moved by whole bytes and bits.
    auto [byte, bit] = ir::emitFieldPlace(e.b, e.loc, plane, first);
    Value start = e.add(readStart, e.offset(byte, least - byteOf[0]));
    Value bytes = e.loadBytes(source, {at.row, start}, span, e.b.getI8Type());
    SmallVector<int64_t> places;
    SmallVector<int8_t> shifts;
    for (auto [place, position] : llvm::zip_equal(byteOf, bitOf)) {
      places.push_back(place - least);
      shifts.push_back(static_cast<int8_t>(position - bitOf[0]));
    }
    bytes = vector::ShuffleOp::create(e.b, e.loc, bytes, bytes, places);
    VectorType type = e.type(e.b.getI8Type(), count);
    if (plane.bits == 8)
      return bytes;
    Value by = e.splat(toByte(bit), count);
    Value relative = arith::ConstantOp::create(
        e.b, e.loc, DenseElementsAttr::get(type, ArrayRef<int8_t>(shifts)));
    return arith::ShRUIOp::create(e.b, e.loc, bytes, e.add(by, relative));
  }

  void quants(Value unit, Value begin) {
    Value codes = unitQuants(unit);
    if (layout.isSplit)
      codes = e.bitXor(codes, e.integer(codes.getType(), 128));
    Value words = e.bitcast(codes, e.type(e.b.getI32Type(), 8));
    for (const PackedLayout::Plane &plane : layout.planes) {
      Value all;
      for (int64_t part = 0; part < 8 / plane.bits; ++part) {
        Value quads = vector::ExtractStridedSliceOp::create(
            e.b, e.loc, words, ArrayRef<int64_t>{part * plane.bits}, ArrayRef<int64_t>{plane.bits},
            ArrayRef<int64_t>{1});
        if (plane.bits < 8) {
          int64_t mask = ((1 << plane.bits) - 1) * 0x01010101;
          quads = e.shiftLeft(e.maskBits(e.shiftRight(quads, plane.base), mask), part * plane.bits);
        }
        all = all ? e.bitOr(all, quads) : quads;
      }
      for (int64_t word = 0; word < plane.bits; ++word)
        write(vector::ExtractOp::create(e.b, e.loc, all, ArrayRef<int64_t>{word}),
              plane.isLow ? lowStart : begin, wordOffset(plane, word));
    }
  }

  const VectorEmitter &e;
  const PackedLayout &layout;
  const ir::BlockFormat &format;
  const ContractionShape &shape;
  Value source, packed;

  // The block that is being packed.
  Position at;
  Value readStart, writeStart, lowStart;
};

} // namespace

void emitPackWeights(const VectorEmitter &e, const ContractionShape &shape, Value source,
                     Value packed, Value begin, Value end) {
  Packer packer(e, shape, source, packed);
  e.loop(begin, end, 1, [&](Value rowBlock) { packer.rowBlock(rowBlock); });
}

} // namespace relax::kernels
