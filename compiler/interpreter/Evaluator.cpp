// Functions, blocks, and which file knows an op.

#include "compiler/interpreter/Evaluator.h"

#include "compiler/interpreter/Scalars.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace relax::interpreter {

std::string dimsText(ArrayRef<int64_t> dims) {
  std::string text = "[";
  for (size_t i = 0; i != dims.size(); ++i)
    text += (i ? ", " : "") + std::to_string(dims[i]);
  return text + "]";
}

Status Evaluator::error(Location loc, const std::string &message) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (auto place = loc->findInstanceOf<FileLineColLoc>())
    stream << place.getFilename().getValue() << ":" << place.getLine() << ":" << place.getColumn()
           << ": ";
  stream << message;
  return Status(StatusCode::InvalidArgument, text);
}

Status Evaluator::error(Operation *op, const std::string &message) {
  return error(op->getLoc(), "'" + op->getName().getStringRef().str() + "': " + message);
}

Status Evaluator::spend(Operation *op, uint64_t count) {
  if (count > options.maxSteps - steps)
    return Status(StatusCode::ResourceExhausted,
                  error(op, "the interpreter gave up after " + std::to_string(options.maxSteps) +
                                " steps; use smaller inputs")
                      .message());
  const bool ask = (steps ^ (steps + count)) >> 22;
  steps += count;
  if (ask && options.stop && options.stop())
    return Status(StatusCode::Cancelled, "the interpreter was told to stop");
  return {};
}

Expected<int64_t> Evaluator::evaluate(Location loc, symbolic::Expr expr, const Symbols &symbols) {
  std::optional<int64_t> value = symbolic::evaluate(expr, symbols);
  if (!value)
    return error(loc, "the size " + expr.str() +
                          " has no value here: a symbol isn't bound, a divisor isn't positive, or "
                          "it doesn't fit 64 bits");
  return *value;
}

std::vector<int64_t> Evaluator::mixed(ArrayRef<OpFoldResult> list, Frame &frame) {
  std::vector<int64_t> result;
  for (OpFoldResult entry : list) {
    if (auto value = dyn_cast<mlir::Value>(entry))
      result.push_back(integerAt(value, frame));
    else
      result.push_back(cast<IntegerAttr>(cast<Attribute>(entry)).getInt());
  }
  return result;
}

/// Whether `user` has run, or never will, by the time that `op` has its operands. Both are in the
/// block of the value in question, or in branches inside it.
static bool isDoneBefore(Operation *user, Operation *op) {
  for (Operation *outer = op; outer; outer = outer->getParentOp()) {
    Operation *ancestor = outer->getBlock()->findAncestorOpInBlock(*user);
    if (ancestor)
      return ancestor != outer && ancestor->isBeforeInBlock(outer);
    // The other arm of a branch.
    Operation *parent = outer->getParentOp();
    if (isa<scf::IfOp>(parent) && parent->isAncestor(user))
      return true;
  }
  return false;
}

/// Whether nothing reads the operand's value after this op. Between the two there may be branches,
/// but no loops: the next trip would read it again.
bool Evaluator::isLastUse(OpOperand &operand) {
  auto [it, inserted] = lastUses.try_emplace(&operand, false);
  if (!inserted)
    return it->second;
  mlir::Value value = operand.get();
  Operation *op = operand.getOwner();
  for (Block *block = op->getBlock(); block != value.getParentBlock();
       block = block->getParentOp()->getBlock())
    if (!isa<scf::IfOp>(block->getParentOp()))
      return false;
  for (OpOperand &use : value.getUses())
    if (&use != &operand && !isDoneBefore(use.getOwner(), op))
      return false;
  return lastUses[&operand] = true;
}

Value Evaluator::take(OpOperand &operand, Frame &frame) {
  Value &value = frame.values[operand.get()];
  if (!isLastUse(operand))
    return value;
  Value taken = std::move(value);
  value = Value();
  return taken;
}

TensorPointer Evaluator::takeTensor(OpOperand &operand, Frame &frame) {
  Value value = take(operand, frame);
  TensorPointer tensor = std::move(std::get<TensorPointer>(value.data));
  value = Value();
  return tensor.use_count() == 1 ? tensor : std::make_shared<Tensor>(*tensor);
}

std::vector<Value> Evaluator::takeAll(MutableOperandRange operands, Frame &frame) {
  std::vector<Value> values;
  for (OpOperand &operand : operands)
    values.push_back(take(operand, frame));
  return values;
}

Status Evaluator::runBlock(Block &block, Frame &frame) {
  for (Operation &op : block.without_terminator())
    RELAX_RETURN_IF_ERROR(execute(&op, frame));
  return {};
}

Expected<std::vector<Value>> Evaluator::runFunction(func::FuncOp function,
                                                    std::vector<Value> arguments, Symbols symbols) {
  if (depth >= options.maxDepth)
    return error(function, "calls nest more than " + std::to_string(options.maxDepth) +
                               " deep in @" + function.getName().str());
  ++depth;
  llvm::scope_exit leave([&] { --depth; });
  Frame frame;
  frame.symbols = std::move(symbols);
  for (auto [argument, value] : llvm::zip_equal(function.getArguments(), arguments))
    frame.values[argument] = std::move(value);
  Block &body = function.getBody().front();
  RELAX_RETURN_IF_ERROR(runBlock(body, frame));
  return takeAll(cast<func::ReturnOp>(body.getTerminator()).getOperandsMutable(), frame);
}

