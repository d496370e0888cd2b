// Gives a symbol to each unknown dimension of what is computed with, so that everything has a size
// that the compiler can write down.
//
// Before:  func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
//            %y = relax.exp %x : (tensor<?x4xf32>) -> tensor<?x4xf32>
//            return %y : tensor<?x4xf32>
//
// After:   func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
//            %a = relax.match_cast %x : tensor<?x4xf32> to tensor<?x4xf32, #relax.shape<[arg0_0,
//            4]>> %b = relax.exp %a : … -> tensor<?x4xf32, #relax.shape<[arg0_0, 4]>> %y =
//            relax.erase %b : … to tensor<?x4xf32> return %y : tensor<?x4xf32>
//
// The name is bound where the value is made: at the door, after a call, after a branch. What
// follows from it is deduced again, so a sum of two unknown lengths is checked once and known
// afterwards. Calls, branches and loops take more precise values as they are; only what the
// function returns gets back its declared annotation. A value of unknown rank can't be named: the
// op's own rule refuses it, or relax-flatten-unknown-ranks has made it flat. Linear in the number
// of ops. Test: tests/ir/transforms/name-unknown-dims.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

bool hasUnknownDims(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && llvm::any_of(ir::shapeOf(tensor), [](symbolic::Expr dim) { return !bool(dim); });
}

class Namer {
public:
  Namer(func::FuncOp function, SymbolTable &table)
      : function(function), table(table), symbols(std::in_place, function),
        context(ir::symbolicContext(function.getContext())) {}

  LogicalResult run(SymbolTableCollection &tables) {
    run(function.getBody().front());
    return changed ? deduceFunction(function, tables) : success();
  }

private:
  /// Types only become more precise, so one walk forward is enough.
  void run(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      visited.insert(&op);
      if (needsKernel(&op) || isa<ir::CallLibraryOp>(op))
        for (OpOperand &operand : op.getOpOperands())
          if (hasUnknownDims(operand.get().getType()))
            nameDims(operand.get());
      if (auto reshape = dyn_cast<ir::ReshapeOp>(op))
        solveShape(reshape);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          run(inner);
      if (!changed)
        continue;
      update(&op);
      if (auto branch = dyn_cast<ir::IfOp>(op))
        joinBranches(branch);
    }
  }

  /// The one unknown dimension of a reshape's result follows from the number of elements; that it
  /// comes out even is a constraint of the op.
  void solveShape(ir::ReshapeOp op) {
    auto from = cast<RankedTensorType>(op.getX().getType()),
         to = cast<RankedTensorType>(op.getType());
    SmallVector<symbolic::Expr> dims(ir::shapeOf(to));
    symbolic::Expr before = ir::elementCount(op.getContext(), ir::shapeOf(from));
    symbolic::Expr rest = context.constant(1), *open = nullptr;
    for (symbolic::Expr &dim : dims) {
      if (!dim && open)
        return;
      if (dim)
        rest = rest * dim;
      else
        open = &dim;
    }
    if (!open || !before)
      return;
    bool positive = rest.isConstant() && rest.constantValue() > 0;
    *open = context.floorDiv(before, positive ? rest : context.max(rest, context.constant(1)));
    op.getResult().setType(ir::tensorType(op.getContext(), dims, to.getElementType()));
    changed = true;
  }

  /// Puts a match_cast behind the value, in place of which everything then reads.
  void nameDims(Value value) {
    changed = true;
    auto type = cast<RankedTensorType>(value.getType());
    SmallVector<symbolic::Expr> dims(ir::shapeOf(type));
    for (auto [axis, dim] : llvm::enumerate(dims))
      if (!dim)
        dim = context.symbol(symbols->make(nameOf(value) + "_" + std::to_string(axis)));
    // What was deduced between the value and here, from the unnamed value.
    redoUsers(
        compareForUsers(value, ir::tensorType(function.getContext(), dims, type.getElementType())));
  }

  void redo(Operation *op) {
    if (visited.contains(op) && update(op))
      redoUsers(op);
  }

  /// Deduces the op again. True if the types of its results have changed.
  bool update(Operation *op) {
    SmallVector<Type> before(op->getResultTypes());
    if (!deduceAgain(op, table)) {
      forgetRefuted(op, symbols, table);
      return false;
    }
    for (auto [result, type] : llvm::zip_equal(op->getResults(), before))
      keepKnown(result, type);
    return true;
  }

  /// A size that had a name keeps it for what reads it, also where the rule, of two that must be
  /// equal, now takes the new one: calls of tensor programs, for one, state the names.
  void keepKnown(Value result, Type before) {
    auto old = dyn_cast<RankedTensorType>(before);
    auto now = dyn_cast<RankedTensorType>(result.getType());
    if (!old || !now || old.getRank() != now.getRank())
      return;
    bool differs = false;
    SmallVector<symbolic::Expr> dims(ir::shapeOf(now));
    for (auto [dim, known] : llvm::zip_equal(dims, ir::shapeOf(old)))
      if (known && dim && !ir::provablyEqual(known, dim)) {
        dim = known;
        differs = true;
      }
    if (differs)
      compareForUsers(result, ir::tensorType(function.getContext(), dims, now.getElementType()));
  }

  void redoUsers(Operation *op) {
    for (Operation *user : llvm::to_vector(op->getUsers()))
      redo(user);
  }

  std::string nameOf(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || argument.getOwner() != &function.getBody().front())
      return "u";
    auto name =
        function.getArgAttrOfType<StringAttr>(argument.getArgNumber(), ir::RelaxDialect::nameAttr);
    if (name && symbolic::Context::isSymbolName(name.getValue()))
      return name.str();
    return "arg" + std::to_string(argument.getArgNumber());
  }

  func::FuncOp function;
  SymbolTable &table;
  std::optional<FreshSymbols> symbols;
  symbolic::Context &context;
  DenseSet<Operation *> visited;
  bool changed = false;
};

struct NameUnknownDims : PassWrapper<NameUnknownDims, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(NameUnknownDims)
  StringRef getArgument() const override { return "relax-name-unknown-dims"; }
  StringRef getDescription() const override {
    return "Give a symbol to each unknown dimension of what is computed with";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    SymbolTableCollection tables;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && failed(Namer(function, table).run(tables)))
        return signalPassFailure();
  }
};

} // namespace

std::unique_ptr<Pass> createNameUnknownDimsPass() { return std::make_unique<NameUnknownDims>(); }

} // namespace relax::transforms
