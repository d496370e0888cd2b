#include "compiler/transforms/FusionGroups.h"

#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace relax::transforms {
namespace {

/// Calls that one program may hold; programs of hundreds of ops would take long to compile.
constexpr size_t maxGroupCalls = 48;
/// How many other groups may stand between siblings: what is computed earlier than needed takes
/// memory until then.
constexpr int64_t maxSiblingDistance = 6;

/// Does the op introduce symbols, check, or have effects? Nothing is computed before it that comes
/// after it.
bool isCheck(Operation *op) { return !isMemoryEffectFree(op) || isa<ir::GuardOp>(op); }

struct Group {
  SmallVector<ir::CallKernelOp> calls; ///< In the order of the block.
  Operation *place = nullptr;
  Group *into = nullptr; ///< What it has become a part of.
};

Group *current(Group *group) {
  while (group->into)
    group = group->into;
  return group;
}

class Planner {
public:
  Planner(Block &block, FusionRules &rules, const SymbolTable &table)
      : block(block), rules(rules), table(table) {}

  SmallVector<PlannedGroup> run() {
    number();
    for (ir::CallKernelOp call : calls)
      absorbProducers(call);
    joinSiblings();
    SmallVector<PlannedGroup> result;
    llvm::DenseSet<Group *> seen;
    for (ir::CallKernelOp call : calls) {
      auto it = groupOf.find(call);
      if (it == groupOf.end() || it->second->calls.size() < 2 || !seen.insert(it->second).second)
        continue;
      result.push_back({describe(it->second->calls), it->second->place});
    }
    return result;
  }

private:
  /// Positions of ops, and how many barriers stand before each.
  void number() {
    int64_t position = 0, effects = 0, checks = 0;
    for (Operation &op : block) {
      auto call = dyn_cast<ir::CallKernelOp>(op);
      positions[&op] = {position++, effects, checks};
      // What nothing reads joins no group, which so has a result.
      if (call && !call->use_empty() && rules.programOf(call)) {
        calls.push_back(call);
        groups.push_back(std::make_unique<Group>(Group{{call}, &op, nullptr}));
        groupOf[call] = groups.back().get();
      }
      noteTaken(&op);
      if (isCheck(&op))
        ++checks;
      // Ops of ours that check are ordered as effects are, but a later place is as good for others.
      if (!isMemoryEffectFree(&op) &&
          (op.getNumRegions() > 0 || !isa<ir::RelaxDialect>(op.getDialect()) ||
           isa<ir::CallOp, ir::CallPackedOp>(op)))
        ++effects;
    }
  }

  /// Remembers which values' storage is taken over, and where.
  void noteTaken(Operation *op) {
    op->walk([&](Operation *inner) {
      auto note = [&](Value operand) { takers[viewedValue(operand)].push_back(op); };
      auto call = dyn_cast<ir::CallKernelOp>(inner);
      if (std::optional<ArrayRef<int64_t>> donates = call ? call.getDonates() : std::nullopt)
        for (int64_t operand : *donates)
          if (operand >= 0)
            note(call.getInputs()[operand]);
      if (auto graphCall = dyn_cast<ir::CallOp>(inner))
        if (auto callee = table.lookup<func::FuncOp>(graphCall.getCallee()))
          for (OpOperand &operand : inner->getOpOperands())
            if (callee.getArgAttr(operand.getOperandNumber(), ir::RelaxDialect::donatedAttr))
              note(operand.get());
    });
  }

  int64_t positionOf(Operation *op) const {
    Operation *ancestor = block.findAncestorOpInBlock(*op);
    return ancestor ? positions.lookup(ancestor).position : -1;
  }

