// Drops checks whose outcome is known, and writes down why.
//
// Before:  func.func @f(…) attributes {relax.symbols = #relax.symbols<n = [1, 8]>} {
//            relax.guard <less_equal, n, 8> "rows of the table"
//            %y = relax.match_cast %x : tensor<?xf32, [n]> to tensor<?xf32, [n]>
//
// After:   func.func @f(…) attributes {relax.proved_guards = [{what = "n <= 8 (rows of the table)",
//                                       source = "…", by = "the ranges of the symbols"}], …} {
//            %y = relax.match_cast %x {relax.proved} : …
//
// What is known at a place: the declared ranges and divisors, the bounds of symbols that a body
// introduces (u <= n * m), and every check that was passed on the way there. A guard that can't
// hold and stands on every path is an error that gives an example; elsewhere it stays a run-time
// check. Tests: tests/ir/transforms/prove-guards.mlir, prove-guards-negative.mlir

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/Relax.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/FunctionForm.h"
#include "compiler/transforms/Guards.h"
#include "compiler/transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

using namespace mlir;
using relax::symbolic::Expr;
using relax::symbolic::Facts;
using relax::symbolic::Proof;

namespace relax::transforms {
namespace {

class Prover {
public:
  explicit Prover(func::FuncOp function) : function(function) {
    if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr)) {
      ranges = symbols.toFacts();
      for (const ir::SymbolDeclaration &symbol : symbols.getDeclarations())
        known.insert(symbol.name.str());
    }
    for (Type type : function.getArgumentTypes())
      ir::collectSymbols(type, known);
  }

  LogicalResult run() {
    if (failed(run(function.getBody().front(), ranges, /*always=*/true)))
      return failure();
    Builder b(function.getContext());
    if (!proved.empty()) {
      // What was proved before stays in the list.
      if (auto before = function->getAttrOfType<ArrayAttr>(provedGuardsAttr))
        proved.insert(proved.begin(), before.begin(), before.end());
      function->setAttr(provedGuardsAttr, b.getArrayAttr(proved));
    }
    return success();
  }

private:
  /// `always`: whether every call of the function comes through the block.
  LogicalResult run(Block &block, Facts facts, bool always) {
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (auto guard = dyn_cast<ir::GuardOp>(op)) {
        if (failed(visit(guard, facts, always)))
          return failure();
        continue;
      }
      if (auto cast = dyn_cast<ir::MatchCastOp>(op))
        visit(cast, facts);
      if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op))
        addSymbols(introduces, facts);
      for (Region &region : op.getRegions())
        for (Block &inner : region)
          if (failed(run(inner, facts, always && isa<ir::DataflowOp>(op))))
            return failure();
    }
    return success();
  }

  void addSymbols(ir::IntroducesSymbols op, Facts &facts) {
    SmallVector<ir::IntroducedSymbol> symbols;
    op.getIntroducedSymbols(symbols);
    for (const ir::IntroducedSymbol &symbol : symbols) {
      if (!known.insert(symbol.name.str()).second)
        continue;
      facts.set(symbol.name.getValue(), {symbol.lo, std::nullopt, 1});
      if (symbol.upper)
        facts.addLessEqual(ir::symbolicContext(op->getContext()).symbol(symbol.name.getValue()),
                           symbol.upper);
    }
  }

  LogicalResult visit(ir::GuardOp guard, Facts &facts, bool always) {
    ir::ConstraintAttr constraint = guard.getConstraint();
    ir::ConstraintKind kind = constraint.getKind();
    Expr a = constraint.getA(), b = constraint.getB();
    std::string by;
    switch (prove(kind, a, b, facts, by)) {
    case Proof::Proved:
      record(describeConstraint(constraint, guard.getText()), guard.getLoc(), by);
      guard.erase();
      return success();
    case Proof::Refuted: {
      if (!always)
        return success();
      InFlightDiagnostic error = guard.emitError("this check can never hold: ")
                                 << describeConstraint(constraint, guard.getText());
      if (std::string example = ir::counterexample(kind, a, b, ranges); !example.empty())
        error << "; " << example;
      return error;
    }
    case Proof::Unknown:
      facts.add(ir::relationOf(kind, a, b));
      return success();
    }
    return success();
  }

  Proof prove(ir::ConstraintKind kind, Expr a, Expr b, const Facts &facts, std::string &by) const {
    if (ir::prove(kind, a, b) == Proof::Proved)
      by = "arithmetic";
    else if (ir::prove(kind, a, b, ranges) == Proof::Proved)
      by = "the declared ranges of the symbols";
    else
      by = "what was checked or introduced before";
    return ir::prove(kind, a, b, facts);
  }

  /// A match_cast that nothing can break checks nothing.
  void visit(ir::MatchCastOp cast, Facts &facts) {
    if (cast->hasAttr(provedAttr))
      return;
    std::string by;
    bool all = isProved(cast, facts, by);
    if (!all)
      return;
    cast->setAttr(provedAttr, UnitAttr::get(cast.getContext()));
    if (!by.empty()) // One that only gives names has nothing to prove.
      record(describeCast(cast), cast.getLoc(), by);
  }

  bool isProved(ir::MatchCastOp cast, Facts &facts, std::string &by) {
    auto from = dyn_cast<RankedTensorType>(cast.getValue().getType());
    auto to = dyn_cast<RankedTensorType>(cast.getType());
    if (!from || !to)
      return by = "its operand's annotation",
             ir::isSubtypeOf(cast.getValue().getType(), cast.getType(), facts) == Proof::Proved;
    if (from.getElementType() != to.getElementType() || from.getRank() != to.getRank())
      return false;
    ir::Bindings bindings;
    bool all = true;
    for (auto [found, stated] : llvm::zip(ir::shapeOf(from), ir::shapeOf(to))) {
      if (!stated || found == stated)
        continue;
      if (stated.isSymbol() && !known.contains(stated.symbolName()) &&
          bindings.try_emplace(stated.symbolName(), found).second)
        continue; // It is what it is.
      Expr expected = stated;
      for (auto &[name, value] : bindings)
        if (value)
          expected = symbolic::substitute(expected, {{name, value}});
      if (!found || prove(ir::ConstraintKind::Equal, found, expected, facts, by) != Proof::Proved)
        all = false;
    }
    for (auto [found, stated] : llvm::zip(ir::shapeOf(from), ir::shapeOf(to)))
      if (found && stated && !(found == stated))
        facts.addEqual(found, stated);
    return all;
  }

  void record(const std::string &what, Location loc, const std::string &by) {
    Builder b(function.getContext());
    proved.push_back(b.getDictionaryAttr({b.getNamedAttr("by", b.getStringAttr(by)),
                                          b.getNamedAttr("source", b.getStringAttr(placeOf(loc))),
                                          b.getNamedAttr("what", b.getStringAttr(what))}));
  }

  func::FuncOp function;
  Facts ranges;
  std::set<std::string> known;
  SmallVector<Attribute> proved;
};

