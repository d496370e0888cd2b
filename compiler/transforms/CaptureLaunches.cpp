// Marks the planned functions whose calls the runtime keeps as lists of launches, and replays.
//
// Before:  func.func @f(%x: …) attributes {relax.arena_size = …} {     // planned
//            %0 = relax.call_kernel @k(%x) …  %1 = relax.call @g(%0) …
//          func.func private @g(%x: …) attributes {relax.arena_size = …} { … call_kernel … }
//
// After:   both have relax.captured
//
// All that a planned function does follows from the dimensions of its arguments. The runtime works
// it out once for each of the last few shapes of a captured function, and has what the functions
// that it calls launch in the same list (runtime/vm/Replay.h). So:
//
//  - @initialize isn't captured: it runs once.
//  - What calls a general function isn't: that one decides while it runs.
//  - A function that calls functions is captured if all of them are, none calls a library, none
//    shares a result's storage with an argument, and none reads elements at its door. Libraries
//    are the host's: between two launches they could call one of those functions, whose arena
//    would change or move. A function that calls libraries, and no functions, is captured.
//
// Test: tests/ir/transforms/capture-launches.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

class Captures {
public:
  explicit Captures(ModuleOp module) : table(module) {}

  bool isCaptured(func::FuncOp function) {
    auto [it, isNew] = answers.try_emplace(function, false);
    if (!isNew)
      return it->second;
    bool answer = decide(function);
    return answers[function] = answer;
  }

private:
  bool decide(func::FuncOp function) {
    if (!function->hasAttr("relax.arena_size") || function.getName() == "initialize")
      return false;
    bool hasLibrary = false;
    SmallVector<func::FuncOp> callees;
    function.walk([&](Operation *op) {
      func::FuncOp callee;
      if (auto call = dyn_cast<ir::CallOp>(op)) {
        callee = table.lookup<func::FuncOp>(call.getCallee());
      } else if (auto call = dyn_cast<ir::CallLibraryOp>(op)) {
        hasLibrary = true;
        if (call.getOtherwise())
          callee = table.lookup<func::FuncOp>(*call.getOtherwise());
      }
      if (callee && isGraphFunction(callee))
        callees.push_back(callee);
    });
    libraries[function] = hasLibrary;
    return callees.empty() || (!hasLibrary && llvm::all_of(callees, [&](func::FuncOp callee) {
             return isCaptured(callee) && !libraries[callee] && isPlainDoor(callee);
           }));
  }

  /// Whether nothing but shapes is looked at when it is called, and results have memory of their
  /// own.
  static bool isPlainDoor(func::FuncOp function) {
    if (function->hasAttr(ir::RelaxDialect::raggedAttr))
      return false;
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      if (function.getArgAttr(i, ir::RelaxDialect::valuesAttr) ||
          function.getArgAttr(i, ir::RelaxDialect::donatedAttr))
        return false;
    return true;
  }

  SymbolTable table;
  DenseMap<Operation *, bool> answers, libraries;
};

struct CaptureLaunches : PassWrapper<CaptureLaunches, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CaptureLaunches)
  StringRef getArgument() const override { return "relax-capture-launches"; }
  StringRef getDescription() const override {
    return "Mark the planned functions whose launches are kept and replayed";
  }
  void runOnOperation() override {
    Captures captures(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && captures.isCaptured(function))
        function->setAttr("relax.captured", UnitAttr::get(&getContext()));
  }
};

} // namespace

std::unique_ptr<Pass> createCaptureLaunchesPass() { return std::make_unique<CaptureLaunches>(); }

} // namespace relax::transforms
