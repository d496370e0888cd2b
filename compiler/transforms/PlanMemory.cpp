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
// How: values live from their definition to the last use of any view of them. The arena is divided
// into blocks; a value takes a free block whose size is provably equal, else one that is provably
// larger, else one that is provably smaller, which grows, else a new one. Offsets are the sums of
// the sizes before, so the plan holds for every value of the symbols. Sizes are rounded up to 64
// bytes.
//
// A result that takes over an operand's memory (`donates`) demands that the operand is a donated
// argument, or computed here, and that nothing reads it afterwards; otherwise the pass reports the
// later use. Functions that aren't straight, or whose sizes aren't known from their arguments, are
// only marked relax.general (FunctionForm.h): their values are not planned. Test:
// tests/ir/transforms/plan-memory.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ByteSize.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

constexpr int64_t alignment = 64;

bool isCall(Operation *op) { return isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp>(op); }

struct Block64 {
  Expr size; ///< In bytes, a multiple of 64.
  bool free = false;
};

class Planner {
public:
  explicit Planner(func::FuncOp function)
      : function(function), context(ir::symbolicContext(function.getContext())) {
    if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>("relax.symbols"))
      facts = symbols.toFacts();
  }

  LogicalResult run() {
    if (!function.getBody().hasOneBlock())
      return function.emitError("storage is planned for functions of one block");
    findLifetimes();
    if (failed(placeResults()))
      return failure();
    for (Operation &op : function.getBody().front()) {
      if (isCall(&op) && failed(placeCall(&op)))
        return failure();
      release(&op);
    }
    writePlan();
    return success();
  }

