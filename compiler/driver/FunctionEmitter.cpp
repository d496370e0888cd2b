#include "compiler/driver/FunctionEmitter.h"

#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/EmitGuards.h"
#include "compiler/driver/Locations.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ByteSize.h"
#include "compiler/transforms/FunctionForm.h"

using namespace mlir;
using relax::artifact::Buffer;
using relax::artifact::noSlot;
using relax::artifact::Slot;

namespace relax::driver {

FunctionEmitter::FunctionEmitter(func::FuncOp function, artifact::Function &result,
                                 SharedTables tables)
    : function(function), result(result), tables(tables), slots(result.slots) {}

FailureOr<Slot> FunctionEmitter::slotOf(symbolic::Expr expr, Location loc) {
  if (!expr)
    return emitError(loc, "a dimension whose size isn't known can't be compiled; give it a symbol "
                          "by relax.match_cast");
  Slot slot = slots.slotOf(expr);
  if (slot == noSlot)
    return emitError(loc, "the size ")
           << expr.str() << " of @" << function.getName()
           << " uses a symbol that no argument has as a dimension of its own; add an argument that "
              "has it";
  return slot;
}

FailureOr<Slot> FunctionEmitter::dimSlot(Value value, unsigned axis, Location loc) {
  symbolic::Expr dim = ir::shapeOf(cast<RankedTensorType>(value.getType()))[axis];
  if (dim)
    return slotOf(dim, loc);
  // An erased dimension is known before; that of an argument is what comes.
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    for (Slot slot = 0; slot < slots.size(); ++slot)
      if (isSameDimension(slot, argument, axis))
        return slot;
    return slots.append(artifact::SlotOp::Dimension, argument.getArgNumber(), axis);
  }
  if (isa<ir::MatchCastOp, ir::EraseOp>(value.getDefiningOp()))
    return dimSlot(value.getDefiningOp()->getOperand(0), axis, loc);
  return slotOf(dim, loc);
}

FailureOr<artifact::TensorType> FunctionEmitter::tensorType(Value value, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(value.getType());
  if (!tensor)
    return emitError(loc, "expected a ranked tensor; found ") << value.getType();
  FailureOr<artifact::DType> dtype = dtypeOf(tensor.getElementType(), loc);
  if (failed(dtype))
    return failure();
  artifact::TensorType result;
  result.dtype = *dtype;
  for (unsigned axis = 0; axis < tensor.getRank(); ++axis) {
    FailureOr<Slot> slot = dimSlot(value, axis, loc);
    if (failed(slot))
      return failure();
    result.dims.push_back(*slot);
  }
  return result;
}

LogicalResult FunctionEmitter::emit() {
  result.name = function.getName().str();
  result.captured = function->hasAttr("relax.captured");
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block");
  if (failed(emitSignature()) || failed(emitSymbols()) || failed(emitGuards()))
    return failure();
  for (Operation &op : function.getBody().front())
    if (failed(emitOperation(op)))
      return failure();
  return emitArenaSize();
}

LogicalResult FunctionEmitter::emitSignature() {
  // Plain symbols first: the first dimension that is one binds it.
  for (BlockArgument argument : function.getArguments()) {
    auto tensor = dyn_cast<RankedTensorType>(argument.getType());
    if (!tensor)
      continue;
    for (auto [axis, dim] : llvm::enumerate(ir::shapeOf(tensor)))
      if (dim && dim.isSymbol())
        slots.bind(dim.symbolName(), argument.getArgNumber(), axis);
  }
  for (auto &[name, dim] : transforms::symbolsOfArguments(function))
    slots.bind(name, dim.argument, dim.axis);
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    FailureOr<artifact::TensorType> type = tensorType(argument, argument.getLoc());
    if (failed(type))
      return failure();
    auto name = function.getArgAttrOfType<StringAttr>(i, "relax.name");
    result.parameters.push_back({name ? name.str() : "arg" + std::to_string(i), *type,
                                 function.getArgAttr(i, "relax.donated") != nullptr});
  }
  Operation *ret = function.getBody().front().getTerminator();
  for (auto [i, value] : llvm::enumerate(ret->getOperands())) {
    FailureOr<artifact::TensorType> tensor = tensorType(value, function.getLoc());
    if (failed(tensor))
      return failure();
    auto name = function.getResultAttrOfType<StringAttr>(i, "relax.name");
    result.results.push_back({name ? name.str() : "result" + std::to_string(i), *tensor, -1});
  }
  return success();
}

