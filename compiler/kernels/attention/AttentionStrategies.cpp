#include "compiler/kernels/attention/AttentionStrategies.h"

#include "compiler/dialect/Ops.h"
#include "compiler/kernels/Cost.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/RowScalars.h"
#include "compiler/kernels/WholeProgram.h"
#include "compiler/kernels/attention/PagedAttention.h"
#include "compiler/kernels/attention/RotaryTable.h"
#include "compiler/kernels/attention/UpdateSlots.h"
#include "compiler/kernels/contraction/Contraction.h"
#include "compiler/kernels/contraction/ContractionStrategies.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using symbolic::Expr;

Value memrefOf(KernelContext &context, Value argument) {
  return context.input(cast<BlockArgument>(argument).getArgNumber());
}

Expr dimension(Value tensor, unsigned axis) {
  return ir::shapeOf(cast<RankedTensorType>(tensor.getType()))[axis];
}

int64_t staticDim(Value tensor, unsigned axis) {
  return cast<RankedTensorType>(tensor.getType()).getDimSize(axis);
}

/// Static, positive, and small enough for scratch memory on the stack.
bool isWithin(int64_t size, int64_t limit) { return size > 0 && size <= limit; }

attention::VectorTarget vectorTarget(const KernelContext &context) {
  return {int64_t(context.target.getVectorBits()), context.hasFeature("fma")};
}

/// A program that is attention, or attention and the quantisation of its result, heads side by
/// side: a unit then quantises the rows of its heads.
class PagedAttentionStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "paged-attention"; }

  bool matches(func::FuncOp program) const override {
    ir::PagedAttentionOp op = find(program).attention;
    return op && dimension(op.getQ(), 0) && dimension(op.getPageTable(), 1) &&
           isWithin(staticDim(op.getQ(), 2), 1024) && isWithin(staticDim(op.getKPages(), 3), 256);
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto [op, quantize] = find(context.program);
    attention::PagedAttentionParams params;
    params.heads = staticDim(op.getQ(), 1);
    params.kvHeads = staticDim(op.getKPages(), 1);
    params.headDim = staticDim(op.getQ(), 2);
    params.pageSize = staticDim(op.getKPages(), 3);
    params.scale = op.getScale().convertToDouble();
    params.window = op.getWindow().value_or(0);
    params.softCap = op.getSoftCap() ? op.getSoftCap()->convertToDouble() : 0;
    attention::PagedAttentionOperands operands;
    operands.query = memrefOf(context, op.getQ());
    operands.keyPages = memrefOf(context, op.getKPages());
    operands.valuePages = memrefOf(context, op.getVPages());
    operands.sequenceStarts = memrefOf(context, op.getSequenceStarts());
    operands.pageTable = memrefOf(context, op.getPageTable());
    operands.cachedLengths = memrefOf(context, op.getCachedLengths());
    const QuantizeResults quantized =
        quantize ? QuantizeResults{context.output(0), context.output(1), context.output(2)}
                 : QuantizeResults{};
    auto sink = [&, planes = quantize ? int64_t(quantize.getPlanes())
                                      : 0](OpBuilder &b, Value token, Value head,
                                           llvm::function_ref<Value(Value, int64_t)> row) {
      VectorEmitter e(b, context.loc, vectorUnit(context));
      emitQuantizeBlocks(
          e, params.headDim, planes, token, e.scaled(head, params.headDim / quantizedBlock),
          [&](Value column) { return row(column, quantizedBlock); }, quantized);
    };
    if (quantize)
      operands.sink = sink;
    else
      operands.output = context.output(0);
    operands.begin = context.begin();
    operands.end = context.end();
    attention::buildPagedAttention(context.b, context.entry(), context.loc, vectorTarget(context),
                                   params, operands);

    Expr tokens = dimension(op.getQ(), 0);
    symbolic::Context &symbols = tokens.getContext();
    Expr tiles = symbols.ceilDiv(tokens, symbols.constant(params.maxTileTokens()));
    Expr few = symbols.min(tokens, symbols.constant(params.fewTokens));
    Expr slots = dimension(op.getPageTable(), 1) * params.pageSize;
    if (params.window > 0)
      slots = symbols.min(slots, symbols.constant(params.window));
    return Schedule{symbols.max(tiles, few) * params.unitsPerTile(),
                    tokens * slots * (4 * params.heads * params.headDim)};
  }

private:
  static constexpr int64_t quantizedBlock = 32;
  struct Found {
    ir::PagedAttentionOp attention;
    ir::QuantizeActivationsOp quantize; ///< Null: the result is stored as it is.
  };

  static Found find(func::FuncOp program) {
    if (auto whole = findWholeProgram<ir::PagedAttentionOp>(program))
      return {whole, {}};
    if (!program.getBody().hasOneBlock() || !llvm::hasNItems(program.getBody().front(), 4))
      return {};
    Block &body = program.getBody().front();
    auto attention = dyn_cast<ir::PagedAttentionOp>(body.front());
    auto quantize =
        dyn_cast_or_null<ir::QuantizeActivationsOp>(body.getTerminator()->getPrevNode());
    auto joined = quantize ? quantize.getX().getDefiningOp<tensor::CollapseShapeOp>()
                           : tensor::CollapseShapeOp();
    bool fits =
        attention && joined && joined.getSrc() == attention.getResult() &&
        joined.getReassociationIndices() == SmallVector<ReassociationIndices>{{0}, {1, 2}} &&
        staticDim(attention.getQ(), 2) % quantizedBlock == 0 &&
        body.getTerminator()->getOperands() == quantize->getResults() &&
        llvm::all_of(attention->getOperands(), llvm::IsaPred<BlockArgument>);
    return fits ? Found{attention, quantize} : Found{};
  }
};

