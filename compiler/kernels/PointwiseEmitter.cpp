#include "compiler/kernels/PointwiseEmitter.h"

#include "compiler/kernels/BodyEmitter.h"
#include "compiler/kernels/EmitUtils.h"

#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/ErrorHandling.h"

using namespace mlir;

namespace relax::kernels {

bool PointwiseEmitter::Key::operator<(const Key &other) const {
  auto order = [](const LaneValue &v) {
    return std::pair(v.value.getAsOpaquePointer(), static_cast<int>(v.kind));
  };
  if (tensor != other.tensor)
    return tensor.getAsOpaquePointer() < other.tensor.getAsOpaquePointer();
  return std::lexicographical_compare(
      indices.begin(), indices.end(), other.indices.begin(), other.indices.end(),
      [&](const LaneValue &a, const LaneValue &b) { return order(a) < order(b); });
}

void PointwiseEmitter::bind(Value tensor, Binding binding) {
  loopNeeded.clear();
  bindings[tensor] = std::move(binding);
}
void PointwiseEmitter::bindMemref(Value tensor, Value memref) { memrefs[tensor] = memref; }
void PointwiseEmitter::unbind(Value tensor) {
  loopNeeded.clear();
  bindings.erase(tensor);
  memrefs.erase(tensor);
}

void PointwiseEmitter::flatten() {
  flat = true;
  for (BlockArgument argument : context.program.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || type.getRank() == 0)
      continue;
    Value count = context.index(1);
    for (int64_t d = 0; d < type.getRank(); ++d)
      count = context.entry().createOrFold<arith::MulIOp>(context.loc, count, dim(argument, d));
    bindMemref(argument,
               emitReshapedView(context, context.input(argument.getArgNumber()), {count}));
  }
}

SmallVector<Value> PointwiseEmitter::evaluate(ArrayRef<Value> tensors, ArrayRef<Value> indices,
                                              int64_t lanes) {
  this->lanes = lanes;
  scopes.assign(1, Scope());
  SmallVector<LaneValue> position;
  for (auto [i, index] : llvm::enumerate(indices))
    position.push_back(lanes > 1 && i + 1 == indices.size() ? LaneValue::consecutive(index)
                                                            : LaneValue::uniform(index));
  SmallVector<Value> values;
  for (Value tensor : tensors)
    values.push_back(emitVector(context.b, context.loc, value(tensor, position), lanes));
  scopes.clear();
  return values;
}

Value PointwiseEmitter::evaluate(Value tensor, ArrayRef<Value> indices, int64_t lanes) {
  return evaluate(ArrayRef<Value>(tensor), indices, lanes).front();
}

Value PointwiseEmitter::step(linalg::LinalgOp op, ArrayRef<Value> iteration, int64_t lanes,
                             Value accumulator) {
  this->lanes = lanes;
  scopes.assign(1, Scope());
  SmallVector<LaneValue> position;
  for (auto [i, index] : llvm::enumerate(iteration))
    position.push_back(lanes > 1 && i + 1 == iteration.size() ? LaneValue::consecutive(index)
                                                              : LaneValue::uniform(index));
  SmallVector<LaneValue> accumulators = {lanes > 1 ? LaneValue::vector(accumulator)
                                                   : LaneValue::uniform(accumulator)};
  LaneValue next = BodyEmitter(*this, op, position, accumulators).yielded(0);
  scopes.clear();
  return emitVector(context.b, context.loc, next, lanes);
}

LaneValue PointwiseEmitter::value(Value tensor, ArrayRef<LaneValue> indices) {
  Key key{tensor, SmallVector<LaneValue>(indices)};
  for (const Scope &scope : scopes)
    if (auto it = scope.values.find(key); it != scope.values.end())
      return it->second;
  // A reduction that doesn't depend on the loops it is read in is computed before them.
  size_t depth = scopes.size() - 1;
  auto varies = [&](LaneValue index) {
    return scopes[depth].loop->isProperAncestor(index.value.getParentBlock()->getParentOp()) ||
           scopes[depth].loop == index.value.getParentBlock()->getParentOp();
  };
  if (depth > 0 && needsLoop(tensor))
    while (depth > 0 && !scopes[depth].branch && llvm::none_of(indices, varies))
      --depth;
  OpBuilder::InsertionGuard guard(context.b);
  if (depth + 1 < scopes.size())
    context.b.setInsertionPoint(scopes[depth + 1].loop);
  std::vector<Scope> inner(std::make_move_iterator(scopes.begin() + depth + 1),
                           std::make_move_iterator(scopes.end()));
  scopes.resize(depth + 1);
  LaneValue result = compute(tensor, indices);
  scopes.back().values.emplace(std::move(key), result);
  scopes.insert(scopes.end(), std::make_move_iterator(inner.begin()),
                std::make_move_iterator(inner.end()));
  return result;
}

