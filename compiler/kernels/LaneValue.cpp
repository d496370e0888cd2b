#include "compiler/kernels/LaneValue.h"

#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

#include <bit>
#include <numeric>

using namespace mlir;

namespace relax::kernels {

std::optional<int64_t> constantInteger(Value value) {
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant)) && constant.getSignificantBits() <= 64)
    return constant.getSExtValue();
  return std::nullopt;
}

int64_t knownDivisor(Value value) {
  if (auto constant = constantInteger(value))
    return *constant < 0 ? -*constant : *constant;
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    auto loop = dyn_cast_or_null<scf::ForOp>(argument.getOwner()->getParentOp());
    if (!loop || loop.getInductionVar() != value)
      return 1;
    return std::gcd(knownDivisor(loop.getLowerBound()), knownDivisor(loop.getStep()));
  }
  Operation *op = value.getDefiningOp();
  if (isa<arith::AddIOp, arith::SubIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)));
  if (isa<arith::MinSIOp, arith::MinUIOp, arith::MaxSIOp, arith::MaxUIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)));
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return std::gcd(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)));
  if (isa<arith::AndIOp, arith::ShRSIOp>(op)) {
    // The remainder and the quotient by a power of two.
    int64_t divisor = knownDivisor(op->getOperand(0));
    std::optional<int64_t> constant = constantInteger(op->getOperand(1));
    if (!constant || *constant < 0)
      return 1;
    if (isa<arith::AndIOp>(op))
      return ((*constant + 1) & *constant) == 0 ? std::gcd(divisor, *constant + 1) : 1;
    bool exact = *constant < 62 && divisor % (int64_t(1) << *constant) == 0;
    return exact ? divisor >> *constant : 1;
  }
  if (isa<arith::SelectOp>(op))
    return std::gcd(knownDivisor(op->getOperand(1)), knownDivisor(op->getOperand(2)));
  if (isa<arith::MulIOp>(op)) {
    int64_t product;
    if (__builtin_mul_overflow(knownDivisor(op->getOperand(0)), knownDivisor(op->getOperand(1)),
                               &product))
      return 1;
    return product;
  }
  if (auto cast = dyn_cast<arith::IndexCastOp>(op))
    return knownDivisor(cast.getIn());
  return 1;
}

static VectorType vectorOf(Type element, int64_t lanes) {
  return VectorType::get({lanes}, element);
}

Value emitVector(OpBuilder &b, Location loc, LaneValue value, int64_t lanes) {
  if (value.isVector() || lanes == 1)
    return value.value;
  VectorType type = vectorOf(value.value.getType(), lanes);
  Value splat = vector::BroadcastOp::create(b, loc, type, value.value);
  if (value.isUniform())
    return splat;
  SmallVector<Attribute> steps;
  for (int64_t lane = 0; lane < lanes; ++lane)
    steps.push_back(b.getIntegerAttr(type.getElementType(), lane));
  Value step = arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, steps));
  return arith::AddIOp::create(b, loc, splat, step);
}

Value emitLane(OpBuilder &b, Location loc, LaneValue value, int64_t lane) {
  if (value.isUniform() || (value.isConsecutive() && lane == 0))
    return value.value;
  if (value.isConsecutive()) {
    Type type = value.value.getType();
    Value offset = arith::ConstantOp::create(b, loc, b.getIntegerAttr(type, lane));
    return arith::AddIOp::create(b, loc, value.value, offset);
  }
  return vector::ExtractOp::create(b, loc, value.value, lane);
}

/// Divides, or takes the remainder of, by a constant power of two.
static Value emitPowerOfTwo(OpBuilder &b, Location loc, LaneOp op, Value lhs, int64_t divisor) {
  Type type = lhs.getType();
  auto constant = [&](int64_t value) -> Value {
    TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
    if (auto vector = dyn_cast<VectorType>(type))
      attribute = DenseElementsAttr::get(vector, Attribute(attribute));
    return arith::ConstantOp::create(b, loc, attribute);
  };
  if (op == LaneOp::Mod)
    return arith::AndIOp::create(b, loc, lhs, constant(divisor - 1));
  if (op == LaneOp::CeilDiv)
    lhs = arith::AddIOp::create(b, loc, lhs, constant(divisor - 1));
  return arith::ShRSIOp::create(b, loc, lhs, constant(std::countr_zero(uint64_t(divisor))));
}

