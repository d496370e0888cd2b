// Turns shapes that are computed by tensor ops into symbolic shapes.
//
// Before:  %s = relax.shape_of %x : (tensor<?x?x4xf32, [n, m, 4]>) -> !relax.shape<[n, m, 4]>
//          %t = relax.shape_to_tensor %s : … -> tensor<3xi64>
//          %a = relax.take %t, %zero_one : … -> tensor<2xi64>
//          %p = relax.prod %a : … -> tensor<i64>
//          %b = relax.stack %p, %four : … -> tensor<2xi64>
//          %r = relax.tensor_to_shape %b {symbols = ["u", "v"]} : … -> !relax.shape<[u, v]>
//          %y = relax.reshape_to %x, %r : … -> tensor<?x?xf32, [u, v]>
//
// After:   %y = relax.reshape %x : … to tensor<?x4xf32, [n * m, 4]>
//
// The elements of small integer tensors are followed as expressions (ShapeValues.h). Where the
// elements of a shape are known, the shape is made from the expressions, and the symbols that stood
// for them are replaced by them everywhere. So are the symbols that a match_cast gives to
// dimensions that are known. A part of a tuple that is made here is the value that it was made of.
// What only computed shapes is dead then and goes, unless it assumes something of sizes (Guards.h).
// Integer tensors whose elements all turn out constant become constants.
// Tests: tests/ir/transforms/fold-shapes.mlir, fold-shapes-negative.mlir

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/Guards.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/ShapeValues.h"

#include "compiler/symbolic/Prove.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

class Folder {
public:
  Folder(func::FuncOp function, SymbolTable &table)
      : function(function), table(table), context(ir::symbolicContext(function.getContext())),
        values(function.getContext(), factsOf(function)) {
    for (Type type : function.getResultTypes())
      ir::collectSymbols(type, fixed);
    for (Type type : function.getArgumentTypes())
      ir::collectSymbols(type, known);
  }

