// Puts calls of tensor programs that shall become one into a function of their own.
//
// Before:  %w = relax.call_kernel @decode(%p) : …
//          %y = relax.call_kernel @matmul(%x, %w) {symbols = [#relax.expr<n>]} : …
//
// After:   %y = relax.call @decode_matmul_group(%p, %x) : …
//          func.func private @decode_matmul_group(%p: …, %x: tensor<?x64xf32, #relax.shape<[n,
//          64]>>)
//              attributes {relax.group, relax.symbols = #relax.symbols<n = [0, ?]>} { both calls }
//
// Which calls is decided in FusionGroups.h, by the rules of FusionRules.h. A symbol that the calls
// need and that no tensor of the group has as a dimension of its own is passed as a shape:
// `relax.shape <[n]>`. relax-merge-groups makes one program of each group. Linear in the number of
// calls. Tests: tests/ir/transforms/group-kernels*.mlir, tests/ir/paper/5-decode-matmul.mlir

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/Application.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/FusionGroups.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using relax::symbolic::Expr;

namespace relax::transforms {
namespace {

/// The order of a block's ops while they move. MLIR numbers a whole block anew when it is asked
/// after a move, which would take quadratic time.
class BlockOrder {
public:
  explicit BlockOrder(Block &block) {
    for (Operation &op : block)
      ranks[&op] = stride * ++numOps;
  }

  /// Whether `op` stands in the block, before `place`.
  [[nodiscard]] bool isBefore(Operation *op, Operation *place) const {
    auto it = ranks.find(op);
    return it != ranks.end() && it->second < ranks.lookup(place);
  }
  [[nodiscard]] bool isAfter(Operation *op, Operation *place) const {
    auto it = ranks.find(op);
    return it != ranks.end() && it->second > ranks.lookup(place);
  }
  /// `op` takes the place of `other`, which will be gone.
  void replace(Operation *other, Operation *op) { ranks[op] = ranks.lookup(other); }
  void moveBefore(Operation *op, Operation *place) {
    op->moveBefore(place);
    ranks[op] = ranks.lookup(place) - stride / 2 + ++numMoves;
  }
  /// Behind `after`, and what else was moved behind `place`.
  void moveBehind(Operation *op, Operation *after, Operation *place) {
    op->moveAfter(after);
    ranks[op] = ranks.lookup(place) + ++numMoves;
  }
  void erase(Operation *op) { ranks.erase(op); }

private:
  /// Between neighbours there is room for all moves, half of it for each side.
  static constexpr int64_t stride = int64_t(1) << 34;
  int64_t numOps = 0, numMoves = 0;
  llvm::DenseMap<Operation *, int64_t> ranks;
};

class Outliner {
public:
  Outliner(func::FuncOp function, SymbolTable &table, BlockOrder &order)
      : function(function), table(table), order(order) {}

  void outline(const PlannedGroup &planned) {
    const KernelGroup &group = planned.group;
    SmallVector<Value> inputs = group.inputs();
    for (Value input : inputs)
      moveUp(input.getDefiningOp(), planned.place);
    func::FuncOp callee = makeFunction(group, inputs);
    OpBuilder b(planned.place);
    Location loc = planned.place->getLoc();
    SmallVector<Value> arguments(inputs);
    if (!unbound.empty())
      arguments.push_back(makeShape(b, loc));
    auto call = ir::CallOp::create(b, loc, ValueRange(group.results).getTypes(), callee.getName(),
                                   arguments);
    order.replace(planned.place, call);
    for (auto [i, old] : llvm::enumerate(SmallVector<Value>(group.results)))
      old.replaceAllUsesWith(call.getResult(unsigned(i)));
    for (Operation *op : llvm::reverse(group.ops))
      if (op->use_empty()) {
        order.erase(op);
        op->erase();
      }
    moveUsersDown(call);
  }

private:
  /// Moves `op` before `place`, with what it needs.
  void moveUp(Operation *op, Operation *place) {
    if (!op || !order.isAfter(op, place))
      return;
    for (Value operand : op->getOperands())
      moveUp(operand.getDefiningOp(), place);
    order.moveBefore(op, place);
  }

