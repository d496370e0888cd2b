// Raises attention that is written as two products around a softmax to the op that keeps no matrix
// of scores.
//
// Before:  %0 = relax.matmul %q, %k {transpose_b} : … -> [b, h, t, s]
//          %1 = relax.divide %0, %eight : …
//          %2 = relax.add %1, %mask : …
//          %3 = relax.softmax %2 : …
//          %y = relax.matmul %3, %v : … -> [b, h, t, e]
//
// After:   %y = relax.attention %q, %k, %v, %mask {hidden_is_nan, scale = 1.25e-01 : f64} : …
//
// On the way from the scores to the softmax there may stand, in this order and each of them once or
// not at all: factors and divisors that are constants; c * tanh(x / c); numbers that are added, or
// `where` with minus infinity on its other side; and casts between the elements' type and float32.
// Keys may be transposed by a permutation, before the product. Any number of dimensions in front is
// taken, in which keys and values may have a 1 where queries have several heads.
//
// Not raised: what is needed elsewhere too (the weights of attention as a result), a softmax along
// another axis, heads that the kernel doesn't hold (isWholeAttention), a mask that only broadcasts
// to the scores by a check at run time, and float64 on the way for a narrower type.
//
// The result is the same for all values: `hidden_is_nan` says that a row which sees no key is what
// a softmax of minus infinities gives. Sums are added block by block of keys.
// Precondition: sizes have names and checks are ops. Linear in the number of ops.
// Test: tests/ir/transforms/raise-attention.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Ops.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/AttentionOps.h"
#include "compiler/dialect/ops/CreateOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/dialect/ops/NormalizeOps.h"
#include "compiler/transforms/Application.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/MergePrograms.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/Matchers.h"

#include <cmath>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

/// Nothing of a tensor of unknown rank.
ArrayRef<Expr> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? ir::shapeOf(type) : ArrayRef<Expr>();
}
Type elementOf(Value value) { return getElementTypeOrSelf(value.getType()); }

/// The one number of a constant, whatever its shape.
std::optional<double> numberOf(Value value) {
  DenseElementsAttr elements;
  if (matchPattern(value, m_Constant(&elements)) && elements.isSplat() &&
      isa<FloatType>(elements.getElementType()))
    return elements.getSplatValue<APFloat>().convertToDouble();
  Attribute number;
  if (auto full = value.getDefiningOp<ir::FullOp>())
    number = full.getValue();
  if (auto real = dyn_cast_or_null<FloatAttr>(number))
    return real.getValueAsDouble();
  return std::nullopt;
}

/// The op that makes a value which nothing else reads.
template <typename Op> Op onlyFor(Value value) {
  auto op = value.getDefiningOp<Op>();
  return op && value.hasOneUse() ? op : Op();
}

/// What a chain of ops from the second product upwards says.
struct Attention {
  SmallVector<Operation *> ops; ///< That it takes the place of, the last one first.
  Value query, key, value, mask;
  bool permutesKey = false; ///< `key` has its last two dimensions the other way round.
  double scale = 1, softcap = 0;
};

class Matcher {
public:
  /// The attention whose result is `last`'s.
  std::optional<Attention> match(ir::MatmulOp last) {
    if (last.getTransposeA() || last.getTransposeB())
      return std::nullopt;
    found.ops = {last};
    found.value = last.getB();
    element = elementOf(last.getResult());
    at = last.getA();
    skipCasts();
    auto softmax = step<ir::SoftmaxOp>();
    if (!softmax)
      return std::nullopt;
    at = softmax.getX();
    scores = shapeOf(at);
    auto axis = int64_t(softmax.getAxis());
    if (scores.empty() || (axis != -1 && axis != int64_t(scores.size()) - 1))
      return std::nullopt;
    skipCasts();
    if (!takeMask() || !takeCap())
      return std::nullopt;
    while (takeFactor()) {
    }
    auto first = step<ir::MatmulOp>();
    if (!first || first.getTransposeA() || !takeKey(first))
      return std::nullopt;
    found.query = first.getA();
    for (Value operand : {found.query, found.key, found.value})
      if (elementOf(operand) != element)
        return std::nullopt;
    return found;
  }

private:
  /// Takes the op that makes the value which is looked at; null, and nothing, if it is another one.
  template <typename Op> Op step() {
    auto op = onlyFor<Op>(at);
    if (op)
      found.ops.push_back(op);
    return op;
  }

