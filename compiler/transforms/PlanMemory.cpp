// Gives every tensor that a function computes its storage: a place in one arena, the memory of a
// result, or the memory of a donated argument.
//
// Before:  func.func @f(%x: tensor<?x8xf32, #relax.shape<[n, 8]>>) -> … {
//            %a = relax.call_kernel @k(%x) … %b = relax.call_kernel @k(%a) …
//            %c = relax.call_kernel @k(%b) … return %c
//
// After:   func.func @f(…) attributes {relax.arena_size = #relax.expr<64 * n>} …
//            %a … {storage = [#relax.storage<arena, 0>]}
//            %b … {storage = [#relax.storage<arena, 32 * n>]}
//            %c … {storage = [#relax.storage<result, 0>]}
//
// How: values live from their definition to the last use of any view of them. Values that take over
// each other's memory make one block, which lives as long as any of them: a result that `donates`
// says takes over an operand, and one whose kernel may write it in place (AliasAnalysis.h) where
// that operand dies. A block that holds what the function returns is the caller's memory; the
// others get their places by ArenaLayout.h: offsets are expressions over the symbols, so that one
// arena at entry fits whatever they are. Where that would take expressions too long to be worth it,
// which a remark says, offsets are coarser (`relax.memory_plan = "blocks"`), and as right.
//
// Without this pass relax-complete-plan gives @initialize a plan, and leaves all else to the pool.
//
// A planned function that is called has an arena of its own, which stays from call to call: it is
// not part of its caller's.
//
// A result that takes over an operand's memory (`donates`) demands that the operand is a donated
// argument, or computed here, and that nothing reads it afterwards; otherwise the pass reports the
// later use. Functions that aren't straight, or whose sizes aren't known from their arguments, are
// only marked relax.general (FunctionForm.h): their values are not planned. CheckMemoryPlan.cpp
// checks the plan. Tests: tests/ir/transforms/plan-memory.mlir, plan-memory-in-place.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/AliasAnalysis.h"
#include "compiler/transforms/ArenaLayout.h"
#include "compiler/transforms/ByteSize.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

bool isCall(Operation *op) { return isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp>(op); }

/// Memory that one value after another has.
struct Block64 {
  ir::StorageKind kind = ir::StorageKind::Arena;
  unsigned index = 0;      ///< Of the result or argument.
  Expr size;               ///< Of one in the arena.
  int64_t first, last = 0; ///< The positions of the ops that use it.
};

/// Whether kernels may write in place, remembered for each program.
class InPlace {
public:
  explicit InPlace(ModuleOp module) : table(module) {}

  bool isAllowed(ir::CallKernelOp call, unsigned result, unsigned operand) {
    auto program = table.lookup<func::FuncOp>(call.getCallee());
    if (!program)
      return false;
    auto [it, isNew] = answers.try_emplace({program.getOperation(), result, operand}, false);
    if (isNew)
      it->second = mayShareMemory(program, result, operand);
    return it->second;
  }

private:
  SymbolTable table;
  std::map<std::tuple<Operation *, unsigned, unsigned>, bool> answers;
};

class Planner {
public:
  Planner(func::FuncOp function, InPlace &inPlace)
      : function(function), context(ir::symbolicContext(function.getContext())), inPlace(inPlace),
        facts(factsAt(function)) {}

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitError("storage is planned for functions of one block");
    findLifetimes();
    if (failed(findResults()))
      return failure();
    for (Operation &op : function.getBody().front())
      if (isCall(&op) && failed(placeCall(&op)))
        return failure();
    writePlan();
    return success();
  }

