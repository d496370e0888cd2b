// Structured ops: a loop nest around a body, which is first turned into a list of steps on numbered
// places, so that an element costs a few calls and no look-up.

#include "compiler/interpreter/Evaluator.h"
#include "compiler/interpreter/Scalars.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::interpreter {

namespace {

int64_t evaluateAffine(AffineExpr expr, ArrayRef<int64_t> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return constant.getValue();
  auto binary = cast<AffineBinaryOpExpr>(expr);
  int64_t a = evaluateAffine(binary.getLHS(), dims), b = evaluateAffine(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return a + b;
  case AffineExprKind::Mul:
    return a * b;
  case AffineExprKind::Mod:
    return b > 0 ? llvm::mod(a, b) : 0;
  case AffineExprKind::FloorDiv:
    return b > 0 ? llvm::divideFloorSigned(a, b) : 0;
  case AffineExprKind::CeilDiv:
    return b > 0 ? llvm::divideCeilSigned(a, b) : 0;
  default:
    return 0;
  }
}

/// Where an operand's element is at an iteration. If the map has only loops and constants, it is
/// found by strides, and lies inside: each loop's extent is the operand's.
class Access {
public:
  Access(const Tensor &tensor, AffineMap map) : tensor(tensor), map(map) {
    int64_t stride = 1;
    for (unsigned axis = map.getNumResults(); axis-- != 0;) {
      int64_t size = tensor.dims[axis];
      AffineExpr result = map.getResult(axis);
      if (auto dim = dyn_cast<AffineDimExpr>(result))
        strides.push_back({dim.getPosition(), stride});
      else if (auto constant = dyn_cast<AffineConstantExpr>(result);
               constant && constant.getValue() >= 0 && constant.getValue() < size)
        base += constant.getValue() * stride;
      else
        general = true;
      stride *= size;
    }
  }

  /// The place of the element; -1 where it is outside.
  int64_t place(ArrayRef<int64_t> iteration) const {
    if (general)
      return placeOf(tensor.dims, indices(iteration));
    int64_t place = base;
    for (auto [dim, stride] : strides)
      place += iteration[dim] * stride;
    return place;
  }
  SmallVector<int64_t> indices(ArrayRef<int64_t> iteration) const {
    SmallVector<int64_t> list;
    for (AffineExpr result : map.getResults())
      list.push_back(evaluateAffine(result, iteration));
    return list;
  }

private:
  const Tensor &tensor;
  AffineMap map;
  bool general = false;
  int64_t base = 0;
  SmallVector<std::pair<unsigned, int64_t>, 4> strides;
};

} // namespace

class PlaceReader;

/// The body of one structured op. Place i < number of operands is block argument i.
class Body {
public:
  Body(Evaluator &evaluator, Block &block, Frame &frame)
      : evaluator(evaluator), block(block), frame(frame) {}

  Status compile() {
    for (BlockArgument argument : block.getArguments())
      places[argument] = newPlace();
    RELAX_RETURN_IF_ERROR(compile(block, steps));
    for (mlir::Value value : block.getTerminator()->getOperands())
      yielded.push_back(placeFor(value));
    return {};
  }

  /// Computes the body; `numbers` begins with the block's arguments.
  Status run(ArrayRef<int64_t> iteration) { return run(steps, iteration); }

  std::vector<Scalar> numbers;
  SmallVector<unsigned> yielded;

private:
  struct Step {
    enum Kind { Compute, Index, Extract, Look, Branch } kind = Compute;
    Operation *op = nullptr;
    unsigned result = 0; ///< Of a branch: the place of its first result; the others follow.
    SmallVector<unsigned, 4> operands;
    ScalarFunction function = nullptr;
    unsigned dimension = 0;
    const Tensor *tensor = nullptr;
    std::shared_ptr<PlaceReader> reader; ///< Of a look-up in a tensor that is lazy.
    Type rounded;                        ///< Null for none.
    /// Of a branch: what each arm does, then otherwise, and the places of what it yields.
    std::vector<Step> arms[2];
    SmallVector<unsigned, 2> yields[2];
  };

