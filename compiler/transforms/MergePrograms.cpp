#include "compiler/transforms/MergePrograms.h"

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/KernelKind.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/ReshapeOpsUtils.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

/// Names of merged programs stay readable up to this length.
constexpr size_t maxNameLength = 60;

using Renaming = std::map<std::string, Expr>;

/// The values of a program's own symbols in terms of the merged program's.
Renaming symbolValues(ir::CallKernelOp call, func::FuncOp program, const Renaming &renaming) {
  Renaming values;
  auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr);
  if (!names)
    return values;
  for (auto [name, value] : llvm::zip(names, call.getSymbols()))
    values[cast<StringAttr>(name).str()] =
        symbolic::substitute(cast<ir::ExprAttr>(value).getExpr(), renaming);
  return values;
}

/// Drops the sizes of a tensor.empty that are constants in its type to be.
void keepDynamicSizes(tensor::EmptyOp empty, RankedTensorType type) {
  SmallVector<Value> sizes;
  for (int64_t axis = 0, next = 0; axis != type.getRank(); ++axis)
    if (empty.getType().isDynamicDim(static_cast<unsigned>(axis))) {
      Value size = empty.getDynamicSizes()[static_cast<size_t>(next++)];
      if (type.isDynamicDim(static_cast<unsigned>(axis)))
        sizes.push_back(size);
    }
  empty.getDynamicSizesMutable().assign(sizes);
}

