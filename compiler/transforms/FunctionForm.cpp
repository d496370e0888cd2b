#include "compiler/transforms/FunctionForm.h"

#include "compiler/dialect/Relax.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"

using namespace mlir;

namespace relax::transforms {

bool isGraphFunction(func::FuncOp function) {
  return !function.isDeclaration() && !function->hasAttr(ir::RelaxDialect::kernelAttr) &&
         !function->hasAttr("relax.scheduled_kernel") && !function->hasAttr("relax.kernel_part");
}

Value viewedValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::ReshapeOp, ir::MatchCastOp, ir::EraseOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

Value unannotatedValue(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::MatchCastOp, ir::EraseOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

/// The argument that `value` is, whatever it is annotated with; null if it is none.
static BlockArgument argumentOf(Value value) {
  return dyn_cast<BlockArgument>(unannotatedValue(value));
}

std::map<std::string, ArgumentDim> symbolsOfArguments(func::FuncOp function) {
  std::map<std::string, ArgumentDim> symbols;
  auto add = [&](Type type, unsigned argument) {
    if (auto tensor = dyn_cast<RankedTensorType>(type))
      for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(tensor)))
        if (dim && dim.isSymbol())
          symbols.try_emplace(dim.symbolName(), ArgumentDim{argument, static_cast<unsigned>(axis)});
  };
  for (BlockArgument argument : function.getArguments())
    add(argument.getType(), argument.getArgNumber());
  for (auto cast : function.getBody().front().getOps<ir::MatchCastOp>())
    if (BlockArgument argument = argumentOf(cast.getValue());
        argument && isa<RankedTensorType>(argument.getType()))
      add(cast.getType(), argument.getArgNumber());
  return symbols;
}

namespace {

bool isTensorOfKnownRank(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && !isa<ir::AnyType>(tensor.getElementType());
}

/// Whether every size of `type` follows from `known`.
bool areDimsKnown(Type type, const std::map<std::string, ArgumentDim> &known) {
  std::set<std::string> names;
  ir::collectSymbols(type, names);
  return isTensorOfKnownRank(type) &&
         llvm::all_of(ir::shapeOf(cast<RankedTensorType>(type)),
                      [](symbolic::Expr dim) { return bool(dim); }) &&
         llvm::all_of(names, [&](const std::string &name) { return known.contains(name); });
}

/// What a planned function returns is made in the caller's memory, each result once.
bool areResultsComputed(func::FuncOp function, func::ReturnOp ret) {
  llvm::DenseSet<Value> seen;
  return llvm::all_of(ret.getOperands(), [&](Value value) {
    Value root = viewedValue(value);
    if (!seen.insert(root).second)
      return false;
    // A donated argument may be a result, of its own rank: that is what the artifact can say.
    if (auto argument = dyn_cast<BlockArgument>(root))
      return function.getArgAttr(argument.getArgNumber(), ir::RelaxDialect::donatedAttr) &&
             cast<RankedTensorType>(argument.getType()).getRank() ==
                 cast<RankedTensorType>(value.getType()).getRank();
    return isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp>(root.getDefiningOp());
  });
}

bool isPlannableOp(Operation *op, const std::map<std::string, ArgumentDim> &known) {
  auto resultsKnown = [&] {
    return llvm::all_of(op->getResultTypes(), [&](Type type) { return areDimsKnown(type, known); });
  };
  if (isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp, ir::ReshapeOp>(op))
    return resultsKnown();
  if (isa<ir::ConstantOp, ir::StateOp, arith::ConstantOp, func::ReturnOp>(op))
    return true;
  if (isa<ir::EraseOp>(op))
    return isTensorOfKnownRank(op->getResult(0).getType());
  std::set<std::string> names;
  for (NamedAttribute attribute : op->getAttrs())
    ir::collectSymbols(attribute.getValue(), names);
  for (Type type : op->getResultTypes())
    ir::collectSymbols(type, names);
  if (!llvm::all_of(names, [&](const std::string &name) { return known.contains(name); }))
    return false;
  if (isa<ir::GuardOp, ir::CheckValuesOp>(op))
    return true;
  auto cast = dyn_cast<ir::MatchCastOp>(op);
  if (!cast || !isTensorOfKnownRank(cast.getValue().getType()) ||
      !isTensorOfKnownRank(cast.getType()))
    return false;
  // The sizes that it compares with are those of an argument, or in the annotation.
  return argumentOf(cast.getValue()) || areDimsKnown(cast.getValue().getType(), known);
}

bool isPlannable(func::FuncOp function) {
  if (!function.getBody().hasOneBlock() ||
      !llvm::all_of(function.getArgumentTypes(), isTensorOfKnownRank) ||
      !llvm::all_of(function.getResultTypes(), isTensorOfKnownRank))
    return false;
  const std::map<std::string, ArgumentDim> known = symbolsOfArguments(function);
  Block &body = function.getBody().front();
  return llvm::all_of(body, [&](Operation &op) { return isPlannableOp(&op, known); }) &&
         areResultsComputed(function, cast<func::ReturnOp>(body.getTerminator()));
}

/// Whether a call can be made in the caller's plan: donated arguments need their storage taken
/// over.
bool donates(func::FuncOp callee) {
  for (unsigned i = 0; i < callee.getNumArguments(); ++i)
    if (callee.getArgAttr(i, ir::RelaxDialect::donatedAttr))
      return true;
  return false;
}

} // namespace

GeneralFunctions::GeneralFunctions(ModuleOp module) {
  SymbolTable table(module);
  llvm::DenseMap<Operation *, SmallVector<func::FuncOp>> callers, callees;
  llvm::DenseMap<Operation *, unsigned> callsLeft;
  SmallVector<func::FuncOp> functions, work;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (!isGraphFunction(function))
      continue;
    functions.push_back(function);
    bool plannable = isPlannable(function);
    function.walk([&](Operation *op) {
      func::FuncOp callee;
      if (auto call = dyn_cast<ir::CallOp>(op))
        callee = table.lookup<func::FuncOp>(call.getCallee());
      else if (auto call = dyn_cast<ir::CallLibraryOp>(op); call && call.getOtherwise())
        callee = table.lookup<func::FuncOp>(*call.getOtherwise());
      if (!callee || !isGraphFunction(callee))
        return;
      callers[callee].push_back(function);
      callees[function].push_back(callee);
      ++callsLeft[function];
      plannable &= !donates(callee);
    });
    if (!plannable && general.insert(function).second)
      work.push_back(function);
  }
  // Whoever calls a general function is one.
  auto spread = [&] {
    while (!work.empty())
      for (func::FuncOp caller : callers[work.pop_back_val()])
        if (general.insert(caller).second)
          work.push_back(caller);
  };
  spread();
  // What is left when functions whose callees are done are taken away again and again calls itself.
  SmallVector<func::FuncOp> done;
  llvm::DenseSet<Operation *> finished;
  for (func::FuncOp function : functions)
    if (callsLeft.lookup(function) == 0)
      done.push_back(function);
  while (!done.empty()) {
    func::FuncOp function = done.pop_back_val();
    finished.insert(function);
    for (func::FuncOp caller : callers[function])
      if (--callsLeft[caller] == 0)
        done.push_back(caller);
  }
  for (func::FuncOp function : functions)
    if (!finished.contains(function) && general.insert(function).second)
      work.push_back(function);
  spread();
}

} // namespace relax::transforms