  Status run(const std::vector<Step> &list, ArrayRef<int64_t> iteration) {
    for (const Step &step : list) {
      Scalar &result = numbers[step.result];
      switch (step.kind) {
      case Step::Branch: {
        int arm = numbers[step.operands.front()].integer ? 0 : 1;
        RELAX_RETURN_IF_ERROR(run(step.arms[arm], iteration));
        for (auto [i, place] : llvm::enumerate(step.yields[arm]))
          numbers[step.result + i] = numbers[place];
        break;
      }
      case Step::Compute: {
        Scalar operands[4];
        for (size_t i = 0; i != step.operands.size(); ++i)
          operands[i] = numbers[step.operands[i]];
        result = step.function(step.op, operands);
        if (step.rounded)
          result.real = roundResult(result.real, step.rounded, evaluator.options.rounding);
        break;
      }
      case Step::Index:
        result = integerScalar(iteration[step.dimension]);
        break;
      case Step::Extract: {
        SmallVector<int64_t, 4> indices;
        for (unsigned place : step.operands)
          indices.push_back(numbers[place].integer);
        int64_t place = placeOf(step.tensor->dims, indices);
        if (place < 0)
          return Evaluator::error(step.op, "reads at " + dimsText(indices) +
                                               " of a tensor of shape " +
                                               dimsText(step.tensor->dims));
        result = step.tensor->elements[static_cast<size_t>(place)];
        break;
      }
      case Step::Look:
        RELAX_RETURN_IF_ERROR(look(step));
        break;
      }
    }
    return {};
  }

  Status look(const Step &step);

  unsigned newPlace() {
    numbers.push_back(integerScalar(0));
    return static_cast<unsigned>(numbers.size() - 1);
  }

  /// The place of a value of the body, or of a number from outside.
  unsigned placeFor(mlir::Value value) {
    auto [it, inserted] = places.try_emplace(value, 0);
    if (inserted) {
      unsigned place = newPlace();
      places[value] = place;
      numbers[place] = evaluator.at(value, frame).scalar();
      return place;
    }
    return it->second;
  }

  Status compile(Block &ops, std::vector<Step> &list) {
    for (Operation &op : ops.without_terminator())
      RELAX_RETURN_IF_ERROR(compile(&op, list));
    return {};
  }

  Status compileBranch(scf::IfOp branch, Step &step) {
    step.kind = Step::Branch;
    step.operands.push_back(placeFor(branch.getCondition()));
    for (auto [arm, region] : llvm::enumerate(branch->getRegions())) {
      if (region.empty())
        continue;
      RELAX_RETURN_IF_ERROR(compile(region.front(), step.arms[arm]));
      for (mlir::Value value : region.front().getTerminator()->getOperands())
        step.yields[arm].push_back(placeFor(value));
    }
    return {};
  }

  Status makeReader(const std::shared_ptr<LazyTensor> &lazy, Step &step);

  Status compile(Operation *op, std::vector<Step> &list) {
    Step step;
    step.op = op;
    if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
      unsigned place = newPlace();
      numbers[place] = scalarOf(constant.getValue());
      places[constant] = place;
      return {};
    }
    if (auto symbol = dyn_cast<ir::SymbolValueOp>(op)) {
      Expected<int64_t> value =
          evaluator.evaluate(op->getLoc(), symbol.getExpr().getExpr(), frame.symbols);
      if (!value)
        return value.takeStatus();
      unsigned place = newPlace();
      numbers[place] = integerScalar(*value);
      places[symbol] = place;
      return {};
    }
    if (auto dim = dyn_cast<tensor::DimOp>(op)) {
      std::optional<int64_t> index = dim.getConstantIndex();
      const Tensor &source = evaluator.tensorAt(dim.getSource(), frame);
      if (!index || *index < 0 || *index >= static_cast<int64_t>(source.dims.size()))
        return Evaluator::error(op, "expected a constant index of a dimension");
      unsigned place = newPlace();
      numbers[place] = integerScalar(source.dims[static_cast<size_t>(*index)]);
      places[dim] = place;
      return {};
    }
    if (auto index = dyn_cast<linalg::IndexOp>(op)) {
      step.kind = Step::Index;
      step.dimension = static_cast<unsigned>(index.getDim());
    } else if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      for (mlir::Value i : extract.getIndices())
        step.operands.push_back(placeFor(i));
      if (auto it = frame.lazy.find(extract.getTensor()); it != frame.lazy.end()) {
        step.kind = Step::Look;
        RELAX_RETURN_IF_ERROR(makeReader(it->second, step));
      } else {
        step.kind = Step::Extract;
        step.tensor = &evaluator.tensorAt(extract.getTensor(), frame);
      }
    } else if (auto branch = dyn_cast<scf::IfOp>(op)) {
      RELAX_RETURN_IF_ERROR(compileBranch(branch, step));
    } else if (auto *function = scalarFunctionFor(op); function && op->getNumOperands() <= 4) {
      step.function = function;
      for (mlir::Value operand : op->getOperands())
        step.operands.push_back(placeFor(operand));
      if (evaluator.options.rounding != Rounding::None)
        step.rounded = roundedType(op);
    } else {
      return Evaluator::error(op, "the interpreter doesn't know this op in a body");
    }
    step.result = static_cast<unsigned>(numbers.size());
    for (mlir::Value result : op->getResults())
      places[result] = newPlace();
    list.push_back(std::move(step));
    return {};
  }

  Evaluator &evaluator;
  Block &block;
  Frame &frame;
  llvm::DenseMap<mlir::Value, unsigned> places;
  std::vector<Step> steps;
};

