#include "tests/fuzz/programs/Generator.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/CallOps.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ControlFlowOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace relax::fuzz {

Operation *createByRule(OpBuilder &b, Location loc, StringRef name, ValueRange operands,
                        NamedAttrList attributes) {
  MLIRContext *context = b.getContext();
  OperationName opName(name, context);
  auto *rule = opName.getInterface<InferTypeOpInterface>();
  if (!rule)
    return nullptr;
  DictionaryAttr dictionary = attributes.getDictionary(context);
  // Properties as the op's builder would make them of the attributes.
  std::vector<char> storage(static_cast<size_t>(std::max(opName.getOpPropertyByteSize(), 1)));
  OpaqueProperties properties(storage.data());
  opName.initOpProperties(properties, OpaqueProperties(nullptr));
  SmallVector<Type> types;
  ScopedDiagnosticHandler silent(context, [](Diagnostic &) { return success(); });
  // An op without properties refuses to set any.
  bool fits = opName.getOpPropertyByteSize() == 0 ||
              succeeded(opName.setOpPropertiesFromAttribute(opName, properties, dictionary,
                                                            [&] { return emitError(loc); }));
  opName.populateDefaultProperties(properties);
  fits = fits && succeeded(rule->inferReturnTypes(context, std::nullopt, operands, dictionary,
                                                  properties, {}, types));
  opName.destroyOpProperties(properties);
  if (!fits)
    return nullptr;
  OperationState state(loc, name, operands, types, dictionary.getValue());
  Operation *op = b.create(state);
  // Constraints on operands and attributes.
  if (failed(opName.verifyInvariants(op))) {
    op->erase();
    return nullptr;
  }
  return op;
}

Generator::Generator(MLIRContext *context, uint64_t seed, unsigned maxOps, std::string prefix)
    : context(context), b(context), loc(UnknownLoc::get(context)), random(seed), opsLeft(maxOps),
      prefix(std::move(prefix)) {}

OwningOpRef<ModuleOp> Generator::generate() {
  OwningOpRef<ModuleOp> result = ModuleOp::create(loc);
  module = *result;
  // What is called comes before, so that every call has a callee.
  int64_t helpers = below(3);
  for (int64_t i = 0; i != helpers && opsLeft > 0; ++i)
    callees.push_back(makeFunction("g" + std::to_string(i), static_cast<unsigned>(between(1, 3))));
  if (chance(15))
    makeRecursiveFunction("r");
  if (chance(15))
    makeHigherOrderFunction("h");
  makeFunction("f", opsLeft);
  // Some programs keep what nothing reads, of which only the checks are to be seen.
  if (chance(30))
    return result;
  bool erased = true;
  while (erased) {
    erased = false;
    module.walk<WalkOrder::PostOrder, ReverseIterator>([&](Operation *op) {
      if (!isOpTriviallyDead(op))
        return;
      op->erase();
      erased = true;
    });
  }
  return result;
}

Type Generator::randomElement() {
  int64_t kind = below(20);
  if (kind < 11)
    return b.getF32Type();
  switch (kind) {
  case 11:
    return b.getF64Type();
  case 12:
    return b.getF16Type();
  case 13:
    return b.getBF16Type();
  case 14:
    return b.getIntegerType(8);
  case 15:
    return b.getIntegerType(16);
  case 16:
    return b.getI32Type();
  case 17:
    return b.getI64Type();
  case 18:
    return b.getIntegerType(8, false);
  default:
    return b.getI1Type();
  }
}

/// An expression that the caller can bind: a symbol, or one over symbols that others bind.
symbolic::Expr Generator::randomDim() {
  symbolic::Context &s = symbols();
  auto symbol = [&] { return s.symbol(oneOf(ArrayRef(scopes.back().symbols))); };
  int64_t kind = scopes.back().symbols.empty() ? 0 : below(10);
  if (kind < 3)
    return s.constant(oneOf(ArrayRef<int64_t>({0, 1, 1, 2, 3, 4, 5, 8, 16})));
  if (kind < 8)
    return symbol();
  switch (below(4)) {
  case 0:
    return symbol() + 1;
  case 1:
    return symbol() * 2;
  case 2:
    return s.floorDiv(symbol(), s.constant(2));
  default:
    return symbol() * symbol();
  }
}

symbolic::Expr Generator::size() {
  SmallVector<std::string> names;
  for (const Scope &scope : scopes)
    names.append(scope.symbols);
  if (names.empty() || chance(40))
    return symbols().constant(below(5));
  symbolic::Expr symbol = symbols().symbol(oneOf(ArrayRef(names)));
  return chance(70) ? symbol : symbol + between(0, 2);
}

RankedTensorType Generator::randomType() {
  SmallVector<symbolic::Expr> dims;
  for (int64_t rank = oneOf(ArrayRef<int64_t>({0, 1, 1, 2, 2, 2, 3, 3, 4})); rank != 0; --rank)
    dims.push_back(randomDim());
  return ir::tensorType(context, dims, randomElement());
}

