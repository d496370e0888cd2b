#include "compiler/kernels/BodyEmitter.h"

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <numeric>

using namespace mlir;

namespace relax::kernels {

LaneValue BodyEmitter::yielded(unsigned result) {
  return value(op.getBlock()->getTerminator()->getOperand(result));
}

LaneValue BodyEmitter::value(Value v) {
  if (auto it = known.find(v); it != known.end())
    return it->second;
  LaneValue result;
  auto blockArgument = dyn_cast<BlockArgument>(v);
  if (!op.getBlock()->getParent()->isAncestor(v.getParentRegion()))
    result = LaneValue::uniform(emitter.scalar(v));
  else if (blockArgument)
    result = argument(blockArgument);
  else
    result = operation(v.getDefiningOp());
  known[v] = result;
  return result;
}

LaneValue BodyEmitter::argument(BlockArgument argument) {
  OpOperand *operand = op.getMatchingOpOperand(argument);
  if (op.isDpsInit(operand) && !accumulators.empty())
    return accumulators[argument.getArgNumber() - op.getNumDpsInputs()];
  if (!isa<RankedTensorType>(operand->get().getType()))
    return LaneValue::uniform(emitter.scalar(operand->get()));
  return emitter.value(operand->get(),
                       emitter.mapIndices(op.getMatchingIndexingMap(operand), iteration));
}

LaneValue BodyEmitter::operation(Operation *inner) {
  if (auto index = dyn_cast<linalg::IndexOp>(inner))
    return iteration[index.getDim()];
  if (auto branch = dyn_cast<scf::IfOp>(inner))
    return conditional(branch);
  if (isa<tensor::DimOp, ir::SymbolValueOp>(inner) || inner->hasTrait<OpTrait::ConstantLike>())
    return LaneValue::uniform(emitter.scalar(inner->getResult(0)));
  SmallVector<LaneValue> operands;
  if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    for (Value index : extract.getIndices())
      operands.push_back(value(index));
    return emitter.value(extract.getTensor(), operands);
  }
  for (Value operand : inner->getOperands())
    operands.push_back(value(operand));
  if (LaneValue cheap = integerOperation(inner, operands))
    return cheap;
  return emitter.apply(inner, operands);
}

LaneValue BodyEmitter::yieldedBy(Region &region) {
  llvm::DenseMap<Value, LaneValue> before = known;
  LaneValue result = value(region.front().getTerminator()->getOperand(0));
  known = std::move(before);
  return result;
}

LaneValue BodyEmitter::conditional(scf::IfOp branch) {
  OpBuilder &b = emitter.context.b;
  Location loc = emitter.context.loc;
  auto then = [&] { return yieldedBy(branch.getThenRegion()); };
  auto otherwise = [&] { return yieldedBy(branch.getElseRegion()); };
  LaneValue condition;
  Value all, any;
  // base + lane < bound holds for all lanes where it does for the last, for one where it does for
  // the first.
  auto compare = branch.getCondition().getDefiningOp<arith::CmpIOp>();
  if (compare && compare.getPredicate() == arith::CmpIPredicate::slt) {
    LaneValue lhs = value(compare.getLhs()), rhs = value(compare.getRhs());
    if (lhs.isConsecutive() && rhs.isUniform() && lhs.value.getType().isIndex()) {
      Value last =
          arith::AddIOp::create(b, loc, lhs.value, emitter.context.index(emitter.lanes - 1));
      all = arith::CmpIOp::create(b, loc, compare.getPredicate(), last, rhs.value);
      any = arith::CmpIOp::create(b, loc, compare.getPredicate(), lhs.value, rhs.value);
    }
  }
  if (!all) {
    condition = value(branch.getCondition());
    if (condition.isUniform())
      return emitter.branch(condition.value, then, otherwise);
    Value mask = emitVector(b, loc, condition, emitter.lanes);
    all = vector::ReductionOp::create(b, loc, vector::CombiningKind::AND, mask);
    any = vector::ReductionOp::create(b, loc, vector::CombiningKind::OR, mask);
  }
  auto apart = [&] {
    return emitter.laneByLane(branch.getResult(0).getType(), [&](Value lane) {
      auto ofLane = [&](ArrayRef<LaneValue> values) {
        return llvm::map_to_vector(values, [&](LaneValue v) {
          if (v.isConsecutive())
            return LaneValue::uniform(arith::AddIOp::create(b, loc, v.value, lane));
          if (v.isVector())
            return LaneValue::uniform(
                vector::ExtractOp::create(b, loc, v.value, OpFoldResult(lane)));
          return v;
        });
      };
      SmallVector<LaneValue> place = ofLane(iteration), carried = ofLane(accumulators);
      return BodyEmitter(emitter, op, place, carried).value(branch.getResult(0));
    });
  };
  return emitter.branch(all, then, [&] { return emitter.branch(any, apart, otherwise); });
}