LogicalResult FunctionEmitter::emitSymbols() {
  auto symbols = function->getAttrOfType<ir::SymbolsAttr>("relax.symbols");
  symbolic::Context &context = ir::symbolicContext(function.getContext());
  for (auto &[name, dim] : transforms::symbolsOfArguments(function))
    if (!symbols || !symbols.find(name))
      result.symbols.push_back({name, 0, std::nullopt, 1, slots.slotOf(context.symbol(name)), ""});
  if (!symbols)
    return success();
  for (const ir::SymbolDeclaration &declaration : symbols.getDeclarations()) {
    std::string name = declaration.name.str();
    if (!slots.isBound(name))
      continue; // Unused, or an expression's only symbol: slotOf has reported that.
    result.symbols.push_back({name, declaration.lo, declaration.hi, declaration.divisor,
                              slots.slotOf(context.symbol(name))});
  }
  return success();
}

LogicalResult FunctionEmitter::emitGuards() {
  return makeValueGuards(function, result.guards,
                         [&](symbolic::Expr expr, Location loc) { return slotOf(expr, loc); });
}

/// A match_cast says what the dimensions of a value are. Those that aren't the same slot are
/// compared when the function is entered.
LogicalResult FunctionEmitter::emitMatchCastGuards(ir::MatchCastOp op) {
  if (op->hasAttr("relax.proved"))
    return success();
  Location loc = op.getLoc();
  for (auto [axis, stated] : llvm::enumerate(ir::shapeOf(cast<RankedTensorType>(op.getType())))) {
    if (!stated)
      continue;
    symbolic::Expr found = ir::shapeOf(cast<RankedTensorType>(op.getValue().getType()))[axis];
    FailureOr<Slot> a = dimSlot(op.getValue(), axis, loc);
    FailureOr<Slot> b = slotOf(stated, loc);
    if (failed(a) || failed(b))
      return failure();
    auto argument = dyn_cast<BlockArgument>(transforms::unannotatedValue(op.getValue()));
    // A symbol that this dimension of an argument gives its value to.
    if (*a == *b || (!found && argument && isSameDimension(*b, argument, axis)))
      continue;
    artifact::Guard guard;
    guard.kind = artifact::Guard::Equal;
    guard.a = *a;
    guard.b = *b;
    if (argument) {
      guard.parameter = static_cast<int32_t>(argument.getArgNumber());
      guard.axis = static_cast<int32_t>(axis);
    }
    guard.expression = (found ? found.str() + " == " : std::string()) + stated.str() +
                       (found ? "" : " in match_cast");
    guard.source = locationText(loc);
    result.guards.push_back(std::move(guard));
  }
  return success();
}

bool FunctionEmitter::isSameDimension(Slot slot, BlockArgument argument, unsigned axis) const {
  const artifact::SlotOp &op = result.slots[slot];
  return op.kind == artifact::SlotOp::Dimension && op.a == argument.getArgNumber() && op.b == axis;
}

