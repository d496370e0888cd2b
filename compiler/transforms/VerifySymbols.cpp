//===- VerifySymbols.cpp - the rules on symbols of a graph function ---------------------------===//
#include "compiler/transforms/VerifySymbols.h"

#include "compiler/dialect/Deduction.h"
#include "compiler/dialect/Lattice.h"
#include "compiler/symbolic/Solve.h"
#include "compiler/transforms/SymbolScope.h"

#include "mlir/Interfaces/FunctionImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace relax::transforms {

bool hasEffects(Operation *op) {
  if (auto interface = dyn_cast<MemoryEffectOpInterface>(op)) {
    SmallVector<MemoryEffects::EffectInstance> effects;
    interface.getEffects(effects);
    return llvm::any_of(effects, [](const MemoryEffects::EffectInstance &effect) {
      return effect.getResource() != ir::ChecksResource::get();
    });
  }
  // The ops inside are looked at for themselves.
  return !op->hasTrait<OpTrait::HasRecursiveMemoryEffects>() &&
         !op->hasTrait<OpTrait::IsTerminator>();
}

namespace {

using Names = std::set<std::string>;

/// A symbol that a function type inside of `type`, or `type` itself, has only inside expressions of
/// its parameters; empty if there is none.
std::string unboundInFunctionTypes(Type type) {
  if (auto tuple = dyn_cast<TupleType>(type)) {
    for (Type part : tuple.getTypes())
      if (std::string name = unboundInFunctionTypes(part); !name.empty())
        return name;
    return {};
  }
  auto signature = dyn_cast<FunctionType>(type);
  if (!signature)
    return {};
  if (Names unbound = ir::unboundSymbols(signature.getInputs()); !unbound.empty())
    return *unbound.begin();
  for (Type part : llvm::concat<const Type>(signature.getInputs(), signature.getResults()))
    if (std::string name = unboundInFunctionTypes(part); !name.empty())
      return name;
  return {};
}

class SymbolVerifier {
public:
  SymbolVerifier(func::FuncOp function, SymbolTableCollection &tables)
      : function(function), tables(tables) {}

  LogicalResult verify() {
    declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr);
    if (failed(verifySignature()))
      return failure();
    scope.addParameters(function);
    if (!function.isDeclaration() && failed(verifyBlock(function.getBody().front())))
      return failure();
    return verifyResults();
  }

private:
  static constexpr StringRef arenaSize = "relax.arena_size";

