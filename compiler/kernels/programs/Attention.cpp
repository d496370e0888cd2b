// Attention over dense keys and values: products, the masked softmax of the scores, products. The
// heads that share keys are a dimension of their own: [b, h, t, d] is [b, g, h / g, t, d].

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <cmath>
#include <limits>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The program of attention_weights: a softmax over rows of scores, whose elements it changes on
/// the way in.
class Weights {
public:
  explicit Weights(ProgramBuilder &program)
      : program(program), op(cast<ir::AttentionWeightsOp>(program.op)), type(program.types[0]),
        element(type.getElementType()), accumulator(accumulatorOf(element)) {
    ArrayRef<Expr> dims = ir::shapeOf(type);
    symbolic::Context &symbols = ir::symbolicContext(program.b.getContext());
    Expr offset = symbols.constant(op.getCausalOffset());
    if (op.getAlignEnd())
      offset = offset + dims[3] - dims[2];
    if (op.getCausal() || int64_t(op.getWindow()) > 0)
      offsetValue = program.size(offset);
    if (std::optional<ir::ExprAttr> size = op.getHeadSize())
      headSize = program.size(program.rename(size->getExpr()));
  }

  Value build() const {
    Value maximum = reduce(lowestOf(accumulator, false), {},
                           [](const Scalars &s, ValueRange v) { return s.max(v[0], v.back()); });
    // A row without a key has no maximum: nothing is subtracted, and its sum is 0. Minus infinity
    // less itself is NaN.
    Value shift = maximum;
    if (!op.getHiddenIsNan())
      shift = elementByElement(program, maximum, accumulator, [](const Scalars &s, Value v) {
        return s.select(s.equal(v, s.like(v, -infinity)), s.like(v, 0), v);
      });
    Value sum = reduce(zeroOf(accumulator), shift, [](const Scalars &s, ValueRange v) {
      return s.add(v.back(), s.call<math::ExpOp>(s.sub(v[0], v[1])));
    });
    Value divisor = elementByElement(program, sum, accumulator, [](const Scalars &s, Value v) {
      return s.select(s.isZero(v), s.like(v, 1), v);
    });
    return program.generic(operands({shift, divisor}), program.empty(type),
                           maps({shift, divisor}, true),
                           SmallVector<utils::IteratorType>(4, utils::IteratorType::parallel),
                           [&](OpBuilder &b, Location loc, ValueRange v) {
                             Scalars s(b, loc);
                             SmallVector<Value> seen = masked(s, v);
                             Value power = s.call<math::ExpOp>(s.sub(seen[0], seen[1]));
                             return s.convert(element, s.div(power, seen[2]));
                           });
  }

private:
  /// Scores, the mask where there is one, then tensors of rows.
  SmallVector<Value> operands(ArrayRef<Value> rows) const {
    SmallVector<Value> all(program.inputs);
    llvm::append_range(all, rows);
    return all;
  }

  SmallVector<AffineMap> maps(ArrayRef<Value> rows, bool fullResult) const {
    MLIRContext *context = type.getContext();
    AffineMap full = AffineMap::getMultiDimIdentityMap(4, context);
    SmallVector<AffineMap> all = {full};
    if (program.inputs.size() > 1) {
      ArrayRef<Expr> mask = ir::shapeOf(program.inputType(1));
      SmallVector<AffineExpr> exprs;
      for (auto [i, dim] : llvm::enumerate(mask)) {
        auto loop = unsigned(4 - mask.size() + i);
        bool repeated = dim.isConstant(1) && !ir::shapeOf(type)[loop].isConstant(1);
        exprs.push_back(repeated ? getAffineConstantExpr(0, context)
                                 : getAffineDimExpr(loop, context));
      }
      all.push_back(AffineMap::get(4, 0, exprs, context));
    }
    all.append(rows.size(), full.getMajorSubMap(3));
    all.push_back(fullResult ? full : full.getMajorSubMap(3));
    return all;
  }

