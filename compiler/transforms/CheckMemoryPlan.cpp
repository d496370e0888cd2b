// Checks a memory plan by trying it: at many values of the symbols, edges and random ones, no two
// tensors that are alive at the same time may share a byte. Changes nothing.
//
//   func.func @f(…) attributes {relax.arena_size = #relax.expr<64 * n>} …
//     %a … {storage = [#relax.storage<arena, 0>]}
//     %b = … @add(%a, %x) {storage = [#relax.storage<arena, 32>]}      error: shares bytes with %a
//
// It knows nothing of how plans are made: lifetimes, sizes and places are worked out anew from the
// text of the function. What it checks of each planned function (one with `relax.arena_size`):
//   - each result of a call has a place; one in the arena begins at a multiple of 64, and ends
//     inside the arena
//   - tensors that are alive at the same time are apart, also in the memory of a result or of a
//     donated argument. Alive is: from the op that makes it to the last that reads it or a view of
//     it; a donated argument from the beginning. At the op where one ends and the other begins they
//     may be the same bytes only if the call says so (`donates`), or if its program reads and
//     writes place by place (AliasAnalysis.h)
//   - what is returned lies in its result, or in a donated argument
// Values of symbols that break a guard, a match_cast or a reshape of the function, or make a size
// negative, or need more memory than 64 bits count, don't count: the call fails before it uses
// memory.
//
// The pipeline runs it after plan-memory wherever it verifies after each pass: in debug builds and
// in tests (relax-opt --relax-pipeline). On a module of your own: plan it, then
//   pm.addPass(transforms::createCheckMemoryPlanPass());
// A violated plan is an error at the call, with the symbols' values and a note at the other tensor.
// Test: tests/ir/transforms/check-memory-plan.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Relax.h"
#include "compiler/transforms/AliasAnalysis.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/Pass.h"

#include <random>
#include <unordered_map>

using namespace mlir;
using relax::symbolic::Assignment;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

/// The tensor that a view shows.
Value origin(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ir::ReshapeOp, ir::MatchCastOp, ir::EraseOp>(op))
      return value;
    value = op->getOperand(0);
  }
  return value;
}

/// A tensor and its place.
struct Tensor {
  Value value;
  ir::StorageKind kind;
  unsigned index;
  Expr offset; ///< In the arena only.
  Expr bytes;
  int64_t first, last;
};

/// Where a tensor is for one choice of symbols: in the arena, or in result or argument `index`.
struct Place {
  const Tensor *tensor;
  int64_t from, to;
};

class PlanChecker {
public:
  PlanChecker(func::FuncOp function, SymbolTable &table)
      : function(function), table(table), context(ir::symbolicContext(function.getContext())) {}

  LogicalResult run() {
    arena = function->getAttrOfType<ir::ExprAttr>("relax.arena_size").getExpr();
    if (failed(collect()) || failed(checkReturn()))
      return failure();
    collectSymbols();
    // A function of many tensors is tried at fewer points.
    size_t wanted = tensors.size() < 200 ? 160 : tensors.size() < 1000 ? 40 : 16;
    // NOLINTNEXTLINE(bugprone-random-generator-seed): a plan is tried at the same values each time.
    std::mt19937_64 random(20240917);
    size_t tried = 0;
    for (size_t attempt = 0; attempt < 8 * wanted && tried < wanted; ++attempt) {
      values = choose(attempt, random);
      evaluated.clear();
      if (!isAllowed())
        continue;
      ++tried;
      if (failed(check()))
        return failure();
      if (names.empty())
        break;
    }
    return success();
  }

private:
  LogicalResult collect() {
    llvm::DenseMap<Value, int64_t> lastRead;
    int64_t position = 0;
    for (Operation &op : function.getBody().front()) {
      for (Value operand : op.getOperands())
        lastRead[origin(operand)] = position;
      ++position;
    }
    for (BlockArgument argument : function.getArguments())
      if (function.getArgAttr(argument.getArgNumber(), ir::RelaxDialect::donatedAttr))
        tensors.push_back({argument,
                           ir::StorageKind::Alias,
                           argument.getArgNumber(),
                           {},
                           bytesOf(argument),
                           -1,
                           lastRead.contains(argument) ? lastRead[argument] : -1});
    position = 0;
    for (Operation &op : function.getBody().front()) {
      int64_t here = position++;
      if (!isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp>(op))
        continue;
      auto storage = op.getAttrOfType<ArrayAttr>("storage");
      if (!storage || storage.size() != op.getNumResults())
        return op.emitError("has no storage for each of its results");
      for (OpResult result : op.getResults()) {
        auto place = cast<ir::StorageAttr>(storage[result.getResultNumber()]);
        Expr bytes = bytesOf(result);
        if (!bytes)
          return op.emitError("result ") << result.getResultNumber() << " has no known size";
        int64_t last = lastRead.contains(result) ? lastRead[result] : here;
        tensors.push_back(
            {result, place.getKind(), place.getIndex(), place.getOffset(), bytes, here, last});
      }
    }
    for (const Tensor &tensor : tensors)
      byValue[tensor.value] = &tensor;
    return success();
  }

