// non_max_suppression, after ONNX: for each batch and class, boxes in descending order of their
// score, each against those of its class that were kept before.

#include "compiler/dialect/ops/SearchOps.h"
#include "compiler/kernels/programs/search/Order.h"
#include "compiler/kernels/programs/search/SearchPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::kernels {

SmallVector<Type> nonMaxSuppressionBuffers(Operation *op) {
  auto nms = cast<ir::NonMaxSuppressionOp>(op);
  MLIRContext *context = op->getContext();
  symbolic::Context &symbols = ir::symbolicContext(context);
  ArrayRef<symbolic::Expr> scores = ir::shapeOf(cast<RankedTensorType>(nms.getScores().getType()));
  Type i64 = IntegerType::get(context, 64);
  symbolic::Expr most = scores[0] * scores[1] *
                        symbols.min(scores[2], symbols.constant(nms.getMaxOutputBoxesPerClass()));
  Type order = ir::tensorType(context, {scores[2]}, i64);
  return {ir::tensorType(context, {most, symbols.constant(3)}, i64), RankedTensorType::get({}, i64),
          order, order};
}

namespace {

/// A box as two corners, each coordinate ordered.
struct Corners {
  Value low[2], high[2];
};

class Suppression {
public:
  Suppression(ProgramBuilder &program)
      : program(program), l(program.b, program.loc), op(cast<ir::NonMaxSuppressionOp>(program.op)),
        boxes(program.inputs[0]), scores(program.inputs[1]) {
    Type element = program.inputType(0).getElementType();
    wide = element.isF64() ? element : Type(l.b.getF32Type());
  }

  SmallVector<Value> build() {
    Value zero = l.index(0), most = l.index(op.getMaxOutputBoxesPerClass());
    Value spatial = l.dim(scores, 2);
    // Carried: number of rows, rows, two buffers for the order.
    SmallVector<Value> inits = {zero, program.empty(program.types[0]),
                                program.empty(program.types[2]), program.empty(program.types[3])};
    Order order = orderOf(program.op, 1, /*descending=*/true);
    auto found = l.loop(l.dim(scores, 0), inits, [&](Value batch, ValueRange outer) {
      return l.loop(
          l.dim(scores, 1), outer, [&](Value label, ValueRange carried) -> LoopBuilder::Values {
            auto sorted =
                sortPositions(l, order, carried[2], carried[3], spatial, [&](Value place) {
                  return l.extract(scores, {batch, label, place});
                });
            Value start = carried[0];
            auto kept = l.loopWhile(
                {zero, start, carried[1]},
                [&](ValueRange v) {
                  return l.both(l.less(v[0], spatial), l.less(l.sub(v[1], start), most));
                },
                [&](ValueRange v) { return consider(batch, label, start, sorted[0], v); });
            return {kept[1], kept[2], sorted[0], sorted[1]};
          });
    });
    Value count = l.insert(l.toI64(found[0]), program.empty(program.types[1]), {});
    return {found[1], count, found[2], found[3]};
  }

private:
  /// The next box in order: v is its number, the number of rows, the rows.
  LoopBuilder::Values consider(Value batch, Value label, Value start, Value sorted, ValueRange v) {
    Value one = l.index(1);
    Value box = l.extract(sorted, v[0]), place = l.toIndex(box);
    Value wanted = l.boolean(true);
    if (op.getScoreThreshold())
      wanted = arith::CmpFOp::create(
          l.b, l.loc, arith::CmpFPredicate::OGT, widened(l.extract(scores, {batch, label, place})),
          program.constant(l.b, wide, op.getScoreThreshold()->convertToDouble()));
    Corners corners = cornersOf(batch, place);
    Value rows = v[2], end = v[1];
    auto search = l.loopWhile(
        {start, wanted}, [&](ValueRange s) { return l.both(s[1], l.less(s[0], end)); },
        [&](ValueRange s) -> LoopBuilder::Values {
          Value other = l.toIndex(l.extract(rows, {s[0], l.index(2)}));
          return {l.add(s[0], one), l.isNot(overlaps(corners, cornersOf(batch, other)))};
        });
    return l.choose(
        search[1],
        [&]() -> LoopBuilder::Values {
          Value next = l.insert(l.toI64(batch), rows, {end, l.index(0)});
          next = l.insert(l.toI64(label), next, {end, one});
          next = l.insert(box, next, {end, l.index(2)});
          return {l.add(v[0], one), l.add(end, one), next};
        },
        [&]() -> LoopBuilder::Values { return {l.add(v[0], one), end, rows}; });
  }

  Value widened(Value x) {
    return x.getType() == wide ? x : Value(arith::ExtFOp::create(l.b, l.loc, wide, x));
  }
  Value sub(Value x, Value y) { return arith::SubFOp::create(l.b, l.loc, x, y); }
  Value add(Value x, Value y) { return arith::AddFOp::create(l.b, l.loc, x, y); }
  Value mul(Value x, Value y) { return arith::MulFOp::create(l.b, l.loc, x, y); }
  Value smaller(Value x, Value y) { return arith::MinimumFOp::create(l.b, l.loc, x, y); }
  Value larger(Value x, Value y) { return arith::MaximumFOp::create(l.b, l.loc, x, y); }

  Corners cornersOf(Value batch, Value place) {
    Value v[4];
    for (int64_t i = 0; i < 4; ++i)
      v[i] = widened(l.extract(boxes, {batch, place, l.index(i)}));
    Corners corners;
    for (int i = 0; i < 2; ++i) {
      Value first = v[i], second = v[i + 2];
      if (op.getCenterPointBox()) {
        Value half = mul(v[i + 2], program.constant(l.b, wide, 0.5));
        first = sub(v[i], half);
        second = add(v[i], half);
      }
      corners.low[i] = smaller(first, second);
      corners.high[i] = larger(first, second);
    }
    return corners;
  }

  Value area(const Corners &box) {
    return mul(sub(box.high[0], box.low[0]), sub(box.high[1], box.low[1]));
  }

  /// Is the intersection over the union above the threshold? Boxes without a common area don't
  /// overlap.
  Value overlaps(const Corners &a, const Corners &b) {
    Value zero = program.constant(l.b, wide, 0);
    Value side[2];
    for (int i = 0; i < 2; ++i)
      side[i] = larger(sub(smaller(a.high[i], b.high[i]), larger(a.low[i], b.low[i])), zero);
    Value common = mul(side[0], side[1]);
    Value all = sub(add(area(a), area(b)), common);
    Value share = arith::DivFOp::create(l.b, l.loc, common, all);
    auto above = [&](Value x, Value y) -> Value {
      return arith::CmpFOp::create(l.b, l.loc, arith::CmpFPredicate::OGT, x, y);
    };
    Value threshold = program.constant(l.b, wide, op.getIouThreshold().convertToDouble());
    return l.both(l.both(above(common, zero), above(all, zero)), above(share, threshold));
  }

  ProgramBuilder &program;
  LoopBuilder l;
  ir::NonMaxSuppressionOp op;
  Value boxes, scores;
  Type wide;
};

} // namespace

SmallVector<Value> buildNonMaxSuppression(ProgramBuilder &program) {
  return Suppression(program).build();
}

} // namespace relax::kernels
