// Tensors from nothing: each element from its place.

#include "compiler/dialect/ops/CreateOps.h"
#include "compiler/kernels/programs/Programs.h"
#include "compiler/kernels/programs/Scalars.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// The index of loop `dim` inside a body.
Value indexOf(OpBuilder &b, Location loc, unsigned dim) {
  return linalg::IndexOp::create(b, loc, dim);
}

Value asI64(const Scalars &s, Value index) {
  return arith::IndexCastOp::create(s.b, s.loc, s.b.getI64Type(), index);
}

/// A constant of a graph op's attribute in the signless type that programs have.
Value constantOf(OpBuilder &b, Location loc, TypedAttr value) {
  if (auto integer = dyn_cast<IntegerAttr>(value))
    value = b.getIntegerAttr(ir::signless(integer.getType()), integer.getValue());
  return arith::ConstantOp::create(b, loc, value);
}

/// The value of an expression in an attribute, as an index; `otherwise` where there is none.
Value exprOr(const ProgramBuilder &program, ir::ExprAttr attribute, symbolic::Expr otherwise) {
  return program.size(attribute ? program.rename(attribute.getExpr()) : otherwise);
}

symbolic::Expr zero(const ProgramBuilder &program) {
  return ir::symbolicContext(program.b.getContext()).constant(0);
}

symbolic::Expr one(const ProgramBuilder &program) {
  return ir::symbolicContext(program.b.getContext()).constant(1);
}

LogicalResult decomposeFullLike(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto like = cast<ir::FullLikeOp>(op);
  ArrayRef<symbolic::Expr> dims = ir::shapeOf(like.getX().getType());
  if (llvm::is_contained(dims, symbolic::Expr()))
    return op->emitError("has an operand of type ")
           << like.getX().getType()
           << ", with a dimension whose size isn't known; give it a symbol "
           << "by relax.match_cast";
  values.push_back(ir::FullOp::create(b, op->getLoc(), ir::ShapeAttr::get(b.getContext(), dims),
                                      like.getValueAttr()));
  return success();
}

SmallVector<Value> buildFull(ProgramBuilder &program) {
  Value value = constantOf(program.b, program.loc, cast<ir::FullOp>(program.op).getValueAttr());
  return {linalg::FillOp::create(program.b, program.loc, value, program.empty(program.types[0]))
              .getResult(0)};
}

SmallVector<Value> buildArange(ProgramBuilder &program) {
  auto op = cast<ir::ArangeOp>(program.op);
  Attribute start = op.getStartAttr(), step = op.getStepAttr();
  auto isFloat = [](Attribute a) { return isa_and_nonnull<FloatAttr>(a); };
  bool floats = isFloat(start) || isFloat(op.getLimitAttr()) || isFloat(step);
  auto number = [&](Attribute attribute, double otherwise) {
    if (!attribute)
      return otherwise;
    if (auto floating = dyn_cast<FloatAttr>(attribute))
      return floating.getValueAsDouble();
    return static_cast<double>(cast<ir::ExprAttr>(attribute).getExpr().constantValue());
  };
  Value from, by;
  if (floats) {
    Scalars s(program.b, program.loc);
    from = s.number(program.b.getF64Type(), number(start, 0));
    by = s.number(program.b.getF64Type(), number(step, 1));
  } else {
    Scalars s(program.b, program.loc);
    from = asI64(s, exprOr(program, cast_or_null<ir::ExprAttr>(start), zero(program)));
    by = asI64(s, exprOr(program, cast_or_null<ir::ExprAttr>(step), one(program)));
  }
  return {program.pointwise(program.types[0], {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Scalars s(b, loc);
    Value i = s.convert(from.getType(), asI64(s, indexOf(b, loc, 0)));
    return s.convert(program.types[0].getElementType(), s.add(from, s.mul(i, by)));
  })};
}

SmallVector<Value> buildLinspace(ProgramBuilder &program) {
  auto op = cast<ir::LinspaceOp>(program.op);
  Scalars outer(program.b, program.loc);
  Type wide = program.b.getF64Type();
  Value start = outer.number(wide, op.getStart().convertToDouble());
  Value stop = outer.number(wide, op.getStop().convertToDouble());
  Value count = asI64(outer, program.size(program.rename(op.getCount().getExpr())));
  Value intervals = op.getOpen() ? count : outer.sub(count, outer.like(count, 1));
  // One element is `start`: no interval divides by zero.
  Value divisor = outer.convert(wide, outer.max(intervals, outer.like(count, 1)));
  Value step = outer.div(outer.sub(stop, start), divisor);
  return {program.pointwise(program.types[0], {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Scalars s(b, loc);
    Value i = asI64(s, indexOf(b, loc, 0));
    Value value = s.add(start, s.mul(s.convert(wide, i), step));
    if (!op.getOpen()) {
      // Exactly the end, unless it is the only one.
      Value last = s.both(s.equal(i, intervals), s.less(s.like(i, 0), i));
      value = s.select(last, stop, value);
    }
    return s.convert(program.types[0].getElementType(), value);
  })};
}

