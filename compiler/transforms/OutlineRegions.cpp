// Puts the straight parts of general functions into planned functions of their own.
//
// Before:  func.func @f(%c: tensor<i1>, %x: !n) -> !n {             // a branch: general
//            %y = relax.if %c … {
//              %a = relax.call_kernel @k(%x) …
//              %b = relax.call_kernel @k(%a) …
//              %d = relax.call_kernel @k(%b) …
//              relax.yield %d …
//
// After:     %y = relax.if %c … { %d = relax.call @f_region(%x) … relax.yield %d … }
//          func.func private @f_region(%x: !n) -> !n attributes {relax.symbols = …} {
//            %a = … %b = … %d = … return %d }
//
// A general function takes each tensor from a pool. What happens between branches, loops and calls
// is as straight as any planned function, so it can have an arena: the tensors that live only
// inside the part have places there, which cost nothing to allocate and are packed exactly.
// Data-dependent sizes are sizes like others once they have a symbol: a part begins after the op
// that introduces it.
//
// A part is a run of calls of kernels, and views between them, in one block; at least two calls,
// one of which makes a tensor that only the part reads. Each symbol that it needs must be a
// dimension of its own in some tensor that goes in, since that is how a planned function learns it.
// Calls that take over an operand's memory, which the general function may have to copy, end a
// part. Constants are repeated inside. Test: tests/ir/transforms/outline-regions.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace relax::transforms {
namespace {

bool isConstant(Operation *op) { return isa<ir::ConstantOp, arith::ConstantOp>(op); }

bool hasKnownDims(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && type.getElementType().isIntOrFloat() &&
         !llvm::is_contained(ir::shapeOf(type), symbolic::Expr());
}

bool isPart(Operation *op) {
  if (auto call = dyn_cast<ir::CallKernelOp>(op))
    return !call.getDonates() && llvm::all_of(op->getOperands(), hasKnownDims) &&
           llvm::all_of(op->getResults(), hasKnownDims);
  return isa<ir::ReshapeOp>(op) && hasKnownDims(op->getOperand(0)) &&
         hasKnownDims(op->getResult(0));
}

class Outliner {
public:
  Outliner(func::FuncOp function, SymbolTable &table)
      : function(function), table(table), facts(factsAt(function)) {}