bool PointwiseEmitter::needsLoop(Value tensor) {
  if (auto it = loopNeeded.find(tensor); it != loopNeeded.end())
    return it->second;
  Operation *op = tensor.getDefiningOp();
  bool result = false;
  if (op && !bindings.contains(tensor)) {
    auto linalgOp = dyn_cast<linalg::LinalgOp>(op);
    result = linalgOp && linalgOp.getNumReductionLoops() > 0;
    op->walk([&](Operation *inner) {
      for (Value operand : inner->getOperands())
        result |= isa<RankedTensorType>(operand.getType()) && needsLoop(operand);
    });
  }
  return loopNeeded[tensor] = result;
}

LaneValue PointwiseEmitter::compute(Value tensor, ArrayRef<LaneValue> indices) {
  if (auto it = bindings.find(tensor); it != bindings.end())
    return callBinding(it->second, indices);
  if (auto it = memrefs.find(tensor); it != memrefs.end())
    return load(it->second, indices);
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return load(context.input(argument.getArgNumber()), indices);
  Operation *op = tensor.getDefiningOp();
  if (auto fill = dyn_cast<linalg::FillOp>(op))
    return LaneValue::uniform(scalar(fill.getInputs().front()));
  if (auto linalgOp = dyn_cast<linalg::LinalgOp>(op)) {
    LaneValue result = computeLinalg(linalgOp, cast<OpResult>(tensor).getResultNumber(), indices);
    if (Value memref = stores.lookup(tensor))
      store(result, memref, indices);
    return result;
  }
  if (isa<tensor::EmptyOp>(op)) {
    // Its elements may be anything; zero is as good.
    Type element = cast<RankedTensorType>(tensor.getType()).getElementType();
    return LaneValue::uniform(emitConstant(context, element, 0));
  }
  if (auto constant = dyn_cast<arith::ConstantOp>(op))
    return computeConstant(constant, indices);
  if (auto cast = dyn_cast<tensor::CastOp>(op))
    return value(cast.getSource(), indices);
  if (auto splat = dyn_cast<tensor::SplatOp>(op))
    return LaneValue::uniform(scalar(splat.getInput()));
  if (auto expand = dyn_cast<tensor::ExpandShapeOp>(op))
    return value(expand.getSrc(), expandedSource(expand, indices));
  if (auto collapse = dyn_cast<tensor::CollapseShapeOp>(op))
    return value(collapse.getSrc(), collapsedSource(collapse, indices));
  if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
    return value(slice.getSource(), slicedSource(slice, indices));
  if (OpTrait::hasElementwiseMappableTraits(op))
    return computeElementwise(op, indices);
  llvm::report_fatal_error("the pointwise emitter met an op that its check doesn't allow");
}

LaneValue PointwiseEmitter::computeElementwise(Operation *op, ArrayRef<LaneValue> indices) {
  SmallVector<LaneValue> operands;
  for (Value operand : op->getOperands())
    operands.push_back(isa<RankedTensorType>(operand.getType())
                           ? value(operand, indices)
                           : LaneValue::uniform(scalar(operand)));
  return apply(op, operands);
}

