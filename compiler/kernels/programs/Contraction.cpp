// Matrix products, and the numbers that stored bytes stand for.

#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

namespace {

/// Emits the decoding of one element of a row of stored bytes.
class Decoder {
public:
  Decoder(OpBuilder &b, Location loc, Value bytes, const ir::BlockFormat &format)
      : b(b), loc(loc), bytes(bytes), format(format) {}

  Value decode(Value row, Value k) {
    return format.isPlain() ? decodePlain(row, k) : decodeBlock(row, k);
  }

private:
  Value index(int64_t value) { return arith::ConstantIndexOp::create(b, loc, value); }
  Value integer(int64_t value) {
    return arith::ConstantIntOp::create(b, loc, b.getI32Type(), value);
  }
  Value times(Value x, int64_t y) { return arith::MulIOp::create(b, loc, x, index(y)); }
  Value plus(Value x, Value y) { return arith::AddIOp::create(b, loc, x, y); }

  /// `count` little-endian bytes at `base` + `offset` as an i32.
  Value word(Value row, Value base, int64_t offset, int64_t count) {
    Value result;
    for (int64_t i = 0; i < count; ++i) {
      Value at = plus(base, index(offset + i));
      Value byte = tensor::ExtractOp::create(b, loc, bytes, ValueRange{row, at});
      Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
      if (i > 0)
        wide = arith::ShLIOp::create(b, loc, wide, integer(8 * i));
      result = result ? arith::OrIOp::create(b, loc, result, wide) : wide;
    }
    return result;
  }

  Value half(Value row, Value base, int64_t offset) {
    Value bits = arith::TruncIOp::create(b, loc, b.getI16Type(), word(row, base, offset, 2));
    Value value = arith::BitcastOp::create(b, loc, b.getF16Type(), bits);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  }

  Value decodePlain(Value row, Value k) {
    Value bits = word(row, times(k, format.bytesPerBlock), 0, format.bytesPerBlock);
    if (format.bits == 32)
      return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
    Value narrow = arith::TruncIOp::create(b, loc, b.getI16Type(), bits);
    Type type = format.name == "bf16" ? Type(b.getBF16Type()) : Type(b.getF16Type());
    Value value = arith::BitcastOp::create(b, loc, type, narrow);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  }

  /// q of element j of the block at `base`.
  Value quantum(Value row, Value base, Value j) {
    if (format.bits == 8) {
      Value at = plus(plus(base, j), index(format.valuesOffset));
      Value byte = tensor::ExtractOp::create(b, loc, bytes, ValueRange{row, at});
      return arith::ExtSIOp::create(b, loc, b.getI32Type(), byte);
    }
    Value place = arith::RemUIOp::create(b, loc, j, index(16));
    Value at = plus(plus(base, place), index(format.valuesOffset));
    Value byte = tensor::ExtractOp::create(b, loc, bytes, ValueRange{row, at});
    Value wide = arith::ExtUIOp::create(b, loc, b.getI32Type(), byte);
    Value isHigh = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::uge, j, index(16));
    Value shift = arith::SelectOp::create(b, loc, isHigh, integer(4), integer(0));
    Value q =
        arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, wide, shift), integer(15));
    if (format.highBitsOffset < 0)
      return q;
    Value position = arith::IndexCastOp::create(b, loc, b.getI32Type(), j);
    Value bits = word(row, base, format.highBitsOffset, 4);
    Value bit =
        arith::AndIOp::create(b, loc, arith::ShRUIOp::create(b, loc, bits, position), integer(1));
    return arith::OrIOp::create(b, loc, q, arith::ShLIOp::create(b, loc, bit, integer(4)));
  }

  /// (q - offset) * d + m.
  Value decodeBlock(Value row, Value k) {
    Value block = arith::DivUIOp::create(b, loc, k, index(format.blockSize));
    Value j = arith::RemUIOp::create(b, loc, k, index(format.blockSize));
    Value base = times(block, format.bytesPerBlock);
    Value q = quantum(row, base, j);
    if (format.offset != 0)
      q = arith::SubIOp::create(b, loc, q, integer(format.offset));
    Value number = arith::SIToFPOp::create(b, loc, b.getF32Type(), q);
    Value result = arith::MulFOp::create(b, loc, number, half(row, base, format.scaleOffset));
    if (format.hasMin)
      result = arith::AddFOp::create(b, loc, result, half(row, base, format.minOffset));
    return result;
  }

  OpBuilder &b;
  Location loc;
  Value bytes;
  const ir::BlockFormat &format;
};

} // namespace

static SmallVector<Value> buildDequantize(ProgramBuilder &program) {
  const ir::BlockFormat *format =
      ir::findBlockFormat(cast<ir::DequantizeOp>(program.op).getFormat());
  return {program.pointwise(program.types[0], ValueRange{},
                            [&](OpBuilder &b, Location loc, ValueRange) -> Value {
                              Value row = linalg::IndexOp::create(b, loc, 0);
                              Value k = linalg::IndexOp::create(b, loc, 1);
                              return Decoder(b, loc, program.inputs[0], *format).decode(row, k);
                            })};
}

ArrayRef<ProgramEntry> contractionPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.dequantize", buildDequantize},
  };
  return entries;
}

} // namespace relax::kernels