/// `lhs op rhs` on scalars or vectors of one type.
static Value emitPlain(OpBuilder &b, Location loc, LaneOp op, Value lhs, Value rhs) {
  std::optional<int64_t> constant = constantInteger(rhs);
  switch (op) {
  case LaneOp::Add:
    return b.createOrFold<arith::AddIOp>(loc, lhs, rhs);
  case LaneOp::Sub:
    return b.createOrFold<arith::SubIOp>(loc, lhs, rhs);
  case LaneOp::Mul:
    return b.createOrFold<arith::MulIOp>(loc, lhs, rhs);
  case LaneOp::FloorDiv:
  case LaneOp::CeilDiv:
  case LaneOp::Mod:
    break;
  }
  if (constant && *constant > 0 && std::has_single_bit(uint64_t(*constant)))
    return emitPowerOfTwo(b, loc, op, lhs, *constant);
  if (op == LaneOp::CeilDiv)
    return b.createOrFold<arith::CeilDivSIOp>(loc, lhs, rhs);
  Value quotient = b.createOrFold<arith::FloorDivSIOp>(loc, lhs, rhs);
  if (op == LaneOp::FloorDiv)
    return quotient;
  return arith::SubIOp::create(b, loc, lhs, arith::MulIOp::create(b, loc, quotient, rhs));
}

LaneValue emitLaneOp(OpBuilder &b, Location loc, LaneOp op, LaneValue lhs, LaneValue rhs,
                     int64_t lanes) {
  auto plain = [&] { return emitPlain(b, loc, op, lhs.value, rhs.value); };
  if (lhs.isUniform() && rhs.isUniform())
    return LaneValue::uniform(plain());
  if (op == LaneOp::Add &&
      ((lhs.isConsecutive() && rhs.isUniform()) || (lhs.isUniform() && rhs.isConsecutive())))
    return LaneValue::consecutive(plain());
  if (op == LaneOp::Sub && lhs.isConsecutive() && rhs.isUniform())
    return LaneValue::consecutive(plain());
  if (op == LaneOp::Sub && lhs.isConsecutive() && rhs.isConsecutive())
    return LaneValue::uniform(plain());
  std::optional<int64_t> factor = rhs.isUniform() ? constantInteger(rhs.value) : std::nullopt;
  if (lhs.isConsecutive() && factor == 1) {
    if (op == LaneOp::Mod)
      return LaneValue::uniform(plain());
    return lhs;
  }
  if (op == LaneOp::Mul && rhs.isConsecutive() && lhs.isUniform() &&
      constantInteger(lhs.value) == 1)
    return rhs;
  // Division of a consecutive value whose lanes all lie in one multiple of the divisor.
  if (lhs.isConsecutive() && rhs.isUniform() && (op == LaneOp::FloorDiv || op == LaneOp::Mod)) {
    int64_t common = std::gcd(knownDivisor(lhs.value), knownDivisor(rhs.value));
    if (common == 0 || common >= lanes) {
      Value result = plain();
      return op == LaneOp::FloorDiv ? LaneValue::uniform(result) : LaneValue::consecutive(result);
    }
  }
  // Vectors of constants fold by element; keep the power-of-two case for constant divisors.
  Value left = emitVector(b, loc, lhs, lanes);
  if (factor && *factor > 0 && std::has_single_bit(uint64_t(*factor)) && op >= LaneOp::FloorDiv)
    return LaneValue::vector(emitPowerOfTwo(b, loc, op, left, *factor));
  return LaneValue::vector(emitPlain(b, loc, op, left, emitVector(b, loc, rhs, lanes)));
}

/// Sums that wrap around, as those of the program do.
static int64_t wrappedAdd(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) + static_cast<uint64_t>(rhs));
}
static int64_t wrappedSub(int64_t lhs, int64_t rhs) {
  return static_cast<int64_t>(static_cast<uint64_t>(lhs) - static_cast<uint64_t>(rhs));
}

/// scalar = base + constant; base null: 0.
static std::pair<Value, int64_t> peelConstant(Value scalar) {
  int64_t constant = 0;
  while (true) {
    if (auto whole = constantInteger(scalar))
      return {Value(), wrappedAdd(constant, *whole)};
    Operation *op = scalar.getDefiningOp();
    std::optional<int64_t> by = op && isa<arith::AddIOp, arith::SubIOp>(op)
                                    ? constantInteger(op->getOperand(1))
                                    : std::nullopt;
    if (!by)
      return {scalar, constant};
    constant = isa<arith::AddIOp>(op) ? wrappedAdd(constant, *by) : wrappedSub(constant, *by);
    scalar = op->getOperand(0);
  }
}

/// Is `predicate` true in each lane? Equal bases cancel out where it asks for no order, which sums
/// that wrap around would change.
static std::optional<SmallVector<bool>>
compareLanes(arith::CmpIPredicate predicate, const LaneOffsets &lhs, const LaneOffsets &rhs) {
  bool hasOrder = predicate != arith::CmpIPredicate::eq && predicate != arith::CmpIPredicate::ne;
  if (lhs.base != rhs.base || (hasOrder && lhs.base))
    return std::nullopt;
  SmallVector<bool> result;
  for (auto [l, r] : llvm::zip_equal(lhs.offsets, rhs.offsets))
    result.push_back(arith::applyCmpPredicate(predicate, APInt(64, l, true), APInt(64, r, true)));
  return result;
}

