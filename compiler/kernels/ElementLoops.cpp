// The strategies elementwise and fallback: loops over the elements of the results, each computed by
// the pointwise emitter from the program's arguments.
//
// Units, for results of shape [a, b, n]:
//   one unit per row (a * b), or per `longChunk` elements of a row where n may be larger
//   flat programs (every access in place): `longChunk` elements of the row-major order
//   transpositions: `columnChunk` elements of a row, all rows' first ones before the second ones
// Results of different shapes have their units one after the other.

#include "compiler/kernels/Cost.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/Schedules.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

#include <algorithm>
#include <bit>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// Elements of one unit within a long row.
constexpr int64_t longChunk = 1024;
/// The same where a row of the result is a column of an operand: so many cache lines as fit the
/// nearest cache beside each other.
constexpr int64_t columnChunk = 256;
/// A static row up to this long is one unit.
constexpr int64_t longestWhole = 2048;

/// Can the program's tensors be walked as one row? Then the loop doesn't stop at row ends.
bool isFlat(func::FuncOp program) {
  Operation *terminator = program.getBody().front().getTerminator();
  ArrayRef<Expr> shape;
  for (auto [i, result] : llvm::enumerate(terminator->getOperands())) {
    ArrayRef<Expr> dims = ir::shapeOf(cast<RankedTensorType>(result.getType()));
    if (i == 0)
      shape = dims;
    if (dims != shape || dims.size() < 2 || llvm::is_contained(dims, Expr()))
      return false;
  }
  auto fits = [&](Value v) {
    auto type = dyn_cast<RankedTensorType>(v.getType());
    return !type || type.getRank() == 0 || ir::shapeOf(type) == shape;
  };
  if (!llvm::all_of(program.getArguments(), fits))
    return false;
  for (Operation &op : program.getBody().front().without_terminator()) {
    if (isa<linalg::FillOp, tensor::EmptyOp>(op))
      continue;
    if (isa<tensor::ExtractOp, tensor::DimOp>(op))
      return false;
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    if (!linalgOp) {
      if (llvm::any_of(op.getResultTypes(), [](Type t) { return isa<RankedTensorType>(t); }) &&
          !op.hasTrait<OpTrait::ConstantLike>())
        return false;
      continue;
    }
    if (linalgOp.getNumReductionLoops() > 0)
      return false;
    for (AffineMap map : linalgOp.getIndexingMapsArray())
      if (!map.isIdentity() && map.getNumResults() != 0)
        return false;
    bool positional = false;
    op.walk([&](Operation *inner) {
      positional |= isa<linalg::IndexOp, tensor::ExtractOp, tensor::DimOp>(inner);
    });
    if (positional)
      return false;
  }
  return true;
}

/// How many elements are computed at once: as many as a register has of the widest elements that
/// the program computes with, and of float32 where those are wider, or where elements come from
/// several places, which takes an instruction each.
int64_t lanesOf(KernelContext &context) {
  unsigned bits = 8;
  bool isPlain = true;
  auto widen = [&](Type type) {
    type = getElementTypeOrSelf(type);
    if (isa<FloatType>(type))
      bits = 32;
    else if (type.isIntOrIndex() && !type.isInteger(1))
      bits = std::max(bits, type.isIndex() ? 64u : type.getIntOrFloatBitWidth());
  };
  context.program.walk([&](Operation *op) {
    if (isa<linalg::IndexOp, tensor::ExtractOp, tensor::ExtractSliceOp, tensor::ExpandShapeOp,
            tensor::CollapseShapeOp, scf::IfOp>(op))
      isPlain = false;
    if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
      for (AffineMap map : linalgOp.getIndexingMapsArray())
        isPlain &= map.isIdentity() || map.getNumResults() == 0;
      for (BlockArgument argument : linalgOp.getBlock()->getArguments())
        widen(argument.getType());
      for (Operation &inner : *linalgOp.getBlock())
        for (Type type : inner.getResultTypes())
          widen(type);
    } else if (OpTrait::hasElementwiseMappableTraits(op)) {
      for (Type type : op->getResultTypes())
        if (isa<RankedTensorType>(type))
          widen(type);
    }
  });
  bits = isPlain ? std::min(bits, 32u) : 32;
  return std::max<int64_t>(1, context.target.getVectorBits() / bits);
}

/// Is a row of the result a column of an operand? Then a unit reads one element of each of many
/// cache lines, and the units next to it in the other dimensions read the rest of them: those come
/// first.
bool readsColumns(func::FuncOp program) {
  bool found = false;
  program.walk([&](linalg::LinalgOp op) {
    if (op.getNumLoops() == 0 || op.getNumReductionLoops() > 0)
      return;
    unsigned last = op.getNumLoops() - 1;
    for (OpOperand *operand : op.getDpsInputOperands()) {
      AffineMap map = op.getMatchingIndexingMap(operand);
      found |= map.getNumResults() > 1 && map.isFunctionOfDim(last) &&
               !map.getResults().back().isFunctionOfDim(last);
    }
  });
  return found;
}

/// The emitter of one kernel's loops.
class ElementLoops {
public:
  explicit ElementLoops(KernelContext &context)
      : context(context), emitter(context), symbols(ir::symbolicContext(context.b.getContext())),
        vectorLanes(lanesOf(context)) {}

