// Products of matrices: each element is a sum of products in the order of the summed dimensions, in
// float32 at least.

#include "compiler/dialect/EinsumEquation.h"
#include "compiler/dialect/ops/MatrixOps.h"
#include "compiler/kernels/programs/AxisPrograms.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

/// The product of `inputs`, of the types that the op's operands have, summed over the loops that
/// the result's map lacks; the result is of program.types[0].
Value contract(ProgramBuilder &program, ValueRange inputs, ArrayRef<AffineMap> maps) {
  RankedTensorType type = program.types[0];
  Type element = type.getElementType(), accumulator = accumulatorOf(element);
  SmallVector<bool> isUnsigned;
  for (unsigned i = 0; i < inputs.size(); ++i)
    isUnsigned.push_back(isUnsignedOperand(program.op, i));
  AffineMap out = maps.back();
  SmallVector<utils::IteratorType> iterators(out.getNumDims(), utils::IteratorType::reduction);
  for (AffineExpr expr : out.getResults())
    iterators[cast<AffineDimExpr>(expr).getPosition()] = utils::IteratorType::parallel;
  bool sums = llvm::is_contained(iterators, utils::IteratorType::reduction);

  RankedTensorType wide = ir::tensorType(type.getContext(), ir::shapeOf(type), accumulator);
  Value init = sums ? program.filled(wide, zeroOf(accumulator)) : program.empty(wide);
  Value product =
      program.generic(inputs, init, maps, iterators, [&](OpBuilder &b, Location loc, ValueRange v) {
        Scalars s(b, loc);
        Value term;
        for (auto [i, flag] : llvm::enumerate(isUnsigned)) {
          Value factor = s.convert(accumulator, v[i], flag);
          term = term ? s.mul(term, factor) : factor;
        }
        return sums ? s.add(v.back(), term) : term;
      });
  if (element == accumulator)
    return product;
  return elementByElement(program, product, element,
                          [&](const Scalars &s, Value v) { return s.convert(element, v); });
}

/// The loop that reads dimension `dim` of an operand where the result has `loopDim`: none (it is
/// repeated) for the constant 1. Sets `stretched` where only the run time knows.
AffineExpr broadcastLoop(Expr dim, Expr loopDim, unsigned loop, MLIRContext *context,
                         bool &stretched) {
  if (dim != loopDim && dim.isConstant(1))
    return getAffineConstantExpr(0, context);
  stretched |= dim != loopDim && !loopDim.isConstant() && !ir::provablyEqual(dim, loopDim);
  stretched |= dim != loopDim && loopDim.isConstant() && !dim.isConstant();
  return getAffineDimExpr(loop, context);
}

/// `x` with these dimensions: where x has 1, that element is repeated. For sizes that are known
/// only at run time to be equal or 1.
Value stretch(ProgramBuilder &program, Value x, ArrayRef<Expr> dims) {
  auto from = cast<RankedTensorType>(x.getType());
  RankedTensorType type = ir::tensorType(from.getContext(), dims, from.getElementType());
  SmallVector<Value> lasts;
  for (Expr dim : ir::shapeOf(from))
    lasts.push_back(program.size(dim - 1));
  return program.pointwise(type, {}, [&](OpBuilder &b, Location loc, ValueRange) -> Value {
    SmallVector<Value> indices;
    for (auto [i, last] : llvm::enumerate(lasts)) {
      Value index = linalg::IndexOp::create(b, loc, i);
      indices.push_back(ir::shapeOf(from)[i] == dims[i]
                            ? index
                            : Value(arith::MinSIOp::create(b, loc, index, last)));
    }
    return tensor::ExtractOp::create(b, loc, x, indices);
  });
}

/// One operand of a matmul: its dimensions in front, and its two matrix loops in order.
struct MatrixOperand {
  Value value;
  AffineMap map;
};

MatrixOperand matrixOperand(ProgramBuilder &program, unsigned number, ArrayRef<Expr> batch,
                            ArrayRef<AffineExpr> matrix, unsigned loops) {
  MLIRContext *context = program.b.getContext();
  Value value = program.inputs[number];
  ArrayRef<Expr> dims = ir::shapeOf(program.inputType(number));
  size_t front = dims.size() - matrix.size(), skipped = batch.size() - front;
  SmallVector<AffineExpr> exprs;
  SmallVector<Expr> stretchedDims(dims);
  bool stretched = false;
  for (size_t i = 0; i < front; ++i) {
    exprs.push_back(
        broadcastLoop(dims[i], batch[skipped + i], unsigned(skipped + i), context, stretched));
    if (isa<AffineDimExpr>(exprs.back()))
      stretchedDims[i] = batch[skipped + i];
  }
  llvm::append_range(exprs, matrix);
  if (stretched)
    value = stretch(program, value, stretchedDims);
  return {value, AffineMap::get(loops, 0, exprs, context)};
}

SmallVector<Value> buildMatmul(ProgramBuilder &program) {
  auto op = cast<ir::MatmulOp>(program.op);
  MLIRContext *context = program.b.getContext();
  unsigned rank = unsigned(program.types[0].getRank()); // Loops: the result's dimensions, then k.
  bool row = program.inputType(0).getRank() == 1, column = program.inputType(1).getRank() == 1;
  unsigned batch = rank - (row ? 0 : 1) - (column ? 0 : 1);
  AffineExpr k = getAffineDimExpr(rank, context);
  SmallVector<AffineExpr> left, right = {k};
  if (!row)
    left.push_back(getAffineDimExpr(batch, context));
  left.push_back(k);
  if (!column)
    right.push_back(getAffineDimExpr(rank - 1, context));
  if (op.getTransposeA())
    std::swap(left[0], left[1]);
  if (op.getTransposeB())
    std::swap(right[0], right[1]);
  ArrayRef<Expr> front = ir::shapeOf(program.types[0]).take_front(batch);
  MatrixOperand a = matrixOperand(program, 0, front, left, rank + 1);
  MatrixOperand b = matrixOperand(program, 1, front, right, rank + 1);
  AffineMap out = leadingDims(context, rank + 1, rank);
  return {contract(program, {a.value, b.value}, {a.map, b.map, out})};
}