  /// Only such casts that the kernel, which computes in float32 at least, makes superfluous.
  void skipCasts() {
    auto isKept = [&](Type type) { return type == element || type.isF32(); };
    while (auto cast = onlyFor<ir::CastOp>(at)) {
      if (element.isF64() || !isKept(elementOf(cast.getX())) || !isKept(elementOf(at)))
        return;
      at = step<ir::CastOp>().getX();
    }
  }

  /// Whether a value has the scores' shape.
  bool isScores(Value value) const { return shapeOf(value) == scores; }

  /// Goes on above the op, on the side of the scores. False where no side has their shape, or both
  /// might.
  bool takeMask() {
    if (auto add = onlyFor<ir::AddOp>(at)) {
      // The scores are what the first product makes.
      unsigned side = reachesProduct(add.getLhs()) ? 0 : 1;
      Value mask = add->getOperand(1 - side);
      if (!isScores(add->getOperand(side)) || numberOf(mask))
        return false;
      found.mask = mask;
      at = step<ir::AddOp>()->getOperand(side);
      skipCasts();
    } else if (auto where = onlyFor<ir::WhereOp>(at)) {
      std::optional<double> other = numberOf(where.getY());
      if (!isScores(where.getX()) || !other || *other != -HUGE_VAL)
        return false;
      found.mask = where.getCondition();
      at = step<ir::WhereOp>().getX();
      skipCasts();
    }
    return true;
  }

  /// Whether the first product is above, as far as one can go without a choice.
  static bool reachesProduct(Value value) {
    while (Operation *op = value.getDefiningOp()) {
      if (isa<ir::MatmulOp>(op))
        return true;
      if (isa<ir::CastOp, ir::TanhOp, ir::DivideOp>(op))
        value = op->getOperand(0);
      else if (isa<ir::MultiplyOp>(op))
        value = op->getOperand(numberOf(op->getOperand(0)) ? 1 : 0);
      else
        return false;
    }
    return false;
  }

  /// The factor of a product with a constant, 1 / the divisor of a quotient by one; and what is
  /// multiplied.
  std::optional<std::pair<double, Value>> factorOf(Value value) const {
    if (auto divide = onlyFor<ir::DivideOp>(value)) {
      std::optional<double> number = numberOf(divide.getRhs());
      if (number && *number != 0 && isScores(divide.getLhs()))
        return std::pair(1 / *number, divide.getLhs());
    } else if (auto multiply = onlyFor<ir::MultiplyOp>(value)) {
      for (unsigned side : {0u, 1u})
        if (std::optional<double> number = numberOf(multiply->getOperand(1 - side)))
          if (isScores(multiply->getOperand(side)))
            return std::pair(*number, multiply->getOperand(side));
    }
    return std::nullopt;
  }

  /// c * tanh(x / c), if there is a tanh. False where it is another function.
  bool takeCap() {
    auto outer = factorOf(at);
    auto tanh = outer ? onlyFor<ir::TanhOp>(outer->second) : ir::TanhOp();
    if (!tanh)
      return true;
    auto inner = factorOf(tanh->getOperand(0));
    // 1 / c is rounded to the elements' type where it is written as a factor.
    if (!inner || !(outer->first > 0) || std::fabs(inner->first * outer->first - 1) > 0x1p-23)
      return false;
    found.softcap = outer->first;
    found.ops.append({at.getDefiningOp(), tanh, tanh->getOperand(0).getDefiningOp()});
    at = inner->second;
    skipCasts();
    return true;
  }

  bool takeFactor() {
    auto factor = factorOf(at);
    if (!factor || !std::isfinite(factor->first))
      return false;
    found.ops.push_back(at.getDefiningOp());
    found.scale *= factor->first;
    at = factor->second;
    skipCasts();
    return true;
  }