  /// The scaled and masked score, then what is left of the values of a body: rows and accumulators.
  SmallVector<Value> masked(const Scalars &s, ValueRange v) const {
    Value score = s.convert(accumulator, v[0]);
    score = s.mul(score, s.like(score, op.getScale().convertToDouble()));
    if (headSize) {
      Value size = arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), headSize);
      score = s.div(score, s.call<math::SqrtOp>(s.convert(accumulator, size)));
    }
    if (double cap = op.getSoftcap().convertToDouble(); cap > 0) {
      Value limit = s.like(score, cap);
      score = s.mul(limit, s.call<math::TanhOp>(s.div(score, limit)));
    }
    Value hidden;
    size_t used = program.inputs.size();
    if (used > 1 && v[1].getType().isInteger(1))
      hidden = s.negation(v[1]);
    else if (used > 1)
      score = s.add(score, s.convert(accumulator, v[1]));
    auto hide = [&](arith::CmpIPredicate predicate, Value x, Value y) {
      Value condition = arith::CmpIOp::create(s.b, s.loc, predicate, x, y);
      hidden = hidden ? s.either(hidden, condition) : condition;
    };
    if (offsetValue) {
      Value key = linalg::IndexOp::create(s.b, s.loc, 3);
      Value position =
          arith::AddIOp::create(s.b, s.loc, linalg::IndexOp::create(s.b, s.loc, 2), offsetValue);
      if (op.getCausal())
        hide(arith::CmpIPredicate::sgt, key, position);
      if (int64_t(op.getWindow()) > 0)
        hide(arith::CmpIPredicate::sle,
             arith::AddIOp::create(s.b, s.loc, key,
                                   arith::ConstantIndexOp::create(s.b, s.loc, op.getWindow())),
             position);
    }
    if (hidden)
      score = s.select(hidden, s.like(score, -infinity), score);
    SmallVector<Value> result = {score};
    llvm::append_range(result, v.drop_front(used));
    return result;
  }

  Value reduce(TypedAttr init, ArrayRef<Value> rows,
               llvm::function_ref<Value(const Scalars &, ValueRange)> body) const {
    SmallVector<utils::IteratorType> iterators(4, utils::IteratorType::parallel);
    iterators.back() = utils::IteratorType::reduction;
    Value start = program.filled(withoutAxes(type, 3u, accumulator), init);
    return program.generic(operands(rows), start, maps(rows, false), iterators,
                           [&](OpBuilder &b, Location loc, ValueRange v) {
                             Scalars s(b, loc);
                             return body(s, masked(s, v));
                           });
  }

  ProgramBuilder &program;
  mutable ir::AttentionWeightsOp op;
  RankedTensorType type;
  Type element, accumulator;
  Value offsetValue, headSize;
};

SmallVector<Value> buildAttentionWeights(ProgramBuilder &program) {
  return {Weights(program).build()};
}

//===------------------------------------------------------------------------------------------===//
// Decomposition
//===------------------------------------------------------------------------------------------===//

/// The tensors of one attention op, all that is between in float32 at least.
class AttentionParts {
public:
  AttentionParts(OpBuilder &b, ir::AttentionOp op)
      : b(b), loc(op.getLoc()), op(op), element(getElementTypeOrSelf(op.getQuery().getType())),
        wide(accumulatorOf(element)),
        query(ir::shapeOf(cast<RankedTensorType>(op.getQuery().getType()))),
        key(ir::shapeOf(cast<RankedTensorType>(op.getKey().getType()))) {}

