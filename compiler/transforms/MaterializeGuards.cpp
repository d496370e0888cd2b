// Makes every assumption about sizes an op that can be seen, moved, proved or checked.
//
// Before:  %z = relax.add %x, %y : (tensor<?xf32, #relax.shape<[n]>>,
//                                   tensor<?xf32, #relax.shape<[m]>>) -> …
//
// After:   relax.guard <broadcast, n, m> "dimension 0 of lhs [n] and …"
//          %z = relax.add %x, %y : …
//
// Where assumptions come from: ops whose rule could neither prove nor refute that sizes fit
// (RuntimeChecked), arguments of calls that don't provably fit the callee's signature, and results
// and shapes whose extents may be negative for what is known of the symbols ([n - 5], of a full). A
// match_cast, a prefix and a tensor_to_shape are explicit already: they check when they run. What
// is checked at the door of a function, its arguments' ranks, dimensions, ranges and values, is in
// its signature.
//
// A relation is guarded once: not again where an equal guard dominates. So the pass may run twice.
// relax-prove-guards then drops what is proved; a match_cast that claims to be proved already is
// proved again. Test: tests/ir/transforms/materialize-guards.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Relax.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/FunctionSymbols.h"
#include "compiler/transforms/Guards.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;

namespace relax::transforms {
namespace {

/// The ranges of the symbols, which hold wherever these have a value; what ops of the body compare
/// holds only behind them.
symbolic::Facts rangesIn(func::FuncOp function) {
  symbolic::Facts facts;
  if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    facts = symbols.toFacts();
  function.walk([&](ir::IntroducesSymbols op) {
    SmallVector<ir::IntroducedSymbol> symbols;
    op.getIntroducedSymbols(symbols);
    for (const ir::IntroducedSymbol &symbol : symbols)
      if (!facts.find(symbol.name.getValue()))
        facts.set(symbol.name.getValue(), {symbol.lo, std::nullopt, 1});
  });
  return facts;
}

class Materializer {
public:
  Materializer(func::FuncOp function, SymbolTable &table) : assumptions(function, table) {}

  void run(Block &block) {
    const size_t before = made.size();
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto guard = dyn_cast<ir::GuardOp>(op)) {
        if (!remember(guard.getConstraint()))
          guard.erase();
        continue;
      }
      if (auto cast = dyn_cast<ir::MatchCastOp>(op))
        cast->removeAttr(provedAttr);
      SmallVector<ir::Constraint> constraints;
      assumptions.collect(&op, constraints);
      OpBuilder b(&op);
      for (const ir::Constraint &constraint : constraints)
        addGuard(b, op.getLoc(), constraint);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          run(inner);
    }
    // What a region checks doesn't hold behind it.
    for (; made.size() > before; made.pop_back())
      guarded.erase(made.back());
  }

private:
  void addGuard(OpBuilder &b, Location loc, const ir::Constraint &constraint) {
    // A dimension without a name is compared when the op runs.
    if (!constraint.a || !constraint.b)
      return;
    auto attribute =
        ir::ConstraintAttr::get(b.getContext(), constraint.kind, constraint.a, constraint.b);
    if (remember(attribute))
      ir::GuardOp::create(b, loc, attribute, b.getStringAttr(constraint.text));
  }

  /// False if the relation is guarded already where we are.
  bool remember(ir::ConstraintAttr constraint) {
    if (!guarded.insert(constraint).second)
      return false;
    made.push_back(constraint);
    return true;
  }

  Assumptions assumptions;
  llvm::DenseSet<Attribute> guarded;
  SmallVector<Attribute> made;
};

struct MaterializeGuards : PassWrapper<MaterializeGuards, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(MaterializeGuards)
  StringRef getArgument() const override { return "relax-materialize-guards"; }
  StringRef getDescription() const override {
    return "Make every assumption about sizes an explicit relax.guard";
  }
  void runOnOperation() override {
    SymbolTable table(getOperation());
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function)) {
        function->removeAttr(provedGuardsAttr);
        for (Block &block : function.getBody())
          Materializer(function, table).run(block);
      }
  }
};

} // namespace

Assumptions::Assumptions(func::FuncOp function, SymbolTable &table)
    : table(table), facts(rangesIn(function)),
      zero(ir::symbolicContext(function.getContext()).constant(0)) {}

void Assumptions::collect(Operation *op, SmallVectorImpl<ir::Constraint> &constraints) {
  if (auto checked = dyn_cast<ir::RuntimeChecked>(op))
    checked.getConstraints(constraints);
  collectOperands(op, constraints);
  collectSizes(op, constraints);
}

/// The arguments of a call fit the callee's signature.
void Assumptions::collectOperands(Operation *op, SmallVectorImpl<ir::Constraint> &constraints) {
  FunctionType signature;
  std::string callee;
  ValueRange inputs = op->getOperands();
  if (auto call = dyn_cast<ir::CallOp>(op)) {
    if (auto function = table.lookup<func::FuncOp>(call.getCallee()))
      signature = function.getFunctionType();
    callee = "@" + call.getCallee().str();
  } else if (auto call = dyn_cast<ir::CallIndirectOp>(op)) {
    signature = cast<FunctionType>(call.getCallee().getType());
    callee = "the function value";
    inputs = call.getInputs();
  }
  if (!signature)
    return;
  SmallVector<Type> results;
  std::string message;
  const size_t first = constraints.size();
  if (failed(ir::deduceCall(signature, inputs.getTypes(), results, message, &constraints)))
    return; // The call's verifier reports it.
  for (ir::Constraint &constraint : llvm::drop_begin(constraints, first))
    constraint.text = "call of " + callee + ": " + constraint.text;
}

/// The extents of new tensors aren't negative.
void Assumptions::collectSizes(Operation *op, SmallVectorImpl<ir::Constraint> &constraints) {
  if (auto shape = dyn_cast<ir::ShapeOp>(op))
    for (auto [number, dim] : llvm::enumerate(shape.getDims().getDims()))
      if (!dim.isConstant() && mayBeNegative(dim))
        constraints.push_back(
            {ir::ConstraintKind::LessEqual, zero, dim,
             ("element " + Twine(number) + " of " + ir::shapeText(shape.getType())).str()});
  if (!needsKernel(op) && !isa<ir::CallKernelOp, ir::CallLibraryOp>(op))
    return;
  for (auto [number, type] : llvm::enumerate(op->getResultTypes())) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor)
      continue;
    for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(tensor)))
      if (dim && !dim.isConstant() && mayBeNegative(dim))
        constraints.push_back({ir::ConstraintKind::LessEqual, zero, dim,
                               ("dimension " + Twine(axis) + " of result " + Twine(number) +
                                " of " + op->getName().stripDialect() + ", " + ir::shapeText(type))
                                   .str()});
  }
}

bool Assumptions::mayBeNegative(symbolic::Expr size) {
  auto [it, isNew] = maybeNegative.try_emplace(size.getAsOpaquePointer());
  if (isNew)
    it->second =
        ir::prove(ir::ConstraintKind::LessEqual, zero, size, facts) != symbolic::Proof::Proved;
  return it->second;
}

std::unique_ptr<Pass> createMaterializeGuardsPass() {
  return std::make_unique<MaterializeGuards>();
}

} // namespace relax::transforms
