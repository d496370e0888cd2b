// Matrix products, and the numbers that stored bytes stand for.

#include "compiler/kernels/programs/Programs.h"

#include "compiler/dialect/FieldPlace.h"

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

  /// The byte at `at`, as an i32 without sign.
  Value byte(Value row, Value at) {
    Value stored = tensor::ExtractOp::create(b, loc, bytes, ValueRange{row, at});
    return arith::ExtUIOp::create(b, loc, b.getI32Type(), stored);
  }

  /// `count` little-endian bytes at `base` + `offset` as an i32.
  Value word(Value row, Value base, int64_t offset, int64_t count) {
    Value result;
    for (int64_t i = 0; i < count; ++i) {
      Value wide = byte(row, plus(base, index(offset + i)));
      if (i > 0)
        wide = arith::ShLIOp::create(b, loc, wide, integer(8 * i));
      result = result ? arith::OrIOp::create(b, loc, result, wide) : wide;
    }
    return result;
  }

  Value widened(Value bits, Type type) {
    Value narrow = arith::TruncIOp::create(b, loc, b.getI16Type(), bits);
    Value value = arith::BitcastOp::create(b, loc, type, narrow);
    return arith::ExtFOp::create(b, loc, b.getF32Type(), value);
  }

  Value half(Value row, Value base, int64_t offset) {
    return widened(word(row, base, offset, 2), b.getF16Type());
  }

  Value decodePlain(Value row, Value k) {
    using Element = ir::BlockFormat::Element;
    Value bits = word(row, times(k, format.bytesPerBlock), 0, format.bytesPerBlock);
    if (format.element == Element::F32)
      return arith::BitcastOp::create(b, loc, b.getF32Type(), bits);
    return widened(bits,
                   format.element == Element::BF16 ? Type(b.getBF16Type()) : Type(b.getF16Type()));
  }

  /// The integer at index j of a field of the block at `base`.
  Value field(const ir::IntegerField &field, Value row, Value base, Value j) {
    Value q;
    int64_t shift = 0;
    for (const ir::BitPlane &plane : field.planes) {
      auto [byteOf, bitOf] = ir::emitFieldPlace(b, loc, plane, j);
      Value bits = byte(row, plus(base, byteOf));
      Value bit = arith::IndexCastOp::create(b, loc, b.getI32Type(), bitOf);
      bits = arith::ShRUIOp::create(b, loc, bits, bit);
      bits = arith::AndIOp::create(b, loc, bits, integer((1 << plane.bits) - 1));
      if (shift > 0)
        bits = arith::ShLIOp::create(b, loc, bits, integer(shift));
      q = q ? arith::OrIOp::create(b, loc, q, bits) : bits;
      shift += plane.bits;
    }
    if (field.isSigned) {
      Value up = arith::ShLIOp::create(b, loc, q, integer(32 - shift));
      q = arith::ShRSIOp::create(b, loc, up, integer(32 - shift));
    }
    if (!field.codebook.empty())
      q = lookUp(field.codebook, q);
    return field.offset == 0 ? q : arith::SubIOp::create(b, loc, q, integer(field.offset));
  }

  /// A chain of selections: a table would need memory of its own.
  Value lookUp(ArrayRef<int64_t> codebook, Value q) {
    Value result = integer(codebook[0]);
    for (auto [code, entry] : llvm::enumerate(codebook.drop_front())) {
      Value equal = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, q,
                                          integer(static_cast<int64_t>(code) + 1));
      result = arith::SelectOp::create(b, loc, equal, integer(entry), result);
    }
    return result;
  }

  Value toFloat(Value x) { return arith::SIToFPOp::create(b, loc, b.getF32Type(), x); }

  /// q * (scale * S) + (minimum * M), in this order.
  Value decodeBlock(Value row, Value k) {
    Value block = arith::DivUIOp::create(b, loc, k, index(format.blockSize));
    Value j = arith::RemUIOp::create(b, loc, k, index(format.blockSize));
    Value g = arith::DivUIOp::create(b, loc, j, index(format.group));
    Value base = times(block, format.bytesPerBlock);
    auto scaled = [&](int64_t offset, const ir::IntegerField &integers) -> Value {
      Value real = half(row, base, offset);
      if (!integers.exists())
        return real;
      return arith::MulFOp::create(b, loc, real, toFloat(field(integers, row, base, g)));
    };
    Value number = toFloat(field(format.quants, row, base, j));
    Value result = arith::MulFOp::create(b, loc, number, scaled(format.scaleOffset, format.scales));
    if (!format.hasMinimum())
      return result;
    Value minimum = scaled(format.minimumOffset, format.minimums);
    if (format.subtractsMinimum)
      return arith::SubFOp::create(b, loc, result, minimum);
    return arith::AddFOp::create(b, loc, result, minimum);
  }

  OpBuilder &b;
  Location loc;
  Value bytes;
  const ir::BlockFormat &format;
};

} // namespace

static SmallVector<Value> buildDequantize(ProgramBuilder &program) {
  const ir::BlockFormat *format =
      ir::findBlockFormat(program.b.getContext(), cast<ir::DequantizeOp>(program.op).getFormat());
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