private:
  void findLifetimes() {
    int64_t position = 0;
    for (Operation &op : function.getBody().front()) {
      positions[&op] = position++;
      for (Value operand : op.getOperands())
        lastUse[viewedValue(operand)] = &op;
    }
  }

  /// What the function returns is computed in the caller's memory.
  LogicalResult findResults() {
    auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      Value root = viewedValue(value);
      if (!root.getDefiningOp() || !isCall(root.getDefiningOp())) {
        if (isDonatedArgument(root))
          continue;
        return ret.emitError("result ")
               << i << " is an argument or a constant, returned as it is; a function returns what "
               << "it computes";
      }
      if (!returned.try_emplace(root, i).second)
        return ret.emitError("result ") << i << " is the same value as another result";
    }
    return success();
  }

  bool isDonatedArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && function.getArgAttr(argument.getArgNumber(), ir::RelaxDialect::donatedAttr);
  }

  /// The operand whose memory `value` takes over, or null.
  static Value donatedOperand(Value value) {
    auto call = value.getDefiningOp<ir::CallKernelOp>();
    if (!call || !call.getDonates())
      return {};
    ArrayRef<int64_t> donates = *call.getDonates();
    unsigned number = cast<OpResult>(value).getResultNumber();
    if (number >= donates.size() || donates[number] < 0)
      return {};
    return call.getInputs()[donates[number]];
  }

  LogicalResult placeCall(Operation *op) {
    takenOver.clear();
    for (Value result : op->getResults())
      if (Value operand = donatedOperand(result);
          operand && failed(placeDonated(op, result, operand)))
        return failure();
    for (OpResult result : op->getResults()) {
      if (donatedOperand(result))
        continue;
      if (Value operand = findInPlace(result))
        join(result, blockOf[operand]);
      else if (failed(placeNew(op, result)))
        return failure();
    }
    return success();
  }

  LogicalResult placeDonated(Operation *op, Value result, Value operand) {
    Value root = viewedValue(operand);
    if (Operation *last = lastUse.lookup(root); last != op) {
      InFlightDiagnostic error = op->emitError("result ")
                                 << cast<OpResult>(result).getResultNumber()
                                 << " overwrites an operand that is still needed";
      error.attachNote(last->getLoc()) << "it is last used here";
      return error;
    }
    if (auto argument = dyn_cast<BlockArgument>(root)) {
      if (!isDonatedArgument(root))
        return op->emitError("result ")
               << cast<OpResult>(result).getResultNumber() << " overwrites argument "
               << argument.getArgNumber() << ", which isn't marked relax.donated";
      join(result, argumentBlock(argument));
      return success();
    }
    auto it = blockOf.find(root);
    if (it == blockOf.end())
      return op->emitError("a constant can't be overwritten");
    join(result, it->second);
    return success();
  }

  /// The block that is a donated argument's memory.
  size_t argumentBlock(BlockArgument argument) {
    auto [it, isNew] = blockOf.try_emplace(argument, blocks.size());
    if (isNew)
      blocks.push_back({ir::StorageKind::Alias, argument.getArgNumber(), {}, 0});
    return it->second;
  }

  /// `value` lives where others lived before.
  void join(Value value, size_t number) {
    Block64 &block = blocks[number];
    blockOf[value] = number;
    takenOver.insert(number);
    block.last = lastPosition(value);
    if (auto it = returned.find(value);
        it != returned.end() && block.kind == ir::StorageKind::Arena) {
      block.kind = ir::StorageKind::Result;
      block.index = it->second;
    }
  }

  int64_t lastPosition(Value value) {
    Operation *last = lastUse.lookup(value);
    return positions.lookup(last ? last : value.getDefiningOp());
  }

  /// The value in whose place the call may write `result`; null if there is none.
  Value findInPlace(OpResult result) {
    auto call = dyn_cast<ir::CallKernelOp>(result.getOwner());
    if (!call)
      return {};
    for (auto [i, input] : llvm::enumerate(call.getInputs())) {
      Value root = viewedValue(input);
      if (lastUse.lookup(root) == result.getOwner() && canTakeOver(root, result) &&
          llvm::all_of(llvm::enumerate(call.getInputs()), [&](auto other) {
            return viewedValue(other.value()) != root ||
                   inPlace.isAllowed(call, result.getResultNumber(), other.index());
          }))
        return root;
    }
    return {};
  }

  bool canTakeOver(Value root, Value result) {
    if (isDonatedArgument(root))
      argumentBlock(cast<BlockArgument>(root));
    auto it = blockOf.find(root);
    if (it == blockOf.end() || takenOver.contains(it->second))
      return false;
    // What is returned has memory of its own, not an argument's, unless the program says otherwise.
    ir::StorageKind kind = blocks[it->second].kind;
    return kind == ir::StorageKind::Arena ||
           (kind == ir::StorageKind::Alias && !returned.contains(result));
  }

  LogicalResult placeNew(Operation *op, Value result) {
    Block64 block;
    block.first = positions.lookup(op);
    if (auto it = returned.find(result); it != returned.end()) {
      block.kind = ir::StorageKind::Result;
      block.index = it->second;
    } else {
      auto type = dyn_cast<RankedTensorType>(result.getType());
      Expr bytes = type ? byteSize(type) : Expr();
      if (!bytes)
        return op->emitError("no storage can be planned for ")
               << result.getType() << ": its size isn't known; give it symbols by relax.match_cast";
      block.size = sizeOf(bytes);
    }
    blockOf[result] = blocks.size();
    block.last = lastPosition(result);
    blocks.push_back(block);
    return success();
  }

  Expr sizeOf(Expr bytes) {
    auto [it, isNew] = sizes.try_emplace(bytes);
    if (isNew)
      it->second = alignedSize(bytes, facts);
    return it->second;
  }

  void writePlan() {
    std::vector<size_t> number(blocks.size());
    std::vector<ArenaBlock> inArena;
    for (auto [i, block] : llvm::enumerate(blocks))
      if (block.kind == ir::StorageKind::Arena) {
        number[i] = inArena.size();
        inArena.push_back({block.size, block.first, block.last});
      }
    ArenaLayout layout = layOutArena(context, inArena, facts);
    if (!layout.isExact) {
      function.emitRemark("memory is planned in blocks: exact places would need too long formulas");
      function->setAttr("relax.memory_plan", StringAttr::get(function.getContext(), "blocks"));
    }
    Builder b(function.getContext());
    auto storageOf = [&](Value result) -> Attribute {
      size_t i = blockOf.lookup(result);
      const Block64 &block = blocks[i];
      if (block.kind == ir::StorageKind::Arena)
        return ir::StorageAttr::get(b.getContext(), layout.offsets[number[i]]);
      return ir::StorageAttr::get(b.getContext(), block.kind, block.index);
    };
    for (Operation &op : function.getBody().front())
      if (isCall(&op))
        op.setAttr("storage", b.getArrayAttr(llvm::map_to_vector(
                                  op.getResults(), [&](Value v) { return storageOf(v); })));
    function->setAttr("relax.arena_size", ir::ExprAttr::get(b.getContext(), layout.size));
  }

  func::FuncOp function;
  symbolic::Context &context;
  InPlace &inPlace;
  symbolic::Facts facts;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, Operation *> lastUse;
  DenseMap<Value, unsigned> returned; ///< What is returned, as which result.
  std::map<Expr, Expr> sizes;         ///< In bytes, as they are and rounded up.
  DenseMap<Value, size_t> blockOf;
  std::vector<Block64> blocks;
  DenseSet<size_t> takenOver; ///< By results of the call at hand.
};

