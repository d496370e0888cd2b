#include "compiler/kernels/contraction/ContractionStrategies.h"

#include "compiler/dialect/ops/LikeliestOps.h"
#include "compiler/kernels/Cost.h"
#include "compiler/kernels/EmitUtils.h"
#include "compiler/kernels/PointwiseEmitter.h"
#include "compiler/kernels/RowScalars.h"
#include "compiler/kernels/contraction/Contraction.h"

using namespace mlir;

namespace relax::kernels {
namespace {

/// The only op of kind `Op` in a program; null if there is none or several.
template <typename Op> Op findOnly(func::FuncOp program) {
  Op found;
  for (Op op : program.getBody().front().getOps<Op>()) {
    if (found)
      return {};
    found = op;
  }
  return found;
}

bool areArguments(ValueRange values) {
  return llvm::all_of(values, [](Value value) { return isa<BlockArgument>(value); });
}

Value memrefOf(KernelContext &context, Value argument) {
  return context.input(cast<BlockArgument>(argument).getArgNumber());
}

VectorEmitter makeEmitter(KernelContext &context) {
  return VectorEmitter(context.b, context.loc, vectorUnit(context));
}

/// The matrix of a contraction.
std::optional<ContractionShape> contractionShape(Operation *op, StringRef name, int64_t rows,
                                                 int64_t columns, int64_t planes = 1) {
  const ir::BlockFormat *format = ir::findBlockFormat(op->getContext(), name);
  if (!format || ShapedType::isDynamic(columns) || columns % format->blockSize != 0 ||
      columns % ir::BlockFormat::unitElements != 0)
    return std::nullopt;
  return ContractionShape{packedLayout(*format), rows, columns, planes};
}

/// Can every result be computed from the contraction's element at the same place?
bool hasFusibleEpilogue(func::FuncOp program, Value contraction) {
  auto results = program.getBody().front().getTerminator()->getOperands();
  return llvm::all_of(results, [&](Value result) {
    return result == contraction || (cast<ShapedType>(result.getType()).getShape() ==
                                         cast<ShapedType>(contraction.getType()).getShape() &&
                                     readsOnlyInPlace(result, contraction) &&
                                     PointwiseEmitter::check(result, {contraction}));
  });
}

/// Evaluates the program's results on a contraction's elements and stores them.
class Epilogue {
public:
  Epilogue(KernelContext &context, Value contraction)
      : context(context), pointwise(context), contraction(contraction) {
    for (unsigned i = 0; i < context.numOutputs(); ++i)
      results.push_back(context.result(i));
  }

  void store(const VectorEmitter &e, Value token, Value row, Value value) {
    pointwise.bind(contraction, [=](ArrayRef<Value>, int64_t) { return value; });
    auto vector = dyn_cast<VectorType>(value.getType());
    SmallVector<Value> values =
        pointwise.evaluate(results, {token, row}, vector ? vector.getNumElements() : 1);
    for (auto [i, result] : llvm::enumerate(values)) {
      if (vector && !isa<VectorType>(result.getType()))
        result = e.splat(result, vector.getNumElements());
      e.store(result, context.output(i), {token, row});
    }
  }

private:
  KernelContext &context;
  PointwiseEmitter pointwise;
  Value contraction;
  SmallVector<Value> results;
};

/// Row blocks as units; a product and a sum for each weight and token.
Schedule matmulSchedule(const ContractionShape &shape, symbolic::Expr tokens,
                        symbolic::Context &symbols) {
  return {symbols.constant(shape.layout.rowBlocks(shape.rows)),
          symbols.mul(tokens, symbols.constant(2 * shape.rows * shape.columns))};
}

class QuantizedMatmul final : public KernelStrategy {
public:
  StringRef name() const override { return "quantized-matmul"; }

