// Moves work that depends on constants alone into @initialize, which runs once at load.
//
// Before:  func.func @step(…) {
//            %b = relax.constant #relax.weight<"w", …> : tensor<576x360xi8>
//            %p = relax.pack_weights %b {format = "q4_1"} : …
//
// After:   func.func @initialize() -> tensor<36x5760xi8> attributes {relax.state_names = ["w"]} {
//            %b = relax.constant …
//            %p = relax.pack_weights %b …
//            return %p
//          }
//          func.func @step(…) {
//            %p = relax.state 0 "w" : tensor<36x5760xi8>
//
// An op is lifted if all its operands are constants or lifted, its attributes have no symbols, its
// results are of static size, and it doesn't inflate: at most 1.5 times the bytes that it reads,
// plus 4 KiB. So packing and folding are lifted, and decoding a weight to float32 is not: that is
// cheaper to do where it is used than to keep in memory. Equal ops are lifted once, from whichever
// functions. Test: tests/ir/transforms/lift-initialization.mlir

#include "compiler/dialect/Ops.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace relax::transforms {
namespace {

constexpr StringLiteral initializeName = "initialize";

bool isConstant(Operation *op) { return isa<ir::ConstantOp, arith::ConstantOp>(op); }

/// Whether the op only says its operand's elements in another shape, so that nothing is computed.
bool isView(Operation *op) {
  static const llvm::StringSet<> views = {"relax.flatten", "relax.reshape", "relax.squeeze",
                                          "relax.unsqueeze", "relax.view"};
  return views.contains(op->getName().getStringRef());
}

/// Size of a static tensor in bytes; nothing for anything else.
std::optional<int64_t> staticBytes(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() || !tensor.getElementType().isIntOrFloat())
    return std::nullopt;
  return tensor.getNumElements() * ((tensor.getElementTypeBitWidth() + 7) / 8);
}

class Lifter {
public:
  explicit Lifter(ModuleOp module) : module(module) {}

  LogicalResult run() {
    SmallVector<func::FuncOp> functions;
    for (auto function : module.getOps<func::FuncOp>())
      if (function.isPublic() && !function.isDeclaration())
        functions.push_back(function);
    for (func::FuncOp function : functions) {
      if (function.getName() == initializeName)
        return function.emitError("@initialize is made by this pass; the module has one already");
      SmallVector<Operation *> candidates;
      function.walk<WalkOrder::PreOrder>([&](Operation *op) {
        if (isLiftable(op))
          candidates.push_back(op);
        for (Value result : op->getResults())
          if (isConstant(op) || (!candidates.empty() && candidates.back() == op))
            ready.insert(result);
      });
      for (Operation *op : candidates)
        lift(op);
    }
    finish();
    return success();
  }

private:
  bool isLiftable(Operation *op) const {
    if (isConstant(op) || isView(op) || op->getNumOperands() == 0 || op->getNumRegions() != 0 ||
        !isPure(op) || isa<ir::CallKernelOp, ir::CallLibraryOp, ir::CallOp>(op) ||
        !llvm::all_of(op->getOperands(), [&](Value v) { return ready.contains(v); }))
      return false;
    // A symbol has no value there.
    std::set<std::string> symbols;
    ir::collectSymbols(op->getAttrDictionary(), symbols);
    if (!symbols.empty())
      return false;
    int64_t read = 0, written = 0;
    for (Value operand : op->getOperands()) {
      std::optional<int64_t> bytes = staticBytes(operand.getType());
      if (!bytes)
        return false;
      read += *bytes;
    }
    for (Value result : op->getResults()) {
      std::optional<int64_t> bytes = staticBytes(result.getType());
      if (!bytes)
        return false;
      written += *bytes;
    }
    return written <= read + read / 2 + 4096;
  }

