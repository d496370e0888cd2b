#include "compiler/kernels/contraction/LikeliestStrategies.h"

#include "compiler/dialect/ops/LikeliestOps.h"
#include "compiler/kernels/WholeProgram.h"
#include "compiler/kernels/contraction/ContractionStrategies.h"
#include "compiler/kernels/contraction/Likeliest.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using symbolic::Expr;

template <typename Op> int64_t columnsOf(Op op) {
  return cast<ShapedType>(op.getValues().getType()).getDimSize(2);
}

/// The split weights of an op; none if it has others.
template <typename Op> std::optional<ContractionShape> shapeOf(Op op) {
  const ir::BlockFormat *format = ir::findBlockFormat(op.getContext(), op.getFormat());
  int64_t columns = columnsOf(op);
  if (!format || !ir::hasHalves(*format) || ShapedType::isDynamic(columns))
    return std::nullopt;
  return ContractionShape{splitLayout(*format), static_cast<int64_t>(op.getRows()), columns, 2};
}

template <typename Op> class LikeliestPart : public KernelStrategy {
public:
  bool matches(func::FuncOp program) const override {
    auto op = findWholeProgram<Op>(program);
    return op && hasShape(op);
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findWholeProgram<Op>(context.program);
    auto memref = [&](Value argument) {
      return context.input(cast<BlockArgument>(argument).getArgNumber());
    };
    LikeliestOperands operands;
    operands.product.quants = memref(op.getValues());
    operands.product.scales = memref(op.getScales());
    operands.product.sums = memref(op.getSums());
    operands.counts = memref(op.getCounts());
    VectorEmitter e(context.b, context.loc, vectorUnit(context));
    Expr tokens = context.shape(op.getCounts())[0];
    return emit(context, op, e, operands, memref, tokens);
  }

protected:
  using MemrefOf = llvm::function_ref<Value(Value)>;
  virtual bool hasShape(Op op) const = 0;
  virtual Schedule emit(KernelContext &context, Op op, const VectorEmitter &e,
                        LikeliestOperands &operands, MemrefOf memref, Expr tokens) const = 0;

  static Expr constant(Op op, int64_t value) {
    return ir::symbolicContext(op.getContext()).constant(value);
  }
};

/// A part that has the weights among its operands.
template <typename Op> class LikeliestWeightsPart : public LikeliestPart<Op> {
protected:
  using typename LikeliestPart<Op>::MemrefOf;
  virtual Schedule emit(KernelContext &context, Op op, const ContractionShape &shape,
                        const VectorEmitter &e, LikeliestOperands &operands, MemrefOf memref,
                        Expr tokens) const = 0;

private:
  bool hasShape(Op op) const final { return shapeOf(op).has_value(); }
  Schedule emit(KernelContext &context, Op op, const VectorEmitter &e, LikeliestOperands &operands,
                MemrefOf memref, Expr tokens) const final {
    operands.product.packed = memref(op.getPacked());
    return emit(context, op, *shapeOf(op), e, operands, memref, tokens);
  }
};

class Terms final : public LikeliestPart<ir::LikeliestTermsOp> {
public:
  StringRef name() const override { return "likeliest-terms"; }

private:
  bool hasShape(ir::LikeliestTermsOp op) const override {
    int64_t columns = columnsOf(op);
    return !ShapedType::isDynamic(columns) && columns <= 8 * 1024 * 32;
  }
  Schedule emit(KernelContext &context, ir::LikeliestTermsOp op, const VectorEmitter &e,
                LikeliestOperands &operands, MemrefOf, Expr tokens) const override {
    operands.terms = context.output(0);
    operands.order = context.output(1);
    emitLikeliestTerms(e, columnsOf(op), operands, context.begin(), context.end());
    return {tokens, tokens * (4 * columnsOf(op))};
  }
};

class Bounds final : public LikeliestWeightsPart<ir::LikeliestBoundsOp> {
public:
  StringRef name() const override { return "likeliest-bounds"; }

private:
  Schedule emit(KernelContext &context, ir::LikeliestBoundsOp op, const ContractionShape &shape,
                const VectorEmitter &e, LikeliestOperands &operands, MemrefOf memref,
                Expr tokens) const override {
    operands.terms = memref(op.getTerms());
    operands.upper = context.output(0);
    operands.estimates = context.output(1);
    emitLikeliestBounds(e, shape, operands, context.begin(), context.end());
    return {constant(op, shape.layout.rowBlocks(shape.rows)),
            tokens * (2 * shape.rows * shape.columns)};
  }
};

class Threshold final : public LikeliestWeightsPart<ir::LikeliestThresholdOp> {
public:
  StringRef name() const override { return "likeliest-threshold"; }

private:
  Schedule emit(KernelContext &context, ir::LikeliestThresholdOp op, const ContractionShape &shape,
                const VectorEmitter &e, LikeliestOperands &operands, MemrefOf memref,
                Expr tokens) const override {
    operands.estimates = memref(op.getEstimates());
    operands.threshold = context.output(0);
    emitLikeliestThreshold(e, shape, operands, context.begin(), context.end());
    return {tokens, tokens * (2 * shape.layout.rowBlocks(shape.rows))};
  }
};

class Matmul final : public LikeliestWeightsPart<ir::LikeliestMatmulOp> {
public:
  StringRef name() const override { return "likeliest-matmul"; }

private:
  Schedule emit(KernelContext &context, ir::LikeliestMatmulOp op, const ContractionShape &shape,
                const VectorEmitter &e, LikeliestOperands &operands, MemrefOf memref,
                Expr tokens) const override {
    operands.terms = memref(op.getTerms());
    operands.order = memref(op.getOrder());
    operands.upper = memref(op.getUpper());
    operands.threshold = memref(op.getThreshold());
    emitLikeliestMatmul(e, shape, operands, context.begin(), context.end(),
                        [&](Value token, Value row, Value value) {
                          e.store(value, context.output(0), {token, row});
                        });
    return {constant(op, shape.layout.rowBlocks(shape.rows)),
            tokens * (2 * shape.rows * shape.columns)};
  }
};

} // namespace

llvm::ArrayRef<const KernelStrategy *> likeliestStrategies() {
  static const Terms terms;
  static const Bounds bounds;
  static const Threshold threshold;
  static const Matmul matmul;
  static const KernelStrategy *const all[] = {&terms, &bounds, &threshold, &matmul};
  return all;
}

} // namespace relax::kernels