  Expr elementsOf(Value value) {
    return ir::elementCount(function.getContext(),
                            ir::shapeOf(cast<RankedTensorType>(value.getType())));
  }

  Expr bytesOf(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !type.getElementType().isIntOrFloat())
      return {};
    Expr elements = elementsOf(value);
    return elements ? elements * ((type.getElementTypeBitWidth() + 7) / 8) : elements;
  }

  LogicalResult checkReturn() {
    Operation *ret = function.getBody().front().getTerminator();
    for (OpOperand &operand : ret->getOpOperands()) {
      Value value = origin(operand.get());
      auto it = byValue.find(value);
      const Tensor *tensor = it == byValue.end() ? nullptr : it->second;
      if (tensor &&
          (tensor->kind == ir::StorageKind::Alias || (tensor->kind == ir::StorageKind::Result &&
                                                      tensor->index == operand.getOperandNumber())))
        continue;
      return ret->emitError("result ")
             << operand.getOperandNumber() << " isn't where the plan puts it";
    }
    return success();
  }

  /// The extent of a dimension that a match_cast asserts something of; it may have been erased on
  /// the way. Null: not known.
  static Expr dimBefore(Value value, size_t dim, int64_t rank) {
    while (true) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && type.getRank() != rank)
        return {};
      if (type)
        if (Expr extent = ir::shapeOf(type)[dim])
          return extent;
      Operation *op = value.getDefiningOp();
      if (!isa_and_present<ir::MatchCastOp, ir::EraseOp>(op))
        return {};
      value = op->getOperand(0);
    }
  }

  void collectSymbols() {
    if (auto declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
      facts = declared.toFacts();
    for (const Tensor &tensor : tensors) {
      if (tensor.bytes)
        tensor.bytes.collectSymbols(names);
      if (tensor.offset)
        tensor.offset.collectSymbols(names);
    }
    arena.collectSymbols(names);
    auto require = [&](const symbolic::Constraint &constraint) {
      constraint.collectSymbols(names);
      required.push_back(constraint);
    };
    for (Operation &op : function.getBody().front()) {
      if (auto guard = dyn_cast<ir::GuardOp>(op)) {
        ir::ConstraintAttr constraint = guard.getConstraint();
        require(ir::relationOf(constraint.getKind(), constraint.getA(), constraint.getB()));
      }
      // A reshape that still has to be checked has its guard before the call, where that was in the
      // caller of an outlined function.
      if (auto reshape = dyn_cast<ir::ReshapeOp>(op))
        if (Expr before = elementsOf(reshape.getX()), after = elementsOf(reshape); before && after)
          require(symbolic::Constraint::equal(before, after));
      if (auto cast = dyn_cast<ir::MatchCastOp>(op))
        if (auto type = dyn_cast<RankedTensorType>(cast.getType()))
          for (auto [dim, after] : llvm::enumerate(ir::shapeOf(type)))
            if (Expr before = dimBefore(cast.getValue(), dim, type.getRank());
                before && after && before != after)
              require(symbolic::Constraint::equal(before, after));
    }
  }

  /// Edges first: all symbols at one small value or at an end, then each on its own.
  Assignment choose(size_t attempt, std::mt19937_64 &random) {
    static constexpr int64_t edges[] = {0, 1, 2, 3, 4, 7, 8, 15, 16, 17, 31, 63, 64, 65, 128, 1000};
    constexpr size_t numEdges = std::size(edges);
    Assignment chosen;
    for (const std::string &name : names) {
      const symbolic::SymbolRange *known = facts.find(name);
      symbolic::SymbolRange range = known ? *known : symbolic::SymbolRange();
      int64_t lo = std::max<int64_t>(range.lo, 0), hi = range.hi.value_or(1000);
      int64_t wanted = 0;
      if (attempt < numEdges)
        wanted = edges[attempt];
      else if (attempt < numEdges + 2)
        wanted = attempt == numEdges ? lo : hi;
      else
        switch (random() % 4) {
        case 0:
          wanted = edges[random() % numEdges];
          break;
        case 1:
          wanted = random() % 2 ? lo : hi;
          break;
        default:
          wanted = lo + int64_t(random() % uint64_t(std::clamp<int64_t>(hi - lo, 0, 4999) + 1));
        }
      int64_t divisor = std::max<int64_t>(1, range.divisor);
      wanted = std::clamp(wanted, lo, std::max(lo, hi)) / divisor * divisor;
      chosen[name] = wanted < lo ? wanted + divisor : wanted;
    }
    return chosen;
  }

  bool isAllowed() {
    for (auto &[name, range] : facts)
      if (auto it = values.find(name); it != values.end() && range.hi && it->second > *range.hi)
        return false;
    int64_t total = 0;
    return llvm::all_of(required,
                        [&](const symbolic::Constraint &constraint) {
                          return constraint.holds(values).value_or(false);
                        }) &&
           llvm::all_of(tensors, [&](const Tensor &tensor) {
             if (!tensor.bytes)
               return true;
             // With what rounding up to the next place takes.
             int64_t bytes = at(tensor.bytes).value_or(-1);
             return bytes >= 0 && !llvm::AddOverflow(total, bytes, total) &&
                    !llvm::AddOverflow(total, int64_t(63), total);
           });
  }

  std::optional<int64_t> at(Expr expr) {
    auto [it, isNew] = evaluated.try_emplace(expr);
    if (isNew)
      it->second = symbolic::evaluate(expr, values);
    return it->second;
  }

  LogicalResult check() {
    std::optional<int64_t> total = at(arena);
    if (!total || *total < 0)
      return function.emitError("the size of its arena, ")
             << arena.str() << ", has no value" << valuesText();
    SmallVector<Place> alive;
    for (const Tensor &tensor : tensors) {
      if (!tensor.bytes)
        continue;
      int64_t bytes = *at(tensor.bytes), from = 0;
      if (tensor.kind == ir::StorageKind::Arena) {
        std::optional<int64_t> offset = at(tensor.offset);
        if (!offset || *offset < 0 || *offset % 64 != 0 || bytes > *total - *offset)
          return tensor.value.getDefiningOp()->emitError("result ")
                 << cast<OpResult>(tensor.value).getResultNumber() << " has " << bytes
                 << " bytes at " << tensor.offset.str() << ", in an arena of " << *total << " bytes"
                 << valuesText();
        from = *offset;
      }
      llvm::erase_if(alive, [&](const Place &other) { return other.tensor->last < tensor.first; });
      for (const Place &other : alive)
        if (other.tensor->kind == tensor.kind && other.tensor->index == tensor.index &&
            from < other.to && other.from < from + bytes &&
            !takesOver(tensor, *other.tensor, from == other.from && from + bytes == other.to)) {
          InFlightDiagnostic error = tensor.value.getDefiningOp()->emitError("result ")
                                     << cast<OpResult>(tensor.value).getResultNumber()
                                     << " shares bytes with a tensor that is still in use"
                                     << valuesText();
          error.attachNote(other.tensor->value.getLoc()) << "this one";
          return error;
        }
      alive.push_back({&tensor, from, from + bytes});
    }
    return success();
  }

  /// May `next` be the same bytes as `old`, which ends where it begins?
  bool takesOver(const Tensor &next, const Tensor &old, bool sameBytes) {
    auto call = next.value.getDefiningOp<ir::CallKernelOp>();
    if (!call || old.last != next.first || !sameBytes)
      return false;
    unsigned result = cast<OpResult>(next.value).getResultNumber();
    std::optional<ArrayRef<int64_t>> donates = call.getDonates();
    auto program = table.lookup<func::FuncOp>(call.getCallee());
    bool reads = false;
    for (auto [i, input] : llvm::enumerate(call.getInputs())) {
      if (origin(input) != old.value)
        continue;
      reads = true;
      bool isDonated = donates && result < donates->size() && (*donates)[result] == int64_t(i);
      if (!isDonated && !(program && mayShareMemory(program, result, i)))
        return false;
    }
    return reads;
  }

  [[nodiscard]] std::string valuesText() const {
    std::string text;
    for (auto &[name, value] : values)
      text += (text.empty() ? " where " : ", ") + name + " = " + std::to_string(value);
    return text;
  }

  func::FuncOp function;
  SymbolTable &table;
  symbolic::Context &context;
  Expr arena;
  std::vector<Tensor> tensors; ///< In the order in which they begin.
  llvm::DenseMap<Value, const Tensor *> byValue;
  std::set<std::string> names;
  symbolic::Facts facts;
  std::vector<symbolic::Constraint> required;
  Assignment values; ///< Of the symbols, where the plan is tried now, and what sizes are there.
  std::unordered_map<Expr, std::optional<int64_t>> evaluated;
};

struct CheckMemoryPlan : PassWrapper<CheckMemoryPlan, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(CheckMemoryPlan)
  StringRef getArgument() const override { return "relax-check-memory-plan"; }
  StringRef getDescription() const override {
    return "Try the memory plan at many values of the symbols";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (!function.isDeclaration() && function->hasAttr("relax.arena_size") &&
          failed(PlanChecker(function, table).run()))
        return signalPassFailure();
    markAllAnalysesPreserved();
  }
};

} // namespace

std::unique_ptr<Pass> createCheckMemoryPlanPass() { return std::make_unique<CheckMemoryPlan>(); }

} // namespace relax::transforms