  LogicalResult verifySignature() {
    Names used;
    for (Type type : function.getArgumentTypes())
      if (!isa<FunctionType>(type))
        ir::collectSymbols(type, used);
    for (unsigned i = 0; i < function.getNumArguments(); ++i)
      for (NamedAttribute attribute : function_interface_impl::getArgAttrs(function, i))
        ir::collectSymbols(attribute.getValue(), used);
    for (NamedAttribute attribute : function->getDiscardableAttrs())
      if (attribute.getName() != arenaSize)
        ir::collectSymbols(attribute.getValue(), used);
    for (const std::string &name : used)
      if (!declared || !declared.find(name))
        return undeclared(function, name, "the signature");
    Names unbound = ir::unboundSymbols(function.getArgumentTypes());
    if (!unbound.empty())
      return unboundSymbol(function, *unbound.begin(), "the parameters");
    for (Type type :
         llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
      if (failed(verifyFunctionTypes(function, type)))
        return failure();
    return success();
  }

  /// Result types and the size of the arena may name what the body introduces outside of branches
  /// and loops.
  LogicalResult verifyResults() {
    Names used;
    if (Attribute size = function->getAttr(arenaSize))
      ir::collectSymbols(size, used);
    for (Type type : function.getResultTypes())
      if (!isa<FunctionType>(type))
        ir::collectSymbols(type, used);
    for (const std::string &name : used)
      if (!scope.has(name) && !(function.isDeclaration() && declared && declared.find(name)))
        return undeclared(function, name, "the signature");
    return success();
  }

  LogicalResult verifyFunctionTypes(Operation *op, Type type) {
    std::string name = unboundInFunctionTypes(type);
    if (name.empty())
      return success();
    std::string text;
    llvm::raw_string_ostream(text) << "the parameters of a function in " << type;
    return unboundSymbol(op, name, text);
  }

  LogicalResult unboundSymbol(Operation *op, StringRef name, StringRef where) {
    return op->emitError("[R19] the symbol '")
           << name << "' is only inside expressions of " << where
           << ", so no call can give it a value; add a parameter of type !relax.shape<[" << name
           << "]>";
  }

  LogicalResult undeclared(Operation *op, StringRef name, StringRef where) {
    if (declared && declared.find(name))
      return op->emitError("[R19] the symbol '")
             << name << "' of " << where
             << " is declared, but no parameter gives it a value; add a "
             << "parameter of type !relax.shape<[" << name << "]>";
    return op->emitError("[R2] the symbol '")
           << name << "' of " << where
           << " is neither declared in relax.symbols nor introduced by an earlier match_cast";
  }

  LogicalResult verifyBlock(Block &block) {
    for (BlockArgument argument : block.getArguments())
      if (!isa<func::FuncOp>(block.getParentOp()) &&
          failed(verifyType(block.getParentOp(), argument.getType())))
        return failure();
    for (Operation &op : block)
      if (failed(verifyOp(&op)))
        return failure();
    return success();
  }

  LogicalResult verifyOp(Operation *op) {
    if (failed(verifyIntroduced(op)))
      return failure();
    if (failed(verifyAttributes(op)) || failed(verifyFacts(op)))
      return failure();
    const bool conditional = isa<ir::IfOp, ir::WhileOp>(op);
    conditionals += conditional;
    for (Region &region : op->getRegions()) {
      SymbolScope::Mark mark = scope.mark();
      for (Block &block : region)
        if (failed(verifyBlock(block)))
          return failure();
      // What a dataflow block introduces stays in scope.
      if (!isa<ir::DataflowOp>(op))
        scope.release(mark);
    }
    conditionals -= conditional;
    if (auto branch = dyn_cast<ir::IfOp>(op); branch && failed(verifyJoin(branch)))
      return failure();
    for (Type type : op->getResultTypes())
      if (failed(verifyType(op, type)))
        return failure();
    return success();
  }

  LogicalResult verifyType(Operation *op, Type type) {
    auto [it, isNew] = symbolsOfTypes.try_emplace(type);
    if (isNew && failed(verifyFunctionTypes(op, type)))
      return failure();
    if (isNew && !isa<FunctionType>(type)) {
      Names names;
      ir::collectSymbols(type, names);
      it->second.assign(names.begin(), names.end());
    }
    for (const std::string &name : it->second)
      if (!scope.has(name))
        return undeclared(op, name, "this op");
    return success();
  }

  LogicalResult verifyAttributes(Operation *op) {
    if (op->getPropertiesStorageSize() == 0 && op->getDiscardableAttrDictionary().empty())
      return success();
    Names used;
    for (NamedAttribute attribute : op->getAttrs())
      ir::collectSymbols(attribute.getValue(), used);
    for (const std::string &name : used)
      if (!scope.has(name))
        return undeclared(op, name, "this op");
    return success();
  }

  LogicalResult verifyIntroduced(Operation *op) {
    Names fresh;
    for (const ir::IntroducedSymbol &symbol : scope.addIntroduced(op)) {
      StringRef name = symbol.name.strref();
      fresh.insert(name.str());
      if (declared && declared.find(name))
        return op->emitError("[R15] the symbol '")
               << name << "' is introduced here, but declared by the function";
      auto [it, isNew] = introducedBy.try_emplace(symbol.name, op);
      if (isNew)
        continue;
      InFlightDiagnostic error = op->emitError("[R15] the symbol '")
                                 << name
                                 << "' is introduced a second time; each name is introduced "
                                 << "at one place of a function";
      error.attachNote(it->second->getLoc()) << "introduced here";
      return error;
    }
    if (auto cast = dyn_cast<ir::MatchCastOp>(op); cast && !fresh.empty())
      return verifyDetermined(cast, std::move(fresh));
    // An op that names a symbol which is in scope already would hide it.
    if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op);
        introduces && !isa<ir::MatchCastOp>(op)) {
      SmallVector<ir::IntroducedSymbol> symbols;
      introduces.getIntroducedSymbols(symbols);
      for (const ir::IntroducedSymbol &symbol : symbols)
        if (!fresh.count(symbol.name.str())) {
          InFlightDiagnostic error = op->emitError("[R15] the symbol '")
                                     << symbol.name.strref() << "' has a value already";
          if (Operation *first = introducedBy.lookup(symbol.name))
            error.attachNote(first->getLoc()) << "introduced here";
          return error;
        }
    }
    return success();
  }

  /// Each new symbol is the only unknown of some dimension that can be solved for it.
  LogicalResult verifyDetermined(ir::MatchCastOp cast, Names unknown) {
    SmallVector<symbolic::Expr> dims;
    ir::collectDims(cast.getResult().getType(), dims);
    symbolic::Expr value = ir::symbolicContext(cast.getContext()).symbol("value$");
    for (bool progress = true; progress && !unknown.empty();) {
      progress = false;
      for (symbolic::Expr dim : dims) {
        Names open;
        if (dim)
          dim.collectSymbols(open);
        std::erase_if(open, [&](const std::string &name) { return !unknown.count(name); });
        if (open.size() != 1 ||
            (!dim.isSymbol() && !symbolic::solveFor(dim, *open.begin(), value, {})))
          continue;
        unknown.erase(*open.begin());
        progress = true;
      }
    }
    if (unknown.empty())
      return success();
    return cast.emitError("[R16] nothing determines the new symbol '")
           << *unknown.begin() << "' of " << cast.getResult().getType()
           << "; it must be a dimension of its own, or in one that can be solved for it, like 2 * "
           << *unknown.begin() << " + 1";
  }

  /// Nothing that the op needs is refuted by what is known of the symbols. In a branch that is an
  /// error only when it is taken.
  LogicalResult verifyFacts(Operation *op) {
    if (conditionals > 0)
      return success();
    if (auto call = dyn_cast<ir::CallOp>(op))
      return verifyCalleeRanges(call);
    if (auto checked = dyn_cast<ir::RuntimeChecked>(op)) {
      SmallVector<ir::Constraint> constraints;
      checked.getConstraints(constraints);
      for (const ir::Constraint &constraint : constraints)
        if (failed(verifyConstraint(op, constraint)))
          return failure();
    }
    if (auto guard = dyn_cast<ir::GuardOp>(op)) {
      ir::ConstraintAttr constraint = guard.getConstraint();
      return verifyConstraint(
          op, {constraint.getKind(), constraint.getA(), constraint.getB(), guard.getText().str()});
    }
    auto cast = dyn_cast<ir::MatchCastOp>(op);
    std::string why;
    if (cast && ir::isSubtypeOf(cast.getValue().getType(), cast.getResult().getType(), knownFacts(),
                                &why) == symbolic::Proof::Refuted)
      return op->emitError("[R18] the value can never be of type ")
             << cast.getResult().getType() << ": " << why;
    return success();
  }

  /// What a call gives the callee's symbols can lie in their declared ranges.
  LogicalResult verifyCalleeRanges(ir::CallOp call) {
    auto callee = tables.lookupNearestSymbolFrom<func::FuncOp>(call, call.getCalleeAttr());
    auto symbols = callee ? callee->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr)
                          : ir::SymbolsAttr();
    if (!symbols)
      return success();
    ir::Bindings bindings;
    SmallVector<ir::DeferredDim> deferred;
    std::string message;
    for (auto [formal, actual] : llvm::zip(callee.getArgumentTypes(), call.getInputs().getTypes()))
      (void)ir::unifyTypes(formal, actual, bindings, deferred, message);
    for (const ir::SymbolDeclaration &symbol : symbols.getDeclarations()) {
      auto bound = bindings.find(symbol.name.str());
      if (bound == bindings.end() || !bound->second || fitsRange(symbol, bound->second))
        continue;
      InFlightDiagnostic error = call.emitError("[R18] gives the symbol '")
                                 << symbol.name.strref() << "' of @" << call.getCallee()
                                 << " the value " << bound->second.str()
                                 << ", which can never lie in its range";
      error.attachNote(callee.getLoc()) << "declared here: " << symbols;
      return error;
    }
    return success();
  }

  /// Whether the value may satisfy the declaration.
  bool fitsRange(const ir::SymbolDeclaration &symbol, symbolic::Expr value) {
    symbolic::Context &context = ir::symbolicContext(function.getContext());
    auto refuted = [&](ir::ConstraintKind kind, symbolic::Expr a, symbolic::Expr b) {
      return ir::prove(kind, a, b, knownFacts()) == symbolic::Proof::Refuted;
    };
    using Kind = ir::ConstraintKind;
    // Sizes are not negative, so the usual lower bound says nothing.
    return (symbol.lo <= 0 || !refuted(Kind::LessEqual, context.constant(symbol.lo), value)) &&
           (!symbol.hi || !refuted(Kind::LessEqual, value, context.constant(*symbol.hi))) &&
           (symbol.divisor < 2 || !refuted(Kind::Divides, context.constant(symbol.divisor), value));
  }

  LogicalResult verifyConstraint(Operation *op, const ir::Constraint &constraint) {
    const symbolic::Facts &facts = knownFacts();
    // The facts of a guard at the beginning include the guard itself.
    if (ir::prove(constraint.kind, constraint.a, constraint.b, facts) != symbolic::Proof::Refuted)
      return success();
    InFlightDiagnostic error = op->emitError("[R18] ")
                               << constraint.text << ": '"
                               << ir::constraintKindName(constraint.kind) << "' of "
                               << constraint.a.str() << " and " << constraint.b.str()
                               << " never holds for the symbols of this function";
    std::string example = ir::counterexample(constraint.kind, constraint.a, constraint.b, facts);
    if (!example.empty())
      error << "; " << example;
    for (Value operand : op->getOperands())
      if (operand.getDefiningOp())
        error.attachNote(operand.getLoc())
            << "an operand of type " << operand.getType() << " comes from here";
    return error;
  }

  LogicalResult verifyJoin(ir::IfOp branch) {
    TypeRange first = branch.getThenRegion().front().getTerminator()->getOperandTypes();
    TypeRange second = branch.getElseRegion().front().getTerminator()->getOperandTypes();
    for (auto [index, a, b, result] : llvm::enumerate(first, second, branch.getResultTypes())) {
      Type expected =
          ir::eraseSymbols(ir::join(a, b), [&](StringRef name) { return scope.has(name); });
      if (!ir::isRenamed(expected, result))
        return branch.emitOpError("[R13] result ")
               << index << " must have type " << expected << ", the join of its branches, found "
               << result;
    }
    return success();
  }

  const symbolic::Facts &knownFacts() {
    if (!facts)
      facts = factsAt(function);
    return *facts;
  }

  func::FuncOp function;
  SymbolTableCollection &tables;
  int conditionals = 0; ///< Branches and loops around the place that is looked at.
  ir::SymbolsAttr declared;
  SymbolScope scope;
  llvm::DenseMap<StringAttr, Operation *> introducedBy;
  llvm::DenseMap<Type, SmallVector<std::string, 2>> symbolsOfTypes;
  std::optional<symbolic::Facts> facts;
};

} // namespace

LogicalResult verifyGraphSymbols(func::FuncOp function, SymbolTableCollection &tables) {
  return SymbolVerifier(function, tables).verify();
}

} // namespace relax::transforms
