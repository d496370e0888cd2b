#include "compiler/driver/VerifyReduce.h"

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <map>
#include <string>

using namespace mlir;

namespace relax::driver {
namespace {

/// What two calls have in common that run the same kernel at the same sizes; empty of other ops.
std::string kernelAndSizes(Operation *op) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto call = dyn_cast<ir::CallKernelOp>(op)) {
    stream << call.getCallee() << call.getSymbols() << '|';
    if (std::optional<ArrayRef<int64_t>> donates = call.getDonates())
      llvm::interleaveComma(*donates, stream);
  } else if (auto call = dyn_cast<ir::CallOp>(op)) {
    stream << call.getCallee() << '|';
  } else {
    return text;
  }
  llvm::interleaveComma(op->getOperandTypes(), stream << '|');
  llvm::interleaveComma(op->getResultTypes(), stream << '|');
  return text;
}

void keepDistinctCalls(func::FuncOp function) {
  Block &block = function.getBody().front();
  std::map<std::string, Operation *> first;
  for (Operation &op : llvm::make_early_inc_range(block)) {
    std::string key = kernelAndSizes(&op);
    if (key.empty())
      continue;
    auto [it, isNew] = first.try_emplace(key, &op);
    if (isNew)
      continue;
    op.replaceAllUsesWith(it->second);
    op.erase();
  }
  // Each result once.
  Operation *end = block.getTerminator();
  llvm::SetVector<Value> results(end->operand_begin(), end->operand_end());
  end->setOperands(results.getArrayRef());
  // The calls stay even where nothing reads what they compute any more.
  llvm::DenseSet<Operation *> kept;
  for (auto &entry : first)
    kept.insert(entry.second);
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (op.use_empty() && !kept.contains(&op) &&
        (isa<ir::ConstantOp>(op) || isOpTriviallyDead(&op)))
      op.erase();
  Type nothing = RankedTensorType::get({0}, Builder(function).getF32Type());
  for (BlockArgument argument : block.getArguments())
    if (argument.use_empty() && isa<TensorType>(argument.getType()))
      argument.setType(nothing);
  function.setFunctionType(
      FunctionType::get(function.getContext(), block.getArgumentTypes(), end->getOperandTypes()));
}

} // namespace

void inlineStates(ModuleOp module) {
  auto initialize = module.lookupSymbol<func::FuncOp>("initialize");
  if (!initialize)
    return;
  SmallVector<ir::StateOp> states;
  module.walk([&](ir::StateOp state) { states.push_back(state); });
  Operation *results = initialize.getBody().front().getTerminator();
  for (ir::StateOp state : states) {
    // A constant that stands at the top may be used far below.
    Operation *user = state->getNumResults() && state->getResult(0).hasOneUse()
                          ? *state->getUsers().begin()
                          : state.getOperation();
    OpBuilder b(user->getBlock() == state->getBlock() ? user : state.getOperation());
    IRMapping mapping;
    auto clone = [&](auto &self, Value value) -> void {
      Operation *op = value.getDefiningOp();
      if (!op || mapping.contains(value))
        return;
      for (Value operand : op->getOperands())
        self(self, operand);
      b.clone(*op, mapping);
    };
    Value wanted = results->getOperand(static_cast<unsigned>(state.getIndex()));
    clone(clone, wanted);
    state->getResult(0).replaceAllUsesWith(mapping.lookup(wanted));
    state.erase();
  }
}

void keepDistinctCalls(ModuleOp module) {
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isDeclaration() && transforms::isGraphFunction(function) && function.isPublic() &&
        function.getBody().hasOneBlock())
      keepDistinctCalls(function);
}

} // namespace relax::driver