LogicalResult FunctionEmitter::emitCheckValues(ir::CheckValuesOp op) {
  FailureOr<Slot> lo = slotOf(op.getRange().getLower(), op.getLoc());
  FailureOr<Slot> hi = slotOf(op.getRange().getUpper(), op.getLoc());
  FailureOr<uint32_t> buffer = bufferOf(op.getX(), op.getLoc());
  FailureOr<artifact::DType> dtype =
      dtypeOf(cast<RankedTensorType>(op.getX().getType()).getElementType(), op.getLoc());
  if (failed(lo) || failed(hi) || failed(buffer) || failed(dtype))
    return failure();
  artifact::Guard guard = elementsGuard(op);
  guard.a = *lo;
  guard.b = *hi;
  guard.dtype = *dtype;
  result.guards.push_back(std::move(guard));
  artifact::Instruction instruction;
  instruction.op = artifact::Instruction::CheckValues;
  instruction.target = static_cast<uint32_t>(result.guards.size() - 1);
  instruction.buffers = {*buffer};
  instruction.slots = {*lo, *hi};
  result.code.push_back(std::move(instruction));
  return success();
}

uint32_t FunctionEmitter::addBuffer(Buffer buffer) {
  if (buffer.kind != Buffer::Arena) {
    auto [it, inserted] = wholeBuffers.try_emplace({buffer.kind, buffer.index},
                                                   static_cast<uint32_t>(result.buffers.size()));
    if (!inserted)
      return it->second;
  }
  result.buffers.push_back(buffer);
  return static_cast<uint32_t>(result.buffers.size() - 1);
}

FailureOr<uint32_t> FunctionEmitter::bufferOf(Value value, Location loc) {
  if (auto it = buffers.find(value); it != buffers.end())
    return it->second;
  if (auto argument = dyn_cast<BlockArgument>(value))
    return buffers[value] = addBuffer({Buffer::Parameter, argument.getArgNumber()});
  return emitError(loc, "internal error: a value has no storage: ") << value;
}

LogicalResult FunctionEmitter::assignStorage(Operation *op, ArrayAttr storage, unsigned index) {
  Value value = op->getResult(index);
  if (!storage || index >= storage.size())
    return op->emitError("internal error: result ") << index << " has no storage";
  auto attribute = cast<ir::StorageAttr>(storage[index]);
  switch (attribute.getKind()) {
  case ir::StorageKind::Alias:
    buffers[value] = addBuffer({Buffer::Parameter, attribute.getIndex()});
    return success();
  case ir::StorageKind::Result:
    buffers[value] = addBuffer({Buffer::Result, attribute.getIndex()});
    return success();
  case ir::StorageKind::Arena:
    break;
  }
  auto type = cast<RankedTensorType>(value.getType());
  symbolic::Expr size = transforms::byteSize(type);
  FailureOr<Slot> offsetSlot = slotOf(attribute.getOffset(), op->getLoc());
  FailureOr<Slot> sizeSlot = slotOf(size, op->getLoc());
  if (failed(offsetSlot) || failed(sizeSlot))
    return failure();
  buffers[value] = addBuffer({Buffer::Arena, 0, *offsetSlot, *sizeSlot});
  return success();
}

LogicalResult FunctionEmitter::emitOperation(Operation &op) {
  if (auto call = dyn_cast<ir::CallKernelOp>(op))
    return emitCall(call);
  if (auto call = dyn_cast<ir::CallLibraryOp>(op))
    return emitLibraryCall(call);
  if (auto ret = dyn_cast<func::ReturnOp>(op))
    return emitReturn(ret);
  if (auto call = dyn_cast<ir::CallOp>(op))
    return emitFunctionCall(call);
  if (auto check = dyn_cast<ir::CheckValuesOp>(op))
    return emitCheckValues(check);
  if (auto guard = dyn_cast<ir::GuardOp>(op)) {
    FailureOr<artifact::Guard> made =
        makeGuard(guard.getConstraint(), guard.getText(), op.getLoc(), slots,
                  [&](symbolic::Expr expr, Location loc) { return slotOf(expr, loc); });
    if (succeeded(made))
      result.guards.push_back(std::move(*made));
    return made;
  }
  if (isa<ir::ReshapeOp, ir::MatchCastOp, ir::EraseOp>(op)) {
    if (auto cast = dyn_cast<ir::MatchCastOp>(op); cast && failed(emitMatchCastGuards(cast)))
      return failure();
    FailureOr<uint32_t> buffer = bufferOf(op.getOperand(0), op.getLoc());
    if (failed(buffer))
      return failure();
    buffers[op.getResult(0)] = *buffer;
    return success();
  }
  if (auto state = dyn_cast<ir::StateOp>(op)) {
    buffers[state.getResult()] =
        addBuffer({Buffer::State, static_cast<uint32_t>(state.getIndex())});
    return success();
  }
  if (!ConstantPool::isConstant(&op))
    return op.emitError("'") << op.getName()
                             << "' is left after all lowering: nothing compiles it on its own";
  FailureOr<uint32_t> constant = tables.constants.of(&op);
  if (failed(constant))
    return failure();
  buffers[op.getResult(0)] = addBuffer({Buffer::Constant, *constant});
  return success();
}

