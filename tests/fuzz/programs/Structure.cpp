// Control flow, calls and tuples of random programs.

#include "tests/fuzz/programs/Generator.h"

#include "compiler/dialect/Lattice.h"
#include "compiler/dialect/ops/CallOps.h"
#include "compiler/dialect/ops/CheckOps.h"
#include "compiler/dialect/ops/ControlFlowOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace relax::fuzz {

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

bool Generator::addIf() {
  Value test = depth < 2 ? condition() : Value();
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
  Value start = depth < 2 ? tensor() : Value();
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

/// Some ops in a dataflow block, of whose results one is seen outside.
bool Generator::addDataflow() {
  if (depth >= 2)
    return false;
  OperationState state(loc, "relax.dataflow");
  Region &body = *state.addRegion();
  body.emplaceBlock();
  // No control flow in it, and no calls that might have some.
  unsigned before = std::exchange(depth, 9);
  Value result = growRegion(body, static_cast<unsigned>(between(1, 3)), {});
  depth = before;
  if (!result)
    return false;
  OpBuilder inner = atEnd(body.front());
  ir::YieldOp::create(inner, loc, result);
  state.addTypes(
      ir::eraseSymbols(result.getType(), [&](StringRef symbol) { return inScope(symbol); }));
  if (state.types.front() != result.getType())
    return false;
  add(b.create(state)->getResult(0));
  return true;
}

SmallVector<Value> Generator::operandsFor(ArrayRef<Type> parameters, ir::Bindings &bindings) {
  SmallVector<Value> operands;
  SmallVector<ir::DeferredDim> deferred;
  std::string message;
  for (Type formal : parameters) {
    Value operand = pick([&](Type actual) {
      ir::Bindings attempt = bindings;
      SmallVector<ir::DeferredDim> rest;
      return succeeded(ir::unifyTypes(formal, actual, attempt, rest, message));
    });
    if (!operand || failed(ir::unifyTypes(formal, operand.getType(), bindings, deferred, message)))
      return {};
    operands.push_back(operand);
  }
  // Only what is proved: a call that may fail at run time tests nothing here.
  if (failed(ir::checkDeferred(deferred, bindings, message)))
    return {};
  return operands;
}

bool Generator::addCall() {
  if (depth >= 9)
    return false;
  if (!higherOrder.empty() && chance(30))
    return addHigherOrderCall();
  if (callees.empty())
    return false;
  func::FuncOp callee = oneOf(ArrayRef(callees));
  ir::Bindings bindings;
  SmallVector<Value> operands = operandsFor(callee.getArgumentTypes(), bindings);
  if (operands.empty())
    return false;
  SmallVector<Type> types;
  for (Type type : callee.getFunctionType().getResults())
    types.push_back(ir::substituteOrErase(type, bindings));
  if (!chance(30)) {
    addAll(ir::CallOp::create(b, loc, types, FlatSymbolRefAttr::get(context, callee.getName()),
                              operands, UnitAttr())
               .getResults());
    return true;
  }
  Value function = ir::FunctionOp::create(b, loc, callee.getFunctionType(), callee.getName());
  if (chance(40)) {
    NamedAttrList index;
    index.set("index", b.getI64IntegerAttr(1));
    Operation *tuple = make("relax.tuple", {operands.front(), function});
    if (!tuple)
      return false;
    function = make("relax.tuple_get", tuple->getResult(0), index)->getResult(0);
  }
  addAll(ir::CallIndirectOp::create(b, loc, types, function, operands).getResults());
  return true;
}

/// Gives a function to one that takes it as a value.
bool Generator::addHigherOrderCall() {
  func::FuncOp callee = oneOf(ArrayRef(higherOrder));
  ir::Bindings bindings;
  SmallVector<Value> operands = operandsFor(callee.getArgumentTypes().drop_front(), bindings);
  if (operands.empty())
    return false;
  auto wanted = cast<FunctionType>(callee.getArgumentTypes().front());
  SmallVector<func::FuncOp> fitting;
  for (func::FuncOp function : callees)
    if (ir::isSubtypeOf(function.getFunctionType(), wanted) == symbolic::Proof::Proved)
      fitting.push_back(function);
  if (fitting.empty())
    return false;
  func::FuncOp chosen = oneOf(ArrayRef(fitting));
  operands.insert(operands.begin(),
                  ir::FunctionOp::create(b, loc, chosen.getFunctionType(), chosen.getName()));
  SmallVector<Type> types;
  for (Type type : callee.getFunctionType().getResults())
    types.push_back(ir::substituteOrErase(type, bindings));
  addAll(ir::CallOp::create(b, loc, types, FlatSymbolRefAttr::get(context, callee.getName()),
                            operands, UnitAttr())
             .getResults());
  return true;
}

/// @h(%f: T, …) calls %f, T being the type of a function that is there.
void Generator::makeHigherOrderFunction(StringRef name) {
  if (callees.empty())
    return;
  OpBuilder::InsertionGuard guard(b);
  func::FuncOp like = oneOf(ArrayRef(callees));
  FunctionType type = like.getFunctionType();
  SmallVector<ir::SymbolDeclaration> declarations;
  scopes.emplace_back();
  // Its parameters are those of %f without symbols, so it has none.
  SmallVector<Type> inputs = {type};
  for (Type input : type.getInputs())
    inputs.push_back(ir::eraseSymbols(input, [](StringRef) { return false; }));
  func::FuncOp function = beginFunction(name, inputs, declarations);
  scopes.back().values.clear();
  addAll(ValueRange(function.getArguments()).drop_front());
  ir::Bindings bindings;
  SmallVector<ir::DeferredDim> deferred;
  std::string message;
  bool fits = true;
  for (auto [formal, actual] : llvm::zip(type.getInputs(), ArrayRef(inputs).drop_front()))
    fits &= succeeded(ir::unifyTypes(formal, actual, bindings, deferred, message));
  SmallVector<Type> types;
  for (Type result : type.getResults())
    types.push_back(ir::substituteOrErase(result, bindings));
  SmallVector<Value> results;
  if (fits)
    llvm::append_range(results,
                       ir::CallIndirectOp::create(b, loc, types, function.getArgument(0),
                                                  ValueRange(function.getArguments()).drop_front())
                           .getResults());
  else
    results.push_back(scopes.back().values.front());
  endFunction(function, std::move(results), declarations);
  higherOrder.push_back(function);
}

/// @r(%k, %x) does something with %x and calls itself with %k - 1, until %k is 0.
void Generator::makeRecursiveFunction(StringRef name) {
  OpBuilder::InsertionGuard guard(b);
  SmallVector<ir::SymbolDeclaration> declarations(1);
  declarations.front().name = b.getStringAttr("n");
  declarations.front().lo = 0;
  Scope scope;
  scope.symbols.push_back("n");
  scopes.push_back(std::move(scope));
  auto counter = RankedTensorType::get({}, b.getI64Type());
  RankedTensorType type = ir::tensorType(context, {symbols().symbol("n")}, randomElement());
  Type result = ir::eraseSymbols(type, [](StringRef) { return false; });
  func::FuncOp function = beginFunction(name, {counter, type}, declarations);
  function.setFunctionType(b.getFunctionType({counter, type}, result));
  auto scalar = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(b, loc, DenseElementsAttr::get(counter, value));
  };
  // Few trips, whatever it is called with.
  Value left = make("relax.minimum", {function.getArgument(0), scalar(3)})->getResult(0);
  Value more = make("relax.greater", {left, scalar(0)})->getResult(0);
  OperationState state(loc, ir::IfOp::getOperationName());
  state.addOperands(more);
  state.addTypes(result);
  for (int i = 0; i != 2; ++i)
    state.addRegion()->emplaceBlock();
  Block &again = state.regions[0]->front(), &done = state.regions[1]->front();
  Value next = growRegion(*state.regions[0], static_cast<unsigned>(between(1, 3)), type);
  auto ranked = cast<RankedTensorType>(next.getType());
  if (ranked.getRank() != 1)
    next = function.getArgument(1);
  OpBuilder inner = atEnd(again);
  Value one = arith::ConstantOp::create(inner, loc, DenseElementsAttr::get(counter, int64_t(1)));
  Value fewer = createByRule(inner, loc, "relax.subtract", {left, one}, {})->getResult(0);
  auto call = ir::CallOp::create(inner, loc, TypeRange(result),
                                 FlatSymbolRefAttr::get(context, function.getName()),
                                 ValueRange{fewer, next}, UnitAttr());
  ir::YieldOp::create(inner, loc, call.getResults());
  OpBuilder end = atEnd(done);
  ir::YieldOp::create(end, loc, Value(function.getArgument(1)));
  Value value = b.create(state)->getResult(0);
  endFunction(function, {value}, declarations);
  callees.push_back(function);
}