  LogicalResult run(SymbolTableCollection &tables) {
    for (Block &block : function.getBody())
      run(block);
    eraseDead();
    return changed ? deduceFunction(function, tables) : success();
  }

private:
  static symbolic::Facts factsOf(func::FuncOp function) {
    symbolic::Facts facts;
    // Dimensions aren't negative.
    std::set<std::string> signature;
    for (Type type : function.getArgumentTypes())
      ir::collectSymbols(type, signature);
    for (const std::string &name : signature)
      facts.set(name, {0, std::nullopt, 1});
    function.walk([&](ir::IntroducesSymbols op) {
      SmallVector<ir::IntroducedSymbol> symbols;
      op.getIntroducedSymbols(symbols);
      for (const ir::IntroducedSymbol &symbol : symbols)
        if (!signature.count(symbol.name.str()))
          facts.set(symbol.name.getValue(), {symbol.lo, std::nullopt, 1});
    });
    if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
      for (const ir::SymbolDeclaration &symbol : symbols.getDeclarations())
        facts.set(symbol.name.getValue(), {symbol.lo, symbol.hi, symbol.divisor});
    return facts;
  }

  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (!replaced.empty())
        substituteSymbols(&op, replaced);
      // What became more precise before makes this so, too.
      if (changed && !deduceAgain(&op, table))
        forgetRefuted(&op, fresh, table);
      if (auto erase = dyn_cast<ir::EraseOp>(op); erase && changed) {
        ir::MatchCastOp cast = keepStated(erase);
        values.follow(cast ? cast.getOperation() : erase.getOperation());
        continue;
      }
      if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op);
          introduces && !isa<ir::MatchCastOp>(op)) {
        SmallVector<ir::IntroducedSymbol> symbols;
        introduces.getIntroducedSymbols(symbols);
        for (const ir::IntroducedSymbol &symbol : symbols)
          known.insert(symbol.name.str());
      }
      if (auto convert = dyn_cast<ir::TensorToShapeOp>(op))
        fold(convert);
      else if (auto reshape = dyn_cast<ir::ReshapeToOp>(op))
        fold(reshape);
      else if (auto cast = dyn_cast<ir::MatchCastOp>(op))
        fold(cast);
      else if (auto part = dyn_cast<ir::TupleGetOp>(op))
        fold(part);
      else if (op.getName().getStringRef() == "relax.dynamic_strided_slice")
        foldSlice(&op);
      else
        follow(&op);
      // Still the op that was there, or its successor in folding: what it holds comes next.
    }
  }

  void follow(Operation *op) {
    values.follow(op);
    for (Region &region : op->getRegions())
      for (Block &inner : region)
        run(inner);
    if (auto branch = dyn_cast<ir::IfOp>(op); branch && changed)
      joinBranches(branch);
    if (op->getNumResults() != 1 || isa<arith::ConstantOp>(op) || !isMemoryEffectFree(op) ||
        op->getNumRegions() != 0)
      return;
    Value result = op->getResult(0);
    std::optional<SmallVector<int64_t>> constants = values.constants(result);
    if (!constants)
      return;
    auto type = cast<RankedTensorType>(result.getType());
    SmallVector<Attribute> elements =
        llvm::map_to_vector(*constants, [&](int64_t value) -> Attribute {
          return IntegerAttr::get(type.getElementType(), value);
        });
    OpBuilder b(op);
    auto constant =
        arith::ConstantOp::create(b, op->getLoc(), DenseElementsAttr::get(type, elements));
    values.follow(constant);
    result.replaceAllUsesWith(constant);
    op->erase();
  }

  /// Whether the symbols can be replaced: none of them is the function's own.
  bool areReplaceable(const ir::Bindings &bindings) {
    auto declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr);
    return llvm::none_of(bindings, [&](auto &binding) {
      return fixed.count(binding.first) || (declared && declared.find(binding.first));
    });
  }

  /// From `op` on the symbols are replaced: no earlier op names them, and what follows comes later
  /// in the walk.
  void replace(Operation *op, const ir::Bindings &bindings) {
    changed = true;
    replaced.insert(bindings.begin(), bindings.end());
    substituteSymbols(op, replaced);
  }

  void fold(ir::TensorToShapeOp op) {
    std::optional<ShapeValues::Elements> dims = values.whole(op.getX());
    if (!dims)
      return;
    // A negative size is an error at run time.
    Expr zero = context.constant(0);
    for (Expr dim : *dims)
      if (symbolic::proveLessEqual(zero, dim, values.getFacts()) != symbolic::Proof::Proved)
        return;
    ir::Bindings bindings;
    if (std::optional<ArrayAttr> names = op.getSymbols())
      for (auto [name, dim] : llvm::zip(*names, *dims))
        bindings[cast<StringAttr>(name).str()] = dim;
    if (!areReplaceable(bindings))
      return;
    OpBuilder b(op);
    auto shape = ir::ShapeOp::create(b, op.getLoc(), *dims);
    op.getResult().replaceAllUsesWith(shape);
    op->erase();
    replace(shape, bindings);
    changed = true;
  }

  void fold(ir::ReshapeToOp op) {
    auto shape = cast<ir::ShapeType>(op.getShape().getType());
    auto from = dyn_cast<RankedTensorType>(op.getX().getType());
    if (!from || !shape.hasDims())
      return follow(op);
    OpBuilder b(op);
    auto reshape = ir::ReshapeOp::create(b, op.getLoc(), op.getX(), shape.getDims());
    op.getResult().replaceAllUsesWith(reshape.getResult());
    op->erase();
    values.follow(reshape);
  }

  /// A symbol for a dimension that is known is only another name.
  void fold(ir::MatchCastOp op) {
    auto from = dyn_cast<RankedTensorType>(op.getValue().getType());
    auto to = dyn_cast<RankedTensorType>(op.getType());
    ir::Bindings bindings;
    if (from && to && from.getRank() == to.getRank())
      for (auto [found, stated] : llvm::zip(ir::shapeOf(from), ir::shapeOf(to)))
        if (found && stated && stated.isSymbol() && !known.count(stated.symbolName()) &&
            !found.usesSymbol(stated.symbolName()))
          bindings.try_emplace(stated.symbolName(), found);
    if (!bindings.empty() && areReplaceable(bindings))
      replace(op, bindings);
    std::set<std::string> named;
    ir::collectSymbols(op.getType(), named);
    known.insert(named.begin(), named.end());
    if (op.getValue().getType() == op.getType()) {
      op.getResult().replaceAllUsesWith(op.getValue());
      op->erase();
      return;
    }
    values.follow(op);
  }

  void fold(ir::TupleGetOp op) {
    auto tuple = op.getValue().getDefiningOp<ir::TupleOp>();
    if (!tuple)
      return;
    op.getResult().replaceAllUsesWith(tuple.getValues()[op.getIndex()]);
    op->erase();
    changed = true;
  }

  /// With known starts and ends, a slice has a known extent.
  void foldSlice(Operation *op) {
    std::optional<ShapeValues::Elements> starts = values.whole(op->getOperand(1)),
                                         ends = values.whole(op->getOperand(2));
    auto names = op->getAttrOfType<ArrayAttr>("symbols");
    auto axes = op->getAttrOfType<DenseI64ArrayAttr>("axes");
    if (!starts || !ends || !names || !axes)
      return;
    OpBuilder b(op);
    OperationState state(op->getLoc(), "relax.slice", op->getOperand(0), TypeRange());
    state.addAttribute("axes", axes);
    state.addAttribute("starts", ir::ShapeAttr::get(b.getContext(), *starts));
    state.addAttribute("ends", ir::ShapeAttr::get(b.getContext(), *ends));
    if (Attribute steps = op->getAttr("steps"))
      state.addAttribute("steps", steps);
    state.addTypes(op->getResultTypes());
    Operation *slice = b.create(state);
    Type before = op->getResult(0).getType();
    deduceAgain(slice, table);
    auto type = dyn_cast<RankedTensorType>(slice->getResult(0).getType());
    ir::Bindings bindings;
    if (type)
      for (auto [i, name] : llvm::enumerate(names)) {
        int64_t axis = axes[i] < 0 ? axes[i] + type.getRank() : axes[i];
        bindings[cast<StringAttr>(name).str()] = ir::shapeOf(type)[axis];
      }
    if (!type || type == before || !areReplaceable(bindings) ||
        llvm::any_of(bindings, [](auto &binding) { return !binding.second; })) {
      slice->erase();
      return;
    }
    op->getResult(0).replaceAllUsesWith(slice->getResult(0));
    op->erase();
    replace(slice, bindings);
    values.follow(slice);
  }

  void eraseDead() {
    Assumptions assumptions(function, table);
    function.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      SmallVector<ir::Constraint> assumed;
      bool refused = false;
      op->walk([&](Operation *each) {
        assumptions.collect(each, assumed);
        refused |= isRefused(each);
      });
      if (assumed.empty() && !refused)
        op->erase();
    });
  }

  func::FuncOp function;
  SymbolTable &table;
  symbolic::Context &context;
  ShapeValues values;
  std::set<std::string> fixed; ///< Symbols of the function's result types.
  std::set<std::string> known; ///< Symbols in scope.
  ir::Bindings replaced;       ///< Symbols that went, by what they are.
  std::optional<FreshSymbols> fresh;
  bool changed = false;
};

struct FoldShapes : PassWrapper<FoldShapes, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(FoldShapes)
  StringRef getArgument() const override { return "relax-fold-shapes"; }
  StringRef getDescription() const override {
    return "Turn shapes that are computed by tensor ops into symbolic shapes";
  }
  void getDependentDialects(DialectRegistry &registry) const override {
    registry.insert<arith::ArithDialect>();
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    SymbolTableCollection tables;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && failed(Folder(function, table).run(tables)))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createFoldShapesPass() { return std::make_unique<FoldShapes>(); }

} // namespace relax::transforms