LogicalResult FunctionEmitter::emitCall(ir::CallKernelOp call) {
  Location loc = call.getLoc();
  FailureOr<uint32_t> kernel = tables.kernels.indexOf(call.getCallee(), loc);
  if (failed(kernel))
    return failure();
  artifact::Instruction instruction;
  instruction.op = artifact::Instruction::CallKernel;
  instruction.target = *kernel;
  for (Value input : call.getInputs()) {
    FailureOr<uint32_t> buffer = bufferOf(input, loc);
    if (failed(buffer))
      return failure();
    instruction.buffers.push_back(*buffer);
  }
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    if (failed(assignStorage(call, call.getStorageAttr(), i)))
      return failure();
    instruction.buffers.push_back(buffers[call->getResult(i)]);
  }
  if (failed(describeKernelCall(
          call, call.getSymbolsAttr(), tables.kernels.function(call.getCallee()), instruction,
          slots, [&](symbolic::Expr expr, Location where) { return slotOf(expr, where); })))
    return failure();
  result.code.push_back(std::move(instruction));
  return success();
}

/// Another planned function: its arguments, the memory of its results, and the sizes of its
/// arguments.
LogicalResult FunctionEmitter::emitFunctionCall(ir::CallOp call) {
  artifact::Instruction instruction;
  instruction.op = artifact::Instruction::CallFunction;
  instruction.target = tables.functions.indexOf(tables.kernels.function(call.getCallee()));
  for (Value input : call.getInputs()) {
    FailureOr<uint32_t> buffer = bufferOf(input, call.getLoc());
    if (failed(buffer))
      return failure();
    instruction.buffers.push_back(*buffer);
    for (unsigned axis = 0; axis < cast<RankedTensorType>(input.getType()).getRank(); ++axis) {
      FailureOr<Slot> slot = dimSlot(input, axis, call.getLoc());
      if (failed(slot))
        return failure();
      instruction.slots.push_back(*slot);
    }
  }
  for (unsigned i = 0; i < call->getNumResults(); ++i) {
    if (failed(assignStorage(call, call->getAttrOfType<ArrayAttr>("storage"), i)))
      return failure();
    instruction.buffers.push_back(buffers[call->getResult(i)]);
  }
  result.code.push_back(std::move(instruction));
  return success();
}

LogicalResult FunctionEmitter::emitLibraryCall(ir::CallLibraryOp call) {
  FailureOr<uint32_t> library = tables.libraries.indexOf(call);
  if (failed(library))
    return failure();
  artifact::Instruction instruction;
  instruction.op = artifact::Instruction::CallLibrary;
  instruction.target = *library;
  auto add = [&](Value value) -> LogicalResult {
    FailureOr<uint32_t> buffer = bufferOf(value, call.getLoc());
    if (failed(buffer))
      return failure();
    instruction.buffers.push_back(*buffer);
    for (unsigned axis = 0; axis < cast<RankedTensorType>(value.getType()).getRank(); ++axis) {
      FailureOr<Slot> slot = dimSlot(value, axis, call.getLoc());
      if (failed(slot))
        return failure();
      instruction.slots.push_back(*slot);
    }
    return success();
  };
  for (Value input : call.getInputs())
    if (failed(add(input)))
      return failure();
  for (unsigned i = 0; i < call->getNumResults(); ++i)
    if (failed(assignStorage(call, call.getStorageAttr(), i)) || failed(add(call->getResult(i))))
      return failure();
  for (int64_t option : tables.libraries.optionsOf(*library))
    instruction.slots.push_back(slots.constant(option));
  if (call.getOtherwise())
    return emitAlternative(call, std::move(instruction));
  result.code.push_back(std::move(instruction));
  return success();
}