/// Makes a tuple, a nested one now and then, and takes a part of it again. Of any values.
bool Generator::addTuple() {
  auto any = [](Type) { return true; };
  SmallVector<Value> parts = {pick(any), pick(any)};
  Value existing = pick([](Type type) {
    auto tuple = dyn_cast<TupleType>(type);
    return tuple && tuple.size() > 0;
  });
  NamedAttrList index;
  if (existing && chance(50)) {
    index.set("index", b.getI64IntegerAttr(below(
                           static_cast<int64_t>(cast<TupleType>(existing.getType()).size()))));
    add(make("relax.tuple_get", existing, index)->getResult(0));
    return true;
  }
  Operation *tuple = make("relax.tuple", parts);
  if (!tuple)
    return false;
  add(tuple->getResult(0));
  index.set("index", b.getI64IntegerAttr(below(2)));
  if (chance(30)) {
    NamedAttrList outer;
    outer.set("index", b.getI64IntegerAttr(0));
    // What fits in the first tuple fits in this one.
    Operation *nested = make("relax.tuple", {tuple->getResult(0), parts[1]});
    add(nested->getResult(0));
    tuple = make("relax.tuple_get", nested->getResult(0), outer);
  }
  add(make("relax.tuple_get", tuple->getResult(0), index)->getResult(0));
  return true;
}

} // namespace relax::fuzz