  FailureOr<Schedule> build() {
    flat = isFlat(context.program);
    if (flat)
      emitter.flatten();
    columns = !flat && readsColumns(context.program);
    Expr cost = symbols.constant(0);
    Expr first = symbols.constant(0);
    for (unsigned i = 0; i < context.numOutputs();) {
      // Neighbouring results of one shape share their loops.
      SmallVector<unsigned> group = {i++};
      for (; i < context.numOutputs() && shape(i) == shape(group.front()); ++i)
        group.push_back(i);
      Expr units = buildGroup(group, first);
      for (unsigned result : group)
        cost = cost + elementCost(context.result(result)) * elementCount(context.result(result));
      first = first + units;
    }
    return Schedule{first, cost};
  }

private:
  ArrayRef<Expr> shape(unsigned result) { return context.shape(context.result(result)); }

  /// Emits the loops of `group`, whose units start at `first`; returns how many there are.
  Expr buildGroup(ArrayRef<unsigned> group, Expr first) {
    ArrayRef<Expr> dims = shape(group.front());
    Expr rows = symbols.constant(1), length = symbols.constant(1);
    if (flat)
      length = elementCount(context.result(group.front()));
    else if (!dims.empty()) {
      for (Expr dim : dims.drop_back())
        rows = rows * dim;
      length = dims.back();
    }
    int64_t chunk = columns ? columnChunk : longChunk;
    bool whole = length.isConstant() && length.constantValue() <= (columns ? chunk : longestWhole);
    Expr chunks = whole ? symbols.constant(1) : symbols.ceilDiv(length, symbols.constant(chunk));
    Expr units = rows * chunks;

    OpBuilder &b = context.b;
    Value lower = context.begin(), upper = context.end();
    if (context.numOutputs() != group.size()) {
      Value offset = context.exprValue(first), count = context.exprValue(units);
      Value zero = context.index(0);
      auto local = [&](Value v) -> Value {
        Value shifted = arith::SubIOp::create(b, context.loc, v, offset);
        Value low = arith::MaxSIOp::create(b, context.loc, shifted, zero);
        return arith::MinSIOp::create(b, context.loc, low, count);
      };
      lower = local(lower);
      upper = local(upper);
    }
    SmallVector<Value> extents;
    if (!flat && !dims.empty())
      for (Expr dim : dims.drop_back())
        extents.push_back(context.exprValue(dim));
    // Which of them is the innermost: the part of a row, or the row.
    extents.insert(columns ? extents.begin() : extents.end(), context.exprValue(chunks));
    Value count = context.exprValue(length);
    emitLoop(context, lower, upper, context.index(1), [&](Value unit) {
      SmallVector<Value> position = emitDelinearize(context, unit, extents);
      if (columns)
        std::rotate(position.begin(), position.begin() + 1, position.end());
      Value from = context.index(0), to = count;
      if (!whole) {
        Value size = context.index(chunk);
        from = arith::MulIOp::create(b, context.loc, position.back(), size);
        to = arith::AddIOp::create(b, context.loc, from, size);
        to = arith::MinSIOp::create(b, context.loc, to, count);
      }
      position.pop_back();
      buildRun(group, position, from, to, length);
    });
    return units;
  }

  /// Elements [from, to) of the row at `outer`.
  void buildRun(ArrayRef<unsigned> group, ArrayRef<Value> outer, Value from, Value to,
                Expr length) {
    int64_t lanes = vectorLanes;
    if (length.isConstant())
      lanes = std::min<int64_t>(
          lanes, std::bit_floor(uint64_t(std::max<int64_t>(length.constantValue(), 1))));
    SmallVector<Value> tensors;
    for (unsigned result : group)
      tensors.push_back(context.result(result));
    bool scalar = shape(group.front()).empty();
    emitVectorLoop(context, from, to, lanes, [&](Value i, int64_t width) {
      SmallVector<Value> indices(outer);
      if (!scalar)
        indices.push_back(i);
      SmallVector<Value> values = emitter.evaluate(tensors, indices, width);
      for (auto [result, value] : llvm::zip_equal(group, values))
        emitStore(context, value, destination(result), indices);
    });
  }

  Value destination(unsigned result) {
    Value &memref = views[result];
    if (!memref) {
      memref = context.output(result);
      if (flat)
        memref = emitReshapedView(context, memref,
                                  {context.exprValue(elementCount(context.result(result)))});
    }
    return memref;
  }

  KernelContext &context;
  PointwiseEmitter emitter;
  symbolic::Context &symbols;
  int64_t vectorLanes;
  bool flat = false;
  bool columns = false;
  std::map<unsigned, Value> views;
};

bool understood(func::FuncOp program) {
  for (Value result : program.getBody().front().getTerminator()->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    if (!type || llvm::is_contained(ir::shapeOf(type), Expr()) || !PointwiseEmitter::check(result))
      return false;
  }
  return true;
}

class ElementwiseStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "elementwise"; }
  bool matches(func::FuncOp program) const override {
    bool reduces = false;
    program.walk([&](linalg::LinalgOp op) { reduces |= op.getNumReductionLoops() > 0; });
    return !reduces && understood(program);
  }
  FailureOr<Schedule> build(KernelContext &context) const override {
    return buildElementLoops(context);
  }
};

class FallbackStrategy : public KernelStrategy {
public:
  StringRef name() const override { return "fallback"; }
  bool matches(func::FuncOp program) const override { return understood(program); }
  FailureOr<Schedule> build(KernelContext &context) const override {
    return buildElementLoops(context);
  }
};

} // namespace

FailureOr<Schedule> buildElementLoops(KernelContext &context) {
  return ElementLoops(context).build();
}

const KernelStrategy &elementwiseStrategy() {
  static const ElementwiseStrategy strategy;
  return strategy;
}

const KernelStrategy &fallbackStrategy() {
  static const FallbackStrategy strategy;
  return strategy;
}

} // namespace relax::kernels