/// A branch to the library's call, or to that of the kernel or planned function that does the same
/// with the same buffers.
LogicalResult FunctionEmitter::emitAlternative(ir::CallLibraryOp call,
                                               artifact::Instruction library) {
  using artifact::Instruction;
  auto slotFunction = [&](symbolic::Expr expr, Location loc) { return slotOf(expr, loc); };
  func::FuncOp callee = tables.kernels.function(*call.getOtherwise());
  Instruction own;
  own.buffers = library.buffers;
  if (callee->hasAttr("relax.scheduled_kernel")) {
    own.op = Instruction::CallKernel;
    FailureOr<uint32_t> kernel = tables.kernels.indexOf(callee.getName(), call.getLoc());
    if (failed(kernel) ||
        failed(describeKernelCall(call, call.getOtherwiseSymbols().value_or(ArrayAttr()), callee,
                                  own, slots, slotFunction)))
      return failure();
    own.target = *kernel;
  } else {
    own.op = Instruction::CallFunction;
    own.target = tables.functions.indexOf(callee);
    size_t numDims = 0;
    for (Value input : call.getInputs())
      numDims += cast<RankedTensorType>(input.getType()).getRank();
    own.slots.assign(library.slots.begin(),
                     library.slots.begin() + static_cast<ptrdiff_t>(numDims));
  }
  FailureOr<std::vector<uint32_t>> thresholds = tables.libraries.thresholdsOf(call);
  if (failed(thresholds))
    return failure();
  FailureOr<Slot> condition = libraryCondition(call, *thresholds, slots, slotFunction);
  if (failed(condition))
    return failure();
  appendChoice(result.code, *condition, std::move(library), std::move(own));
  return success();
}

LogicalResult FunctionEmitter::emitReturn(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    FailureOr<uint32_t> number = bufferOf(value, op.getLoc());
    if (failed(number))
      return failure();
    const Buffer &buffer = result.buffers[*number];
    if (buffer.kind == Buffer::Parameter && result.parameters[buffer.index].donated)
      result.results[i].alias = static_cast<int32_t>(buffer.index);
    else if (buffer.kind != Buffer::Result || buffer.index != i)
      return op.emitError("internal error: result ") << i << " isn't computed in its own storage";
  }
  artifact::Instruction last;
  last.op = artifact::Instruction::Return;
  result.code.push_back(std::move(last));
  return success();
}

LogicalResult FunctionEmitter::emitArenaSize() {
  auto size = function->getAttrOfType<ir::ExprAttr>("relax.arena_size");
  // Tensors without elements have places, too.
  bool used = llvm::any_of(result.buffers,
                           [](const Buffer &buffer) { return buffer.kind == Buffer::Arena; });
  if (!size || !used)
    return success();
  FailureOr<Slot> slot = slotOf(size.getExpr(), function.getLoc());
  if (failed(slot))
    return failure();
  result.arenaSize = *slot;
  auto symbols = function->getAttrOfType<ir::SymbolsAttr>("relax.symbols");
  symbolic::Facts facts = symbols ? symbols.toFacts() : symbolic::Facts();
  result.arenaMaximum = symbolic::bounds(size.getExpr(), facts).hi;
  return success();
}

} // namespace relax::driver