//===------------------------------------------------------------------------------------------===//
// einsum
//===------------------------------------------------------------------------------------------===//

FailureOr<ir::EinsumEquation> equationOf(ir::EinsumOp op) {
  SmallVector<RankedTensorType> types;
  for (Value input : op.getInputs())
    types.push_back(cast<RankedTensorType>(input.getType()));
  return ir::parseEquation(ir::Rule(op.getContext(), op.getLoc(), op.getOperationName()),
                           op.getEquation(), types);
}

/// A loop for each letter: those of the result, then the others as they come.
std::string loopLetters(const ir::EinsumEquation &equation) {
  std::string letters = equation.output;
  for (const std::string &input : equation.inputs)
    for (char letter : input)
      if (letters.find(letter) == std::string::npos)
        letters.push_back(letter);
  return letters;
}

SmallVector<Value> buildEinsum(ProgramBuilder &program) {
  auto op = cast<ir::EinsumOp>(program.op);
  MLIRContext *context = program.b.getContext();
  ir::EinsumEquation equation = *equationOf(op);
  std::string letters = loopLetters(equation);
  ArrayRef<Expr> result = ir::shapeOf(program.types[0]);
  SmallVector<AffineMap> maps;
  SmallVector<Value> inputs;
  for (auto [i, input] : llvm::enumerate(equation.inputs)) {
    ArrayRef<Expr> dims = ir::shapeOf(program.inputType(unsigned(i)));
    SmallVector<Expr> stretchedDims(dims);
    SmallVector<AffineExpr> exprs;
    bool stretched = false;
    for (auto [d, letter] : llvm::enumerate(input)) {
      auto loop = unsigned(letters.find(letter));
      if (!ir::EinsumEquation::isBroadcast(letter)) {
        exprs.push_back(getAffineDimExpr(loop, context));
        continue;
      }
      exprs.push_back(broadcastLoop(dims[d], result[loop], loop, context, stretched));
      if (isa<AffineDimExpr>(exprs.back()))
        stretchedDims[d] = result[loop];
    }
    maps.push_back(AffineMap::get(unsigned(letters.size()), 0, exprs, context));
    inputs.push_back(stretched ? stretch(program, program.inputs[i], stretchedDims)
                               : program.inputs[i]);
  }
  maps.push_back(leadingDims(context, unsigned(letters.size()), unsigned(equation.output.size())));
  return {contract(program, inputs, maps)};
}

/// More than two operands, without dimensions that broadcast, and without a rounding between.
bool isLongProduct(Operation *op) {
  auto einsum = cast<ir::EinsumOp>(op);
  Type element = getElementTypeOrSelf(einsum.getResult().getType());
  return einsum.getInputs().size() > 2 && !einsum.getEquation().contains("...") &&
         !einsum.getResultType() &&
         getElementTypeOrSelf(einsum.getInputs()[0].getType()) == element &&
         accumulatorOf(element) == element;
}

/// The first two operands become one, which has the letters that are still needed.
LogicalResult decomposeEinsum(OpBuilder &b, Operation *op, SmallVectorImpl<Value> &values) {
  auto einsum = cast<ir::EinsumOp>(op);
  FailureOr<ir::EinsumEquation> equation = equationOf(einsum);
  if (failed(equation))
    return failure();
  std::string later = equation->output;
  for (const std::string &input : ArrayRef(equation->inputs).drop_front(2))
    later += input;
  std::string kept;
  for (char letter : equation->inputs[0] + equation->inputs[1])
    if (later.find(letter) != std::string::npos && kept.find(letter) == std::string::npos)
      kept.push_back(letter);
  std::string first = equation->inputs[0] + "," + equation->inputs[1] + "->" + kept;
  std::string rest = kept;
  for (const std::string &input : ArrayRef(equation->inputs).drop_front(2))
    rest += "," + input;
  rest += "->" + equation->output;
  FailureOr<ir::EinsumOp> product =
      ir::createDeduced<ir::EinsumOp>(b, op->getLoc(), einsum.getInputs().take_front(2),
                                      b.getNamedAttr("equation", b.getStringAttr(first)));
  if (failed(product))
    return failure();
  SmallVector<Value> inputs = {product->getResult()};
  llvm::append_range(inputs, einsum.getInputs().drop_front(2));
  FailureOr<ir::EinsumOp> result = ir::createDeduced<ir::EinsumOp>(
      b, op->getLoc(), inputs, b.getNamedAttr("equation", b.getStringAttr(rest)));
  if (failed(result))
    return failure();
  values.push_back(result->getResult());
  return success();
}

} // namespace

ArrayRef<ProgramEntry> matrixPrograms() {
  static const ProgramEntry entries[] = {
      {"relax.matmul", buildMatmul},
      {"relax.einsum", buildEinsum},
  };
  return entries;
}

ArrayRef<DecompositionEntry> matrixDecompositions() {
  static const DecompositionEntry entries[] = {
      {"relax.einsum", decomposeEinsum, isLongProduct},
  };
  return entries;
}

} // namespace relax::kernels