LaneValue PointwiseEmitter::apply(Operation *op, ArrayRef<LaneValue> operands) {
  bool scalarResult = llvm::all_of(operands, [](LaneValue v) { return v.isUniform(); });
  SmallVector<Value> values;
  for (auto [i, operand] : llvm::enumerate(operands)) {
    // A condition that is the same in all lanes stays one bit.
    bool keep = scalarResult || (isa<arith::SelectOp>(op) && i == 0 && operand.isUniform());
    values.push_back(keep ? operand.value : emitVector(context.b, context.loc, operand, lanes));
  }
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  OperationState state(context.loc, op->getName());
  state.addOperands(values);
  state.addTypes(scalarResult ? element : Type(VectorType::get({lanes}, element)));
  state.addAttributes(op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  Value result = context.b.create(state)->getResult(0);
  return scalarResult ? LaneValue::uniform(result) : LaneValue::vector(result);
}

LaneValue PointwiseEmitter::computeConstant(arith::ConstantOp op, ArrayRef<LaneValue> indices) {
  auto elements = cast<DenseElementsAttr>(op.getValue());
  if (elements.isSplat()) {
    auto attribute = cast<TypedAttr>(elements.getSplatValue<Attribute>());
    return LaneValue::uniform(arith::ConstantOp::create(context.b, context.loc, attribute));
  }
  // A table becomes constant data of the module.
  Value &memref = memrefs[op.getResult()];
  auto tensorType = cast<RankedTensorType>(op.getType());
  auto type = MemRefType::get(tensorType.getShape(), tensorType.getElementType());
  auto module = context.kernel->getParentOfType<ModuleOp>();
  OpBuilder b(context.kernel);
  std::string name = context.kernel.getName().str() + ".constant";
  unsigned number = 0;
  while (module.lookupSymbol(name + std::to_string(number)))
    ++number;
  name += std::to_string(number);
  auto plain = RankedTensorType::get(tensorType.getShape(), tensorType.getElementType());
  memref::GlobalOp::create(b, context.loc, name, b.getStringAttr("private"), type,
                           elements.reshape(plain), /*constant=*/true, IntegerAttr());
  memref = memref::GetGlobalOp::create(context.entry(), context.loc, type, name);
  if (flat && type.getRank() > 1)
    memref = emitReshapedView(context, memref, {context.index(type.getNumElements())});
  return load(memref, indices);
}

LaneValue PointwiseEmitter::callBinding(const Binding &binding, ArrayRef<LaneValue> indices) {
  bool uniform = llvm::all_of(indices, [](LaneValue v) { return v.isUniform(); });
  bool leading = indices.empty() ||
                 llvm::all_of(indices.drop_back(), [](LaneValue v) { return v.isUniform(); });
  if (uniform || (leading && indices.back().isConsecutive())) {
    SmallVector<Value> values;
    for (LaneValue index : indices)
      values.push_back(index.value);
    Value result = binding(values, uniform ? 1 : lanes);
    return isa<VectorType>(result.getType()) ? LaneValue::vector(result)
                                             : LaneValue::uniform(result);
  }
  return byLane(indices, [&](ArrayRef<Value> position) { return binding(position, 1); });
}

LaneValue PointwiseEmitter::byLane(ArrayRef<LaneValue> indices,
                                   llvm::function_ref<Value(ArrayRef<Value>)> element) {
  SmallVector<Value> elements;
  for (int64_t lane = 0; lane < lanes; ++lane) {
    SmallVector<Value> position;
    for (LaneValue index : indices)
      position.push_back(emitLane(context.b, context.loc, index, lane));
    elements.push_back(element(position));
  }
  auto type = VectorType::get({lanes}, elements.front().getType());
  return LaneValue::vector(vector::FromElementsOp::create(context.b, context.loc, type, elements));
}

LaneValue PointwiseEmitter::load(Value memref, ArrayRef<LaneValue> indices) {
  bool leading = !indices.empty() &&
                 llvm::all_of(indices.drop_back(), [](LaneValue v) { return v.isUniform(); });
  if (leading && indices.back().isVector())
    if (auto places = laneOffsets(context.b, context.loc, indices.back().value))
      return loadAt(memref, indices.drop_back(), *places);
  return callBinding([&](ArrayRef<Value> position,
                         int64_t count) { return emitLoad(context, memref, position, count); },
                     indices);
}

LaneValue PointwiseEmitter::loadAt(Value memref, ArrayRef<LaneValue> leading,
                                   const LaneOffsets &places) {
  auto read = [&](int64_t offset, int64_t count) {
    SmallVector<Value> position =
        llvm::map_to_vector(leading, [](const LaneValue &index) { return index.value; });
    Value last = context.index(offset);
    if (places.base)
      last = context.b.createOrFold<arith::AddIOp>(context.loc, places.base, last);
    position.push_back(last);
    return emitLoad(context, memref, position, count);
  };
  auto shuffle = [&](Value lhs, Value rhs, ArrayRef<int64_t> mask) {
    return LaneValue::vector(vector::ShuffleOp::create(context.b, context.loc, lhs, rhs, mask));
  };
  auto [least, most] = std::minmax_element(places.offsets.begin(), places.offsets.end());
  int64_t first = *least;
  uint64_t distance = static_cast<uint64_t>(*most) - static_cast<uint64_t>(first);
  auto width = static_cast<uint64_t>(lanes);
  if (distance == 0)
    return LaneValue::uniform(read(first, 1));
  if (distance < width) {
    Value all = read(first, static_cast<int64_t>(distance) + 1);
    return shuffle(all, all, llvm::map_to_vector(places.offsets, [&](int64_t offset) {
                     return offset - first;
                   }));
  }
  if (distance < 2 * width) {
    int64_t second = *most - lanes + 1;
    Value low = read(first, lanes), high = read(second, lanes);
    return shuffle(low, high, llvm::map_to_vector(places.offsets, [&](int64_t offset) {
                     return offset - first < lanes ? offset - first : lanes + offset - second;
                   }));
  }
  SmallVector<Value> elements =
      llvm::map_to_vector(places.offsets, [&](int64_t offset) { return read(offset, 1); });
  auto type = VectorType::get({lanes}, elements.front().getType());
  return LaneValue::vector(vector::FromElementsOp::create(context.b, context.loc, type, elements));
}

void PointwiseEmitter::store(LaneValue value, Value memref, ArrayRef<LaneValue> indices) {
  SmallVector<Value> position;
  bool uniform = true;
  for (LaneValue index : indices) {
    position.push_back(index.value);
    uniform &= index.isUniform();
  }
  int64_t count = uniform ? 1 : lanes;
  emitStore(context, emitVector(context.b, context.loc, value, count), memref, position);
}

LaneValue PointwiseEmitter::laneOp(LaneOp op, LaneValue lhs, LaneValue rhs) {
  return emitLaneOp(context.b, context.loc, op, lhs, rhs, lanes);
}

LaneValue PointwiseEmitter::affine(AffineExpr expr, ArrayRef<LaneValue> dims) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expr))
    return LaneValue::uniform(context.index(constant.getValue()));
  if (auto dim = dyn_cast<AffineDimExpr>(expr))
    return dims[dim.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expr);
  LaneValue lhs = affine(binary.getLHS(), dims), rhs = affine(binary.getRHS(), dims);
  switch (expr.getKind()) {
  case AffineExprKind::Add:
    return laneOp(LaneOp::Add, lhs, rhs);
  case AffineExprKind::Mul:
    return laneOp(LaneOp::Mul, lhs, rhs);
  case AffineExprKind::Mod:
    return laneOp(LaneOp::Mod, lhs, rhs);
  case AffineExprKind::FloorDiv:
    return laneOp(LaneOp::FloorDiv, lhs, rhs);
  case AffineExprKind::CeilDiv:
    return laneOp(LaneOp::CeilDiv, lhs, rhs);
  default:
    llvm::report_fatal_error("an indexing map has a symbol");
  }
}