  func::FuncOp makeFunction(const KernelGroup &group, ArrayRef<Value> inputs) {
    OpBuilder b(function);
    Location loc = group.ops.back()->getLoc();
    findSymbols(group, inputs);
    SmallVector<Type> types(ValueRange(inputs).getTypes());
    if (!unbound.empty())
      types.push_back(shapeType());
    auto callee =
        func::FuncOp::create(loc, group.name() + "_group",
                             b.getFunctionType(types, ValueRange(group.results).getTypes()));
    callee.setPrivate();
    table.insert(callee);
    callee->setAttr(groupAttr, b.getUnitAttr());
    if (!names.empty())
      callee->setAttr(ir::RelaxDialect::symbolsAttr, declarations());
    Block *body = callee.addEntryBlock();
    b.setInsertionPointToEnd(body);
    IRMapping mapping;
    for (auto [i, input] : llvm::enumerate(inputs))
      mapping.map(input, body->getArgument(i));
    for (Operation *op : group.ops) {
      b.clone(*op, mapping);
      auto call = dyn_cast<ir::CallKernelOp>(op);
      if (std::optional<ArrayRef<int64_t>> donates = call ? call.getDonates() : std::nullopt)
        for (int64_t operand : *donates)
          if (operand >= 0)
            callee.setArgAttr(llvm::find(inputs, call.getInputs()[operand]) - inputs.begin(),
                              ir::RelaxDialect::donatedAttr, b.getUnitAttr());
    }
    SmallVector<Value> results;
    for (Value result : group.results)
      results.push_back(mapping.lookup(result));
    func::ReturnOp::create(b, loc, results);
    return callee;
  }

  /// The symbols of the group, and those of them that no input has as a dimension of its own.
  void findSymbols(const KernelGroup &group, ArrayRef<Value> inputs) {
    names.clear();
    unbound.clear();
    std::set<std::string> all;
    for (Operation *op : group.ops) {
      for (Type type : op->getOperandTypes())
        ir::collectSymbols(type, all);
      for (Type type : op->getResultTypes())
        ir::collectSymbols(type, all);
      for (NamedAttribute attribute : op->getAttrs())
        ir::collectSymbols(attribute.getValue(), all);
    }
    std::set<std::string> bound;
    for (Value input : inputs)
      if (auto type = dyn_cast<RankedTensorType>(input.getType()))
        for (Expr dim : ir::shapeOf(type))
          if (dim && dim.isSymbol())
            bound.insert(std::string(dim.symbolName()));
    names.assign(all.begin(), all.end());
    llvm::copy_if(names, std::back_inserter(unbound),
                  [&](const std::string &name) { return !bound.contains(name); });
  }

  SmallVector<Expr> unboundDims() {
    symbolic::Context &context = ir::symbolicContext(function.getContext());
    return llvm::map_to_vector(unbound,
                               [&](const std::string &name) { return context.symbol(name); });
  }
  Type shapeType() { return ir::ShapeType::get(function.getContext(), unboundDims()); }
  Value makeShape(OpBuilder &b, Location loc) { return ir::ShapeOp::create(b, loc, unboundDims()); }

  /// What the function says of the symbols; nothing of those that its body introduces.
  Attribute declarations() {
    auto declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr);
    Builder b(function.getContext());
    SmallVector<ir::SymbolDeclaration> result;
    for (const std::string &name : names) {
      ir::SymbolDeclaration declaration{b.getStringAttr(name), 0, std::nullopt, 1};
      if (declared)
        for (const ir::SymbolDeclaration &known : declared.getDeclarations())
          if (known.name.getValue() == name)
            declaration = known;
      result.push_back(declaration);
    }
    return ir::SymbolsAttr::get(function.getContext(), result);
  }

  /// Views and tuples of the results that stand before the call move behind it.
  void moveUsersDown(ir::CallOp call) {
    SmallVector<Operation *> early;
    llvm::DenseSet<Operation *> seen;
    SmallVector<Operation *> work = {call};
    while (!work.empty())
      for (Operation *user : work.pop_back_val()->getUsers())
        if (order.isBefore(user, call) && seen.insert(user).second) {
          early.push_back(user);
          work.push_back(user);
        }
    llvm::sort(early, [&](Operation *a, Operation *b) { return order.isBefore(a, b); });
    Operation *after = call;
    for (Operation *op : early) {
      order.moveBehind(op, after, call);
      after = op;
    }
  }

  func::FuncOp function;
  SymbolTable &table;
  BlockOrder &order;
  std::vector<std::string> names, unbound;
};

struct GroupKernels : PassWrapper<GroupKernels, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(GroupKernels)
  StringRef getArgument() const override { return "relax-group-kernels"; }
  StringRef getDescription() const override {
    return "Put calls of tensor programs that shall become one into a function of their own";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    SmallVector<func::FuncOp> functions;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && !function->hasAttr(groupAttr))
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      symbolic::Facts sizes;
      if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
        sizes = symbols.toFacts();
      FusionRules rules(table, sizes);
      SmallVector<Block *> blocks;
      function.walk([&](Block *block) { blocks.push_back(block); });
      for (Block *block : blocks) {
        duplicateCheapProducers(*block, rules);
        SmallVector<PlannedGroup> groups = planGroups(*block, rules, table);
        BlockOrder order(*block);
        for (const PlannedGroup &group : groups)
          if (mayApply(group.place, "merges @" + group.group.name()))
            Outliner(function, table, order).outline(group);
      }
    }
  }
};

} // namespace

std::unique_ptr<Pass> createGroupKernelsPass() { return std::make_unique<GroupKernels>(); }

} // namespace relax::transforms