Expected<std::vector<Value>> Evaluator::callProgram(Operation *call, func::FuncOp program,
                                                    std::vector<Value> arguments, Symbols symbols) {
  for (auto [i, argument] : llvm::enumerate(arguments))
    RELAX_RETURN_IF_ERROR(matchType(call->getLoc(), "operand " + std::to_string(i),
                                    program.getArgumentTypes()[i], argument, symbols));
  return runFunction(program, std::move(arguments), std::move(symbols));
}

Status Evaluator::executeConstant(Operation *op, Frame &frame) {
  // In a loop it is there since the first trip, unless something has taken it.
  Value &value = frame.values[op->getResult(0)];
  if (!std::holds_alternative<std::monostate>(value.data))
    return {};
  Attribute attribute = cast<arith::ConstantOp>(op).getValue();
  auto dense = dyn_cast<DenseElementsAttr>(attribute);
  if (!dense) {
    value = scalarOf(attribute);
    return {};
  }
  TensorPointer tensor = makeTensor(dense.getElementType(), dense.getType().getShape().vec());
  for (auto [i, element] : llvm::enumerate(dense.getValues<Attribute>()))
    tensor->elements[i] = scalarOf(element);
  value = std::move(tensor);
  return {};
}

/// An op of arith or math on numbers.
Status Evaluator::executeNumbers(Operation *op, const Handler &handler, Frame &frame) {
  SmallVector<Scalar, 4> numbers;
  for (mlir::Value operand : op->getOperands())
    numbers.push_back(frame.values.find(operand)->second.scalar());
  Scalar result = handler.function(op, numbers.data());
  if (handler.rounded)
    result.real = roundResult(result.real, handler.rounded, options.rounding);
  frame.values[op->getResult(0)] = result;
  return {};
}

/// An op of arith or math on tensors, element by element.
Status Evaluator::executeElements(Operation *op, const Handler &handler, Frame &frame) {
  SmallVector<const Value *> operands;
  for (mlir::Value operand : op->getOperands())
    operands.push_back(&frame.values.find(operand)->second);
  SmallVector<Scalar> numbers(operands.size());
  // A condition may be one number for all elements; what it chooses from, the last operand, is not.
  TensorPointer result = makeTensor(cast<TensorType>(op->getResult(0).getType()).getElementType(),
                                    operands.back()->tensor()->dims);
  RELAX_RETURN_IF_ERROR(spend(op, result->elements.size()));
  for (size_t i = 0; i != result->elements.size(); ++i) {
    for (auto [number, operand] : llvm::zip_equal(numbers, operands))
      number = operand->isTensor() ? operand->tensor()->elements[i] : operand->scalar();
    result->elements[i] = handler.function(op, numbers.data());
    if (handler.rounded)
      result->elements[i].real =
          roundResult(result->elements[i].real, handler.rounded, options.rounding);
  }
  frame.values[op->getResult(0)] = std::move(result);
  return {};
}

Evaluator::Handler Evaluator::handlerFor(Operation *op) const {
  Handler handler;
  if (isa<arith::ConstantOp>(op)) {
    handler.run = &Evaluator::executeConstant;
  } else if (auto *function = scalarFunctionFor(op)) {
    handler.function = function;
    handler.onTensors = isa<TensorType>(op->getResult(0).getType());
    if (options.rounding != Rounding::None)
      handler.rounded = roundedType(op);
  } else if (isa<linalg::LinalgOp>(op)) {
    handler.run = &Evaluator::executeLinalg;
  } else if (ir::isStructuredKernelOp(op)) {
    handler.run = &Evaluator::executeStructured;
  } else {
    StringRef dialect = op->getName().getDialectNamespace();
    handler.run = dialect == "tensor"  ? &Evaluator::executeTensor
                  : dialect == "scf"   ? &Evaluator::executeLoop
                  : dialect == "relax" ? &Evaluator::executeGraph
                                       : nullptr;
  }
  return handler;
}

Status Evaluator::execute(Operation *op, Frame &frame) {
  auto [it, inserted] = handlers.try_emplace(op);
  if (inserted)
    it->second = handlerFor(op);
  // A copy: what runs may add others to the map.
  Handler handler = it->second;
  if (handler.function)
    return handler.onTensors ? executeElements(op, handler, frame)
                             : executeNumbers(op, handler, frame);
  if (!handler.run)
    return error(op, "the interpreter doesn't know this op");
  return (this->*handler.run)(op, frame);
}

Status prepare(ModuleOp module) {
  PassManager pm(module.getContext());
  pm.addPass(transforms::createInlineDataflowPass());
  // Tensor programs need a name for every size; what ops need and could not prove is checked, as
  // compiled code does.
  pm.addPass(transforms::createFlattenUnknownRanksPass());
  pm.addPass(transforms::createNameUnknownDimsPass());
  pm.addPass(transforms::createMaterializeGuardsPass());
  pm.addPass(kernels::createLegalizePass(/*forInterpreter=*/true));
  if (failed(pm.run(module)))
    return Status(StatusCode::InvalidFile,
                  "the module can't be brought into the form that the interpreter runs");
  return {};
}

Expected<std::vector<Value>> interpretProgram(ModuleOp module, func::FuncOp program,
                                              std::vector<Value> arguments, const Symbols &symbols,
                                              const Options &options) {
  return Evaluator(module, options).callProgram(program, program, std::move(arguments), symbols);
}

Expected<std::vector<Value>> interpretPrepared(ModuleOp module, StringRef function,
                                               std::vector<Value> arguments,
                                               const Options &options) {
  return Evaluator(module, options).callGraph(function, std::move(arguments));
}

Expected<std::vector<Value>> interpret(ModuleOp module, StringRef function,
                                       std::vector<Value> arguments, const Options &options) {
  RELAX_RETURN_IF_ERROR(prepare(module));
  return interpretPrepared(module, function, std::move(arguments), options);
}

} // namespace relax::interpreter