  /// The value of `value` inside @initialize, with what it is computed from.
  Value inside(Value value) {
    if (Value known = mapping.lookupOrNull(value))
      return known;
    Operation *op = value.getDefiningOp();
    for (Value operand : op->getOperands())
      inside(operand);
    OpBuilder b = builder();
    Operation *copy = b.clone(*op, mapping);
    // The same weight in two functions, or the same packing of it, is one value.
    auto &equals = copies[OperationEquivalence::computeHash(
        copy, OperationEquivalence::directHashValue, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations)];
    for (Operation *other : equals)
      if (OperationEquivalence::isEquivalentTo(other, copy,
                                               OperationEquivalence::IgnoreLocations)) {
        mapping.map(op->getResults(), other->getResults());
        copy->erase();
        return mapping.lookup(value);
      }
    equals.push_back(copy);
    return mapping.lookup(value);
  }

  /// Results of `op` that something not lifted uses become states.
  void lift(Operation *op) {
    // A view of a constant is no work: it stays where it is used.
    if (op->getNumResults() == 1 && isConstant(viewedValue(op->getResult(0)).getDefiningOp()))
      return;
    for (Value result : op->getResults()) {
      bool needed = llvm::any_of(result.getUsers(), [&](Operation *user) {
        return llvm::none_of(user->getResults(), [&](Value v) { return ready.contains(v); });
      });
      if (!needed)
        continue;
      Value value = inside(result);
      auto [it, inserted] = states.try_emplace(value, static_cast<unsigned>(returned.size()));
      if (inserted) {
        returned.push_back(value);
        names.push_back(nameOf(op));
      }
      OpBuilder b(op);
      Value state =
          ir::StateOp::create(b, op->getLoc(), result.getType(), b.getI64IntegerAttr(it->second),
                              b.getStringAttr(names[it->second]));
      result.replaceUsesWithIf(state, [&](OpOperand &use) {
        return llvm::none_of(use.getOwner()->getResults(),
                             [&](Value v) { return ready.contains(v); });
      });
    }
  }

  /// A state is named after the first weight that it comes from.
  std::string nameOf(Operation *op) const {
    while (op) {
      if (auto constant = dyn_cast<ir::ConstantOp>(op))
        return constant.getWeight().getName().str();
      op = op->getNumOperands() ? op->getOperand(0).getDefiningOp() : nullptr;
    }
    return "state." + std::to_string(returned.size() - 1);
  }

  OpBuilder builder() {
    if (!initialize) {
      OpBuilder b = OpBuilder::atBlockBegin(module.getBody());
      initialize =
          func::FuncOp::create(b, module.getLoc(), initializeName, b.getFunctionType({}, {}));
      initialize.addEntryBlock();
    }
    return OpBuilder::atBlockEnd(&initialize.getBody().front());
  }

  void finish() {
    if (!initialize)
      return;
    OpBuilder b = builder();
    func::ReturnOp::create(b, module.getLoc(), returned);
    initialize.setType(b.getFunctionType({}, ValueRange(returned).getTypes()));
    SmallVector<Attribute> attributes;
    for (const std::string &name : names)
      attributes.push_back(b.getStringAttr(name));
    initialize->setAttr("relax.state_names", b.getArrayAttr(attributes));
  }

  ModuleOp module;
  func::FuncOp initialize;
  DenseSet<Value> ready; ///< Constants and what is lifted.
  IRMapping mapping;     ///< From values of functions to values of @initialize.
  /// The ops of @initialize by their hash.
  llvm::DenseMap<size_t, SmallVector<Operation *, 1>> copies;
  DenseMap<Value, unsigned> states;
  SmallVector<Value> returned;
  std::vector<std::string> names;
};

struct LiftInitialization : PassWrapper<LiftInitialization, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(LiftInitialization)
  StringRef getArgument() const override { return "relax-lift-initialization"; }
  StringRef getDescription() const override {
    return "Move work that depends on constants alone into @initialize";
  }
  void runOnOperation() override {
    if (failed(Lifter(getOperation()).run()))
      return signalPassFailure();
    // What was lifted is dead where it stood.
    for (auto function : getOperation().getOps<func::FuncOp>()) {
      if (function.getName() == initializeName)
        continue;
      function.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
        if (isOpTriviallyDead(op))
          op->erase();
      });
    }
  }
};

} // namespace

std::unique_ptr<Pass> createLiftInitializationPass() {
  return std::make_unique<LiftInitialization>();
}

} // namespace relax::transforms