  FailureOr<Value> build() {
    symbolic::Context &symbols = ir::symbolicContext(b.getContext());
    bool grouped = !ir::provablyEqual(query[1], key[1]);
    // That key's heads divide query's is the op's own constraint, proved or checked before.
    Expr repeats = grouped ? symbols.floorDiv(query[1], key[1]) : symbols.constant(1);
    Value q = op.getQuery();
    if (grouped)
      q = reshape(q, {query[0], key[1], repeats, query[2], query[3]});
    FailureOr<Value> scores =
        product(q, op.getKey(), grouped ? "bgrtd,bgsd->bgrts" : "bgtd,bgsd->bgts");
    if (failed(scores))
      return failure();
    Value all = grouped ? reshape(*scores, {query[0], query[1], query[2], key[2]}) : *scores;
    FailureOr<Value> weights = softmax(all);
    if (failed(weights))
      return failure();
    Value w = *weights;
    if (grouped)
      w = reshape(w, {query[0], key[1], repeats, query[2], key[2]});
    FailureOr<Value> sums =
        product(w, widened(op.getValue()), grouped ? "bgrts,bgse->bgrte" : "bgts,bgse->bgte");
    if (failed(sums))
      return failure();
    Value result = *sums;
    if (grouped)
      result = reshape(result, ir::shapeOf(cast<RankedTensorType>(op.getResult().getType())));
    return element == wide ? result : ir::CastOp::create(b, loc, result, element).getResult();
  }

private:
  Value reshape(Value x, ArrayRef<Expr> dims) { return ir::ReshapeOp::create(b, loc, x, dims); }

  /// x in the type in which it is multiplied.
  Value widened(Value x) {
    return getElementTypeOrSelf(x.getType()) == wide
               ? x
               : ir::CastOp::create(b, loc, x, wide).getResult();
  }

  FailureOr<Value> product(Value x, Value y, StringRef equation) {
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr("equation", b.getStringAttr(equation))};
    if (getElementTypeOrSelf(x.getType()) != wide)
      attributes.push_back(b.getNamedAttr("result_type", TypeAttr::get(wide)));
    FailureOr<ir::EinsumOp> einsum =
        ir::createDeduced<ir::EinsumOp>(b, loc, ValueRange{x, y}, attributes);
    if (failed(einsum))
      return failure();
    return Value(einsum->getResult());
  }

  FailureOr<Value> softmax(Value scores) {
    SmallVector<Value> operands = {scores};
    if (Value mask = op.getMask()) {
      bool numbers = isa<FloatType>(getElementTypeOrSelf(mask.getType()));
      operands.push_back(numbers ? widened(mask) : mask);
    }
    double scale = 1;
    SmallVector<NamedAttribute> attributes;
    if (op.getScale())
      scale = op.getScale()->convertToDouble();
    else if (query[3].isConstant())
      scale = 1 / std::sqrt(double(query[3].constantValue()));
    else
      attributes.push_back(
          b.getNamedAttr("head_size", ir::ExprAttr::get(b.getContext(), query[3])));
    attributes.append({b.getNamedAttr("scale", b.getF64FloatAttr(scale)),
                       b.getNamedAttr("causal_offset", op.getCausalOffsetAttr()),
                       b.getNamedAttr("window", op.getWindowAttr()),
                       b.getNamedAttr("softcap", op.getSoftcapAttr())});
    if (op.getCausal())
      attributes.push_back(b.getNamedAttr("causal", b.getUnitAttr()));
    if (op.getAlignEnd())
      attributes.push_back(b.getNamedAttr("align_end", b.getUnitAttr()));
    if (op.getHiddenIsNan())
      attributes.push_back(b.getNamedAttr("hidden_is_nan", b.getUnitAttr()));
    FailureOr<ir::AttentionWeightsOp> weights =
        ir::createDeduced<ir::AttentionWeightsOp>(b, loc, operands, attributes);
    if (failed(weights))
      return failure();
    return Value(weights->getResult());
  }

  OpBuilder &b;
  Location loc;
  ir::AttentionOp op;
  Type element, wide;
  ArrayRef<Expr> query, key;
};

LogicalResult decomposeAttention(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  FailureOr<Value> result = AttentionParts(b, cast<ir::AttentionOp>(op)).build();
  if (failed(result))
    return failure();
  values.push_back(*result);
  return success();
}

} // namespace

ArrayRef<ProgramEntry> attentionPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.attention_weights", buildAttentionWeights},
  };
  return entries;
}

ArrayRef<DecompositionEntry> attentionDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.attention", decomposeAttention,
       [](Operation *op) { return !ir::isWholeAttention(cast<ir::AttentionOp>(op)); }},
  };
  return entries;
}

} // namespace relax::kernels
