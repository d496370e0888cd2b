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

Value ProgramBuilder::pointwise(RankedTensorType type, ValueRange operands, Body body) const {
  MLIRContext *context = b.getContext();
  int64_t rank = type.getRank();
  ArrayRef<symbolic::Expr> dims = ir::shapeOf(type);
  SmallVector<AffineMap> maps;
  for (Value operand : operands) {
    auto operandType = cast<RankedTensorType>(operand.getType());
    ArrayRef<symbolic::Expr> operandDims = ir::shapeOf(operandType);
    int64_t skipped = rank - operandType.getRank();
    SmallVector<AffineExpr> results;
    for (int64_t i = 0; i < operandType.getRank(); ++i) {
      bool stretched = operandDims[i] != dims[skipped + i];
      results.push_back(stretched ? getAffineConstantExpr(0, context)
                                  : getAffineDimExpr(skipped + i, context));
    }
    maps.push_back(AffineMap::get(rank, 0, results, context));
  }
  maps.push_back(AffineMap::getMultiDimIdentityMap(rank, context));
  SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
  return generic(operands, empty(type), maps, iterators, body);
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
        matrixDecompositions(), normalizeDecompositions(), reduceDecompositions()})
    for (const DecompositionEntry &entry : entries)
      if (entry.op == op->getName().getStringRef() && (!entry.applies || entry.applies(op)))
        return entry.results;
  return nullptr;
}

} // namespace relax::kernels