/// What a parameter may be: mostly a tensor with a name for every dimension.
Type Generator::randomParameter() {
  int64_t kind = below(20);
  RankedTensorType type = randomType();
  if (kind == 0)
    return TupleType::get(context, {type, chance(30) ? Type(TupleType::get(context, {randomType()}))
                                                     : Type(randomType())});
  if (kind == 1)
    return ir::ShapeType::get(context, ir::shapeOf(type));
  if (kind > 4)
    return type;
  // Unknown dimensions, and now and then an unknown rank.
  if (kind == 2 && chance(40))
    return UnrankedTensorType::get(type.getElementType());
  SmallVector<symbolic::Expr> dims(ir::shapeOf(type));
  for (symbolic::Expr &dim : dims)
    if (chance(60))
      dim = {};
  return ir::tensorType(context, dims, type.getElementType());
}

SmallVector<ir::SymbolDeclaration> Generator::declareSymbols() {
  Scope scope;
  SmallVector<ir::SymbolDeclaration> declarations;
  for (int64_t i = between(0, 3); i != 0; --i) {
    scope.symbols.push_back(std::string(1, static_cast<char>('l' + i)));
    ir::SymbolDeclaration declaration;
    declaration.name = b.getStringAttr(scope.symbols.back());
    declaration.lo = below(4) == 0 ? 1 : 0;
    if (chance(60))
      declaration.hi = 24;
    declarations.push_back(declaration);
  }
  llvm::sort(declarations,
             [](const auto &x, const auto &y) { return x.name.getValue() < y.name.getValue(); });
  scopes.push_back(std::move(scope));
  return declarations;
}

func::FuncOp Generator::beginFunction(StringRef name, ArrayRef<Type> inputs,
                                      ArrayRef<ir::SymbolDeclaration> declarations) {
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, loc, prefix + name.str(), b.getFunctionType(inputs, {}));
  if (!declarations.empty())
    function->setAttr(ir::RelaxDialect::symbolsAttr, ir::SymbolsAttr::get(context, declarations));
  if (name != "f")
    function.setPrivate();
  b.setInsertionPointToEnd(function.addEntryBlock());
  addAll(ValueRange(function.getArguments()));
  return function;
}

void Generator::endFunction(func::FuncOp function, SmallVector<Value> results,
                            ArrayRef<ir::SymbolDeclaration> declarations) {
  SmallVector<Type> types;
  for (Value &result : results) {
    // A symbol of the body has no meaning outside.
    Type type = ir::eraseSymbols(result.getType(), [&](StringRef symbol) {
      return llvm::any_of(declarations, [&](const auto &d) { return d.name == symbol; });
    });
    if (type != result.getType())
      result = ir::EraseOp::create(b, loc, type, result);
    types.push_back(type);
  }
  func::ReturnOp::create(b, loc, results);
  function.setFunctionType(b.getFunctionType(function.getArgumentTypes(), types));
  scopes.pop_back();
}

func::FuncOp Generator::makeFunction(StringRef name, unsigned ops) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<ir::SymbolDeclaration> declarations = declareSymbols();
  SmallVector<Type> inputs;
  // Every symbol is a dimension of its own somewhere.
  for (const std::string &symbol : scopes.back().symbols) {
    SmallVector<symbolic::Expr> dims = {symbols().symbol(symbol)};
    if (chance(50))
      dims.push_back(randomDim());
    inputs.push_back(ir::tensorType(context, dims, randomElement()));
  }
  for (int64_t more = between(1, 2); more != 0; --more)
    inputs.push_back(randomParameter());
  func::FuncOp function = beginFunction(name, inputs, declarations);
  // The caller of @f gives up what is donated; the runner's arguments are its own.
  if (name == "f" && chance(25))
    for (auto [i, type] : llvm::enumerate(inputs))
      if (isa<RankedTensorType>(type) && chance(50))
        function.setArgAttr(static_cast<unsigned>(i), ir::RelaxDialect::donatedAttr,
                            b.getUnitAttr());
  grow(ops);
  // What is returned: the last values, which the most went into.
  SmallVector<Value> results;
  ArrayRef<Value> values = scopes.back().values;
  for (size_t count = std::min(values.size(), static_cast<size_t>(between(1, 3))); count != 0;
       --count)
    results.push_back(values[values.size() - count]);
  endFunction(function, std::move(results), declarations);
  return function;
}

Value Generator::pick(llvm::function_ref<bool(Type)> fits) {
  SmallVector<Value> candidates;
  for (const Scope &scope : scopes)
    for (Value value : scope.values)
      if (fits(value.getType()))
        candidates.push_back(value);
  if (candidates.empty())
    return {};
  // Of two at random the newer.
  int64_t count = static_cast<int64_t>(candidates.size());
  return candidates[static_cast<size_t>(std::max(below(count), below(count)))];
}

