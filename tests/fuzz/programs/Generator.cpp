#include "tests/fuzz/programs/Generator.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/CallOps.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ControlFlowOps.h"
#include "compiler/dialect/ops/ElementwiseOps.h"

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
  bool fits = succeeded(opName.setOpPropertiesFromAttribute(opName, properties, dictionary,
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

Generator::Generator(MLIRContext *context, uint64_t seed, unsigned maxOps)
    : context(context), b(context), loc(UnknownLoc::get(context)), random(seed), opsLeft(maxOps) {}

OwningOpRef<ModuleOp> Generator::generate() {
  OwningOpRef<ModuleOp> result = ModuleOp::create(loc);
  module = *result;
  // What is called comes before, so that every call has a callee.
  int64_t helpers = below(3);
  for (int64_t i = 0; i != helpers && opsLeft > 0; ++i)
    callees.push_back(makeFunction("g" + std::to_string(i), static_cast<unsigned>(between(1, 3))));
  makeFunction("f", opsLeft);
  // Compiled code drops what nothing reads, and its checks with it.
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

func::FuncOp Generator::makeFunction(StringRef name, unsigned ops) {
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
  SmallVector<Type> inputs;
  // Every symbol is a dimension of its own somewhere.
  for (const std::string &symbol : scopes.back().symbols) {
    SmallVector<symbolic::Expr> dims = {symbols().symbol(symbol)};
    if (chance(50))
      dims.push_back(randomDim());
    inputs.push_back(ir::tensorType(context, dims, randomElement()));
  }
  for (int64_t more = between(1, 2); more != 0; --more)
    inputs.push_back(randomType());
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(module.getBody());
  auto function = func::FuncOp::create(b, loc, name, b.getFunctionType(inputs, {}));
  if (!declarations.empty())
    function->setAttr(ir::RelaxDialect::symbolsAttr, ir::SymbolsAttr::get(context, declarations));
  if (name != "f")
    function.setPrivate();
  b.setInsertionPointToEnd(function.addEntryBlock());
  for (BlockArgument argument : function.getArguments())
    add(argument);
  grow(ops);
  // What is returned: the last values, which the most went into.
  SmallVector<Value> results;
  ArrayRef<Value> values = scopes.back().values;
  for (size_t count = std::min(values.size(), static_cast<size_t>(between(1, 3))); count != 0;
       --count)
    results.push_back(values[values.size() - count]);
  SmallVector<Type> types;
  for (Value &result : results) {
    // A symbol of the body has no meaning outside.
    Type type = ir::eraseSymbols(result.getType(), [&](StringRef symbol) {
      return llvm::is_contained(scopes.back().symbols, symbol) &&
             llvm::any_of(declarations, [&](const auto &d) { return d.name == symbol; });
    });
    if (type != result.getType())
      result = ir::EraseOp::create(b, loc, type, result);
    types.push_back(type);
  }
  func::ReturnOp::create(b, loc, results);
  function.setFunctionType(b.getFunctionType(inputs, types));
  scopes.pop_back();
  return function;
}

Value Generator::tensor(Predicate fits) {
  SmallVector<Value> candidates;
  for (const Scope &scope : scopes)
    for (Value value : scope.values)
      if (auto type = dyn_cast<RankedTensorType>(value.getType()); type && fits(type))
        candidates.push_back(value);
  if (candidates.empty())
    return {};
  // Of two at random the newer.
  int64_t count = static_cast<int64_t>(candidates.size());
  return candidates[static_cast<size_t>(std::max(below(count), below(count)))];
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
        --opsLeft;
        break;
      }
}

bool Generator::addOp() {
  int64_t kind = below(100);
  if (kind < 4 && depth < 2)
    return addIf();
  if (kind < 7 && depth < 2)
    return addWhile();
  if (kind < 11)
    return addCall();
  if (kind < 14)
    return addTuple();
  if (kind < 18)
    return addMatchCast();
  if (kind < 20)
    return addConstant();
  if (kind < 24)
    return addCast();
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
  // A size that can only be known by running through a huge product helps nobody.
  for (Value result : op->getResults())
    add(result);
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

/// A bool of rank 0 that depends on data.
Value Generator::condition() {
  Value x = tensor([](RankedTensorType type) { return !type.getElementType().isInteger(1); });
  if (!x)
    return {};
  Operation *largest = createByRule(b, loc, "relax.max", {x}, {});
  if (!largest)
    return {};
  Operation *smallest = createByRule(b, loc, "relax.min", {x}, {});
  Operation *less = createByRule(b, loc, chance(50) ? "relax.less" : "relax.greater_equal",
                                 {smallest->getResult(0), largest->getResult(0)}, {});
  return less ? less->getResult(0) : Value();
}

Value Generator::growRegion(Region &region, unsigned ops, Type like) {
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToEnd(&region.front());
  scopes.emplace_back();
  ++depth;
  grow(ops);
  --depth;
  Value result;
  for (Value value : llvm::reverse(scopes.back().values))
    if (auto type = dyn_cast<RankedTensorType>(value.getType());
        type && (!like || type.getElementType() == cast<TensorType>(like).getElementType())) {
      result = value;
      break;
    }
  if (!result)
    result = tensor([&](RankedTensorType type) {
      return !like || type.getElementType() == cast<TensorType>(like).getElementType();
    });
  scopes.pop_back();
  return result;
}

/// At the end of a block that may have no parent yet.
OpBuilder Generator::atEnd(Block &block) {
  OpBuilder builder(context);
  builder.setInsertionPointToEnd(&block);
  return builder;
}

bool Generator::addIf() {
  Value test = condition();
  if (!test)
    return false;
  OperationState state(loc, ir::IfOp::getOperationName());
  state.addOperands(test);
  for (int i = 0; i != 2; ++i)
    state.addRegion()->emplaceBlock();
  Region &thenRegion = *state.regions[0], &elseRegion = *state.regions[1];
  auto ops = static_cast<unsigned>(between(1, 3));
  Value first = growRegion(thenRegion, ops, {});
  Value second = first ? growRegion(elseRegion, ops, first.getType()) : Value();
  if (!first || !second)
    return false;
  Type type = ir::eraseSymbols(ir::join(first.getType(), second.getType()),
                               [&](StringRef symbol) { return inScope(symbol); });
  for (auto [region, value] : {std::pair(&thenRegion, first), std::pair(&elseRegion, second)}) {
    OpBuilder inner = atEnd(region->front());
    ir::YieldOp::create(inner, loc, value);
  }
  state.addTypes(type);
  add(b.create(state)->getResult(0));
  return true;
}

/// A loop of a few trips over a counter and one tensor, whose shape may change.
bool Generator::addWhile() {
  Value start = tensor();
  if (!start)
    return false;
  auto scalarType = RankedTensorType::get({}, b.getI64Type());
  auto scalar = [&](OpBuilder &builder, int64_t value) -> Value {
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(scalarType, value));
  };
  Type startType = start.getType();
  bool sameShape = chance(50);
  Type carried = startType;
  auto ranked = cast<RankedTensorType>(startType);
  if (!sameShape)
    carried = ir::tensorType(context, SmallVector<symbolic::Expr>(ranked.getRank()),
                             ranked.getElementType());
  SmallVector<Type> types = {scalarType, carried};
  OperationState state(loc, ir::WhileOp::getOperationName());
  state.addOperands({scalar(b, 0), start});
  state.addTypes(types);
  for (int i = 0; i != 2; ++i) {
    Block &block = state.addRegion()->emplaceBlock();
    block.addArguments(types, {loc, loc});
  }
  Block &test = state.regions[0]->front(), &body = state.regions[1]->front();
  OpBuilder inTest = atEnd(test), inBody = atEnd(body);
  Value limit = scalar(inTest, between(0, 3));
  Operation *less = createByRule(inTest, loc, "relax.less", {test.getArgument(0), limit}, {});
  if (!less)
    return false;
  ir::ConditionOp::create(inTest, loc, less->getResult(0));
  Operation *next =
      createByRule(inBody, loc, "relax.add", {body.getArgument(0), scalar(inBody, 1)}, {});
  scopes.emplace_back();
  Value inside = body.getArgument(1);
  if (!sameShape && ranked.getRank() > 0) {
    SmallVector<symbolic::Expr> dims;
    for (int64_t i = 0; i != ranked.getRank(); ++i) {
      scopes.back().symbols.push_back(freshSymbol());
      dims.push_back(symbols().symbol(scopes.back().symbols.back()));
    }
    inside = ir::MatchCastOp::create(
        inBody, loc, ir::tensorType(context, dims, ranked.getElementType()), inside);
  }
  add(inside);
  Value result;
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToEnd(&body);
    ++depth;
    grow(static_cast<unsigned>(between(1, 3)));
    --depth;
    for (Value value : llvm::reverse(scopes.back().values)) {
      auto type = dyn_cast<RankedTensorType>(value.getType());
      if (type && ir::isSubtypeOf(type, carried) == symbolic::Proof::Proved) {
        result = value;
        break;
      }
    }
  }
  scopes.pop_back();
  inBody.setInsertionPointToEnd(&body);
  ir::YieldOp::create(inBody, loc, ValueRange{next->getResult(0), result ? result : inside});
  add(b.create(state)->getResult(1));
  return true;
}

bool Generator::addCall() {
  if (callees.empty())
    return false;
  func::FuncOp callee = oneOf(ArrayRef(callees));
  SmallVector<Value> operands;
  ir::Bindings bindings;
  SmallVector<ir::DeferredDim> deferred;
  std::string message;
  for (Type formal : callee.getArgumentTypes()) {
    Value operand = tensor([&](RankedTensorType actual) {
      ir::Bindings attempt = bindings;
      SmallVector<ir::DeferredDim> rest;
      return succeeded(ir::unifyTypes(formal, actual, attempt, rest, message));
    });
    if (!operand || failed(ir::unifyTypes(formal, operand.getType(), bindings, deferred, message)))
      return false;
    operands.push_back(operand);
  }
  // Only what is proved: a call that may fail at run time tests nothing here.
  if (failed(ir::checkDeferred(deferred, bindings, message)))
    return false;
  SmallVector<Type> types;
  for (Type type : callee.getFunctionType().getResults())
    types.push_back(ir::substituteOrErase(type, bindings));
  if (chance(30)) {
    Value function = ir::FunctionOp::create(b, loc, callee.getFunctionType(), callee.getName());
    for (Value result : ir::CallIndirectOp::create(b, loc, types, function, operands).getResults())
      add(result);
    return true;
  }
  for (Value result :
       ir::CallOp::create(b, loc, types, FlatSymbolRefAttr::get(context, callee.getName()),
                          operands, UnitAttr())
           .getResults())
    add(result);
  return true;
}

/// Makes a tuple, a nested one now and then, and takes a part of it again.
bool Generator::addTuple() {
  SmallVector<Value> parts = {tensor(), tensor()};
  if (!parts[0])
    return false;
  Operation *tuple = createByRule(b, loc, "relax.tuple", parts, {});
  if (!tuple)
    return false;
  NamedAttrList index;
  index.set("index", b.getI64IntegerAttr(below(2)));
  if (chance(30)) {
    NamedAttrList outer;
    outer.set("index", b.getI64IntegerAttr(0));
    Operation *nested = createByRule(b, loc, "relax.tuple", {tuple->getResult(0), parts[1]}, {});
    tuple = createByRule(b, loc, "relax.tuple_get", nested->getResult(0), outer);
  }
  Operation *part = createByRule(b, loc, "relax.tuple_get", tuple->getResult(0), index);
  if (!part)
    return false;
  add(part->getResult(0));
  return true;
}

/// Forgets some dimensions and gives them new names.
bool Generator::addMatchCast() {
  Value x = tensor([](RankedTensorType type) { return type.getRank() > 0; });
  if (!x)
    return false;
  auto type = cast<RankedTensorType>(x.getType());
  SmallVector<symbolic::Expr> forgotten(ir::shapeOf(type)), named = forgotten;
  for (size_t i = 0; i != named.size(); ++i)
    if (!named[i] || chance(50)) {
      forgotten[i] = {};
      scopes.back().symbols.push_back(freshSymbol());
      named[i] = symbols().symbol(scopes.back().symbols.back());
    }
  // One that says nothing new is folded away, and what it kept alive with it.
  if (named == forgotten)
    return false;
  RankedTensorType less = ir::tensorType(context, forgotten, type.getElementType());
  Value erased = less == type ? x : Value(ir::EraseOp::create(b, loc, less, x));
  add(ir::MatchCastOp::create(b, loc, ir::tensorType(context, named, type.getElementType()),
                              erased));
  return true;
}

} // namespace relax::fuzz