/// What is stored may be computed on the way: a rotary embedding, a normalisation of each head.
class UpdateSlotsStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "update-slots"; }

  bool matches(func::FuncOp program) const override {
    auto op = findUpdate(program);
    return op && dimension(op.getValues(), 0) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 1)) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 2)) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 3)) &&
           !ShapedType::isDynamic(staticDim(op.getValues(), 2));
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findUpdate(context.program);
    bool isKeys = op.getLayout() == "keys";
    attention::UpdateSlotsParams params;
    params.layout = isKeys ? attention::SlotLayout::Keys : attention::SlotLayout::Values;
    params.kvHeads = staticDim(op.getPages(), 1);
    params.headDim = staticDim(op.getValues(), 2);
    params.pageSize = staticDim(op.getPages(), isKeys ? 3 : 2);
    PointwiseEmitter pointwise(context);
    attention::UpdateSlotsOperands operands;
    operands.pages = context.output(0);
    // What evaluates programs writes where the kernel's emitter stands.
    auto there = [&](OpBuilder &b, llvm::function_ref<void()> emit) {
      OpBuilder::InsertionGuard guard(context.b);
      context.b.restoreInsertionPoint(b.saveInsertionPoint());
      emit();
      b.restoreInsertionPoint(context.b.saveInsertionPoint());
    };
    operands.values = [&](OpBuilder &b, Value token, Value head, Value dim, int64_t lanes) {
      Value elements;
      there(b, [&] {
        elements = pointwise.evaluate(op.getValues(), {token, head, dim}, lanes);
        elements = emitSplat(context, elements, lanes);
      });
      return elements;
    };
    transforms::RowForm form(context.program);
    RowScalars scalars(context, form, pointwise);
    if (form.holds(op.getValues()))
      operands.beginHead = [&](OpBuilder &b, Value token, Value head) {
        there(b, [&] {
          scalars.unbind();
          scalars.bind({token, head});
        });
      };
    operands.sequenceStarts = memrefOf(context, op.getSequenceStarts());
    operands.pageTable = memrefOf(context, op.getPageTable());
    operands.cachedLengths = memrefOf(context, op.getCachedLengths());
    operands.begin = context.begin();
    operands.end = context.end();
    attention::buildUpdateSlots(context.b, context.loc, vectorTarget(context), params, operands);
    Expr tokens = dimension(op.getValues(), 0);
    return Schedule{tokens,
                    elementCost(op.getValues()) * tokens * (2 * params.kvHeads * params.headDim)};
  }

private:
  /// The update that a program returns; its other operands are arguments.
  static ir::UpdateSlotsOp findUpdate(func::FuncOp program) {
    if (!program.getBody().hasOneBlock() || program.getNumResults() != 1)
      return {};
    auto op =
        program.getBody().front().getTerminator()->getOperand(0).getDefiningOp<ir::UpdateSlotsOp>();
    if (!op || !PointwiseEmitter::check(op.getValues()))
      return {};
    for (OpOperand &operand : op->getOpOperands())
      if (operand.get() != op.getValues() && !isa<BlockArgument>(operand.get()))
        return {};
    return op;
  }
};

class RotaryTableStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "rotary-table"; }

  bool matches(func::FuncOp program) const override {
    auto op = findWholeProgram<ir::RotaryTableOp>(program);
    return op && dimension(op.getPositions(), 0);
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findWholeProgram<ir::RotaryTableOp>(context.program);
    attention::RotaryTableParams params;
    params.base = op.getBase().convertToDouble();
    params.dims = op.getDims();
    params.factors = op.getFactors().value_or(ArrayRef<double>());
    params.scale = op.getScale() ? op.getScale()->convertToDouble() : 1;
    attention::RotaryTableOperands operands{memrefOf(context, op.getPositions()), context.output(0),
                                            context.begin(), context.end()};
    attention::buildRotaryTable(context.b, context.entry(), context.loc, vectorTarget(context),
                                params, operands);
    Expr tokens = dimension(op.getPositions(), 0);
    return Schedule{tokens, tokens * (30 * params.dims)};
  }
};

} // namespace

const KernelStrategy &pagedAttentionStrategy() {
  static const PagedAttentionStrategy strategy;
  return strategy;
}

const KernelStrategy &updateSlotsStrategy() {
  static const UpdateSlotsStrategy strategy;
  return strategy;
}

const KernelStrategy &rotaryTableStrategy() {
  static const RotaryTableStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
