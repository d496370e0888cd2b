// Elements by index: the place comes from a tensor of integers. Every index is in [-size, size)
// when a program reads by it: that is checked before (checkIndices), unless it is known.

#include "compiler/dialect/AxisRules.h"
#include "compiler/dialect/ops/ArrangeOps.h"
#include "compiler/dialect/ops/IndexOps.h"
#include "compiler/kernels/programs/IndexChecks.h"
#include "compiler/kernels/programs/Places.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include <functional>

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

ArrayRef<Expr> shapeOf(Value tensor) {
  return ir::shapeOf(cast<RankedTensorType>(tensor.getType()));
}

//===------------------------------------------------------------------------------------------===//
// Checks
//===------------------------------------------------------------------------------------------===//

LogicalResult needSize(Operation *op, Expr size) {
  return size ? success()
              : LogicalResult(op->emitError(
                    "indexes a dimension whose size isn't known; name it by relax.match_cast"));
}

/// Indices along one axis of operand 0.
LogicalResult checkAlongAxis(OpBuilder &b, Operation *op) {
  auto axis = op->getAttrOfType<IntegerAttr>("axis");
  auto type = cast<RankedTensorType>(op->getOperand(0).getType());
  Expr size = ir::shapeOf(type)[ir::axisOf(type, axis ? axis.getInt() : 0)];
  if (failed(needSize(op, size)))
    return failure();
  checkIndices(b, op->getLoc(), op->getOperand(1), size, op->getName().stripDialect());
  return success();
}

/// Index vectors: each column has a bound of its own.
LogicalResult checkVectors(OpBuilder &b, Operation *op) {
  Value indices = op->getOperand(1);
  auto type = cast<RankedTensorType>(indices.getType());
  auto batch = op->getAttrOfType<IntegerAttr>("batch_dims");
  int64_t first = batch ? batch.getInt() : 0, last = type.getRank() - 1;
  for (int64_t k = 0; k < type.getDimSize(last); ++k) {
    Expr size = shapeOf(op->getOperand(0))[first + k];
    if (failed(needSize(op, size)))
      return failure();
    Value column = indices;
    if (type.getDimSize(last) > 1)
      column = ir::NarrowOp::create(
          b, op->getLoc(), indices, last,
          ir::ExprAttr::get(b.getContext(), ir::symbolicContext(b.getContext()).constant(k)),
          ir::ExprAttr::get(b.getContext(), ir::symbolicContext(b.getContext()).constant(1)));
    checkIndices(b, op->getLoc(), column, size,
                 (op->getName().stripDialect() + ", position " + Twine(k)).str());
  }
  return success();
}

//===------------------------------------------------------------------------------------------===//
// Gathers
//===------------------------------------------------------------------------------------------===//

SmallVector<Value> buildTake(ProgramBuilder &program) {
  auto op = cast<ir::TakeOp>(program.op);
  MLIRContext *context = program.b.getContext();
  int64_t rank = program.types[0].getRank();
  Value table = program.inputs[0];
  unsigned axis = ir::axisOf(program.inputType(0), static_cast<int64_t>(op.getAxis()));
  int64_t places = program.inputType(1).getRank();
  SmallVector<AffineExpr> at;
  for (int64_t i = 0; i < places; ++i)
    at.push_back(getAffineDimExpr(axis + i, context));
  Value size = program.size(shapeOf(table)[axis]);
  return {elementwiseFrom(
      program, program.types[0],
      [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange elements) -> Value {
        SmallVector<Value> place(indices.take_front(axis));
        place.push_back(Indexing{b, loc}.position(elements[0], size));
        llvm::append_range(place, indices.drop_front(axis + places));
        return tensor::ExtractOp::create(b, loc, table, place);
      },
      program.inputs[1], AffineMap::get(rank, 0, at, context))};
}

SmallVector<Value> buildGatherElements(ProgramBuilder &program) {
  auto op = cast<ir::GatherElementsOp>(program.op);
  Value x = program.inputs[0];
  unsigned axis = ir::axisOf(program.inputType(0), static_cast<int64_t>(op.getAxis()));
  Value size = program.size(shapeOf(x)[axis]);
  auto map = AffineMap::getMultiDimIdentityMap(program.types[0].getRank(), program.b.getContext());
  return {elementwiseFrom(
      program, program.types[0],
      [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange elements) -> Value {
        SmallVector<Value> place(indices);
        place[axis] = Indexing{b, loc}.position(elements[0], size);
        return tensor::ExtractOp::create(b, loc, x, place);
      },
      program.inputs[1], map)};
}