/// laneOffsets through at most `depth` ops, each of which is looked at once for each use.
static std::optional<LaneOffsets> laneOffsets(OpBuilder &b, Location loc, Value vector, int depth) {
  auto type = cast<VectorType>(vector.getType());
  if (!type.getElementType().isIndex() || depth == 0)
    return std::nullopt;
  auto of = [&](Value operand) { return laneOffsets(b, loc, operand, depth - 1); };
  DenseIntElementsAttr constant;
  if (matchPattern(vector, m_Constant(&constant))) {
    LaneOffsets result;
    for (const APInt &element : constant.getValues<APInt>())
      result.offsets.push_back(element.getSExtValue());
    return result;
  }
  Operation *op = vector.getDefiningOp();
  if (auto splat = dyn_cast_or_null<vector::BroadcastOp>(op)) {
    if (isa<VectorType>(splat.getSourceType()))
      return std::nullopt;
    auto [base, offset] = peelConstant(splat.getSource());
    return LaneOffsets{base, SmallVector<int64_t>(type.getNumElements(), offset)};
  }
  if (auto select = dyn_cast_or_null<arith::SelectOp>(op)) {
    auto compare = select.getCondition().getDefiningOp<arith::CmpIOp>();
    if (!compare || !isa<VectorType>(compare.getType()))
      return std::nullopt;
    auto left = of(compare.getLhs()), right = of(compare.getRhs());
    auto yes = of(select.getTrueValue()), no = of(select.getFalseValue());
    if (!left || !right || !yes || !no || yes->base != no->base)
      return std::nullopt;
    auto chosen = compareLanes(compare.getPredicate(), *left, *right);
    if (!chosen)
      return std::nullopt;
    for (auto [lane, isYes] : llvm::enumerate(*chosen))
      if (!isYes)
        yes->offsets[lane] = no->offsets[lane];
    return yes;
  }
  if (!isa_and_nonnull<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::AndIOp, arith::ShRSIOp>(
          op))
    return std::nullopt;
  auto left = of(op->getOperand(0)), right = of(op->getOperand(1));
  if (!left || !right)
    return std::nullopt;
  auto each = [&](auto combine) {
    for (auto [offset, other] : llvm::zip_equal(left->offsets, right->offsets))
      offset = combine(offset, other);
  };
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    bool adds = isa<arith::AddIOp>(op);
    each(adds ? wrappedAdd : wrappedSub);
    if (!right->base || (adds && !left->base)) {
      left->base = left->base ? left->base : right->base;
      return left;
    }
    Value base = left->base ? left->base : arith::ConstantIndexOp::create(b, loc, 0).getResult();
    left->base = emitPlain(b, loc, adds ? LaneOp::Add : LaneOp::Sub, base, right->base);
    return left;
  }
  if (right->base)
    return std::nullopt;
  int64_t by = right->offsets.front();
  if (!llvm::all_equal(right->offsets))
    return std::nullopt;
  if (isa<arith::MulIOp>(op)) {
    if (left->base)
      left->base =
          emitPlain(b, loc, LaneOp::Mul, left->base, arith::ConstantIndexOp::create(b, loc, by));
    bool fits = true;
    each([&](int64_t offset, int64_t factor) {
      int64_t product = 0;
      fits &= !__builtin_mul_overflow(offset, factor, &product);
      return product;
    });
    return fits ? left : std::nullopt;
  }
  // Quotients and remainders by a power of two that divides the base.
  if (by < 0 || by > 30)
    return std::nullopt;
  bool isMask = isa<arith::AndIOp>(op);
  if (isMask && ((by + 1) & by) != 0)
    return std::nullopt;
  int64_t divisor = isMask ? by + 1 : int64_t(1) << by;
  if (left->base && knownDivisor(left->base) % divisor != 0)
    return std::nullopt;
  if (isMask) {
    left->base = {};
    each([](int64_t offset, int64_t mask) { return offset & mask; });
    return left;
  }
  if (left->base)
    left->base = emitPowerOfTwo(b, loc, LaneOp::FloorDiv, left->base, divisor);
  each([](int64_t offset, int64_t shift) { return offset >> shift; });
  return left;
}

std::optional<LaneOffsets> laneOffsets(OpBuilder &b, Location loc, Value vector) {
  return laneOffsets(b, loc, vector, /*depth=*/6);
}

} // namespace relax::kernels