  /// The call that computes `value`, through reshapes that can be merged.
  FusionEdge edgeTo(Value value) const {
    FusionEdge edge{};
    while (Operation *op = value.getDefiningOp()) {
      if (op->getBlock() != &block)
        break;
      if (auto call = dyn_cast<ir::CallKernelOp>(op)) {
        edge.producer = call;
        edge.result = cast<OpResult>(value).getResultNumber();
        break;
      }
      auto reshape = dyn_cast<ir::ReshapeOp>(op);
      if (!reshape || !isFusibleReshape(reshape))
        break;
      edge.throughView = true;
      value = op->getOperand(0);
    }
    return edge;
  }

  void absorbProducers(ir::CallKernelOp call) {
    if (rules.roleOf(call) == FusionRole::Opaque)
      return;
    for (bool changed = true; changed;) {
      changed = false;
      Group *own = groupOf[call];
      for (ir::CallKernelOp member : own->calls) {
        for (Value input : member.getInputs()) {
          FusionEdge edge = edgeTo(input);
          auto it = edge.producer ? groupOf.find(edge.producer) : groupOf.end();
          if (it == groupOf.end() || it->second == own || !tryJoin(*it->second, *own))
            continue;
          changed = true;
          break;
        }
        if (changed)
          break;
      }
    }
  }

  SmallVector<FusionEdge> edgesBetween(const Group &from, const Group &to) {
    SmallVector<FusionEdge> edges;
    for (ir::CallKernelOp consumer : to.calls)
      for (auto [i, input] : llvm::enumerate(consumer.getInputs())) {
        FusionEdge edge = edgeTo(input);
        if (!edge.producer || !llvm::is_contained(from.calls, edge.producer))
          continue;
        edge.consumer = consumer;
        edge.operand = unsigned(i);
        edges.push_back(edge);
      }
    return edges;
  }

  bool tryJoin(Group &from, Group &to) {
    if (from.calls.size() + to.calls.size() > maxGroupCalls)
      return false;
    SmallVector<ir::CallKernelOp> all = ordered(from.calls, to.calls);
    SmallVector<FusionEdge> edges = edgesBetween(from, to);
    if (edges.empty() || !mayStandAt(all, to.place) || isForLater(from, to, edges))
      return false;
    KernelGroup merged = describe(all);
    bool shared = llvm::any_of(merged.results, [&](Value result) {
      return llvm::is_contained(from.calls, result.getDefiningOp<ir::CallKernelOp>());
    });
    if (!rules.mayMerge(from.calls, to.calls, edges, shared, merged))
      return false;
    for (ir::CallKernelOp call : from.calls)
      groupOf[call] = &to;
    to.calls = all;
    return true;
  }

  SmallVector<ir::CallKernelOp> ordered(ArrayRef<ir::CallKernelOp> a,
                                        ArrayRef<ir::CallKernelOp> b) const {
    SmallVector<ir::CallKernelOp> all(a);
    llvm::append_range(all, b);
    llvm::sort(all, [&](ir::CallKernelOp x, ir::CallKernelOp y) {
      return positions.lookup(x).position < positions.lookup(y).position;
    });
    return all;
  }

  /// An activation of two products that share an operand (gate and up) is better done where it is
  /// quantised: both products then become one call.
  bool isForLater(const Group &from, const Group &to, ArrayRef<FusionEdge> edges) {
    if (rules.roleOf(from.calls) != FusionRole::PackedContraction ||
        rules.roleOf(to.calls) != FusionRole::Pointwise)
      return false;
    // Down to the quantisation,
    ir::CallKernelOp last = edges.front().consumer;
    while (rules.roleOf(last) == FusionRole::Pointwise) {
      if (last->getNumResults() != 1 || !last->hasOneUse())
        return false;
      auto user = dyn_cast<ir::CallKernelOp>(*last->user_begin());
      if (!user || user->getBlock() != &block || !rules.programOf(user))
        return false;
      last = user;
    }
    if (rules.roleOf(last) != FusionRole::Quantize)
      return false;
    // and up to the products.
    llvm::DenseSet<Value> operands;
    for (ir::CallKernelOp product : from.calls)
      operands.insert(product.getInputs().begin(), product.getInputs().end());
    llvm::SetVector<Operation *> above;
    above.insert(last);
    for (size_t i = 0; i < above.size() && i < maxGroupCalls; ++i)
      for (Value input : cast<ir::CallKernelOp>(above[i]).getInputs()) {
        ir::CallKernelOp producer = edgeTo(input).producer;
        if (!producer || !rules.programOf(producer))
          continue;
        if (rules.roleOf(producer) == FusionRole::Pointwise)
          above.insert(producer);
        else if (rules.roleOf(producer) == FusionRole::PackedContraction &&
                 !llvm::is_contained(from.calls, producer) &&
                 llvm::any_of(producer.getInputs(),
                              [&](Value operand) { return operands.contains(operand); }))
          return true;
      }
    return false;
  }