/// Rewrites every type and attribute of `op` and below with `values` for symbols.
void substituteIn(Operation *op, const Renaming &values) {
  op->walk([&](Operation *inner) {
    if (auto empty = dyn_cast<tensor::EmptyOp>(inner))
      keepDynamicSizes(empty, cast<RankedTensorType>(ir::substitute(empty.getType(), values)));
    for (Value result : inner->getResults())
      result.setType(ir::substitute(result.getType(), values));
    for (Region &region : inner->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(ir::substitute(argument.getType(), values));
    inner->setAttrs(cast<DictionaryAttr>(ir::substitute(inner->getAttrDictionary(), values)));
  });
}

/// Which dimensions of the finer shape make each one of the coarser.
std::optional<SmallVector<ReassociationIndices>> splitDims(ArrayRef<Expr> coarse,
                                                           ArrayRef<Expr> fine) {
  SmallVector<ReassociationIndices> result;
  size_t next = 0;
  for (Expr dim : coarse) {
    ReassociationIndices group;
    if (next == fine.size() || !dim)
      return std::nullopt;
    Expr product = fine[next];
    group.push_back(int64_t(next++));
    while (product != dim && next < fine.size()) {
      product = product * fine[next];
      group.push_back(int64_t(next++));
    }
    // Of no elements, whatever the others are: MLIR can't say that a product of sizes is 0.
    if (product != dim || (dim.isConstant(0) && group.size() > 1))
      return std::nullopt;
    result.push_back(group);
  }
  // Dimensions of 1 that are left belong to the last one.
  for (; next < fine.size() && !result.empty(); ++next) {
    if (!fine[next].isConstant(1))
      return std::nullopt;
    result.back().push_back(int64_t(next));
  }
  return next == fine.size() ? std::optional(result) : std::nullopt;
}

ArrayRef<Expr> shapeOf(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type ? ir::shapeOf(type) : ArrayRef<Expr>();
}

class Merger {
public:
  Merger(const KernelGroup &group, const SymbolTable &table)
      : group(group), table(table), inputs(group.inputs()) {}

  MergedProgram run() {
    MLIRContext *context = group.ops.front()->getContext();
    SymbolNames names;
    for (ir::CallKernelOp call : group.calls())
      for (Attribute attribute : call.getSymbols())
        appendSymbols(cast<ir::ExprAttr>(attribute).getExpr(), names);
    // A view may name what no program needs.
    for (Operation *op : group.ops)
      for (Expr dim : shapeOf(op->getResult(0)))
        if (dim)
          appendSymbols(dim, names);
    KernelSymbols symbols = nameKernelSymbols(context, names);
    renaming = symbols.renaming;
    Location loc = group.ops.back()->getLoc();
    OpBuilder b(context);
    auto merged = func::FuncOp::create(loc, group.name(),
                                       b.getFunctionType(rename(inputs), rename(group.results)));
    merged.setPrivate();
    merged->setAttr(ir::RelaxDialect::kernelAttr, b.getUnitAttr());
    merged->setAttr(ir::RelaxDialect::kernelSymbolsAttr, symbols.own);
    Block *body = merged.addEntryBlock();
    b.setInsertionPointToEnd(body);
    for (auto [input, argument] : llvm::zip_equal(inputs, body->getArguments()))
      values.map(input, argument);
    for (Operation *op : group.ops) {
      if (auto call = dyn_cast<ir::CallKernelOp>(op))
        cloneBody(b, call);
      else
        values.map(op->getResult(0), reshape(b, cast<ir::ReshapeOp>(op)));
    }
    SmallVector<Value> results;
    for (Value result : group.results)
      results.push_back(values.lookup(result));
    func::ReturnOp::create(b, loc, results);
    foldUnitDims(merged);
    merged->setAttr(ir::RelaxDialect::kindAttr, b.getStringAttr(kindName(classify(merged))));
    return {merged, inputs, symbols.values, donates(b)};
  }

private:
  SmallVector<Type> rename(ValueRange tensors) {
    return llvm::map_to_vector(
        tensors, [&](Value v) { return ir::signless(ir::substitute(v.getType(), renaming)); });
  }

  void cloneBody(OpBuilder &b, ir::CallKernelOp call) {
    auto program = table.lookup<func::FuncOp>(call.getCallee());
    Renaming own = symbolValues(call, program, renaming);
    IRMapping mapping;
    for (auto [argument, input] : llvm::zip_equal(program.getArguments(), call.getInputs()))
      mapping.map(argument, values.lookup(input));
    Block &body = program.getBody().front();
    for (Operation &op : body.without_terminator())
      substituteIn(b.clone(op, mapping), own);
    for (auto [result, value] :
         llvm::zip_equal(call.getResults(), body.getTerminator()->getOperands()))
      values.map(result, mapping.lookupOrDefault(value));
  }

  Value reshape(OpBuilder &b, ir::ReshapeOp op) {
    Location loc = op.getLoc();
    Value source = values.lookup(op->getOperand(0));
    auto type = cast<RankedTensorType>(rename(ValueRange{op->getResult(0)}).front());
    if (source.getType() == type)
      return source;
    ArrayRef<Expr> from = shapeOf(source), to = ir::shapeOf(type);
    if (to.size() < from.size())
      return tensor::CollapseShapeOp::create(b, loc, type, source, *splitDims(to, from));
    SmallVector<OpFoldResult> sizes;
    for (Expr dim : to) {
      if (dim.isConstant())
        sizes.push_back(b.getIndexAttr(dim.constantValue()));
      else
        sizes.push_back(ir::SymbolValueOp::create(b, loc, b.getIndexType(),
                                                  ir::ExprAttr::get(b.getContext(), dim))
                            .getResult());
    }
    return tensor::ExpandShapeOp::create(b, loc, type, source, *splitDims(from, to), sizes);
  }

  /// Takes dimensions of 1 that a reshape put there out again: a mean whose dimension was kept is a
  /// tensor of rows, also after what is done to each of its elements.
  static void foldUnitDims(func::FuncOp program) {
    SmallVector<linalg::GenericOp> ops;
    program.walk([&](linalg::GenericOp op) { ops.push_back(op); });
    for (linalg::GenericOp op : ops) {
      readWithoutUnitDims(op);
      computeWithoutUnitDims(op);
    }
    for (Operation &op : llvm::make_early_inc_range(llvm::reverse(program.getBody().front())))
      if (isa<tensor::ExpandShapeOp, tensor::EmptyOp, ir::SymbolValueOp, linalg::GenericOp>(op) &&
          op.use_empty())
        op.erase();
  }

  /// Which dimension of the result each dimension of the source is, if a reshape only adds
  /// dimensions of 1.
  static std::optional<SmallVector<int64_t>> keptDims(tensor::ExpandShapeOp expand) {
    SmallVector<int64_t> kept;
    for (ArrayRef<int64_t> dims : expand.getReassociationIndices()) {
      SmallVector<int64_t> others;
      for (int64_t dim : dims)
        if (expand.getResultType().getDimSize(dim) != 1)
          others.push_back(dim);
      if (others.size() != 1)
        return std::nullopt;
      kept.push_back(others[0]);
    }
    return kept;
  }

  /// An operand that is read at 0 of such dimensions is read without them.
  static void readWithoutUnitDims(linalg::GenericOp op) {
    SmallVector<AffineMap> maps = op.getIndexingMapsArray();
    for (OpOperand *input : op.getDpsInputOperands()) {
      auto expand = input->get().getDefiningOp<tensor::ExpandShapeOp>();
      std::optional<SmallVector<int64_t>> kept =
          expand ? keptDims(expand) : std::optional<SmallVector<int64_t>>();
      if (!kept)
        continue;
      AffineMap &map = maps[input->getOperandNumber()];
      bool atZero = llvm::all_of(llvm::enumerate(map.getResults()), [&](auto each) {
        return llvm::is_contained(*kept, int64_t(each.index())) ||
               isa<AffineConstantExpr>(each.value());
      });
      if (!atZero)
        continue;
      SmallVector<AffineExpr> exprs;
      for (int64_t dim : *kept)
        exprs.push_back(map.getResult(unsigned(dim)));
      map = AffineMap::get(map.getNumDims(), 0, exprs, op.getContext());
      input->set(expand.getSrc());
    }
    op.setIndexingMapsAttr(Builder(op.getContext()).getAffineMapArrayAttr(maps));
  }

  /// An op that makes each element from those at the same place of tensors with such dimensions is
  /// done before they are added.
  static void computeWithoutUnitDims(linalg::GenericOp op) {
    auto isInPlace = [&](OpOperand &operand) {
      return op.getMatchingIndexingMap(&operand).isIdentity();
    };
    if (op.getNumResults() != 1 || op.getNumReductionLoops() > 0 || op.getNumDpsInputs() == 0 ||
        !llvm::all_of(op->getOpOperands(), isInPlace) || op.hasIndexSemantics() ||
        !op.getDpsInitOperand(0)->get().getDefiningOp<tensor::EmptyOp>())
      return;
    tensor::ExpandShapeOp first;
    SmallVector<Value> sources;
    for (Value input : op.getDpsInputs()) {
      auto expand = input.getDefiningOp<tensor::ExpandShapeOp>();
      if (!expand || !keptDims(expand) ||
          (first && ir::shapeOf(expand.getSrcType()) != ir::shapeOf(first.getSrcType())))
        return;
      if (!first)
        first = expand;
      sources.push_back(expand.getSrc());
    }
    OpBuilder b(op);
    Location loc = op.getLoc();
    auto type = cast<RankedTensorType>(op.getResult(0).getType());
    ArrayRef<Expr> shape = ir::shapeOf(first.getSrcType());
    RankedTensorType rows = ir::tensorType(b.getContext(), shape, type.getElementType());
    SmallVector<Value> sizes;
    for (Expr dim : shape)
      if (!dim.isConstant())
        sizes.push_back(ir::SymbolValueOp::create(b, loc, dim));
    Value empty = tensor::EmptyOp::create(b, loc, rows, sizes);
    AffineMap identity = AffineMap::getMultiDimIdentityMap(unsigned(shape.size()), b.getContext());
    auto computed = linalg::GenericOp::create(
        b, loc, TypeRange{rows}, sources, ValueRange{empty},
        SmallVector<AffineMap>(sources.size() + 1, identity),
        SmallVector<utils::IteratorType>(shape.size(), utils::IteratorType::parallel));
    IRMapping mapping;
    op.getRegion().cloneInto(&computed.getRegion(), mapping);
    Operation *expanded = b.clone(*first);
    expanded->setOperand(0, computed.getResult(0));
    expanded->getResult(0).setType(type);
    op.replaceAllUsesWith(expanded);
  }

  DenseI64ArrayAttr donates(OpBuilder &b) {
    SmallVector<int64_t> result;
    for (Value value : group.results) {
      int64_t operand = -1;
      auto call = value.getDefiningOp<ir::CallKernelOp>();
      unsigned number = cast<OpResult>(value).getResultNumber();
      if (std::optional<ArrayRef<int64_t>> own = call ? call.getDonates() : std::nullopt)
        if (number < own->size() && (*own)[number] >= 0)
          operand = llvm::find(inputs, call.getInputs()[(*own)[number]]) - inputs.begin();
      result.push_back(operand);
    }
    bool any = llvm::any_of(result, [](int64_t operand) { return operand >= 0; });
    return any ? b.getDenseI64ArrayAttr(result) : DenseI64ArrayAttr();
  }

  const KernelGroup &group;
  const SymbolTable &table;
  SmallVector<Value> inputs;
  Renaming renaming;
  IRMapping values; ///< From values of the graph to those of the program.
};

} // namespace

