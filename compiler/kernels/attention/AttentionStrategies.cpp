#include "compiler/kernels/attention/AttentionStrategies.h"

#include "compiler/dialect/Ops.h"
#include "compiler/kernels/attention/PagedAttention.h"
#include "compiler/kernels/attention/RotaryTable.h"
#include "compiler/kernels/attention/UpdateSlots.h"

using namespace mlir;

namespace relax::kernels {
namespace {

using symbolic::Expr;

/// The op of a program that is nothing but it: its operands are arguments, its result is returned.
template <typename Op> Op findWholeProgram(func::FuncOp program) {
  if (!program.getBody().hasOneBlock())
    return {};
  Block &body = program.getBody().front();
  if (!llvm::hasNItems(body, 2))
    return {};
  auto op = dyn_cast<Op>(body.front());
  bool isWhole = op && body.getTerminator()->getOperands() == op->getResults() &&
                 llvm::all_of(op->getOperands(), llvm::IsaPred<BlockArgument>);
  return isWhole ? op : Op();
}

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

class PagedAttentionStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "paged-attention"; }

  bool matches(func::FuncOp program) const override {
    auto op = findWholeProgram<ir::PagedAttentionOp>(program);
    return op && dimension(op.getQ(), 0) && dimension(op.getPageTable(), 1) &&
           isWithin(staticDim(op.getQ(), 2), 1024) && isWithin(staticDim(op.getKPages(), 3), 256);
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findWholeProgram<ir::PagedAttentionOp>(context.program);
    attention::PagedAttentionParams params;
    params.heads = staticDim(op.getQ(), 1);
    params.kvHeads = staticDim(op.getKPages(), 1);
    params.headDim = staticDim(op.getQ(), 2);
    params.pageSize = staticDim(op.getKPages(), 3);
    params.scale = op.getScale().convertToDouble();
    attention::PagedAttentionOperands operands;
    operands.query = memrefOf(context, op.getQ());
    operands.keyPages = memrefOf(context, op.getKPages());
    operands.valuePages = memrefOf(context, op.getVPages());
    operands.sequenceStarts = memrefOf(context, op.getSequenceStarts());
    operands.pageTable = memrefOf(context, op.getPageTable());
    operands.cachedLengths = memrefOf(context, op.getCachedLengths());
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
    return Schedule{symbols.max(tiles, few) * params.unitsPerTile(),
                    tokens * slots * (4 * params.heads * params.headDim)};
  }
};

class UpdateSlotsStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "update-slots"; }

  bool matches(func::FuncOp program) const override {
    auto op = findWholeProgram<ir::UpdateSlotsOp>(program);
    return op && dimension(op.getValues(), 0) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 1)) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 2)) &&
           !ShapedType::isDynamic(staticDim(op.getPages(), 3));
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findWholeProgram<ir::UpdateSlotsOp>(context.program);
    bool isKeys = op.getLayout() == "keys";
    attention::UpdateSlotsParams params;
    params.layout = isKeys ? attention::SlotLayout::Keys : attention::SlotLayout::Values;
    params.kvHeads = staticDim(op.getPages(), 1);
    params.headDim = staticDim(op.getPages(), isKeys ? 2 : 3);
    params.pageSize = staticDim(op.getPages(), isKeys ? 3 : 2);
    attention::UpdateSlotsOperands operands;
    operands.pages = context.output(0);
    operands.values = memrefOf(context, op.getValues());
    operands.sequenceStarts = memrefOf(context, op.getSequenceStarts());
    operands.pageTable = memrefOf(context, op.getPageTable());
    operands.cachedLengths = memrefOf(context, op.getCachedLengths());
    operands.begin = context.begin();
    operands.end = context.end();
    attention::buildUpdateSlots(context.b, context.loc, vectorTarget(context), params, operands);
    Expr tokens = dimension(op.getValues(), 0);
    return Schedule{tokens, tokens * (2 * params.kvHeads * params.headDim)};
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