SmallVector<LaneValue> PointwiseEmitter::mapIndices(AffineMap map, ArrayRef<LaneValue> dims) {
  if (flat)
    return map.getNumResults() == 0 ? SmallVector<LaneValue>() : SmallVector<LaneValue>(dims);
  SmallVector<LaneValue> indices;
  for (AffineExpr expr : map.getResults())
    indices.push_back(affine(expr, dims));
  return indices;
}

LaneValue PointwiseEmitter::computeLinalg(linalg::LinalgOp op, unsigned result,
                                          ArrayRef<LaneValue> indices) {
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result));
  if (flat)
    return BodyEmitter(*this, op, indices, {}).yielded(result);
  SmallVector<LaneValue> iteration(op.getNumLoops());
  for (auto [expr, index] : llvm::zip_equal(map.getResults(), indices))
    if (auto dim = dyn_cast<AffineDimExpr>(expr))
      iteration[dim.getPosition()] = index;
  if (op.getNumReductionLoops() > 0)
    return reduce(op, result, std::move(iteration), indices);
  return BodyEmitter(*this, op, iteration, {}).yielded(result);
}

LaneValue PointwiseEmitter::reduce(linalg::LinalgOp op, unsigned result,
                                   SmallVector<LaneValue> iteration, ArrayRef<LaneValue> indices) {
  bool uniform = llvm::all_of(indices, [](LaneValue v) { return v.isUniform(); });
  auto wrap = [&](Value v) { return uniform ? LaneValue::uniform(v) : LaneValue::vector(v); };
  SmallVector<Value> inits;
  for (OpOperand &init : op.getDpsInitsMutable()) {
    LaneValue first = value(init.get(), mapIndices(op.getMatchingIndexingMap(&init), iteration));
    inits.push_back(uniform ? first.value : emitVector(context.b, context.loc, first, lanes));
  }
  SmallVector<unsigned> loops;
  op.getReductionDims(loops);
  std::function<SmallVector<Value>(size_t, ValueRange)> nest =
      [&](size_t depth, ValueRange carried) -> SmallVector<Value> {
    if (depth == loops.size()) {
      SmallVector<LaneValue> accumulators;
      for (Value v : carried)
        accumulators.push_back(wrap(v));
      BodyEmitter body(*this, op, iteration, accumulators);
      SmallVector<Value> next;
      for (unsigned i = 0; i < carried.size(); ++i) {
        LaneValue yielded = body.yielded(i);
        next.push_back(uniform ? yielded.value
                               : emitVector(context.b, context.loc, yielded, lanes));
      }
      return next;
    }
    auto [operand, dimension] = loopExtent(op, loops[depth]);
    Value extent = dim(operand, dimension);
    return emitLoop(context, context.index(0), extent, context.index(1), carried,
                    [&](Value iv, ValueRange inner) {
                      iteration[loops[depth]] = LaneValue::uniform(iv);
                      // What is computed in the loop is not known behind it.
                      scopes.push_back({iv.getParentBlock()->getParentOp(), false, {}});
                      SmallVector<Value> next = nest(depth + 1, inner);
                      scopes.pop_back();
                      return next;
                    });
  };
  return wrap(nest(0, inits)[result]);
}

} // namespace relax::kernels
