//===- SymbolScope.cpp - which symbols have a value where, and what is known of them ----------===//
#include "compiler/transforms/SymbolScope.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"

using namespace mlir;

namespace relax::transforms {

void SymbolScope::addParameters(func::FuncOp function) {
  for (const std::string &name : ir::boundSymbols(function.getArgumentTypes()))
    add(name);
}

SmallVector<ir::IntroducedSymbol> SymbolScope::addIntroduced(Operation *op) {
  SmallVector<ir::IntroducedSymbol> symbols;
  if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op)) {
    introduces.getIntroducedSymbols(symbols);
    llvm::erase_if(symbols,
                   [&](const ir::IntroducedSymbol &symbol) { return !add(symbol.name.strref()); });
  }
  return symbols;
}

/// The dimensions of `to` that use one of `names` equal those of `from`.
static void addCastFacts(Type from, Type to, ArrayRef<ir::IntroducedSymbol> symbols,
                         symbolic::Facts &facts) {
  if (auto tuple = dyn_cast<TupleType>(to)) {
    if (auto parts = dyn_cast<TupleType>(from); parts && parts.size() == tuple.size())
      for (auto [a, b] : llvm::zip_equal(parts.getTypes(), tuple.getTypes()))
        addCastFacts(a, b, symbols, facts);
    return;
  }
  SmallVector<symbolic::Expr> dims, known;
  if (isa<RankedTensorType>(from) && isa<RankedTensorType>(to)) {
    known.append(ir::shapeOf(cast<RankedTensorType>(from)).begin(),
                 ir::shapeOf(cast<RankedTensorType>(from)).end());
    dims.append(ir::shapeOf(cast<RankedTensorType>(to)).begin(),
                ir::shapeOf(cast<RankedTensorType>(to)).end());
  } else if (isa<ir::ShapeType>(from) && isa<ir::ShapeType>(to) &&
             cast<ir::ShapeType>(from).hasRank() && cast<ir::ShapeType>(to).hasRank()) {
    known = cast<ir::ShapeType>(from).getDimsOrUnknown();
    dims = cast<ir::ShapeType>(to).getDimsOrUnknown();
  }
  for (auto [a, b] : llvm::zip(known, dims))
    if (a && b && llvm::any_of(symbols, [&](const ir::IntroducedSymbol &symbol) {
          return b.usesSymbol(std::string_view(symbol.name.strref()));
        }))
      facts.addEqual(b, a);
}

/// Whether whoever leaves the function has passed `op`: no branch or loop holds it.
static bool isOnEveryPath(Operation *op) {
  for (op = op->getParentOp(); isa_and_nonnull<ir::DataflowOp>(op);)
    op = op->getParentOp();
  return isa_and_nonnull<func::FuncOp>(op);
}

symbolic::Facts factsAt(func::FuncOp function) {
  symbolic::Facts facts;
  if (auto symbols = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    facts = symbols.toFacts();
  if (function.isDeclaration())
    return facts;
  for (Operation &op : function.getBody().front()) {
    auto guard = dyn_cast<ir::GuardOp>(op);
    if (!guard)
      break;
    ir::ConstraintAttr constraint = guard.getConstraint();
    facts.add(ir::relationOf(constraint.getKind(), constraint.getA(), constraint.getB()));
  }
  SymbolScope scope;
  scope.addParameters(function);
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    SmallVector<ir::IntroducedSymbol> symbols = scope.addIntroduced(op);
    for (const ir::IntroducedSymbol &symbol : symbols) {
      symbolic::SymbolRange range{symbol.lo, std::nullopt, 1};
      if (symbol.upper)
        range.hi = symbolic::bounds(symbol.upper, facts).hi;
      facts.set(std::string_view(symbol.name.strref()), range);
      if (symbol.upper && !symbol.upper.isConstant())
        facts.addLessEqual(
            ir::symbolicContext(op->getContext()).symbol(std::string_view(symbol.name.strref())),
            symbol.upper);
    }
    // In a branch it says something of the symbols around it, too, which holds only there.
    if (auto cast = dyn_cast<ir::MatchCastOp>(op); cast && !symbols.empty() && isOnEveryPath(op))
      addCastFacts(cast.getValue().getType(), cast.getResult().getType(), symbols, facts);
  });
  return facts;
}

} // namespace relax::transforms