/// Computes single elements of a lazy tensor.
class PlaceReader {
public:
  PlaceReader(Evaluator &evaluator, std::shared_ptr<LazyTensor> lazy)
      : lazy(std::move(lazy)), frame(this->lazy->frame),
        body(evaluator, *this->lazy->op.getBlock(), frame) {}

  Status prepare(Evaluator &evaluator) {
    linalg::LinalgOp op = lazy->op;
    for (OpOperand *input : op.getDpsInputOperands()) {
      const Value &value = evaluator.at(input->get(), frame);
      if (value.isTensor())
        accesses.emplace_back(std::in_place, *value.tensor(), op.getMatchingIndexingMap(input));
      else
        accesses.emplace_back(std::nullopt);
    }
    for (symbolic::Expr dim : ir::shapeOf(cast<RankedTensorType>(op->getResult(0).getType()))) {
      Expected<int64_t> size = evaluator.evaluate(op->getLoc(), dim, frame.symbols);
      if (!size)
        return size.takeStatus();
      dims.push_back(*size);
    }
    RELAX_RETURN_IF_ERROR(body.compile());
    for (auto [i, input] : llvm::enumerate(op.getDpsInputs()))
      if (!accesses[i])
        body.numbers[i] = evaluator.at(input, frame).scalar();
    return {};
  }

  /// The element at these indices; its map is the identity.
  Expected<Scalar> read(Evaluator &evaluator, Operation *reader, ArrayRef<int64_t> indices) {
    if (placeOf(dims, indices) < 0)
      return Evaluator::error(reader, "reads at " + dimsText(indices) + " of a tensor of shape " +
                                          dimsText(dims));
    linalg::LinalgOp op = lazy->op;
    RELAX_RETURN_IF_ERROR(evaluator.spend(op, 1));
    for (auto [i, access] : llvm::enumerate(accesses)) {
      if (!access)
        continue;
      int64_t place = access->place(indices);
      const Tensor &tensor = *evaluator.at(op.getDpsInputs()[i], frame).tensor();
      if (place < 0)
        return Evaluator::error(op, "operand " + std::to_string(i) + " of shape " +
                                        dimsText(tensor.dims) + " is read at " +
                                        dimsText(access->indices(indices)));
      body.numbers[i] = tensor.elements[static_cast<size_t>(place)];
    }
    RELAX_RETURN_IF_ERROR(body.run(indices));
    return body.numbers[body.yielded.front()];
  }

private:
  std::shared_ptr<LazyTensor> lazy;
  Frame frame;
  Body body;
  SmallVector<std::optional<Access>, 4> accesses;
  SmallVector<int64_t> dims;
};

Status Body::look(const Step &step) {
  SmallVector<int64_t, 4> indices;
  for (unsigned place : step.operands)
    indices.push_back(numbers[place].integer);
  Expected<Scalar> found = step.reader->read(evaluator, step.op, indices);
  if (!found)
    return found.takeStatus();
  numbers[step.result] = *found;
  return {};
}

Status Body::makeReader(const std::shared_ptr<LazyTensor> &lazy, Step &step) {
  step.reader = std::make_shared<PlaceReader>(evaluator, lazy);
  return step.reader->prepare(evaluator);
}