  /// The keys of the first product, with their size innermost.
  bool takeKey(ir::MatmulOp first) {
    found.key = first.getB();
    if (first.getTransposeB())
      return true;
    auto permute = found.key.getDefiningOp<ir::PermuteOp>();
    found.permutesKey = permute != nullptr;
    return found.permutesKey;
  }

  Attention found;
  Type element;
  Value at; ///< What is looked at.
  ArrayRef<Expr> scores;
};

/// Which dimensions in front of queries are batches of attention, and which are heads: [0, batches)
/// and [batches, count). Keys and values have `keyHeads` of the heads' dimensions.
struct Leading {
  unsigned count = 0, batches = 0;
  bool sharesKeys = false; ///< Their last dimension in front is 1, that of queries isn't.
};

class Raiser {
public:
  Raiser(ir::MatmulOp last, const Attention &found)
      : last(last), found(found), b(last), loc(last.getLoc()) {}

  /// Puts the op in the chain's place. False, and nothing is changed, where there is none.
  bool raise() {
    std::optional<Leading> leading = leadingDims();
    if (!leading)
      return false;
    if (leading->sharesKeys && leading->count >= 2 && raiseAs(*leading, 2))
      return true;
    return raiseAs(*leading, std::min(leading->count, 1u));
  }

private:
  /// The last `heads` of the dimensions in front are attention's heads.
  bool raiseAs(Leading leading, unsigned heads) {
    leading.batches = leading.count - heads;
    made.clear();
    Value mask = found.mask ? reshapedMask(leading) : Value();
    if (found.mask && !mask)
      return fail();
    SmallVector<Value> operands = {reshaped(found.query, leading, /*isKey=*/false),
                                   reshaped(plainKey(), leading, /*isKey=*/true),
                                   reshaped(found.value, leading, /*isKey=*/true)};
    if (mask)
      operands.push_back(mask);
    FailureOr<ir::AttentionOp> attention = create(operands);
    if (failed(attention) || !mayApply(last, "makes one op of attention"))
      return fail();
    Value result = reshapedTo(attention->getResult(), shapeOf(last.getResult()));
    last.getResult().replaceAllUsesWith(result);
    for (Operation *op : found.ops)
      op->erase();
    if (Operation *permute = found.key.getDefiningOp(); found.permutesKey && permute->use_empty())
      permute->erase();
    return true;
  }

  bool fail() {
    for (Operation *op : llvm::reverse(made))
      op->erase();
    return false;
  }

  /// Checks that dimensions in front fit without broadcasting, but for keys' heads.
  std::optional<Leading> leadingDims() {
    ArrayRef<Expr> query = shapeOf(found.query), key = shapeOf(found.key),
                   value = shapeOf(found.value), result = shapeOf(last.getResult());
    for (ArrayRef<Expr> dims : {query, key, value})
      if (dims.size() != result.size() || dims.size() < 2 || llvm::is_contained(dims, Expr()))
        return std::nullopt;
    Leading leading;
    leading.count = unsigned(query.size()) - 2;
    for (unsigned i = 0; i != leading.count; ++i) {
      if (query[i] != result[i] || key[i] != value[i])
        return std::nullopt;
      if (key[i] == query[i])
        continue;
      if (!key[i].isConstant(1) || i + 1 != leading.count)
        return std::nullopt;
      leading.sharesKeys = true;
    }
    return leading;
  }

  Expr productOf(ArrayRef<Expr> dims) {
    Expr product = ir::symbolicContext(last.getContext()).constant(1);
    for (Expr dim : dims)
      product = product * dim;
    return product;
  }

  Value reshapedTo(Value x, ArrayRef<Expr> dims) {
    if (shapeOf(x) == dims)
      return x;
    Value result = ir::ReshapeOp::create(b, loc, x, dims);
    made.push_back(result.getDefiningOp());
    return result;
  }

  /// An operand with four dimensions. Of heads that share keys, keys have the first dimension.
  Value reshaped(Value x, const Leading &leading, bool isKey) {
    ArrayRef<Expr> dims = shapeOf(x);
    ArrayRef<Expr> heads = dims.slice(leading.batches, leading.count - leading.batches);
    if (isKey && leading.sharesKeys)
      heads = heads.drop_back();
    return reshapedTo(x, {productOf(dims.take_front(leading.batches)), productOf(heads),
                          dims[leading.count], dims[leading.count + 1]});
  }