Value Generator::tensor(Predicate fits) {
  return pick([&](Type type) {
    auto ranked = dyn_cast<RankedTensorType>(type);
    return ranked && !isa<ir::AnyType>(ranked.getElementType()) && fits(ranked);
  });
}

Value Generator::shape() {
  return pick([](Type type) { return isa<ir::ShapeType>(type); });
}

Operation *Generator::make(StringRef name, ValueRange operands, NamedAttrList attributes) {
  Operation *op = createByRule(b, loc, name, operands, std::move(attributes));
  // More dimensions can't be compiled, and the error says so.
  auto fits = [](Type type) {
    return !type.walk([](RankedTensorType part) {
                  return part.getRank() <= static_cast<int64_t>(artifact::maxRank)
                             ? WalkResult::advance()
                             : WalkResult::interrupt();
                })
                .wasInterrupted();
  };
  if (op && !llvm::all_of(op->getResultTypes(), fits)) {
    op->erase();
    return nullptr;
  }
  return op;
}

Value Generator::constant(DenseElementsAttr values) {
  return arith::ConstantOp::create(b, loc, values);
}

/// A vector of i64.
Value Generator::integers(ArrayRef<int64_t> values) {
  auto type = RankedTensorType::get({static_cast<int64_t>(values.size())}, b.getI64Type());
  return constant(DenseElementsAttr::get(type, values));
}

Value Generator::companion(Value other) {
  auto type = cast<RankedTensorType>(other.getType());
  return tensor([&](RankedTensorType candidate) {
    return candidate.getElementType() == type.getElementType();
  });
}

bool Generator::inScope(StringRef symbol) const {
  return llvm::any_of(
      scopes, [&](const Scope &scope) { return llvm::is_contained(scope.symbols, symbol); });
}

void Generator::grow(unsigned ops) {
  for (unsigned i = 0; i != ops && opsLeft != 0; ++i)
    for (int attempt = 0; attempt != 40; ++attempt)
      if (addOp()) {
        // What is inside of a branch or loop has been counted, and may have been the last.
        opsLeft -= opsLeft != 0;
        break;
      }
}

bool Generator::addOp() {
  struct Kind {
    int weight; ///< Of 100; what is left is for the catalogue.
    bool (Generator::*add)();
  };
  static constexpr Kind kinds[] = {
      {4, &Generator::addIf},          {3, &Generator::addWhile},
      {1, &Generator::addDataflow},    {5, &Generator::addCall},
      {1, &Generator::addHostCall},    {3, &Generator::addKernelCall},
      {3, &Generator::addTuple},       {4, &Generator::addMatchCast},
      {2, &Generator::addForgetting},  {1, &Generator::addGuard},
      {1, &Generator::addCheckValues}, {1, &Generator::addPrefix},
      {1, &Generator::addShapeValue},  {1, &Generator::addShapeChain},
      {1, &Generator::addReshapeTo},   {1, &Generator::addReshape},
      {2, &Generator::addConstant},    {4, &Generator::addCast},
  };
  int64_t place = below(100);
  for (const Kind &kind : kinds)
    if ((place -= kind.weight) < 0)
      return (this->*kind.add)();
  return addFromCatalog();
}

bool Generator::addCast() {
  Value x = tensor();
  if (!x)
    return false;
  add(ir::CastOp::create(b, loc, x, randomElement()));
  return true;
}

bool Generator::addFromCatalog() {
  const OpTemplate &entry = oneOf(catalog());
  SmallVector<Value> operands;
  NamedAttrList attributes;
  if (!entry.pick(*this, operands, attributes) || llvm::is_contained(operands, Value()))
    return false;
  Operation *op = createByRule(b, loc, entry.name, operands, attributes);
  if (!op)
    return false;
  addAll(op->getResults());
  if (auto introduces = dyn_cast<ir::IntroducesSymbols>(op)) {
    SmallVector<ir::IntroducedSymbol> introduced;
    introduces.getIntroducedSymbols(introduced);
    for (const ir::IntroducedSymbol &symbol : introduced)
      scopes.back().symbols.push_back(symbol.name.str());
  }
  return true;
}

bool Generator::addConstant() {
  Type element = randomElement();
  SmallVector<int64_t> dims;
  for (int64_t rank = below(3); rank != 0; --rank)
    dims.push_back(between(1, 3));
  auto type = RankedTensorType::get(dims, element);
  if (element.isUnsignedInteger())
    return false;
  SmallVector<Attribute> values;
  for (int64_t i = 0; i != type.getNumElements(); ++i)
    values.push_back(
        isa<FloatType>(element)
            ? Attribute(b.getFloatAttr(element, static_cast<double>(between(-8, 8)) / 4))
        : element.isInteger(1) ? Attribute(b.getBoolAttr(chance(50)))
                               : b.getIntegerAttr(element, between(-4, 4)));
  add(arith::ConstantOp::create(b, loc, DenseElementsAttr::get(type, values)));
  return true;
}

/// At the end of a block that may have no parent yet.
OpBuilder Generator::atEnd(Block &block) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  return builder;
}

} // namespace relax::fuzz