struct ProveGuards : PassWrapper<ProveGuards, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(ProveGuards)
  StringRef getArgument() const override { return "relax-prove-guards"; }
  StringRef getDescription() const override { return "Drop the checks whose outcome is proved"; }
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (isGraphFunction(function) && failed(Prover(function).run()))
        return signalPassFailure();
  }
};

} // namespace

std::string placeOf(Location location) {
  if (auto file = dyn_cast<FileLineColLoc>(location))
    return (file.getFilename().getValue() + ":" + Twine(file.getLine()) + ":" +
            Twine(file.getColumn()))
        .str();
  if (auto name = dyn_cast<NameLoc>(location))
    return name.getName().str();
  if (auto call = dyn_cast<CallSiteLoc>(location))
    return placeOf(call.getCallee());
  if (auto fused = dyn_cast<FusedLoc>(location))
    for (Location part : fused.getLocations())
      if (std::string text = placeOf(part); !text.empty())
        return text;
  return "";
}

std::string describeConstraint(ir::ConstraintAttr constraint, StringRef text) {
  std::string a = constraint.getA().str(), b = constraint.getB().str(), relation;
  switch (constraint.getKind()) {
  case ir::ConstraintKind::Equal:
    relation = a + " == " + b;
    break;
  case ir::ConstraintKind::LessEqual:
    relation = a + " <= " + b;
    break;
  case ir::ConstraintKind::Divides:
    relation = a + " divides " + b;
    break;
  case ir::ConstraintKind::Broadcast:
    relation = a + " == " + b + ", or one of them is 1";
    break;
  }
  return text.empty() ? relation : relation + " (" + text.str() + ")";
}

std::string describeCast(ir::MatchCastOp cast) {
  return "match_cast of " + ir::shapeText(cast.getValue().getType()) + " to " +
         ir::shapeText(cast.getType());
}

std::unique_ptr<Pass> createProveGuardsPass() { return std::make_unique<ProveGuards>(); }

} // namespace relax::transforms
