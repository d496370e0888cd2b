// Splits the sum of a contraction of few results and many products in parts, so that it has work
// for several threads.
//
// Before:  %y = relax.call_kernel @matmul(%x, %w) : (tensor<4x8192xf32>, tensor<8192x64xf32>) -> …
//
// After:   %p = relax.call_kernel @matmul_partial(%x, %w) : … -> tensor<8x4x64xf32>
//          %y = relax.call_kernel @matmul_combine(%p) : (tensor<8x4x64xf32>) -> tensor<4x64xf32>
//
// @matmul_partial is the same contraction with one loop more: of 8 parts of 1024 products each, the
// operands' long dimension seen as 8 by 1024. @matmul_combine adds the parts in order, and does
// what was done to the sums. The partial sums are scratch memory of the contraction that lives in
// its caller, like any tensor there, with its symbolic size.
//
// Order of additions: each part is one chain in the order of k; then the initial value and the
// parts, in order. It depends on the number of products alone, never on threads or on how many rows
// there are: which contractions are split follows from what is known when it is compiled (bounds of
// symbols included), and holds for every call.
//
// Split are sums of products along one loop of constant extent, from `leastProducts` on, if all
// results together are provably at most `mostResults` and make fewer than `enoughTiles` tiles of
// the strategy matmul. The number of parts is the largest power of two up to `mostParts` that
// divides the extent and leaves `leastPart` products each. Tests:
// tests/ir/transforms/split-contractions.mlir, tests/unit/kernels/SplitTest.cpp

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/Passes.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/KernelKind.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::kernels {
namespace {

constexpr int64_t leastProducts = 4096, leastPart = 1024, mostParts = 16;
constexpr int64_t mostResults = 1024, enoughTiles = 8;
/// Rows and columns of a tile of the strategy matmul, about.
constexpr int64_t tileRows = 96, tileColumns = 32;

/// A contraction that can be split.
struct Split {
  linalg::LinalgOp op;
  unsigned loop = 0; ///< Of the products.
  int64_t parts = 0, length = 0;
};

int64_t partsOf(int64_t products) {
  int64_t parts = 1;
  while (2 * parts <= mostParts && products % (2 * parts) == 0 &&
         products / (2 * parts) >= leastPart)
    parts *= 2;
  return parts;
}

/// The extent of a loop, where it is constant.
std::optional<int64_t> constantExtent(linalg::LinalgOp op, unsigned loop) {
  for (OpOperand *input : op.getDpsInputOperands()) {
    AffineMap map = op.getMatchingIndexingMap(input);
    auto position = map.getResultPosition(getAffineDimExpr(loop, op.getContext()));
    auto type = dyn_cast<RankedTensorType>(input->get().getType());
    if (position && type && !type.isDynamicDim(*position))
      return type.getDimSize(*position);
  }
  return std::nullopt;
}

/// The operation that adds to the accumulator; null if the body isn't a sum of products.
Operation *adder(linalg::LinalgOp op) {
  Operation *sum = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp();
  BlockArgument accumulator = op.getBlock()->getArguments().back();
  if (!isa_and_nonnull<arith::AddFOp, arith::AddIOp>(sum) || !accumulator.hasOneUse() ||
      !llvm::is_contained(sum->getOperands(), Value(accumulator)))
    return nullptr;
  return sum;
}

std::optional<Split> matchSplit(func::FuncOp program) {
  if (program.getNumResults() != 1 || !program.getBody().hasOneBlock() ||
      transforms::classify(program) != transforms::KernelKind::OutputFusible)
    return std::nullopt;
  Split split;
  for (auto op : program.getBody().front().getOps<linalg::LinalgOp>()) {
    if (op.getNumReductionLoops() == 0)
      continue;
    if (split.op)
      return std::nullopt;
    split.op = op;
  }
  if (!split.op || split.op.getNumReductionLoops() != 1 || split.op.getNumDpsInits() != 1 ||
      !adder(split.op) || split.op.hasIndexSemantics())
    return std::nullopt;
  SmallVector<unsigned> reductions;
  split.op.getReductionDims(reductions);
  split.loop = reductions[0];
  for (AffineMap map : split.op.getIndexingMapsArray())
    if (!map.isProjectedPermutation())
      return std::nullopt;
  std::optional<int64_t> products = constantExtent(split.op, split.loop);
  if (!products || *products < leastProducts || partsOf(*products) == 1)
    return std::nullopt;
  split.parts = partsOf(*products);
  split.length = *products / split.parts;
  return split;
}

/// Are the contraction's results few in this call, whatever the symbols are?
bool hasFewResults(RankedTensorType sums, const std::map<std::string, Expr> &bindings,
                   const symbolic::Facts &facts) {
  int64_t count = 1, columns = 1, rows = 1;
  ArrayRef<Expr> dims = ir::shapeOf(sums);
  for (auto [i, dim] : llvm::enumerate(dims)) {
    if (!dim)
      return false;
    std::optional<int64_t> most = symbolic::bounds(symbolic::substitute(dim, bindings), facts).hi;
    if (!most || *most > mostResults)
      return false;
    count *= std::max<int64_t>(1, *most);
    if (count > mostResults)
      return false;
    (i + 1 == dims.size() ? columns : rows) *= std::max<int64_t>(1, *most);
  }
  int64_t tiles = ((columns + tileColumns - 1) / tileColumns) * ((rows + tileRows - 1) / tileRows);
  return tiles < enoughTiles;
}

class Splitter {
public:
  Splitter(SymbolTable &table, func::FuncOp program, const Split &split)
      : table(table), program(program), split(split), b(program), loc(program.getLoc()),
        sums(cast<RankedTensorType>(split.op->getResult(0).getType())), partialType(typeOfParts()) {
    makePartial();
    makeCombine();
  }

  void rewrite(ir::CallKernelOp call, const std::map<std::string, Expr> &bindings) {
    OpBuilder at(call);
    auto take = [&](ArrayRef<unsigned> arguments) {
      return llvm::map_to_vector(arguments,
                                 [&](unsigned i) -> Value { return call.getInputs()[i]; });
    };
    Value parts = ir::CallKernelOp::create(at, call.getLoc(),
                                           TypeRange{ir::substitute(partialType, bindings)},
                                           partial.getName(), take(partialArguments),
                                           call.getSymbols(), ArrayAttr(), DenseI64ArrayAttr())
                      ->getResult(0);
    SmallVector<Value> inputs = {parts};
    llvm::append_range(inputs, take(combineArguments));
    auto result =
        ir::CallKernelOp::create(at, call.getLoc(), call->getResultTypes(), combine.getName(),
                                 inputs, call.getSymbols(), ArrayAttr(), DenseI64ArrayAttr());
    call->replaceAllUsesWith(result);
    call->erase();
  }

private:
  RankedTensorType typeOfParts() {
    symbolic::Context &context = ir::symbolicContext(program.getContext());
    SmallVector<Expr> dims = {context.constant(split.parts)};
    llvm::append_range(dims, ir::shapeOf(sums));
    return ir::tensorType(program.getContext(), dims, sums.getElementType());
  }

  /// A program beside the old one, with `inputs` and one result.
  func::FuncOp makeProgram(StringRef suffix, ArrayRef<Type> inputs, Type result) {
    OpBuilder at(program);
    auto made = func::FuncOp::create(at, loc, (program.getName() + suffix).str(),
                                     at.getFunctionType(inputs, {result}));
    made.setPrivate();
    made->setAttr(ir::RelaxDialect::kernelAttr, at.getUnitAttr());
    made->setAttr(ir::RelaxDialect::kernelSymbolsAttr,
                  program->getAttr(ir::RelaxDialect::kernelSymbolsAttr));
    table.insert(made);
    b.setInsertionPointToEnd(made.addEntryBlock());
    return made;
  }

  void finish(func::FuncOp made, Value result) {
    func::ReturnOp::create(b, loc, result);
    made->setAttr(ir::RelaxDialect::kindAttr,
                  b.getStringAttr(transforms::kindName(transforms::classify(made))));
  }

  /// The ops that `roots` need, in order, up to but without the contraction.
  llvm::SetVector<Operation *> opsBehind(ValueRange roots) {
    llvm::SetVector<Operation *> found;
    SmallVector<Value> work(roots);
    while (!work.empty()) {
      Operation *op = work.pop_back_val().getDefiningOp();
      if (!op || op == split.op || !found.insert(op))
        continue;
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (operand.getParentBlock() == &program.getBody().front())
            work.push_back(operand);
      });
    }
    llvm::SetVector<Operation *> ordered;
    for (Operation &op : program.getBody().front())
      if (found.contains(&op))
        ordered.insert(&op);
    return ordered;
  }

  /// The arguments that `ops` and `roots` read.
  SmallVector<unsigned> argumentsOf(const llvm::SetVector<Operation *> &ops, ValueRange roots) {
    std::set<unsigned> numbers;
    auto add = [&](Value value) {
      if (auto argument = dyn_cast<BlockArgument>(value);
          argument && argument.getOwner() == &program.getBody().front())
        numbers.insert(argument.getArgNumber());
    };
    llvm::for_each(roots, add);
    for (Operation *op : ops)
      op->walk([&](Operation *inner) { llvm::for_each(inner->getOperands(), add); });
    return SmallVector<unsigned>(numbers.begin(), numbers.end());
  }

  /// `value` with the long dimension as parts by products.
  Value expand(Value value, unsigned position) {
    auto type = cast<RankedTensorType>(value.getType());
    symbolic::Context &context = ir::symbolicContext(b.getContext());
    SmallVector<Expr> dims;
    SmallVector<ReassociationIndices> groups;
    SmallVector<OpFoldResult> sizes;
    auto push = [&](Expr dim) {
      sizes.push_back(dim.isConstant()
                          ? OpFoldResult(b.getIndexAttr(dim.constantValue()))
                          : OpFoldResult(ir::SymbolValueOp::create(
                                             b, loc, ir::ExprAttr::get(b.getContext(), dim))
                                             .getResult()));
      groups.back().push_back(int64_t(dims.size()));
      dims.push_back(dim);
    };
    for (auto [i, dim] : llvm::enumerate(ir::shapeOf(type))) {
      groups.emplace_back();
      if (i == position) {
        push(context.constant(split.parts));
        push(context.constant(split.length));
      } else {
        push(dim);
      }
    }
    return tensor::ExpandShapeOp::create(
        b, loc, ir::tensorType(b.getContext(), dims, type.getElementType()), value, groups, sizes);
  }

  /// An uninitialised tensor of a type of the program.
  Value makeEmpty(RankedTensorType type) {
    SmallVector<Value> sizes;
    for (Expr dim : ir::shapeOf(type))
      if (!dim.isConstant())
        sizes.push_back(ir::SymbolValueOp::create(b, loc, ir::ExprAttr::get(b.getContext(), dim)));
    return tensor::EmptyOp::create(b, loc, type, sizes);
  }

  void makePartial() {
    SmallVector<Value> factors(split.op.getDpsInputs());
    llvm::SetVector<Operation *> before = opsBehind(factors);
    partialArguments = argumentsOf(before, factors);
    SmallVector<Type> inputs;
    for (unsigned i : partialArguments)
      inputs.push_back(program.getArgumentTypes()[i]);
    partial = makeProgram("_partial", inputs, partialType);
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(partialArguments))
      mapping.map(program.getArgument(number), partial.getArgument(i));
    for (Operation *op : before)
      b.clone(*op, mapping);
    // The loop of parts comes first; the others keep their order.
    MLIRContext *context = b.getContext();
    unsigned loops = split.op.getNumLoops();
    SmallVector<AffineMap> maps;
    SmallVector<Value> operands;
    for (OpOperand *input : split.op.getDpsInputOperands()) {
      SmallVector<AffineExpr> results;
      Value value = mapping.lookup(input->get());
      std::optional<unsigned> position;
      for (auto [i, result] :
           llvm::enumerate(split.op.getMatchingIndexingMap(input).getResults())) {
        unsigned dim = cast<AffineDimExpr>(result).getPosition();
        if (dim == split.loop) {
          position = i;
          results.push_back(getAffineDimExpr(0, context));
        }
        results.push_back(getAffineDimExpr(dim + 1, context));
      }
      operands.push_back(position ? expand(value, *position) : value);
      maps.push_back(AffineMap::get(loops + 1, 0, results, context));
    }
    SmallVector<AffineExpr> out = {getAffineDimExpr(0, context)};
    for (AffineExpr result :
         split.op.getMatchingIndexingMap(split.op.getDpsInitOperand(0)).getResults())
      out.push_back(getAffineDimExpr(cast<AffineDimExpr>(result).getPosition() + 1, context));
    maps.push_back(AffineMap::get(loops + 1, 0, out, context));
    SmallVector<utils::IteratorType> iterators = {utils::IteratorType::parallel};
    llvm::append_range(iterators, split.op.getIteratorTypesArray());
    Value zero = arith::ConstantOp::create(b, loc, b.getZeroAttr(sums.getElementType()));
    Value filled = linalg::FillOp::create(b, loc, zero, makeEmpty(partialType))->getResult(0);
    auto made = linalg::GenericOp::create(b, loc, TypeRange{partialType}, operands, filled, maps,
                                          iterators);
    IRMapping bodyMapping;
    split.op->getRegion(0).cloneInto(&made.getRegion(), bodyMapping);
    finish(partial, made->getResult(0));
  }

  void makeCombine() {
    Value result = program.getBody().front().getTerminator()->getOperand(0);
    Value init = split.op.getDpsInits()[0];
    llvm::SetVector<Operation *> ops = opsBehind({result, init});
    combineArguments = argumentsOf(ops, {result, init});
    SmallVector<Type> inputs = {partialType};
    for (unsigned i : combineArguments)
      inputs.push_back(program.getArgumentTypes()[i]);
    combine = makeProgram("_combine", inputs, program.getResultTypes()[0]);
    IRMapping mapping;
    for (auto [i, number] : llvm::enumerate(combineArguments))
      mapping.map(program.getArgument(number), combine.getArgument(i + 1));
    bool added = false;
    auto add = [&] {
      mapping.map(split.op->getResult(0), addParts(mapping.lookup(init)));
      added = true;
    };
    for (Operation *op : ops) {
      if (!added && split.op->isBeforeInBlock(op))
        add();
      b.clone(*op, mapping);
    }
    if (!added)
      add();
    finish(combine, mapping.lookup(result));
  }

  Value addParts(Value init) {
    MLIRContext *context = b.getContext();
    unsigned rank = sums.getRank();
    SmallVector<AffineExpr> in = {getAffineDimExpr(rank, context)}, out;
    SmallVector<utils::IteratorType> iterators(rank, utils::IteratorType::parallel);
    iterators.push_back(utils::IteratorType::reduction);
    for (unsigned i = 0; i < rank; ++i) {
      in.push_back(getAffineDimExpr(i, context));
      out.push_back(getAffineDimExpr(i, context));
    }
    SmallVector<AffineMap> maps = {AffineMap::get(rank + 1, 0, in, context),
                                   AffineMap::get(rank + 1, 0, out, context)};
    auto made = linalg::GenericOp::create(
        b, loc, TypeRange{sums}, ValueRange{combine.getArgument(0)}, ValueRange{init}, maps,
        iterators, [](OpBuilder &inner, Location where, ValueRange values) {
          Value sum = isa<FloatType>(values[0].getType())
                          ? Value(arith::AddFOp::create(inner, where, values[1], values[0]))
                          : Value(arith::AddIOp::create(inner, where, values[1], values[0]));
          linalg::YieldOp::create(inner, where, sum);
        });
    return made->getResult(0);
  }

  SymbolTable &table;
  func::FuncOp program;
  Split split;
  OpBuilder b;
  Location loc;
  RankedTensorType sums, partialType;
  func::FuncOp partial, combine;
  SmallVector<unsigned> partialArguments, combineArguments;
};

