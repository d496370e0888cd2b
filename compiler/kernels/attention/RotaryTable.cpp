#include "compiler/kernels/attention/RotaryTable.h"

#include <cmath>

using namespace mlir;

namespace relax::kernels::attention {

namespace {

class RotaryTableEmitter : VectorMath {
public:
  RotaryTableEmitter(OpBuilder &builder, Location loc, VectorTarget target,
                     const RotaryTableParams &params, const RotaryTableOperands &operands)
      : VectorMath(builder, loc, target), params(params), operands(operands), half(params.dims / 2),
        lanes(target.lanes(64)) {}

  /// Puts the frequencies in scratch memory, whence a loop can read them.
  void emitFrequencies() {
    auto type = MemRefType::get({half}, b.getF64Type());
    frequencies = memref::AllocaOp::create(b, type, b.getI64IntegerAttr(64));
    for (Piece piece : splitIntoPieces(half, lanes)) {
      SmallVector<double> values;
      for (int64_t i = piece.offset; i < piece.offset + piece.lanes; ++i)
        values.push_back(std::pow(params.base, -2.0 * double(i) / double(params.dims)) /
                         (params.factors.empty() ? 1.0 : params.factors[i]));
      Value value =
          piece.lanes == 1
              ? constant(b.getF64Type(), values[0])
              : arith::ConstantOp::create(
                    b,
                    DenseElementsAttr::get(cast<VectorType>(vectorOf(b.getF64Type(), piece.lanes)),
                                           ArrayRef<double>(values)));
      store(value, frequencies, index(piece.offset));
    }
  }

  void emitUnits() {
    loop(operands.begin, operands.end, 1, [&](Value token) {
      Value integer = load(operands.positions, token, 1);
      Value position = arith::SIToFPOp::create(b, b.getF64Type(), integer);
      int64_t whole = half - half % lanes;
      loop(index(0), index(whole), lanes, [&](Value i) { emitVector(token, position, i, lanes); });
      if (whole < half)
        emitVector(token, position, index(whole), half - whole);
    });
  }

private:
  void emitVector(Value token, Value position, Value i, int64_t count) {
    Value angle = mulF(splat(position, count), load(frequencies, i, count));
    auto [sine, cosine] = sineCosine(angle);
    if (params.scale != 1) {
      Value scale = splat(constant(b.getF64Type(), params.scale), count);
      sine = mulF(sine, scale);
      cosine = mulF(cosine, scale);
    }
    Type type = vectorOf(b.getF32Type(), count);
    store(arith::TruncFOp::create(b, type, cosine), operands.table, {token, i});
    store(arith::TruncFOp::create(b, type, sine), operands.table, {token, add(i, half)});
  }

  const RotaryTableParams params;
  const RotaryTableOperands operands;
  const int64_t half;
  const int64_t lanes;

public:
  Value frequencies; ///< f64 [dims / 2]
};

} // namespace

void buildRotaryTable(OpBuilder &builder, OpBuilder &entry, Location loc, VectorTarget target,
                      const RotaryTableParams &params, const RotaryTableOperands &operands) {
  RotaryTableEmitter constants(entry, loc, target, params, operands);
  constants.emitFrequencies();
  RotaryTableEmitter loops(builder, loc, target, params, operands);
  loops.frequencies = constants.frequencies;
  loops.emitUnits();
}

} // namespace relax::kernels::attention
