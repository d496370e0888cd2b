#include "compiler/kernels/programs/Programs.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace relax::kernels {

Value ProgramBuilder::size(symbolic::Expr expr) const {
  if (expr.isConstant())
    return arith::ConstantIndexOp::create(b, loc, expr.constantValue());
  return ir::SymbolValueOp::create(b, loc, expr);
}

Value ProgramBuilder::empty(RankedTensorType type) const {
  SmallVector<Value> sizes;
  for (auto [dim, size] : llvm::zip(ir::shapeOf(type), type.getShape()))
    if (ShapedType::isDynamic(size))
      sizes.push_back(ir::SymbolValueOp::create(b, loc, dim));
  return tensor::EmptyOp::create(b, loc, type, sizes);
}

Value ProgramBuilder::filled(RankedTensorType type, TypedAttr value) const {
  Value scalar = arith::ConstantOp::create(b, loc, value);
  return linalg::FillOp::create(b, loc, scalar, empty(type)).getResult(0);
}

Value ProgramBuilder::generic(ValueRange operands, Value init, ArrayRef<AffineMap> maps,
                              ArrayRef<utils::IteratorType> iterators, Body body) const {
  auto op = linalg::GenericOp::create(
      b, loc, TypeRange{init.getType()}, operands, ValueRange{init}, maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange arguments) {
        linalg::YieldOp::create(inner, where, body(inner, where, arguments));
      });
  return op.getResult(0);
}

/// May dimension i of an operand be 1 where the result's isn't, depending on the symbols?
static bool isUncertain(symbolic::Expr operand, symbolic::Expr result) {
  return operand != result && !operand.isConstant(1);
}

/// The element of `operand` that broadcasting puts at the place of the enclosing generic's loops,
/// if only the run time knows which dimensions are 1. `sizes` are the operand's; null where it's
/// known.
static Value extractBroadcast(OpBuilder &b, Location loc, Value operand, ArrayRef<Value> sizes,
                              ArrayRef<symbolic::Expr> dims, int64_t rank) {
  int64_t skipped = rank - static_cast<int64_t>(dims.size());
  Value zero = arith::ConstantIndexOp::create(b, loc, 0);
  Value one = arith::ConstantIndexOp::create(b, loc, 1);
  SmallVector<Value> indices;
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (dim.isConstant(1)) {
      indices.push_back(zero);
      continue;
    }
    Value index = linalg::IndexOp::create(b, loc, skipped + static_cast<int64_t>(i));
    if (sizes[i]) {
      Value isOne = arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, sizes[i], one);
      index = arith::SelectOp::create(b, loc, isOne, zero, index);
    }
    indices.push_back(index);
  }
  return tensor::ExtractOp::create(b, loc, operand, indices);
}

Value ProgramBuilder::pointwise(RankedTensorType type, ValueRange operands, Body body) const {
  MLIRContext *context = b.getContext();
  int64_t rank = type.getRank();
  ArrayRef<symbolic::Expr> dims = ir::shapeOf(type);
  SmallVector<AffineMap> maps;
  SmallVector<Value> read;
  // For each operand that isn't read by a map: its sizes.
  SmallVector<SmallVector<Value>> uncertain(operands.size());
  for (auto [number, operand] : llvm::enumerate(operands)) {
    auto operandType = cast<RankedTensorType>(operand.getType());
    ArrayRef<symbolic::Expr> operandDims = ir::shapeOf(operandType);
    int64_t skipped = rank - operandType.getRank();
    SmallVector<AffineExpr> results;
    SmallVector<Value> sizes(operandDims.size());
    bool known = true;
    for (int64_t i = 0; i < operandType.getRank(); ++i) {
      if (isUncertain(operandDims[i], dims[skipped + i])) {
        sizes[i] = size(operandDims[i]);
        known = false;
      }
      results.push_back(operandDims[i] != dims[skipped + i]
                            ? getAffineConstantExpr(0, context)
                            : getAffineDimExpr(skipped + i, context));
    }
    if (!known) {
      uncertain[number] = std::move(sizes);
      continue;
    }
    read.push_back(operand);
    maps.push_back(AffineMap::get(rank, 0, results, context));
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  if (read.size() == operands.size())
    return generic(operands, empty(type), maps, iterators, body);
  return generic(
      read, empty(type), maps, iterators,
      [&](OpBuilder &inner, Location where, ValueRange elements) {
        SmallVector<Value> all;
        size_t next = 0;
        for (auto [operand, sizes] : llvm::zip(operands, uncertain))
          all.push_back(
              sizes.empty()
                  ? elements[next++]
                  : extractBroadcast(inner, where, operand, sizes,
                                     ir::shapeOf(cast<RankedTensorType>(operand.getType())), rank));
        all.push_back(elements.back());
        return body(inner, where, all);
      });
}

Value ProgramBuilder::reduceLast(RankedTensorType type, TypedAttr init, ValueRange operands,
                                 Body body) const {
  MLIRContext *context = b.getContext();
  int64_t rank = type.getRank() + 1;
  AffineMap full = AffineMap::getMultiDimIdentityMap(rank, context);
  AffineMap outer = full.getMajorSubMap(rank - 1);
  SmallVector<AffineMap> maps;
  for (Value operand : operands)
    maps.push_back(cast<RankedTensorType>(operand.getType()).getRank() == rank ? full : outer);
  maps.push_back(outer);
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  iterators.back() = utils::IteratorType::reduction;
  return generic(operands, filled(type, init), maps, iterators, body);
}

Value ProgramBuilder::constant(OpBuilder &builder, Type type, double value) const {
  TypedAttr attribute = isa<FloatType>(type)
                            ? TypedAttr(builder.getFloatAttr(type, value))
                            : TypedAttr(builder.getIntegerAttr(type, static_cast<int64_t>(value)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

/// Every family's entries, by name.
static llvm::StringMap<ProgramEntry> joinTables() {
  llvm::StringMap<ProgramEntry> table;
  for (ArrayRef<ProgramEntry> entries :
       {arrangePrograms(), attentionPrograms(), contractionPrograms(), convolutionPrograms(),
        createPrograms(), elementwisePrograms(), indexPrograms(), matrixPrograms(),
        normalizePrograms(), quantizePrograms(), randomPrograms(), reducePrograms(),
        rotaryPrograms(), searchPrograms()})
    for (const ProgramEntry &entry : entries)
      table.try_emplace(entry.op, entry);
  return table;
}

const ProgramEntry *programEntryFor(Operation *op) {
  static const llvm::StringMap<ProgramEntry> table = joinTables();
  auto it = table.find(op->getName().getStringRef());
  return it == table.end() ? nullptr : &it->second;
}

ProgramFunction programFor(Operation *op) {
  const ProgramEntry *entry = programEntryFor(op);
  return entry ? entry->build : nullptr;
}

RewriteFunction decompositionFor(Operation *op) {
  for (ArrayRef<DecompositionEntry> entries :
       {arrangeDecompositions(), attentionDecompositions(), convolutionDecompositions(),
        createDecompositions(), matrixDecompositions(), normalizeDecompositions(),
        quantizeDecompositions(), reduceDecompositions(), searchDecompositions()})
    for (const DecompositionEntry &entry : entries)
      if (entry.op == op->getName().getStringRef() && (!entry.applies || entry.applies(op)))
        return entry.results;
  return nullptr;
}

} // namespace relax::kernels