  bool matches(func::FuncOp program) const override {
    auto op = findOnly<ir::QuantizedMatmulOp>(program);
    return op && areArguments(op->getOperands()) && shapeOf(op) &&
           hasFusibleEpilogue(program, op.getResult());
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findOnly<ir::QuantizedMatmulOp>(context.program);
    VectorEmitter e = makeEmitter(context);
    symbolic::Expr tokens = context.shape(op.getResult())[0];
    QuantizedOperands operands{memrefOf(context, op.getValues()), memrefOf(context, op.getScales()),
                               memrefOf(context, op.getSums()), memrefOf(context, op.getPacked()),
                               context.exprValue(tokens)};
    Epilogue epilogue(context, op.getResult());
    emitQuantizedMatmul(
        e, *shapeOf(op), operands, context.begin(), context.end(),
        [&](Value token, Value row, Value value) { epilogue.store(e, token, row, value); });
    return matmulSchedule(*shapeOf(op), tokens, ir::symbolicContext(op.getContext()));
  }

private:
  static std::optional<ContractionShape> shapeOf(ir::QuantizedMatmulOp op) {
    ArrayRef<int64_t> values = cast<ShapedType>(op.getValues().getType()).getShape();
    std::optional<ContractionShape> shape =
        contractionShape(op, op.getFormat(), op.getRows(), values[2], values[1]);
    bool known = shape && !shape->layout.isFloat() && (values[1] == 1 || values[1] == 2);
    return known ? shape : std::nullopt;
  }
};

class PackedMatmul final : public KernelStrategy {
public:
  StringRef name() const override { return "packed-matmul"; }

  bool matches(func::FuncOp program) const override {
    auto op = findOnly<ir::PackedMatmulOp>(program);
    return op && areArguments(op->getOperands()) && shapeOf(op) &&
           hasFusibleEpilogue(program, op.getResult());
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findOnly<ir::PackedMatmulOp>(context.program);
    VectorEmitter e = makeEmitter(context);
    symbolic::Expr tokens = context.shape(op.getResult())[0];
    PackedOperands operands{memrefOf(context, op.getX()), memrefOf(context, op.getPacked()),
                            context.exprValue(tokens)};
    Epilogue epilogue(context, op.getResult());
    emitPackedMatmul(
        e, *shapeOf(op), operands, context.begin(), context.end(),
        [&](Value token, Value row, Value value) { epilogue.store(e, token, row, value); });
    return matmulSchedule(*shapeOf(op), tokens, ir::symbolicContext(op.getContext()));
  }

private:
  static std::optional<ContractionShape> shapeOf(ir::PackedMatmulOp op) {
    return contractionShape(op, op.getFormat(), op.getRows(),
                            cast<ShapedType>(op.getX().getType()).getDimSize(1));
  }
};

/// Units are tokens. What makes the activations is evaluated on the way: elementwise programs, and
/// reductions of the same row (a normalisation), which come first. Other results of the program
/// have the activations' shape (the residual that is normalised, and needed later): they are stored
/// by the first reduction that reads them, or where their columns are quantised.
class QuantizeActivations final : public KernelStrategy {
public:
  StringRef name() const override { return "quantize-activations"; }

  bool matches(func::FuncOp program) const override {
    auto op = findOnly<ir::QuantizeActivationsOp>(program);
    if (!op || ShapedType::isDynamic(columns(op)) || op.getPlanes() > 2 ||
        !PointwiseEmitter::check(op.getX()))
      return false;
    transforms::RowForm form(program);
    SmallVector<Value> roots = {op.getX()};
    for (Value result : program.getBody().front().getTerminator()->getOperands())
      if (result.getDefiningOp() != op.getOperation())
        roots.push_back(result);
    return (form.allReductions().empty() || form.holds(roots)) &&
           llvm::all_of(ArrayRef(roots).drop_front(), [&](Value root) {
             return ir::shapeOf(cast<RankedTensorType>(root.getType())) ==
                        ir::shapeOf(cast<RankedTensorType>(op.getX().getType())) &&
                    PointwiseEmitter::check(root);
           });
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findOnly<ir::QuantizeActivationsOp>(context.program);
    SmallVector<Value, 3> outputs(3);
    SmallVector<std::pair<Value, Value>> others; // Tensors, and where they are stored.
    for (unsigned i = 0; i < context.numOutputs(); ++i)
      if (Value result = context.result(i); result.getDefiningOp() == op.getOperation())
        outputs[cast<OpResult>(result).getResultNumber()] = context.output(i);
      else
        others.push_back({result, context.output(i)});
    if (llvm::is_contained(outputs, Value()))
      return op.emitError("a program of quantize_activations returns all three of its results");
    VectorEmitter e = makeEmitter(context);
    PointwiseEmitter pointwise(context);
    transforms::RowForm form(context.program);
    SmallVector<Value> roots = {op.getX()};
    for (auto &[tensor, memref] : others)
      roots.push_back(tensor);
    bool reduces = !form.allReductions().empty() && form.holds(roots);
    RowScalars scalars(context, form, pointwise);
    llvm::erase_if(others, [&](auto &other) {
      linalg::LinalgOp reader = firstInPlaceReader(form, other.first);
      if (reader)
        scalars.keep(other.first, reader, other.second);
      return static_cast<bool>(reader);
    });
    auto beginRow = [&](Value token) {
      scalars.unbind();
      if (reduces)
        scalars.bind(token);
    };
    auto source = [&](Value token, Value column) -> Value {
      for (auto &[tensor, memref] : others)
        emitStore(context, pointwise.evaluate(tensor, {token, column}, 32), memref,
                  {token, column});
      return pointwise.evaluate(op.getX(), {token, column}, 32);
    };
    emitQuantizeActivations(e, columns(op), op.getPlanes(), beginRow, source,
                            {outputs[0], outputs[1], outputs[2]}, context.begin(), context.end());
    symbolic::Expr tokens = context.shape(op.getX())[0];
    symbolic::Context &symbols = ir::symbolicContext(op.getContext());
    symbolic::Expr operations = symbols.constant(8 * op.getPlanes() * columns(op));
    for (Operation &inner : context.program.getBody().front())
      if (auto linalgOp = dyn_cast<linalg::LinalgOp>(inner))
        operations = operations + symbols.constant(elementOperations(linalgOp) * columns(op));
    return Schedule{tokens, symbols.mul(tokens, operations)};
  }

private:
  /// The first reduction that reads a tensor at the place where it is; null if none does.
  static linalg::LinalgOp firstInPlaceReader(const transforms::RowForm &form, Value tensor) {
    for (linalg::LinalgOp reduction : form.allReductions())
      for (OpOperand *input : reduction.getDpsInputOperands())
        if (input->get() == tensor && reduction.getMatchingIndexingMap(input).isIdentity())
          return reduction;
    return {};
  }