/// A large tensor, each of whose elements is computed by itself, and of which others look up some.
static bool isLookedUpOnly(linalg::LinalgOp op) {
  constexpr int64_t large = int64_t(1) << 20;
  if (!op.hasPureTensorSemantics() || op->getNumResults() != 1 ||
      op.getNumParallelLoops() != op.getNumLoops())
    return false;
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  if (!type.hasStaticShape() || type.getNumElements() < large ||
      !op.getMatchingIndexingMap(op.getDpsInitOperand(0)).isIdentity() ||
      !op.getBlock()->getArguments().back().use_empty())
    return false;
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    auto reader = user->getParentOfType<linalg::LinalgOp>();
    return isa<tensor::ExtractOp>(user) && reader && reader->getBlock() == op->getBlock();
  });
}

/// Keeps the op for later, with all that it reads: others may take over the values meanwhile.
void Evaluator::postpone(linalg::LinalgOp op, Frame &frame) {
  auto lazy = std::make_shared<LazyTensor>();
  lazy->op = op;
  lazy->frame.symbols = frame.symbols;
  op->walk([&](Operation *inner) {
    for (mlir::Value operand : inner->getOperands()) {
      if (auto it = frame.values.find(operand); it != frame.values.end())
        lazy->frame.values[operand] = it->second;
      if (auto it = frame.lazy.find(operand); it != frame.lazy.end())
        lazy->frame.lazy[operand] = it->second;
    }
  });
  frame.lazy[op->getResult(0)] = std::move(lazy);
}

Status Evaluator::executeLinalg(Operation *structured, Frame &frame) {
  auto op = cast<linalg::LinalgOp>(structured);
  if (isLookedUpOnly(op)) {
    postpone(op, frame);
    return {};
  }
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  size_t numInputs = op.getNumDpsInputs(), numInits = op.getNumDpsInits();
  SmallVector<Value> operands; // Inputs, then results, which start as the inits.
  std::vector<int64_t> extents(op.getNumLoops(), -1);
  for (size_t i = 0; i != numInputs; ++i)
    operands.push_back(at(op.getDpsInputs()[i], frame));
  for (size_t i = 0; i != numInits; ++i)
    operands.push_back(takeTensor(*op.getDpsInitOperand(static_cast<int64_t>(i)), frame));
  for (auto [operand, map] : llvm::zip_equal(operands, maps)) {
    if (!operand.isTensor())
      continue;
    for (auto [axis, result] : llvm::enumerate(map.getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(result)) {
        int64_t size = operand.tensor()->dims[axis];
        int64_t &extent = extents[dim.getPosition()];
        if (extent != -1 && extent != size)
          return error(op, "its operands disagree: loop " + std::to_string(dim.getPosition()) +
                               " has extent " + std::to_string(extent) + " and " +
                               std::to_string(size));
        extent = size;
      }
  }
  if (llvm::is_contained(extents, -1))
    return error(op, "no operand has the extent of every loop");
  Body body(*this, *op.getBlock(), frame);
  RELAX_RETURN_IF_ERROR(body.compile());
  RELAX_RETURN_IF_ERROR(
      spend(op, static_cast<uint64_t>(std::max<int64_t>(elementCount(extents), 0))));
  std::vector<int64_t> iteration(extents.size(), 0);
  SmallVector<std::optional<Access>, 4> accesses;
  for (auto [i, operand] : llvm::enumerate(operands))
    if (operand.isTensor())
      accesses.emplace_back(std::in_place, *operand.tensor(), maps[i]);
    else {
      accesses.emplace_back(std::nullopt);
      body.numbers[i] = operand.scalar();
    }
  bool any = elementCount(extents) > 0;
  while (any) {
    for (auto [i, access] : llvm::enumerate(accesses)) {
      if (!access)
        continue;
      int64_t place = access->place(iteration);
      if (place < 0)
        return error(op, "operand " + std::to_string(i) + " of shape " +
                             dimsText(operands[i].tensor()->dims) + " is read at " +
                             dimsText(access->indices(iteration)));
      body.numbers[i] = operands[i].tensor()->elements[static_cast<size_t>(place)];
    }
    RELAX_RETURN_IF_ERROR(body.run(iteration));
    for (size_t i = 0; i != numInits; ++i) {
      int64_t place = accesses[numInputs + i]->place(iteration);
      operands[numInputs + i].tensor()->elements[static_cast<size_t>(place)] =
          body.numbers[body.yielded[i]];
    }
    any = nextIndices(iteration, extents);
  }
  for (size_t i = 0; i != numInits; ++i)
    frame.values[op->getResult(i)] = std::move(operands[numInputs + i]);
  return {};
}

} // namespace relax::interpreter