  /// The mask with as many dimensions as the scores have then; null where some that become one are
  /// repeated, and others not.
  Value reshapedMask(const Leading &leading) {
    ArrayRef<Expr> own = shapeOf(found.mask), query = shapeOf(found.query);
    if (own.size() <= 2)
      return found.mask;
    if (own.size() > leading.count + 2)
      return {};
    Expr one = ir::symbolicContext(last.getContext()).constant(1);
    SmallVector<Expr> dims(leading.count + 2 - own.size(), one);
    llvm::append_range(dims, own);
    auto joined = [&](unsigned from, unsigned to) -> Expr {
      ArrayRef<Expr> part = ArrayRef(dims).slice(from, to - from);
      if (llvm::all_of(part, [](Expr dim) { return dim.isConstant(1); }))
        return one;
      return part == query.slice(from, to - from) ? productOf(part) : Expr();
    };
    Expr batch = joined(0, leading.batches), head = joined(leading.batches, leading.count);
    if (!batch || !head)
      return {};
    return reshapedTo(found.mask, {batch, head, dims[leading.count], dims[leading.count + 1]});
  }

  /// The keys with their size innermost.
  Value plainKey() {
    if (!found.permutesKey)
      return found.key;
    auto permute = found.key.getDefiningOp<ir::PermuteOp>();
    SmallVector<int64_t> order(permute.getPermutation());
    std::swap(order[order.size() - 1], order[order.size() - 2]);
    bool isIdentity = llvm::all_of(llvm::enumerate(order), [&](auto each) {
      auto rank = int64_t(order.size());
      return (each.value() + rank) % rank == int64_t(each.index());
    });
    if (isIdentity)
      return permute.getX();
    Value key = ir::PermuteOp::create(b, loc, permute.getX(), order);
    made.push_back(key.getDefiningOp());
    return key;
  }

  FailureOr<ir::AttentionOp> create(ArrayRef<Value> operands) {
    SmallVector<NamedAttribute> attributes = {
        b.getNamedAttr("scale", b.getF64FloatAttr(found.scale)),
        b.getNamedAttr("hidden_is_nan", b.getUnitAttr())};
    if (found.softcap > 0)
      attributes.push_back(b.getNamedAttr("softcap", b.getF64FloatAttr(found.softcap)));
    // That it doesn't fit is no error of anybody.
    ScopedDiagnosticHandler quiet(b.getContext(), [](Diagnostic &) { return success(); });
    FailureOr<ir::AttentionOp> op =
        ir::createDeduced<ir::AttentionOp>(b, loc, operands, attributes);
    if (failed(op))
      return failure();
    made.push_back(*op);
    SmallVector<ir::Constraint> unproved;
    op->getConstraints(unproved);
    if (!unproved.empty() || !ir::isWholeAttention(*op))
      return failure();
    return op;
  }

  ir::MatmulOp last;
  const Attention &found;
  OpBuilder b;
  Location loc;
  SmallVector<Operation *> made;
};

struct RaiseAttention : PassWrapper<RaiseAttention, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(RaiseAttention)
  StringRef getArgument() const override { return "relax-raise-attention"; }
  StringRef getDescription() const override {
    return "Raise products around a softmax to attention, which keeps no matrix of scores";
  }
  void runOnOperation() override {
    SmallVector<ir::MatmulOp> products;
    for (auto function : getOperation().getOps<func::FuncOp>())
      // What the user wants as one kernel is left to it.
      if (isGraphFunction(function) && !function->hasAttr(groupAttr))
        function.walk([&](ir::MatmulOp op) { products.push_back(op); });
    llvm::DenseSet<Operation *> gone;
    bool changed = false;
    for (ir::MatmulOp product : llvm::reverse(products)) {
      if (gone.contains(product))
        continue;
      std::optional<Attention> found = Matcher().match(product);
      if (!found || !Raiser(product, *found).raise())
        continue;
      gone.insert(found->ops.begin(), found->ops.end());
      changed = true;
    }
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createRaiseAttentionPass() { return std::make_unique<RaiseAttention>(); }

} // namespace relax::transforms