struct PlanMemory : PassWrapper<PlanMemory, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanMemory)
  StringRef getArgument() const override { return "relax-plan-memory"; }
  StringRef getDescription() const override {
    return "Give every tensor a place in one arena, a result or a donated argument";
  }
  void runOnOperation() override {
    GeneralFunctions general(getOperation());
    InPlace inPlace(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isGraphFunction(function))
        continue;
      if (general.contains(function))
        function->setAttr("relax.general", UnitAttr::get(&getContext()));
      else if (failed(Planner(function, inPlace).run()))
        return signalPassFailure();
    }
  }
};

/// @initialize fills states of fixed sizes before anything else runs: it is always planned, and so
/// is what it calls. Any other function without a plan works without one, as general ones do: it
/// takes each tensor from a pool.
struct CompletePlan : PassWrapper<CompletePlan, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CompletePlan)
  StringRef getArgument() const override { return "relax-complete-plan"; }
  StringRef getDescription() const override {
    return "Plan @initialize, and let other functions that have no plan use the pool";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    InPlace inPlace(getOperation());
    SmallVector<func::FuncOp> work;
    if (auto initialize = table.lookup<func::FuncOp>("initialize"))
      work.push_back(initialize);
    while (!work.empty()) {
      func::FuncOp function = work.pop_back_val();
      if (!isGraphFunction(function) || function->hasAttr("relax.arena_size"))
        continue;
      if (failed(Planner(function, inPlace).run()))
        return signalPassFailure();
      function.walk([&](ir::CallOp call) {
        if (auto callee = table.lookup<func::FuncOp>(call.getCallee()))
          work.push_back(callee);
      });
    }
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && !function->hasAttr("relax.arena_size"))
        function->setAttr("relax.general", UnitAttr::get(&getContext()));
  }
};

} // namespace

std::unique_ptr<Pass> createPlanMemoryPass() { return std::make_unique<PlanMemory>(); }
std::unique_ptr<Pass> createCompletePlanPass() { return std::make_unique<CompletePlan>(); }

} // namespace relax::transforms