SmallVector<Value> buildGatherNd(ProgramBuilder &program) {
  auto op = cast<ir::GatherNdOp>(program.op);
  Value x = program.inputs[0], vectors = program.inputs[1];
  auto batch = static_cast<int64_t>(op.getBatchDims());
  int64_t places = program.inputType(1).getRank() - 1,
          depth = program.inputType(1).getDimSize(places);
  SmallVector<Value> sizes;
  for (int64_t k = 0; k < depth; ++k)
    sizes.push_back(program.size(shapeOf(x)[batch + k]));
  return {elementwiseFrom(program, program.types[0],
                          [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange) -> Value {
                            Indexing at{b, loc};
                            SmallVector<Value> place(indices.take_front(batch));
                            for (int64_t k = 0; k < depth; ++k) {
                              SmallVector<Value> where(indices.take_front(places));
                              where.push_back(at.constant(k));
                              place.push_back(at.position(
                                  tensor::ExtractOp::create(b, loc, vectors, where), sizes[k]));
                            }
                            llvm::append_range(place, indices.drop_front(places));
                            return tensor::ExtractOp::create(b, loc, x, place);
                          })};
}

//===------------------------------------------------------------------------------------------===//
// Scatters
//===------------------------------------------------------------------------------------------===//

/// What a place holds after an update. 16-bit floats are computed in 32 bits and rounded each time.
Value combine(OpBuilder &b, Location loc, StringRef reduction, Type element, Value old,
              Value update) {
  if (reduction == "none")
    return update;
  Type stored = old.getType();
  if (stored.isF16() || stored.isBF16()) {
    old = arith::ExtFOp::create(b, loc, b.getF32Type(), old);
    update = arith::ExtFOp::create(b, loc, b.getF32Type(), update);
  }
  bool isFloat = isa<FloatType>(stored), isBool = stored.isInteger(1);
  bool isUnsigned = element.isUnsignedInteger() || isBool;
  Value result;
  if (reduction == "add")
    result = isFloat  ? Value(arith::AddFOp::create(b, loc, old, update))
             : isBool ? Value(arith::OrIOp::create(b, loc, old, update))
                      : Value(arith::AddIOp::create(b, loc, old, update));
  else if (reduction == "mul")
    result = isFloat  ? Value(arith::MulFOp::create(b, loc, old, update))
             : isBool ? Value(arith::AndIOp::create(b, loc, old, update))
                      : Value(arith::MulIOp::create(b, loc, old, update));
  else if (reduction == "max")
    result = isFloat      ? Value(arith::MaximumFOp::create(b, loc, old, update))
             : isUnsigned ? Value(arith::MaxUIOp::create(b, loc, old, update))
                          : Value(arith::MaxSIOp::create(b, loc, old, update));
  else
    result = isFloat      ? Value(arith::MinimumFOp::create(b, loc, old, update))
             : isUnsigned ? Value(arith::MinUIOp::create(b, loc, old, update))
                          : Value(arith::MinSIOp::create(b, loc, old, update));
  return result.getType() == stored ? result
                                    : Value(arith::TruncFOp::create(b, loc, stored, result));
}

/// for i in [0, extents[0]) for j in …: `body` gives the next tensor from the present one.
Value loops(OpBuilder &b, Location loc, ArrayRef<Value> extents, Value init,
            llvm::function_ref<Value(OpBuilder &, ValueRange, Value)> body) {
  if (extents.empty())
    return body(b, {}, init);
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> counters;
  std::function<Value(OpBuilder &, size_t, Value)> nest = [&](OpBuilder &outer, size_t depth,
                                                              Value carried) -> Value {
    if (depth == extents.size())
      return body(outer, counters, carried);
    return scf::ForOp::create(outer, loc, zero, extents[depth], one, carried,
                              [&](OpBuilder &inner, Location, Value counter, ValueRange values) {
                                counters.push_back(counter);
                                Value next = nest(inner, depth + 1, values[0]);
                                counters.pop_back();
                                scf::YieldOp::create(inner, loc, next);
                              })
        .getResult(0);
  };
  return nest(b, 0, init);
}

/// A copy of operand 0, with each of the updates (operand 2), in their order. `target` says where
/// the updates at a position of their first `places` dimensions go; the other dimensions are those
/// of what is written there.
Value scatter(ProgramBuilder &program, StringRef reduction, size_t places,
              llvm::function_ref<SmallVector<Value>(OpBuilder &, ValueRange)> target) {
  Type element = cast<RankedTensorType>(program.op->getOperand(0).getType()).getElementType();
  Value updates = program.inputs[2];
  SmallVector<Value> extents;
  for (Expr dim : shapeOf(updates))
    extents.push_back(program.size(dim));
  Value copy = program.pointwise(program.types[0], program.inputs[0],
                                 [](OpBuilder &, Location, ValueRange v) { return v[0]; });
  Location loc = program.loc;
  auto write = [&](OpBuilder &b, ValueRange from, ValueRange to, Value present) -> Value {
    Value value = tensor::ExtractOp::create(b, loc, updates, from);
    if (reduction != "none")
      value = combine(b, loc, reduction, element, tensor::ExtractOp::create(b, loc, present, to),
                      value);
    return tensor::InsertOp::create(b, loc, value, present, to);
  };
  return loops(program.b, loc, ArrayRef(extents).take_front(places), copy,
               [&](OpBuilder &b, ValueRange outer, Value present) {
                 SmallVector<Value> from(outer), to = target(b, outer);
                 return loops(b, loc, ArrayRef(extents).drop_front(places), present,
                              [&](OpBuilder &inner, ValueRange rest, Value current) {
                                SmallVector<Value> source(from), place(to);
                                llvm::append_range(source, rest);
                                llvm::append_range(place, rest);
                                return write(inner, source, place, current);
                              });
               });
}