  void run() {
    SmallVector<Block *> blocks;
    function.walk([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks) {
      SmallVector<Operation *> part;
      for (Operation &op : llvm::make_early_inc_range(*block)) {
        if (isPart(&op)) {
          part.push_back(&op);
        } else if (!isConstant(&op)) {
          outline(part);
          part.clear();
        }
      }
    }
  }

private:
  void outline(ArrayRef<Operation *> part) {
    llvm::SetVector<Value> inputs, results;
    llvm::SmallPtrSet<Operation *, 16> inside(part.begin(), part.end());
    SmallVector<Operation *> views; // That are read outside as well.
    int64_t calls = 0;
    bool hasOwn = false;
    for (Operation *op : part) {
      for (Value operand : op->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (!source || (!isConstant(source) && !inside.contains(source)))
          inputs.insert(operand);
      }
      bool isCall = isa<ir::CallKernelOp>(op);
      calls += isCall;
      for (Value result : op->getResults()) {
        bool escapes = llvm::any_of(result.getUsers(),
                                    [&](Operation *user) { return !inside.contains(user); });
        hasOwn |= isCall && !escapes;
        if (!escapes)
          continue;
        Value root = viewedValue(result);
        if (!isCall)
          views.push_back(op);
        if (root.getDefiningOp() && inside.contains(root.getDefiningOp()))
          results.insert(root);
      }
    }
    if (calls < 2 || !hasOwn || results.empty() || !bindsSymbols(part, inputs.getArrayRef()))
      return;
    func::FuncOp callee = makeFunction(part, inputs.getArrayRef(), results.getArrayRef());
    OpBuilder b(part.back()->getNextNode());
    auto call =
        ir::CallOp::create(b, part.front()->getLoc(), ValueRange(results.getArrayRef()).getTypes(),
                           callee.getName(), inputs.getArrayRef());
    IRMapping outside;
    for (auto [old, made] : llvm::zip(results, call->getResults()))
      outside.map(old, made);
    for (Operation *view : views)
      cloneView(b, view, inside, outside);
    for (Operation *op : part)
      for (Value old : op->getResults())
        if (Value made = outside.lookupOrNull(old))
          old.replaceUsesWithIf(made,
                                [&](OpOperand &use) { return !inside.contains(use.getOwner()); });
    for (Operation *op : llvm::reverse(part))
      op->erase();
  }

  /// A view that is read outside, and those that it is a view of.
  static void cloneView(OpBuilder &b, Operation *view,
                        const llvm::SmallPtrSetImpl<Operation *> &inside, IRMapping &outside) {
    Value operand = view->getOperand(0);
    Operation *source = operand.getDefiningOp();
    if (source && inside.contains(source) && isa<ir::ReshapeOp>(source) &&
        !outside.contains(operand))
      cloneView(b, source, inside, outside);
    if (!outside.contains(view->getResult(0)))
      b.clone(*view, outside);
  }

  /// Is each symbol that the part needs a dimension of its own of what goes in?
  static bool bindsSymbols(ArrayRef<Operation *> part, ArrayRef<Value> inputs) {
    std::set<std::string> needed, bound;
    for (Operation *op : part) {
      for (NamedAttribute attribute : op->getAttrs())
        ir::collectSymbols(attribute.getValue(), needed);
      for (Type type : op->getResultTypes())
        ir::collectSymbols(type, needed);
    }
    for (Value input : inputs) {
      ir::collectSymbols(input.getType(), needed);
      for (symbolic::Expr dim : ir::shapeOf(cast<RankedTensorType>(input.getType())))
        if (dim.isSymbol())
          bound.insert(dim.symbolName());
    }
    return llvm::all_of(needed, [&](const std::string &name) { return bound.contains(name); });
  }

  func::FuncOp makeFunction(ArrayRef<Operation *> part, ArrayRef<Value> inputs,
                            ArrayRef<Value> results) {
    OpBuilder b(function);
    std::string base = (function.getName() + "_region").str(), name = base;
    for (int64_t i = 1; table.lookup(name); ++i)
      name = base + "_" + std::to_string(i);
    auto made = func::FuncOp::create(
        b, part.front()->getLoc(), name,
        b.getFunctionType(ValueRange(inputs).getTypes(), ValueRange(results).getTypes()));
    made.setPrivate();
    table.insert(made);
    declareSymbols(made);
    b.setInsertionPointToEnd(made.addEntryBlock());
    IRMapping mapping;
    mapping.map(inputs, made.getArguments());
    for (Operation *op : part) {
      for (Value operand : op->getOperands())
        if (Operation *source = operand.getDefiningOp();
            source && isConstant(source) && !mapping.contains(operand))
          b.clone(*source, mapping);
      b.clone(*op, mapping);
    }
    func::ReturnOp::create(b, made.getLoc(), llvm::map_to_vector(results, [&](Value value) {
                             return mapping.lookup(value);
                           }));
    return made;
  }

  /// What is known of the symbols holds in the part as well.
  void declareSymbols(func::FuncOp made) {
    std::set<std::string> names;
    for (Type type : made.getArgumentTypes())
      ir::collectSymbols(type, names);
    SmallVector<ir::SymbolDeclaration> declarations;
    for (const std::string &name : names) {
      const symbolic::SymbolRange *range = facts.find(name);
      ir::SymbolDeclaration declaration;
      declaration.name = StringAttr::get(made.getContext(), name);
      declaration.lo = range ? std::max<int64_t>(0, range->lo) : 0;
      if (range)
        declaration.hi = range->hi;
      declaration.divisor = range ? std::max<int64_t>(1, range->divisor) : 1;
      declarations.push_back(declaration);
    }
    made->setAttr(ir::RelaxDialect::symbolsAttr,
                  ir::SymbolsAttr::get(made.getContext(), declarations));
  }

  func::FuncOp function;
  SymbolTable &table;
  symbolic::Facts facts;
};

struct OutlineRegions : PassWrapper<OutlineRegions, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(OutlineRegions)
  StringRef getArgument() const override { return "relax-outline-regions"; }
  StringRef getDescription() const override {
    return "Put the straight parts of general functions into planned functions";
  }
  void runOnOperation() override {
    GeneralFunctions general(getOperation());
    SymbolTable table(getOperation());
    for (auto function : llvm::to_vector(getOperation().getOps<func::FuncOp>()))
      if (isGraphFunction(function) && general.contains(function))
        Outliner(function, table).run();
  }
};

} // namespace

std::unique_ptr<Pass> createOutlineRegionsPass() { return std::make_unique<OutlineRegions>(); }

} // namespace relax::transforms