  static int64_t columns(ir::QuantizeActivationsOp op) {
    return cast<ShapedType>(op.getX().getType()).getDimSize(1);
  }
};

class PackWeights final : public KernelStrategy {
public:
  StringRef name() const override { return "pack-weights"; }

  bool matches(func::FuncOp program) const override {
    auto op = findOnly<ir::PackWeightsOp>(program);
    return op && areArguments(op->getOperands()) && shapeOf(op) && program.getNumResults() == 1 &&
           program.getBody().front().getTerminator()->getOperand(0) == op.getResult();
  }

  FailureOr<Schedule> build(KernelContext &context) const override {
    auto op = findOnly<ir::PackWeightsOp>(context.program);
    ContractionShape shape = *shapeOf(op);
    emitPackWeights(makeEmitter(context), shape, memrefOf(context, op.getBytes()),
                    context.output(0), context.begin(), context.end());
    symbolic::Context &symbols = ir::symbolicContext(op.getContext());
    int64_t blocks = shape.layout.rowBlocks(shape.rows);
    return Schedule{symbols.constant(blocks),
                    symbols.constant(blocks * shape.layout.rowBlockBytes(shape.columns))};
  }

private:
  static std::optional<ContractionShape> shapeOf(ir::PackWeightsOp op) {
    auto type = cast<ShapedType>(op.getBytes().getType());
    const ir::BlockFormat *format = ir::findBlockFormat(op.getContext(), op.getFormat());
    if (!format || !type.hasStaticShape() || type.getDimSize(1) % format->bytesPerBlock != 0)
      return std::nullopt;
    int64_t columns = type.getDimSize(1) / format->bytesPerBlock * format->blockSize;
    std::optional<ContractionShape> shape =
        contractionShape(op, op.getFormat(), type.getDimSize(0), columns);
    if (shape && op->hasAttr(ir::splitAttr))
      shape->layout = splitLayout(*format);
    return shape;
  }
};

} // namespace

VectorUnit vectorUnit(const KernelContext &context) {
  return VectorUnit::fromFeatures(
      [&](StringRef feature) { return context.target.hasFeature(feature); },
      context.target.getVectorBits());
}

const KernelStrategy &quantizedMatmulStrategy() {
  static const QuantizedMatmul strategy;
  return strategy;
}
const KernelStrategy &packedMatmulStrategy() {
  static const PackedMatmul strategy;
  return strategy;
}
const KernelStrategy &quantizeActivationsStrategy() {
  static const QuantizeActivations strategy;
  return strategy;
}
const KernelStrategy &packWeightsStrategy() {
  static const PackWeights strategy;
  return strategy;
}

} // namespace relax::kernels
