#include "compiler/kernels/attention/UpdateSlots.h"

#include "compiler/kernels/attention/QuantizedPages.h"
#include "runtime/kv_cache/CacheType.h"

using namespace mlir;

namespace relax::kernels::attention {

namespace {

class UpdateSlotsEmitter : VectorMath {
public:
  UpdateSlotsEmitter(OpBuilder &builder, Location loc, VectorTarget target,
                     const UpdateSlotsParams &params, const UpdateSlotsOperands &operands)
      : VectorMath(builder, loc, target), params(params), operands(operands) {}

  void emitUnits() {
    zero = index(0);
    isQuantized = QuantizedPages::isQuantized(operands.pages);
    if (isQuantized)
      quantized = QuantizedPages(*this, operands.pages, params.headDim, params.pageSize);
    // The sequence of the last token is remembered: tokens come in order.
    auto forOp = scf::ForOp::create(b, operands.begin, operands.end, index(1), ValueRange{zero});
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(forOp.getBody());
    Value token = forOp.getInductionVar();
    Value sequence = emitFindSequence(token, forOp.getRegionIterArg(0));
    emitToken(token, sequence);
    scf::YieldOp::create(b, ValueRange{sequence});
  }

private:
  /// The sequence of `token`, which is `from` or a later one: it ends after the token.
  Value emitFindSequence(Value token, Value from) {
    auto whileOp = scf::WhileOp::create(b, TypeRange{b.getIndexType()}, ValueRange{from});
    OpBuilder::InsertionGuard guard(b);
    Value before =
        b.createBlock(&whileOp.getBefore(), {}, b.getIndexType(), b.getLoc())->getArgument(0);
    Value last = sub(memref::DimOp::create(b, operands.cachedLengths, 0), index(1));
    Value stop = loadIndex(operands.sequenceStarts, add(before, 1));
    Value isPast = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, stop, token);
    Value goOn = arith::AndIOp::create(b, isPast, lessThan(before, last));
    scf::ConditionOp::create(b, goOn, before);
    Value after =
        b.createBlock(&whileOp.getAfter(), {}, b.getIndexType(), b.getLoc())->getArgument(0);
    scf::YieldOp::create(b, ValueRange{add(after, 1)});
    return whileOp.getResult(0);
  }

  void emitToken(Value token, Value sequence) {
    Value start = loadIndex(operands.sequenceStarts, sequence);
    Value cached = loadIndex(operands.cachedLengths, sequence);
    Value slot = add(cached, sub(token, start));
    Value page = loadIndex(operands.pageTable, {sequence, div(slot, params.pageSize)});
    Value place = rem(slot, index(params.pageSize));
    loop(zero, index(params.kvHeads), 1, [&](Value head) {
      if (operands.beginHead)
        operands.beginHead(b, token, head);
      if (isQuantized)
        emitQuantized(token, head, page, place);
      else if (params.layout == SlotLayout::Keys)
        emitKey(token, head, page, place);
      else
        emitValue(token, head, page, place);
    });
  }

  /// Slots are innermost: a vector of the head's elements goes to as many rows of slots.
  void emitKey(Value token, Value head, Value page, Value place) {
    for (Piece piece : splitIntoPieces(params.headDim, target.lanes(32))) {
      Value elements = asElementOf(
          operands.pages, operands.values(b, token, head, index(piece.offset), piece.lanes));
      for (int64_t lane = 0; lane < piece.lanes; ++lane) {
        Value element =
            piece.lanes == 1 ? elements : vector::ExtractOp::create(b, elements, lane).getResult();
        store(element, operands.pages, {page, head, index(piece.offset + lane), place});
      }
    }
  }

  void emitValue(Value token, Value head, Value page, Value place) {
    for (Piece piece : splitIntoPieces(params.headDim, target.lanes(32))) {
      Value dim = index(piece.offset);
      store(asElementOf(operands.pages, operands.values(b, token, head, dim, piece.lanes)),
            operands.pages, {page, head, place, dim});
    }
  }

  /// Elements of a block are computed once: their magnitudes give the scale.
  void emitQuantized(Value token, Value head, Value page, Value place) {
    for (Piece block : splitIntoPieces(params.headDim, runtime::cacheBlock)) {
      SmallVector<Piece> pieces = splitIntoPieces(block.lanes, target.lanes(32));
      SmallVector<Value> elements;
      for (Piece piece : pieces)
        elements.push_back(
            operands.values(b, token, head, index(block.offset + piece.offset), piece.lanes));
      SmallVector<Value> integers = quantized.quantize(*this, elements, page, head,
                                                       block.offset / runtime::cacheBlock, place);
      for (auto [piece, values] : llvm::zip_equal(pieces, integers))
        emitIntegers(values, block.offset + piece.offset, piece.lanes, page, head, place);
    }
  }

  /// Stores elements [first, first + lanes) of a head in `place`.
  void emitIntegers(Value integers, int64_t first, int64_t lanes, Value page, Value head,
                    Value place) {
    if (params.layout == SlotLayout::Values)
      return quantized.store(*this, integers, page, head, add(mul(place, params.headDim), first));
    for (int64_t lane = 0; lane < lanes; ++lane) {
      Value integer =
          lanes == 1 ? integers : vector::ExtractOp::create(b, integers, lane).getResult();
      quantized.store(*this, integer, page, head, add(place, (first + lane) * params.pageSize));
    }
  }

  const UpdateSlotsParams params;
  const UpdateSlotsOperands operands;
  bool isQuantized = false;
  QuantizedPages quantized;
  Value zero;
};

} // namespace

void buildUpdateSlots(OpBuilder &builder, Location loc, VectorTarget target,
                      const UpdateSlotsParams &params, const UpdateSlotsOperands &operands) {
  UpdateSlotsEmitter(builder, loc, target, params, operands).emitUnits();
}

} // namespace relax::kernels::attention