  /// Can all calls be done at `place`, the position of the last of them?
  bool mayStandAt(ArrayRef<ir::CallKernelOp> members, Operation *place) {
    int64_t last = positions.lookup(place).position;
    llvm::DenseSet<Operation *> inside(members.begin(), members.end());
    for (ir::CallKernelOp call : members) {
      const Position &own = positions.lookup(call);
      if (own.effects != positions.lookup(place).effects)
        return false;
      for (Value result : call->getResults())
        if (isReadBefore(result, last, inside))
          return false;
      for (Value input : call.getInputs())
        if (isTakenBetween(viewedValue(input), call, own.position, last, inside))
          return false;
    }
    return true;
  }

  /// Does anything outside need `value` before position `last`? Views and tuples may move, but not
  /// from between two calls of the group, unless they are part of it.
  bool isReadBefore(Value value, int64_t last, const llvm::DenseSet<Operation *> &inside) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (inside.contains(user))
        return !inside.contains(edgeTo(value).producer);
      if (positionOf(user) > last)
        return false;
      if (user->getBlock() != &block || !isMovable(user))
        return true;
      return llvm::any_of(user->getResults(),
                          [&](Value view) { return isReadBefore(view, last, inside); });
    });
  }

  /// Is the storage of `root`, which `reader` reads, taken over before the group is computed, or by
  /// the group itself?
  bool isTakenBetween(Value root, ir::CallKernelOp reader, int64_t from, int64_t last,
                      const llvm::DenseSet<Operation *> &inside) {
    auto it = takers.find(root);
    return it != takers.end() && llvm::any_of(it->second, [&](Operation *taker) {
             if (taker == reader.getOperation())
               return false;
             int64_t position = positions.lookup(taker).position;
             return inside.contains(taker) || (position > from && position < last);
           });
  }

  /// The group of these calls: with the reshapes between them, and what is needed outside.
  KernelGroup describe(ArrayRef<ir::CallKernelOp> members) {
    KernelGroup group;
    llvm::DenseSet<Operation *> inside(members.begin(), members.end()), views;
    for (ir::CallKernelOp call : members) {
      for (Value input : call.getInputs())
        addViews(input, inside, views, group.ops);
      group.ops.push_back(call);
    }
    for (ir::CallKernelOp call : members)
      for (Value result : call->getResults())
        if (isNeededOutside(result, inside, views))
          group.results.push_back(result);
    return group;
  }

  /// The reshapes between `value` and a call of the group, the first one first.
  void addViews(Value value, const llvm::DenseSet<Operation *> &inside,
                llvm::DenseSet<Operation *> &views, SmallVectorImpl<Operation *> &ops) {
    FusionEdge edge = edgeTo(value);
    if (!edge.producer || !inside.contains(edge.producer))
      return;
    SmallVector<Operation *> chain;
    for (Operation *op = value.getDefiningOp(); !isa<ir::CallKernelOp>(op);
         op = op->getOperand(0).getDefiningOp())
      if (views.insert(op).second)
        chain.push_back(op);
    llvm::append_range(ops, llvm::reverse(chain));
  }

  static bool isNeededOutside(Value value, const llvm::DenseSet<Operation *> &inside,
                              const llvm::DenseSet<Operation *> &views) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (inside.contains(user))
        return false;
      return !views.contains(user) || isNeededOutside(user->getResult(0), inside, views);
    });
  }

  //===----------------------------------------------------------------------------------------===//
  // Siblings
  //===----------------------------------------------------------------------------------------===//

  /// Products that read one tensor.
  bool areProducts(const Group &a, const Group &b) {
    FusionRole x = rules.roleOf(a.calls), y = rules.roleOf(b.calls);
    return x == y && (x == FusionRole::PackedContraction || x == FusionRole::Contraction);
  }

  /// Small work that reads one tensor, and stores.
  bool areStores(const Group &a, const Group &b) {
    FusionRole x = rules.roleOf(a.calls), y = rules.roleOf(b.calls);
    auto small = [](FusionRole role) {
      return role == FusionRole::UpdateSlots || role == FusionRole::Pointwise ||
             role == FusionRole::Reduction;
    };
    return small(x) && small(y) && (x == FusionRole::UpdateSlots || y == FusionRole::UpdateSlots);
  }

  void joinSiblings() {
    // Groups by what they read, in order of place.
    llvm::MapVector<Value, SmallVector<Group *>> readers;
    SmallVector<Group *> order;
    for (ir::CallKernelOp call : calls)
      if (Group *group = groupOf[call]; group->place == call.getOperation()) {
        positions[call].groups = int64_t(order.size());
        order.push_back(group);
      }
    for (Group *group : order)
      for (Value input : describe(group->calls).inputs())
        if (!isConstantInput(input))
          readers[input].push_back(group);
    auto join = [&](auto areSiblings) {
      for (auto &[value, list] : readers)
        for (size_t i = 0; i < list.size(); ++i)
          for (size_t j = i + 1; j < list.size() && areNear(*list[i], *list[j]); ++j) {
            Group *first = current(list[i]), *later = current(list[j]);
            if (first != later && areSiblings(*first, *later) && mayHoist(*later, *first))
              adopt(*first, *later);
          }
    };
    // What is stored comes from products: only when k and v are there with q can they be stored
    // where q is rotated.
    join([&](const Group &a, const Group &b) { return areProducts(a, b); });
    join([&](const Group &a, const Group &b) { return areStores(a, b); });
  }

  /// Whether a group, or one that it has become a part of, may be a sibling of one that stands so
  /// much earlier. What all layers read (a page table) has very many readers.
  bool areNear(const Group &first, const Group &later) const {
    return positions.lookup(later.place).groups - positions.lookup(first.place).groups <=
           2 * maxSiblingDistance;
  }

  static bool isConstantInput(Value value) {
    Operation *op = viewedValue(value).getDefiningOp();
    return op && (isa<ir::ConstantOp, ir::StateOp>(op) || op->hasTrait<OpTrait::ConstantLike>());
  }

  void adopt(Group &first, Group &later) {
    for (ir::CallKernelOp call : later.calls)
      groupOf[call] = &first;
    first.calls.append(later.calls);
    later.calls.clear();
    later.into = &first;
  }

  /// Can `later` be computed where `first` stands?
  bool mayHoist(const Group &later, const Group &first) {
    const Position &to = positions.lookup(first.place), &from = positions.lookup(later.place);
    if (from.position < to.position || from.checks != to.checks ||
        from.groups - to.groups > maxSiblingDistance ||
        later.calls.size() + first.calls.size() > maxGroupCalls)
      return false;
    for (Value input : describe(later.calls).inputs())
      if (!isAvailable(input, to.position))
        return false;
    // What it takes over must not be read between.
    for (ir::CallKernelOp call : later.calls)
      if (std::optional<ArrayRef<int64_t>> donates = call.getDonates())
        for (int64_t operand : *donates)
          if (operand >= 0 && isReadElsewhere(call.getInputs()[operand], call, to.position))
            return false;
    for (ir::CallKernelOp call : first.calls)
      if (std::optional<ArrayRef<int64_t>> donates = call.getDonates())
        for (int64_t operand : *donates)
          if (operand >= 0 && isReadBy(viewedValue(call.getInputs()[operand]), later))
            return false;
    return true;
  }

  bool isReadBy(Value root, const Group &group) {
    return llvm::any_of(describe(group.calls).inputs(),
                        [&](Value input) { return viewedValue(input) == root; });
  }

  /// Is the tensor read by anything but `taker` at `position` or later?
  bool isReadElsewhere(Value value, Operation *taker, int64_t position) {
    Value root = viewedValue(value);
    SmallVector<Value> work = {root};
    while (!work.empty()) {
      Value next = work.pop_back_val();
      for (Operation *user : next.getUsers()) {
        if (user == taker)
          continue;
        if (isMovable(user))
          llvm::append_range(work, user->getResults());
        else if (positionOf(user) >= position)
          return true;
      }
    }
    return false;
  }

  /// Is the value there before `position`, or can what makes it move there? Results of a call are
  /// there where its group stands.
  bool isAvailable(Value value, int64_t position) {
    Operation *op = value.getDefiningOp();
    if (!op || op->getBlock() != &block)
      return true;
    if (auto it = groupOf.find(op); it != groupOf.end())
      return positions.lookup(current(it->second)->place).position < position;
    if (positions.lookup(op).position < position && !isMovable(op))
      return true;
    return isMovable(op) && llvm::all_of(op->getOperands(), [&](Value operand) {
             return isAvailable(operand, position);
           });
  }

  struct Position {
    int64_t position = 0, effects = 0, checks = 0;
    int64_t groups = 0; ///< How many stand before the place of one.
  };

  Block &block;
  FusionRules &rules;
  const SymbolTable &table;
  SmallVector<ir::CallKernelOp> calls;
  llvm::DenseMap<Operation *, Position> positions;
  llvm::DenseMap<Value, SmallVector<Operation *, 1>> takers;
  std::vector<std::unique_ptr<Group>> groups;
  llvm::DenseMap<Operation *, Group *> groupOf;
};

} // namespace