bool isFusibleReshape(ir::ReshapeOp reshape) {
  ArrayRef<Expr> from = shapeOf(reshape->getOperand(0)), to = shapeOf(reshape->getResult(0));
  if (llvm::is_contained(from, Expr()) || llvm::is_contained(to, Expr()) || from.empty() ||
      to.empty())
    return false;
  return to == from ||
         (to.size() != from.size() && (to.size() < from.size() ? splitDims(to, from).has_value()
                                                               : splitDims(from, to).has_value()));
}

SmallVector<Value> KernelGroup::inputs() const {
  llvm::SetVector<Value> result;
  llvm::DenseSet<Operation *> inside(ops.begin(), ops.end());
  for (Operation *op : ops)
    for (Value operand : op->getOperands())
      if (!operand.getDefiningOp() || !inside.contains(operand.getDefiningOp()))
        result.insert(operand);
  return result.takeVector();
}

SmallVector<ir::CallKernelOp> KernelGroup::calls() const {
  SmallVector<ir::CallKernelOp> result;
  for (Operation *op : ops)
    if (auto call = dyn_cast<ir::CallKernelOp>(op))
      result.push_back(call);
  return result;
}

std::string KernelGroup::name() const {
  std::string name;
  for (ir::CallKernelOp call : calls())
    name += (name.empty() ? "" : "_") + call.getCallee().str();
  if (name.size() > maxNameLength)
    name.resize(maxNameLength);
  return name;
}

MergedProgram mergePrograms(const KernelGroup &group, const SymbolTable &table) {
  return Merger(group, table).run();
}

} // namespace relax::transforms