/// The value of a diagonal's offset, as an index, or what stands for it: from `columns` on every
/// element is on one side of the diagonal, from -rows down on the other. So no sum with a row or
/// column leaves 64 bits.
Value diagonalOffset(ProgramBuilder &program, ir::ExprAttr attribute, symbolic::Expr otherwise) {
  Value offset = exprOr(program, attribute, otherwise);
  constexpr int64_t small = int64_t(1) << 32;
  symbolic::Expr expr = attribute ? attribute.getExpr() : symbolic::Expr();
  if (!expr || (expr.isConstant() && expr.constantValue() > -small && expr.constantValue() < small))
    return offset;
  Scalars s(program.b, program.loc);
  ArrayRef<symbolic::Expr> dims = ir::shapeOf(program.types[0]).take_back(2);
  Value rows = program.size(dims[0]), columns = program.size(dims[1]);
  return s.min(s.max(offset, s.sub(s.integer(offset.getType(), int64_t(0)), rows)), columns);
}

/// row + offset - column, of the last two loops, as an index.
Value diagonalDistance(const Scalars &s, unsigned rank, Value offset) {
  Value row = indexOf(s.b, s.loc, rank - 2), column = indexOf(s.b, s.loc, rank - 1);
  return s.sub(s.add(row, offset), column);
}

SmallVector<Value> buildEye(ProgramBuilder &program) {
  Value offset =
      diagonalOffset(program, cast<ir::EyeOp>(program.op).getOffsetAttr(), zero(program));
  return {program.pointwise(program.types[0], {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Scalars s(b, loc);
    Value distance = diagonalDistance(s, 2, offset);
    Value hit = s.equal(distance, s.integer(b.getIndexType(), int64_t(0)));
    Type element = program.types[0].getElementType();
    return s.select(hit, s.number(element, 1), s.number(element, 0));
  })};
}

SmallVector<Value> buildCausalMask(ProgramBuilder &program) {
  auto op = cast<ir::CausalMaskOp>(program.op);
  symbolic::Expr otherwise = program.rename(op.getColumns().getExpr() - op.getRows().getExpr());
  Value offset = diagonalOffset(program, op.getOffsetAttr(), otherwise);
  return {program.pointwise(program.types[0], {}, [&](OpBuilder &b, Location loc, ValueRange) {
    Scalars s(b, loc);
    return s.lessEqual(s.integer(b.getIndexType(), int64_t(0)), diagonalDistance(s, 2, offset));
  })};
}

SmallVector<Value> buildOneHot(ProgramBuilder &program) {
  auto op = cast<ir::OneHotOp>(program.op);
  MLIRContext *context = program.b.getContext();
  int64_t rank = program.types[0].getRank();
  auto axis = static_cast<int64_t>(op.getAxis());
  axis += axis < 0 ? rank : 0;
  bool isUnsigned = op.getIndices().getType().getElementType().isUnsignedInteger();
  SmallVector<AffineExpr> read;
  for (int64_t i = 0; i < rank; ++i)
    if (i != axis)
      read.push_back(getAffineDimExpr(i, context));
  SmallVector<AffineMap> maps = {AffineMap::get(rank, 0, read, context),
                                 AffineMap::getMultiDimIdentityMap(rank, context)};
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  Scalars outer(program.b, program.loc);
  Value depth = asI64(outer, program.size(ir::shapeOf(program.types[0])[axis]));
  return {program.generic(program.inputs, program.empty(program.types[0]), maps, iterators,
                          [&](OpBuilder &b, Location loc, ValueRange v) {
                            Scalars s(b, loc);
                            Value index = s.convert(b.getI64Type(), v[0], isUnsigned);
                            index = s.select(s.isNegative(index), s.add(index, depth), index);
                            Value place = asI64(s, indexOf(b, loc, axis));
                            return s.select(s.equal(index, place),
                                            constantOf(b, loc, op.getOnAttr()),
                                            constantOf(b, loc, op.getOffAttr()));
                          })};
}

/// `upper`: from the diagonal on; otherwise up to it.
SmallVector<Value> buildTriangle(ProgramBuilder &program, ir::ExprAttr diagonal, bool upper) {
  Value offset = diagonalOffset(program, diagonal, zero(program));
  unsigned rank = program.types[0].getRank();
  return {program.pointwise(
      program.types[0], program.inputs, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc);
        Value distance = diagonalDistance(s, rank, offset);
        Value none = s.integer(b.getIndexType(), int64_t(0));
        Value inside = upper ? s.lessEqual(distance, none) : s.lessEqual(none, distance);
        return s.select(inside, v[0], s.like(v[0], 0));
      })};
}

SmallVector<Value> buildTril(ProgramBuilder &program) {
  return buildTriangle(program, cast<ir::TrilOp>(program.op).getDiagonalAttr(), false);
}
SmallVector<Value> buildTriu(ProgramBuilder &program) {
  return buildTriangle(program, cast<ir::TriuOp>(program.op).getDiagonalAttr(), true);
}

} // namespace

ArrayRef<ProgramEntry> createPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.full", buildFull},
      {"relax.arange", buildArange},
      {"relax.linspace", buildLinspace},
      {"relax.eye", buildEye},
      {"relax.causal_mask", buildCausalMask},
      {"relax.one_hot", buildOneHot},
      {"relax.tril", buildTril},
      {"relax.triu", buildTriu},
  };
  return entries;
}

ArrayRef<DecompositionEntry> createDecompositions() {
  static const DecompositionEntry entries[] = {{"relax.full_like", decomposeFullLike}};
  return entries;
}

} // namespace relax::kernels