private:
  void findLifetimes() {
    int64_t position = 0;
    for (Operation &op : function.getBody().front()) {
      positions[&op] = position++;
      for (Value operand : op.getOperands()) {
        Value root = viewedValue(operand);
        lastUse[root] = &op;
      }
    }
    for (auto &[root, op] : lastUse)
      dying[op].push_back(root);
    // A map's order isn't fixed; the plan's must be.
    for (auto &[op, roots] : dying)
      llvm::sort(roots, [&](Value a, Value b) { return orderOf(a) < orderOf(b); });
  }

  std::pair<int64_t, unsigned> orderOf(Value value) const {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return {-1, argument.getArgNumber()};
    return {positions.lookup(value.getDefiningOp()), cast<OpResult>(value).getResultNumber()};
  }

  /// What the function returns is computed in the caller's memory.
  LogicalResult placeResults() {
    auto ret = cast<func::ReturnOp>(function.getBody().front().getTerminator());
    for (auto [i, value] : llvm::enumerate(ret.getOperands())) {
      Value root = viewedValue(value);
      if (!root.getDefiningOp() || !isCall(root.getDefiningOp())) {
        if (isDonatedArgument(root))
          continue;
        return ret.emitError("result ")
               << i
               << " is an argument or a constant, returned as it is; a function returns what it "
               << "computes";
      }
      if (donatedOperand(root))
        continue; // It has its operand's memory, which placeCall checks.
      if (storage.contains(root))
        return ret.emitError("result ") << i << " is the same value as another result";
      storage[root] = ir::StorageAttr::get(function.getContext(), ir::StorageKind::Result,
                                           static_cast<unsigned>(i));
    }
    return success();
  }

  bool isDonatedArgument(Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return argument && function.getArgAttr(argument.getArgNumber(), "relax.donated");
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
    for (Value result : op->getResults()) {
      Value operand = donatedOperand(result);
      if (operand ? failed(placeDonated(op, result, operand)) : failed(placeInArena(op, result)))
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
      storage[result] = ir::StorageAttr::get(function.getContext(), ir::StorageKind::Alias,
                                             argument.getArgNumber());
      return success();
    }
    if (auto block = blockOf.find(root); block != blockOf.end()) {
      blockOf[result] = block->second;
      handedOver.insert(root);
      return success();
    }
    auto it = storage.find(root);
    if (it == storage.end())
      return op->emitError("a constant can't be overwritten");
    storage[result] = it->second;
    return success();
  }

  LogicalResult placeInArena(Operation *op, Value result) {
    if (storage.contains(result))
      return success();
    auto type = dyn_cast<RankedTensorType>(result.getType());
    Expr bytes = type ? byteSize(type) : Expr();
    if (!bytes)
      return op->emitError("no storage can be planned for ")
             << result.getType() << ": its size isn't known; give it symbols by relax.match_cast";
    Expr size = context.mul(context.constant(alignment),
                            context.ceilDiv(bytes, context.constant(alignment)));
    blockOf[result] = takeBlock(symbolic::simplify(size, facts));
    return success();
  }

  size_t takeBlock(Expr size) {
    std::optional<size_t> larger, smaller;
    for (size_t i = 0; i < blocks.size(); ++i) {
      if (!blocks[i].free)
        continue;
      if (blocks[i].size == size ||
          symbolic::proveEqual(blocks[i].size, size, facts) == Proof::Proved)
        return take(i, blocks[i].size);
      if (symbolic::proveLessEqual(size, blocks[i].size, facts) == Proof::Proved) {
        if (!larger ||
            symbolic::proveLessEqual(blocks[i].size, blocks[*larger].size, facts) == Proof::Proved)
          larger = i;
      } else if (symbolic::proveLessEqual(blocks[i].size, size, facts) == Proof::Proved) {
        if (!smaller ||
            symbolic::proveLessEqual(blocks[*smaller].size, blocks[i].size, facts) == Proof::Proved)
          smaller = i;
      }
    }
    if (larger)
      return take(*larger, blocks[*larger].size);
    if (smaller)
      return take(*smaller, size);
    blocks.push_back({size, false});
    return blocks.size() - 1;
  }

  size_t take(size_t index, Expr size) {
    blocks[index] = {size, false};
    return index;
  }

  /// Frees the blocks of values that `op` uses last, and of results that nothing uses.
  void release(Operation *op) {
    auto free = [&](Value value) {
      auto it = blockOf.find(value);
      if (it != blockOf.end() && !handedOver.contains(value))
        blocks[it->second].free = true;
    };
    if (auto it = dying.find(op); it != dying.end())
      llvm::for_each(it->second, free);
    for (Value result : op->getResults())
      if (!lastUse.contains(result))
        free(result);
  }

  void writePlan() {
    SmallVector<Expr> offsets;
    Expr total = context.constant(0);
    for (const Block64 &block : blocks) {
      offsets.push_back(total);
      total = context.add(total, block.size);
    }
    Builder b(function.getContext());
    for (Operation &op : function.getBody().front()) {
      if (!isCall(&op))
        continue;
      SmallVector<Attribute> attributes;
      for (Value result : op.getResults())
        attributes.push_back(storageOf(result, offsets));
      op.setAttr("storage", b.getArrayAttr(attributes));
    }
    function->setAttr("relax.arena_size", ir::ExprAttr::get(function.getContext(), total));
  }

  Attribute storageOf(Value result, ArrayRef<Expr> offsets) {
    if (auto it = blockOf.find(result); it != blockOf.end())
      return ir::StorageAttr::get(function.getContext(), offsets[it->second]);
    return storage.lookup(result);
  }

  func::FuncOp function;
  symbolic::Context &context;
  symbolic::Facts facts;
  DenseMap<Operation *, int64_t> positions;
  DenseMap<Value, Operation *> lastUse;
  DenseMap<Operation *, SmallVector<Value>> dying;
  DenseMap<Value, Attribute> storage;
  DenseMap<Value, size_t> blockOf;
  DenseSet<Value> handedOver; ///< Values whose block a later one has taken over.
  SmallVector<Block64> blocks;
};

struct PlanMemory : PassWrapper<PlanMemory, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanMemory)
  StringRef getArgument() const override { return "relax-plan-memory"; }
  StringRef getDescription() const override {
    return "Give every tensor a place in one arena, a result or a donated argument";
  }
  void runOnOperation() override {
    GeneralFunctions general(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (!isGraphFunction(function))
        continue;
      if (general.contains(function))
        function->setAttr("relax.general", UnitAttr::get(&getContext()));
      else if (failed(Planner(function).run()))
        return signalPassFailure();
    }
  }
};

} // namespace

std::unique_ptr<Pass> createPlanMemoryPass() { return std::make_unique<PlanMemory>(); }

} // namespace relax::transforms