bool isMovable(Operation *op) {
  return isa<ir::ReshapeOp, ir::TupleOp, ir::TupleGetOp, ir::EraseOp, ir::ConstantOp, ir::StateOp>(
             op) ||
         op->hasTrait<OpTrait::ConstantLike>();
}

SmallVector<PlannedGroup> planGroups(Block &block, FusionRules &rules, const SymbolTable &table) {
  return Planner(block, rules, table).run();
}

bool duplicateCheapProducers(Block &block, FusionRules &rules) {
  bool changed = false;
  for (auto call : llvm::make_early_inc_range(block.getOps<ir::CallKernelOp>())) {
    if (!rules.programOf(call) || call->getNumResults() != 1 || call->use_empty() ||
        call->hasOneUse())
      continue;
    llvm::SetVector<Operation *> users(call->user_begin(), call->user_end());
    bool all = users.size() > 1 && llvm::all_of(users, [&](Operation *user) {
                 auto consumer = dyn_cast<ir::CallKernelOp>(user);
                 return consumer && consumer->getBlock() == &block && rules.programOf(consumer) &&
                        !consumer.getDonates() && rules.roleOf(consumer) <= FusionRole::Reduction;
               });
    if (!all || !rules.isCheaperAgain(call))
      continue;
    for (Operation *user : llvm::drop_begin(users)) {
      OpBuilder b(user);
      user->replaceUsesOfWith(call->getResult(0), b.clone(*call)->getResult(0));
    }
    changed = true;
  }
  return changed;
}

} // namespace relax::transforms
