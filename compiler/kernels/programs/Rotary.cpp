// Rotary embedding: each element from itself and its partner.

#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace relax::kernels {

/// out[t, h, i] = x[i] cos(a_j) -+ x[partner] sin(a_j), where i is one of the pair of angle j; the
/// element before its partner takes the minus.
static SmallVector<Value> buildRotary(ProgramBuilder &program) {
  Value x = program.inputs[0], table = program.inputs[1];
  bool interleaved = cast<ir::RotaryOp>(program.op).getInterleaved();
  int64_t dims = program.inputType(1).getDimSize(1);
  int64_t half = dims / 2;
  bool partial = program.types[0].getDimSize(2) != dims;
  return {program.pointwise(
      program.types[0], ValueRange{x}, [&](OpBuilder &b, Location loc, ValueRange v) -> Value {
        // The table has no angle to read, and nothing is rotated.
        if (dims == 0)
          return v[0];
        auto index = [&](int64_t value) -> Value {
          return arith::ConstantIndexOp::create(b, loc, value);
        };
        auto compare = [&](arith::CmpIPredicate predicate, Value l, Value r) -> Value {
          return arith::CmpIOp::create(b, loc, predicate, l, r);
        };
        auto select = [&](Value condition, Value l, Value r) -> Value {
          return arith::SelectOp::create(b, loc, condition, l, r);
        };
        Value t = linalg::IndexOp::create(b, loc, 0), h = linalg::IndexOp::create(b, loc, 1);
        Value i = linalg::IndexOp::create(b, loc, 2);
        Value rotated = compare(arith::CmpIPredicate::ult, i, index(dims));
        Value inside = partial ? select(rotated, i, index(0)) : i;
        Value isFirst, angle, step;
        if (interleaved) {
          Value odd = arith::RemUIOp::create(b, loc, inside, index(2));
          isFirst = compare(arith::CmpIPredicate::eq, odd, index(0));
          angle = arith::DivUIOp::create(b, loc, inside, index(2));
          step = index(1);
        } else {
          isFirst = compare(arith::CmpIPredicate::ult, inside, index(half));
          angle = arith::RemUIOp::create(b, loc, inside, index(half));
          step = index(half);
        }
        Value partner = select(isFirst, arith::AddIOp::create(b, loc, inside, step),
                               arith::SubIOp::create(b, loc, inside, step));
        Value other = tensor::ExtractOp::create(b, loc, x, ValueRange{t, h, partner});
        Value cosine = tensor::ExtractOp::create(b, loc, table, ValueRange{t, angle});
        Value sine = tensor::ExtractOp::create(
            b, loc, table, ValueRange{t, arith::AddIOp::create(b, loc, angle, index(half))});
        Value signedSine = select(isFirst, arith::NegFOp::create(b, loc, sine), sine);
        Value result = arith::AddFOp::create(b, loc, arith::MulFOp::create(b, loc, v[0], cosine),
                                             arith::MulFOp::create(b, loc, other, signedSine));
        return partial ? select(rotated, result, v[0]) : result;
      })};
}

ArrayRef<ProgramEntry> rotaryPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.rotary", buildRotary},
  };
  return entries;
}

} // namespace relax::kernels