/// Is `v`, computed from loop counters, sizes and constants, surely not negative?
static bool isNonNegative(Value v) {
  if (auto constant = constantInteger(v))
    return *constant >= 0;
  if (auto argument = dyn_cast<BlockArgument>(v)) {
    Operation *parent = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return loop.getInductionVar() == v && isNonNegative(loop.getLowerBound());
    return isa<func::FuncOp>(parent) && v.getType().isIndex();
  }
  Operation *op = v.getDefiningOp();
  if (isa<arith::AddIOp, arith::MulIOp, arith::MinSIOp, arith::DivSIOp, arith::FloorDivSIOp,
          arith::RemSIOp, arith::CeilDivSIOp>(op))
    return isNonNegative(op->getOperand(0)) && isNonNegative(op->getOperand(1));
  if (isa<arith::ShRSIOp>(op))
    return isNonNegative(op->getOperand(0));
  if (isa<arith::DivUIOp>(op))
    return isNonNegative(op->getOperand(0));
  if (isa<arith::AndIOp, arith::MaxSIOp>(op))
    return isNonNegative(op->getOperand(0)) || isNonNegative(op->getOperand(1));
  return false;
}

/// Where all lanes lie between two multiples of a number that divides `rhs`, they are all below it
/// or none is, as the base is.
LaneValue BodyEmitter::comparison(arith::CmpIOp compare, LaneValue lhs, LaneValue rhs) {
  using P = arith::CmpIPredicate;
  P predicate = compare.getPredicate();
  bool isUnsigned = predicate == P::ult || predicate == P::uge;
  if (!lhs.isConsecutive() || !rhs.isUniform() ||
      !(isUnsigned || predicate == P::slt || predicate == P::sge))
    return {};
  if (isUnsigned && !isNonNegative(lhs.value))
    return {};
  int64_t common = std::gcd(knownDivisor(lhs.value), knownDivisor(rhs.value));
  if (common != 0 && common < emitter.lanes)
    return {};
  return LaneValue::uniform(arith::CmpIOp::create(emitter.context.b, emitter.context.loc, predicate,
                                                  lhs.value, rhs.value));
}

LaneValue BodyEmitter::integerOperation(Operation *inner, ArrayRef<LaneValue> operands) {
  bool consecutive = llvm::any_of(operands, [](LaneValue v) { return v.isConsecutive(); });
  if (!consecutive)
    return {};
  if (auto cast = dyn_cast<arith::IndexCastOp>(inner)) {
    // Sign extension of a sum that has wrapped would not count up; index has 64 bits.
    unsigned bits =
        cast.getIn().getType().isIndex() ? 64 : cast.getIn().getType().getIntOrFloatBitWidth();
    if (bits < 64)
      return {};
    return LaneValue::consecutive(arith::IndexCastOp::create(emitter.context.b, emitter.context.loc,
                                                             cast.getType(), operands[0].value));
  }
  // One of two consecutive values, the same one in all lanes.
  if (isa<arith::SelectOp>(inner) && operands[0].isUniform() && operands[1].isConsecutive() &&
      operands[2].isConsecutive())
    return LaneValue::consecutive(arith::SelectOp::create(emitter.context.b, emitter.context.loc,
                                                          operands[0].value, operands[1].value,
                                                          operands[2].value));
  if (auto compare = dyn_cast<arith::CmpIOp>(inner))
    return comparison(compare, operands[0], operands[1]);
  if (operands.size() != 2)
    return {};
  LaneValue lhs = operands[0], rhs = operands[1];
  auto same = [&](LaneOp op) { return emitter.laneOp(op, lhs, rhs); };
  if (isa<arith::AddIOp>(inner))
    return same(LaneOp::Add);
  if (isa<arith::SubIOp>(inner))
    return same(LaneOp::Sub);
  if (isa<arith::MulIOp>(inner))
    return same(LaneOp::Mul);
  std::optional<int64_t> constant =
      rhs.isUniform() ? constantInteger(rhs.value) : std::optional<int64_t>();
  if (!lhs.isConsecutive() || !constant || *constant <= 0)
    return {};
  auto by = [&](LaneOp op, int64_t factor) {
    Type type = rhs.value.getType();
    Value value = emitConstant(emitter.context, type, double(factor));
    return emitter.laneOp(op, lhs, LaneValue::uniform(value));
  };
  if (isa<arith::FloorDivSIOp>(inner))
    return same(LaneOp::FloorDiv);
  if (isa<arith::ShRSIOp>(inner) && *constant < 31)
    return by(LaneOp::FloorDiv, int64_t(1) << *constant);
  if (isa<arith::ShLIOp>(inner) && *constant < 31)
    return by(LaneOp::Mul, int64_t(1) << *constant);
  if (isa<arith::AndIOp>(inner) && ((*constant + 1) & *constant) == 0)
    return by(LaneOp::Mod, *constant + 1);
  // These round towards zero, or read the sign as a digit: the same only from zero up.
  if (!isNonNegative(lhs.value))
    return {};
  if (isa<arith::DivSIOp, arith::DivUIOp>(inner))
    return same(LaneOp::FloorDiv);
  if (isa<arith::RemSIOp, arith::RemUIOp>(inner))
    return same(LaneOp::Mod);
  if (isa<arith::ShRUIOp>(inner) && *constant < 31)
    return by(LaneOp::FloorDiv, int64_t(1) << *constant);
  return {};
}

} // namespace relax::kernels