struct SplitContractions : PassWrapper<SplitContractions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitContractions)
  StringRef getArgument() const override { return "relax-split-contractions"; }
  StringRef getDescription() const override {
    return "Split long sums of products with few results in parts";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect, linalg::LinalgDialect, tensor::TensorDialect>();
  }

  void runOnOperation() override {
    SymbolTable table(getOperation());
    llvm::MapVector<Operation *, SmallVector<ir::CallKernelOp>> calls;
    llvm::DenseMap<Operation *, symbolic::Facts> facts;
    getOperation().walk([&](ir::CallKernelOp call) {
      if (auto program = table.lookup<func::FuncOp>(call.getCallee());
          program && !program.isDeclaration() && !call.getDonates())
        calls[program].push_back(call);
    });
    for (auto &[op, callers] : calls) {
      auto program = cast<func::FuncOp>(op);
      std::optional<Split> split = matchSplit(program);
      auto sums =
          split ? cast<RankedTensorType>(split->op->getResult(0).getType()) : RankedTensorType();
      if (!split || !llvm::all_of(callers, [&](ir::CallKernelOp call) {
            auto caller = call->getParentOfType<func::FuncOp>();
            auto [it, isNew] = facts.try_emplace(caller);
            if (isNew)
              it->second = transforms::factsAt(caller);
            return hasFewResults(sums, bindings(program, call), it->second);
          }))
        continue;
      Splitter splitter(table, program, *split);
      for (ir::CallKernelOp call : callers)
        splitter.rewrite(call, bindings(program, call));
      if (SymbolTable::symbolKnownUseEmpty(program, getOperation()))
        table.erase(program);
    }
  }

  static std::map<std::string, Expr> bindings(func::FuncOp program, ir::CallKernelOp call) {
    std::map<std::string, Expr> values;
    if (auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr))
      for (auto [name, value] : llvm::zip(names, call.getSymbols()))
        values[cast<StringAttr>(name).str()] = cast<ir::ExprAttr>(value).getExpr();
    return values;
  }
};

} // namespace

std::unique_ptr<Pass> createSplitContractionsPass() {
  return std::make_unique<SplitContractions>();
}

} // namespace relax::kernels