SmallVector<Value> buildScatterElements(ProgramBuilder &program) {
  auto op = cast<ir::ScatterElementsOp>(program.op);
  unsigned axis = ir::axisOf(program.inputType(0), static_cast<int64_t>(op.getAxis()));
  Value size = program.size(shapeOf(program.inputs[0])[axis]);
  size_t places = program.inputType(2).getRank();
  return {scatter(program, op.getReduction(), places, [&](OpBuilder &b, ValueRange counters) {
    SmallVector<Value> place(counters);
    Value index = tensor::ExtractOp::create(b, program.loc, program.inputs[1], counters);
    place[axis] = Indexing{b, program.loc}.position(index, size);
    return place;
  })};
}

SmallVector<Value> buildScatterNd(ProgramBuilder &program) {
  auto op = cast<ir::ScatterNdOp>(program.op);
  int64_t places = program.inputType(1).getRank() - 1,
          depth = program.inputType(1).getDimSize(places);
  SmallVector<Value> sizes;
  for (int64_t k = 0; k < depth; ++k)
    sizes.push_back(program.size(shapeOf(program.inputs[0])[k]));
  return {scatter(program, op.getReduction(), places, [&](OpBuilder &b, ValueRange counters) {
    Indexing at{b, program.loc};
    SmallVector<Value> place;
    for (int64_t k = 0; k < depth; ++k) {
      SmallVector<Value> where(counters);
      where.push_back(at.constant(k));
      Value index = tensor::ExtractOp::create(b, program.loc, program.inputs[1], where);
      place.push_back(at.position(index, sizes[k]));
    }
    return place;
  })};
}

//===------------------------------------------------------------------------------------------===//
// Sequences
//===------------------------------------------------------------------------------------------===//

/// A sequence is as long as the time axis at most.
LogicalResult checkLengths(OpBuilder &b, Operation *op) {
  auto reverse = cast<ir::ReverseSequenceOp>(op);
  auto type = cast<RankedTensorType>(reverse.getX().getType());
  Expr size = ir::shapeOf(type)[ir::axisOf(type, static_cast<int64_t>(reverse.getTimeAxis()))];
  if (failed(needSize(op, size)))
    return failure();
  auto range = ir::ValuesAttr::get(b.getContext(), ir::symbolicContext(b.getContext()).constant(0),
                                   size + 1);
  ir::CheckValuesOp::create(b, op->getLoc(), reverse.getLengths(), range, "reverse_sequence");
  return success();
}

SmallVector<Value> buildReverseSequence(ProgramBuilder &program) {
  auto op = cast<ir::ReverseSequenceOp>(program.op);
  RankedTensorType type = program.types[0];
  unsigned time = ir::axisOf(type, static_cast<int64_t>(op.getTimeAxis()));
  unsigned batch = ir::axisOf(type, static_cast<int64_t>(op.getBatchAxis()));
  MLIRContext *context = program.b.getContext();
  return {elementwiseFrom(
      program, type,
      [&](OpBuilder &b, Location loc, ValueRange indices, ValueRange elements) -> Value {
        Indexing at{b, loc};
        Value length = arith::IndexCastOp::create(b, loc, b.getIndexType(), elements[0]);
        Value mirrored = at.sub(at.sub(length, at.constant(1)), indices[time]);
        SmallVector<Value> place(indices);
        place[time] = arith::SelectOp::create(b, loc, at.less(indices[time], length), mirrored,
                                              indices[time]);
        return tensor::ExtractOp::create(b, loc, program.inputs[0], place);
      },
      program.inputs[1], AffineMap::get(type.getRank(), 0, getAffineDimExpr(batch, context)))};
}

} // namespace

ArrayRef<ProgramEntry> indexPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.take", buildTake, checkAlongAxis},
      {"relax.gather_elements", buildGatherElements, checkAlongAxis},
      {"relax.gather_nd", buildGatherNd, checkVectors},
      {"relax.scatter_elements", buildScatterElements, checkAlongAxis},
      {"relax.scatter_nd", buildScatterNd, checkVectors},
      {"relax.reverse_sequence", buildReverseSequence, checkLengths},
  };
  return entries;
}

} // namespace relax::kernels
