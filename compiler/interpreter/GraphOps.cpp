// The graph level: calls, control flow, tuples, shapes, and annotations, which are checked against
// the values at hand after every op. A symbol that a region introduces is forgotten at its end.

#include "compiler/interpreter/Evaluator.h"
#include "compiler/symbolic/Solve.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace relax::interpreter {
namespace {

std::string textOf(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

const char *kindOf(const Value &value) {
  constexpr const char *names[] = {"nothing", "a number", "a tensor",
                                   "a shape", "a tuple",  "a function"};
  return names[value.data.index()];
}

/// The only symbol of `expr` without a value; empty if there are none or several.
std::string onlyUnbound(symbolic::Expr expr, const Symbols &symbols) {
  std::set<std::string> names;
  expr.collectSymbols(names);
  std::string found;
  for (const std::string &name : names) {
    if (symbols.contains(name))
      continue;
    if (!found.empty())
      return "";
    found = name;
  }
  return found;
}

/// The value of `name` for which `expr` is `value`; none if it doesn't determine one.
std::optional<int64_t> solve(symbolic::Expr expr, const std::string &name, int64_t value,
                             const Symbols &symbols) {
  std::optional<symbolic::Solution> solution =
      symbolic::solveFor(expr, name, expr.getContext().constant(value), {});
  return solution ? symbolic::evaluate(solution->value, symbols) : std::nullopt;
}

/// Binds the symbols that are dimensions of their own; of one that has a value already nothing
/// changes.
void bindPlain(ArrayRef<symbolic::Expr> formal, ArrayRef<int64_t> actual, Symbols &symbols) {
  for (auto [expr, size] : llvm::zip(formal, actual))
    if (expr && expr.isSymbol())
      symbols.try_emplace(expr.symbolName(), size);
}

/// Binds or compares dimensions. Plain symbols first: others may need their values.
std::string matchDims(ArrayRef<symbolic::Expr> formal, ArrayRef<int64_t> actual, Symbols &symbols) {
  if (formal.size() != actual.size())
    return "the rank is " + std::to_string(actual.size());
  bindPlain(formal, actual, symbols);
  for (auto [axis, expr] : llvm::enumerate(formal)) {
    if (!expr)
      continue;
    if (std::string name = onlyUnbound(expr, symbols); !name.empty())
      if (std::optional<int64_t> solution = solve(expr, name, actual[axis], symbols))
        symbols[name] = *solution;
    std::optional<int64_t> expected = symbolic::evaluate(expr, symbols);
    if (expected != actual[axis])
      return "dimension " + std::to_string(axis) + " is " + std::to_string(actual[axis]) +
             ", not " + expr.str() + (expected ? " = " + std::to_string(*expected) : "");
  }
  return "";
}

/// The same in a value of this type, whose ranks may be others yet.
void bindPlain(Type type, const Value &value, Symbols &symbols) {
  auto bind = [&](ArrayRef<symbolic::Expr> formal, ArrayRef<int64_t> actual) {
    if (formal.size() == actual.size())
      bindPlain(formal, actual, symbols);
  };
  if (auto tensor = dyn_cast<RankedTensorType>(type); tensor && value.isTensor())
    bind(ir::shapeOf(tensor), value.tensor()->dims);
  auto shape = dyn_cast<ir::ShapeType>(type);
  if (shape && shape.hasRank() && std::holds_alternative<Shape>(value.data))
    bind(shape.getDimsOrUnknown(), std::get<Shape>(value.data).dims);
  auto tuple = dyn_cast<TupleType>(type);
  if (tuple && std::holds_alternative<Tuple>(value.data))
    for (auto [part, field] : llvm::zip(tuple.getTypes(), *std::get<Tuple>(value.data).fields))
      bindPlain(part, field, symbols);
}

/// What keeps `value` from having `type`; empty if nothing does.
std::string mismatch(Type type, const Value &value, Symbols &symbols) {
  if (auto tensor = dyn_cast<TensorType>(type)) {
    if (!value.isTensor())
      return std::string("found ") + kindOf(value);
    const Tensor &actual = *value.tensor();
    if (!isa<ir::AnyType>(tensor.getElementType()) &&
        ir::signless(tensor.getElementType()) != ir::signless(actual.element))
      return "the element type is " + textOf(actual.element);
    auto ranked = dyn_cast<RankedTensorType>(type);
    return ranked ? matchDims(ir::shapeOf(ranked), actual.dims, symbols) : "";
  }
  if (auto shape = dyn_cast<ir::ShapeType>(type)) {
    if (!std::holds_alternative<Shape>(value.data))
      return std::string("found ") + kindOf(value);
    return shape.hasRank()
               ? matchDims(shape.getDimsOrUnknown(), std::get<Shape>(value.data).dims, symbols)
               : "";
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    if (!std::holds_alternative<Tuple>(value.data))
      return std::string("found ") + kindOf(value);
    const std::vector<Value> &fields = *std::get<Tuple>(value.data).fields;
    if (fields.size() != tuple.size())
      return "the tuple has " + std::to_string(fields.size()) + " parts";
    for (auto [part, field] : llvm::zip_equal(tuple.getTypes(), fields))
      if (std::string reason = mismatch(part, field, symbols); !reason.empty())
        return "in a tuple, " + reason;
  }
  return "";
}

} // namespace

Status Evaluator::matchType(Location loc, StringRef what, Type type, const Value &value,
                            Symbols &symbols) {
  std::string reason = mismatch(type, value, symbols);
  if (reason.empty())
    return {};
  return error(loc, what.str() + " must have type " + textOf(type) + ": " + reason);
}

Expected<std::vector<Value>> Evaluator::callGraph(StringRef name, std::vector<Value> arguments) {
  auto function = module.lookupSymbol<func::FuncOp>(name);
  if (!function || function.isExternal())
    return Status(StatusCode::NotFound, "there is no function @" + name.str() + " with a body");
  if (function.getNumArguments() != arguments.size())
    return error(function, "@" + name.str() + " takes " +
                               std::to_string(function.getNumArguments()) + " arguments, found " +
                               std::to_string(arguments.size()));
  Symbols symbols;
  for (auto [type, argument] : llvm::zip_equal(function.getArgumentTypes(), arguments))
    bindPlain(type, argument, symbols);
  for (auto [i, argument] : llvm::enumerate(arguments))
    RELAX_RETURN_IF_ERROR(matchType(function.getLoc(), "argument " + std::to_string(i),
                                    function.getArgumentTypes()[i], argument, symbols));
  if (auto declared = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    for (const ir::SymbolDeclaration &symbol : declared.getDeclarations()) {
      auto it = symbols.find(symbol.name.str());
      if (it == symbols.end())
        continue;
      if (it->second < symbol.lo || (symbol.hi && it->second > *symbol.hi) ||
          it->second % symbol.divisor != 0)
        return error(function.getLoc(), "the symbol " + it->first + " of @" + name.str() +
                                            " cannot be " + std::to_string(it->second));
    }
  return runFunction(function, std::move(arguments), std::move(symbols));
}

/// Runs a region's only block; `take` its terminator's operands where there are any.
Expected<std::vector<Value>> Evaluator::runRegion(Region &region, Frame &frame) {
  Symbols outside = frame.symbols;
  RELAX_RETURN_IF_ERROR(runBlock(region.front(), frame));
  std::vector<Value> results;
  for (OpOperand &operand : region.front().getTerminator()->getOpOperands())
    results.push_back(take(operand, frame));
  frame.symbols = std::move(outside);
  return results;
}

Expected<std::vector<Value>> Evaluator::runWhile(ir::WhileOp loop, Frame &frame) {
  std::vector<Value> carried;
  for (OpOperand &init : loop->getOpOperands())
    carried.push_back(take(init, frame));
  while (true) {
    RELAX_RETURN_IF_ERROR(spend(loop, 1));
    for (auto [i, value] : llvm::enumerate(carried)) {
      RELAX_RETURN_IF_ERROR(matchType(loop.getLoc(), "carried value " + std::to_string(i),
                                      loop.getResultTypes()[i], value, frame.symbols));
      frame.values[loop.getConditionRegion().getArgument(i)] = value;
    }
    Expected<std::vector<Value>> condition = runRegion(loop.getConditionRegion(), frame);
    if (!condition)
      return condition.takeStatus();
    if (condition->front().tensor()->elements.front().integer == 0)
      return carried;
    for (auto [argument, value] : llvm::zip_equal(loop.getBody().getArguments(), carried))
      frame.values[argument] = std::move(value);
    Expected<std::vector<Value>> next = runRegion(loop.getBody(), frame);
    if (!next)
      return next.takeStatus();
    carried = std::move(*next);
  }
}

Expected<std::vector<Value>> Evaluator::callHost(Operation *op, StringRef name, Frame &frame) {
  auto it = options.hostFunctions.find(name.str());
  if (it == options.hostFunctions.end())
    return error(op, "no host function \"" + name.str() + "\" is registered");
  std::vector<Value> arguments;
  for (mlir::Value operand : op->getOperands())
    arguments.push_back(at(operand, frame));
  Expected<std::vector<Value>> results = it->second(arguments);
  if (results && results->size() != op->getNumResults())
    return error(op, "\"" + name.str() + "\" returned " + std::to_string(results->size()) +
                         " values, expected " + std::to_string(op->getNumResults()));
  return results;
}

Expected<std::vector<Value>> Evaluator::callAny(Operation *op, Frame &frame) {
  std::vector<Value> arguments;
  for (OpOperand &operand : op->getOpOperands())
    arguments.push_back(take(operand, frame));
  if (auto call = dyn_cast<ir::CallKernelOp>(op)) {
    auto program = module.lookupSymbol<func::FuncOp>(call.getCallee());
    auto names = program->getAttrOfType<ArrayAttr>(ir::RelaxDialect::kernelSymbolsAttr);
    Symbols symbols;
    for (auto [name, value] : llvm::zip_equal(names, call.getSymbols())) {
      Expected<int64_t> number =
          evaluate(op->getLoc(), cast<ir::ExprAttr>(value).getExpr(), frame.symbols);
      if (!number)
        return number.takeStatus();
      symbols[cast<StringAttr>(name).str()] = *number;
    }
    if (options.callKernel)
      if (auto results = options.callKernel(program, arguments, symbols, op))
        return std::move(*results);
    return callProgram(op, program, std::move(arguments), std::move(symbols));
  }
  if (auto call = dyn_cast<ir::CallOp>(op))
    return callGraph(call.getCallee(), std::move(arguments));
  Value callee = std::move(arguments.front());
  arguments.erase(arguments.begin());
  return callGraph(std::get<Function>(callee.data).name, std::move(arguments));
}

/// The bytes of a weights file as a tensor.
Expected<std::vector<Value>> Evaluator::readWeight(ir::ConstantOp op) {
  ir::WeightAttr weight = op.getWeight();
  auto type = cast<RankedTensorType>(op.getType());
  if (weight.getFile() >= options.weights.size() ||
      weight.getOffset() + weight.getSize() > options.weights[weight.getFile()].size())
    return error(op, "its weights file isn't at hand");
  TensorPointer *kept = options.keptWeights
                            ? &(*options.keptWeights)[{weight.getFile(), weight.getOffset()}]
                            : nullptr;
  if (kept && *kept)
    return std::vector<Value>{Value(*kept)};
  auto bytes = options.weights[weight.getFile()].subspan(weight.getOffset(), weight.getSize());
  TensorPointer tensor = makeTensor(type.getElementType(), type.getShape().vec());
  RELAX_RETURN_IF_ERROR(spend(op, tensor->elements.size()));
  if (tensor->element.isInteger(8))
    for (auto [element, byte] : llvm::zip(tensor->elements, bytes))
      element = integerScalar(static_cast<int8_t>(byte));
  else
    for (auto [i, element] : llvm::enumerate(tensor->elements))
      element = readElement(bytes.data(), i, tensor->element);
  if (kept) {
    tensor->compiled = std::make_shared<std::vector<uint8_t>>(bytes.begin(), bytes.end());
    *kept = tensor;
  }
  return std::vector<Value>{Value(std::move(tensor))};
}

Expected<std::vector<Value>> Evaluator::notNegative(Operation *op, Shape shape) {
  for (int64_t size : shape.dims)
    if (size < 0)
      return error(op, "a dimension is " + std::to_string(size));
  return std::vector<Value>{Value(std::move(shape))};
}

Expected<std::vector<Value>> Evaluator::reshaped(Operation *op, std::vector<int64_t> dims,
                                                 Frame &frame) {
  TensorPointer tensor = takeTensor(op->getOpOperand(0), frame);
  if (elementCount(dims) != static_cast<int64_t>(tensor->elements.size()))
    return error(op, "a tensor of shape " + dimsText(tensor->dims) + " cannot have the shape " +
                         dimsText(dims));
  tensor->dims = std::move(dims);
  return std::vector<Value>{Value(std::move(tensor))};
}

Expected<std::vector<Value>> Evaluator::evaluateDims(Location loc, ArrayRef<symbolic::Expr> exprs,
                                                     const Symbols &symbols) {
  Shape shape;
  for (symbolic::Expr expr : exprs) {
    Expected<int64_t> size = evaluate(loc, expr, symbols);
    if (!size)
      return size.takeStatus();
    shape.dims.push_back(*size);
  }
  return std::vector<Value>{Value(std::move(shape))};
}

Expected<std::vector<Value>> Evaluator::prefix(ir::PrefixOp op, Frame &frame) {
  int64_t count = tensorAt(op.getCount(), frame).elements.front().integer;
  TensorPointer tensor = takeTensor(op.getXMutable(), frame);
  if (count < 0 || count > tensor->dims.front())
    return error(op, "the count is " + std::to_string(count) + " of " +
                         std::to_string(tensor->dims.front()) + " rows");
  tensor->dims.front() = count;
  tensor->elements.resize(static_cast<size_t>(elementCount(tensor->dims)));
  return std::vector<Value>{Value(std::move(tensor))};
}

Status Evaluator::checkGuard(ir::GuardOp op, Frame &frame) {
  ir::ConstraintAttr constraint = op.getConstraint();
  Expected<int64_t> a = evaluate(op.getLoc(), constraint.getA(), frame.symbols);
  if (!a)
    return a.takeStatus();
  Expected<int64_t> b = evaluate(op.getLoc(), constraint.getB(), frame.symbols);
  if (!b)
    return b.takeStatus();
  bool holds = false;
  switch (constraint.getKind()) {
  case ir::ConstraintKind::Equal:
    holds = *a == *b;
    break;
  case ir::ConstraintKind::LessEqual:
    holds = *a <= *b;
    break;
  case ir::ConstraintKind::Divides:
    holds = *a > 0 && *b % *a == 0;
    break;
  case ir::ConstraintKind::Broadcast:
    holds = *a == *b || *a == 1 || *b == 1;
    break;
  }
  if (holds)
    return {};
  return error(op, op.getText().str() + ": " + constraint.getA().str() + " = " +
                       std::to_string(*a) + ", " + constraint.getB().str() + " = " +
                       std::to_string(*b));
}

Status Evaluator::checkValues(ir::CheckValuesOp op, Frame &frame) {
  Expected<int64_t> low = evaluate(op.getLoc(), op.getRange().getLower(), frame.symbols);
  if (!low)
    return low.takeStatus();
  Expected<int64_t> high = evaluate(op.getLoc(), op.getRange().getUpper(), frame.symbols);
  if (!high)
    return high.takeStatus();
  for (auto [i, element] : llvm::enumerate(tensorAt(op.getX(), frame).elements))
    if (element.integer < *low || element.integer >= *high)
      return error(op, op.getWhat().str() + ": element " + std::to_string(i) + " is " +
                           std::to_string(element.integer) + ", expected at least " +
                           std::to_string(*low) + " and less than " + std::to_string(*high));
  return {};
}

Expected<std::vector<Value>> Evaluator::graphResults(Operation *op, Frame &frame) {
  auto one = [](Value value) { return Results(std::vector<Value>{std::move(value)}); };
  return llvm::TypeSwitch<Operation *, Results>(op)
      .Case<ir::CallKernelOp, ir::CallOp, ir::CallIndirectOp>(
          [&](auto) { return callAny(op, frame); })
      .Case<ir::CallPackedOp, ir::CallLibraryOp>(
          [&](auto call) { return callHost(op, call.getFunction(), frame); })
      .Case([&](ir::IfOp branch) {
        bool chosen = tensorAt(branch.getCondition(), frame).elements.front().integer != 0;
        return runRegion(chosen ? branch.getThenRegion() : branch.getElseRegion(), frame);
      })
      .Case([&](ir::WhileOp loop) { return runWhile(loop, frame); })
      .Case([&](ir::FunctionOp function) { return one(Function{function.getFunction().str()}); })
      .Case([&](ir::TupleOp tuple) {
        auto fields = std::make_shared<std::vector<Value>>();
        for (mlir::Value value : tuple.getValues())
          fields->push_back(at(value, frame));
        return one(Tuple{std::move(fields)});
      })
      .Case([&](ir::TupleGetOp get) {
        const Tuple &tuple = std::get<Tuple>(at(get.getValue(), frame).data);
        return one((*tuple.fields)[static_cast<size_t>(get.getIndex())]);
      })
      .Case<ir::MatchCastOp, ir::EraseOp>(
          [&](auto) { return one(take(op->getOpOperand(0), frame)); })
      .Case([&](ir::ConstantOp constant) { return readWeight(constant); })
      .Case([&](ir::ShapeOfOp shapeOf) { return one(Shape{tensorAt(shapeOf.getX(), frame).dims}); })
      .Case([&](ir::ShapeOp shape) {
        Results dims = evaluateDims(op->getLoc(), shape.getDims().getDims(), frame.symbols);
        return dims ? notNegative(op, std::get<Shape>(dims->front().data)) : std::move(dims);
      })
      .Case([&](ir::TensorToShapeOp convert) {
        Shape shape;
        for (Scalar element : tensorAt(convert.getX(), frame).elements)
          shape.dims.push_back(element.integer);
        return notNegative(op, shape);
      })
      .Case([&](ir::ShapeToTensorOp convert) {
        const Shape &shape = std::get<Shape>(at(convert.getShape(), frame).data);
        TensorPointer tensor = makeTensor(IntegerType::get(op->getContext(), 64),
                                          {static_cast<int64_t>(shape.dims.size())});
        for (auto [element, size] : llvm::zip_equal(tensor->elements, shape.dims))
          element = integerScalar(size);
        return one(std::move(tensor));
      })
      .Case([&](ir::ReshapeOp reshape) {
        Results shape = evaluateDims(
            op->getLoc(), ir::shapeOf(cast<RankedTensorType>(reshape.getType())), frame.symbols);
        return shape ? reshaped(op, std::get<Shape>(shape->front().data).dims, frame)
                     : std::move(shape);
      })
      .Case([&](ir::ReshapeToOp reshape) {
        return reshaped(op, std::get<Shape>(at(reshape.getShape(), frame).data).dims, frame);
      })
      .Case([&](ir::PrefixOp op) { return prefix(op, frame); })
      .Case([&](ir::SymbolValueOp symbol) {
        Expected<int64_t> value = evaluate(op->getLoc(), symbol.getExpr().getExpr(), frame.symbols);
        return value ? one(integerScalar(*value)) : Results(value.takeStatus());
      })
      .Default(
          [&](Operation *) { return Results(error(op, "the interpreter doesn't know this op")); });
}

Status Evaluator::executeGraph(Operation *op, Frame &frame) {
  if (auto guard = dyn_cast<ir::GuardOp>(op))
    return checkGuard(guard, frame);
  if (auto check = dyn_cast<ir::CheckValuesOp>(op))
    return checkValues(check, frame);
  Expected<std::vector<Value>> results = graphResults(op, frame);
  if (!results)
    return results.takeStatus();
  for (auto [i, value] : llvm::enumerate(*results)) {
    mlir::Value result = op->getResult(static_cast<unsigned>(i));
    if (!result.getType().isIndex())
      RELAX_RETURN_IF_ERROR(matchType(op->getLoc(),
                                      "result " + std::to_string(i) + " of '" +
                                          op->getName().getStringRef().str() + "'",
                                      result.getType(), value, frame.symbols));
    frame.values[result] = std::move(value);
  }
  return {};
}

} // namespace relax::interpreter
