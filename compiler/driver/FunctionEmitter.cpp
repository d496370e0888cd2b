#include "compiler/driver/FunctionEmitter.h"

#include "compiler/driver/Locations.h"
#include "compiler/symbolic/Prove.h"
#include "compiler/transforms/ByteSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using relax::artifact::Buffer;
using relax::artifact::noSlot;
using relax::artifact::Slot;

namespace relax::driver {

FunctionEmitter::FunctionEmitter(func::FuncOp function, artifact::Function &result,
                                 SharedTables tables)
    : function(function), result(result), tables(tables), slots(result.slots) {}

std::string FunctionEmitter::sourceOf(Location loc) const { return locationText(loc); }

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

FailureOr<artifact::TensorType> FunctionEmitter::tensorType(Type type, Location loc) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return emitError(loc, "expected a ranked tensor; found ") << type;
  FailureOr<artifact::DType> dtype = dtypeOf(tensor.getElementType(), loc);
  if (failed(dtype))
    return failure();
  artifact::TensorType result;
  result.dtype = *dtype;
  for (symbolic::Expr dim : ir::shapeOf(tensor)) {
    FailureOr<Slot> slot = slotOf(dim, loc);
    if (failed(slot))
      return failure();
    result.dims.push_back(*slot);
  }
  return result;
}

LogicalResult FunctionEmitter::emit() {
  result.name = function.getName().str();
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
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    FailureOr<artifact::TensorType> type = tensorType(argument.getType(), argument.getLoc());
    if (failed(type))
      return failure();
    auto name = function.getArgAttrOfType<StringAttr>(i, "relax.name");
    result.parameters.push_back({name ? name.str() : "arg" + std::to_string(i), *type,
                                 function.getArgAttr(i, "relax.donated") != nullptr});
  }
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    FailureOr<artifact::TensorType> tensor = tensorType(type, function.getLoc());
    if (failed(tensor))
      return failure();
    auto name = function.getResultAttrOfType<StringAttr>(i, "relax.name");
    result.results.push_back({name ? name.str() : "result" + std::to_string(i), *tensor, -1});
  }
  return success();
}

LogicalResult FunctionEmitter::emitSymbols() {
  auto symbols = function->getAttrOfType<ir::SymbolsAttr>("relax.symbols");
  if (!symbols)
    return success();
  symbolic::Context &context = ir::symbolicContext(function.getContext());
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
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto values = function.getArgAttrOfType<ir::ValuesAttr>(i, "relax.values");
    if (!values)
      continue;
    FailureOr<Slot> upper = slotOf(values.getUpper(), argument.getLoc());
    if (failed(upper))
      return failure();
    artifact::Guard guard;
    guard.kind = artifact::Guard::ValuesInRange;
    guard.parameter = static_cast<int32_t>(i);
    guard.a = *upper;
    guard.expression = "0 <= element < " + values.getUpper().str();
    guard.source = sourceOf(argument.getLoc());
    result.guards.push_back(std::move(guard));
  }
  auto ragged = function->getAttrOfType<DictionaryAttr>("relax.ragged");
  if (!ragged)
    return success();
  auto total = ragged.getAs<ir::ExprAttr>("total");
  auto limit = ragged.getAs<ir::ExprAttr>("limit");
  auto starts = ragged.getAs<IntegerAttr>("starts");
  auto cached = ragged.getAs<IntegerAttr>("cached");
  if (!total || !limit || !starts || !cached)
    return function.emitError("relax.ragged needs starts, cached, total and limit");
  FailureOr<Slot> a = slotOf(total.getExpr(), function.getLoc());
  FailureOr<Slot> b = slotOf(limit.getExpr(), function.getLoc());
  if (failed(a) || failed(b))
    return failure();
  artifact::Guard guard;
  guard.kind = artifact::Guard::Ragged;
  guard.parameter = static_cast<int32_t>(starts.getInt());
  guard.axis = static_cast<int32_t>(cached.getInt());
  guard.a = *a;
  guard.b = *b;
  guard.expression = "starts rise from 0 to " + total.getExpr().str() +
                     ", and no sequence exceeds " + limit.getExpr().str();
  guard.source = sourceOf(function.getLoc());
  result.guards.push_back(std::move(guard));
  return success();
}

/// A match_cast says what the dimensions of a value are. Those that aren't equal as expressions are
/// compared when the function is entered.
LogicalResult FunctionEmitter::emitMatchCastGuards(Operation *op) {
  auto from = dyn_cast<RankedTensorType>(op->getOperand(0).getType());
  auto to = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!from || !to)
    return op->emitError("only a match_cast between ranked tensors can be compiled");
  for (auto [axis, dims] : llvm::enumerate(llvm::zip(ir::shapeOf(from), ir::shapeOf(to)))) {
    auto [found, stated] = dims;
    if (found == stated || !stated)
      continue;
    FailureOr<Slot> a = slotOf(found, op->getLoc());
    FailureOr<Slot> b = slotOf(stated, op->getLoc());
    if (failed(a) || failed(b))
      return failure();
    artifact::Guard guard;
    guard.kind = artifact::Guard::Equal;
    guard.a = *a;
    guard.b = *b;
    guard.expression = found.str() + " == " + stated.str();
    guard.source = sourceOf(op->getLoc());
    result.guards.push_back(std::move(guard));
  }
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
  if (isa<ir::ReshapeOp, ir::MatchCastOp>(op)) {
    if (isa<ir::MatchCastOp>(op) && failed(emitMatchCastGuards(&op)))
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
  FailureOr<uint32_t> constant = failure();
  if (auto weight = dyn_cast<ir::ConstantOp>(op)) {
    constant = tables.constants.weight(weight.getWeight(), cast<RankedTensorType>(weight.getType()),
                                       op.getLoc());
  } else if (auto dense = dyn_cast<arith::ConstantOp>(op)) {
    auto values = dyn_cast<DenseElementsAttr>(dense.getValue());
    if (!values)
      return op.emitError("only dense tensor constants can be compiled");
    constant = tables.constants.dense(values, op.getLoc());
  } else {
    return op.emitError("'") << op.getName()
                             << "' is left after all lowering: nothing compiles it on its own";
  }
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
  func::FuncOp scheduled = tables.kernels.function(call.getCallee());
  auto names = scheduled->getAttrOfType<ArrayAttr>("relax.kernel_symbols");
  std::map<std::string, symbolic::Expr> values;
  ArrayAttr symbols = call.getSymbolsAttr();
  if (names.size() != (symbols ? symbols.size() : 0))
    return call.emitError("internal error: the kernel takes ")
           << names.size() << " symbols, the call gives " << (symbols ? symbols.size() : 0);
  for (size_t i = 0; i < names.size(); ++i) {
    symbolic::Expr value = cast<ir::ExprAttr>(symbols[i]).getExpr();
    FailureOr<Slot> slot = slotOf(value, loc);
    if (failed(slot))
      return failure();
    instruction.slots.push_back(*slot);
    values[cast<StringAttr>(names[i]).str()] = value;
  }
  auto slotOfAttribute = [&](StringRef name) -> FailureOr<Slot> {
    auto attribute = scheduled->getAttrOfType<ir::ExprAttr>(name);
    if (!attribute)
      return scheduled.emitError("a scheduled kernel needs the attribute ") << name;
    return slotOf(symbolic::substitute(attribute.getExpr(), values), loc);
  };
  FailureOr<Slot> extent = slotOfAttribute("relax.parallel_extent");
  FailureOr<Slot> cost = slotOfAttribute("relax.cost");
  if (failed(extent) || failed(cost))
    return failure();
  instruction.extent = *extent;
  instruction.cost = *cost;
  result.code.push_back(std::move(instruction));
  return success();
}

LogicalResult FunctionEmitter::emitLibraryCall(ir::CallLibraryOp call) {
  artifact::Instruction instruction;
  instruction.op = artifact::Instruction::CallLibrary;
  FailureOr<uint32_t> library = tables.libraries.indexOf(call.getFunction());
  if (failed(library))
    return failure();
  instruction.target = *library;
  auto add = [&](Value value) -> LogicalResult {
    FailureOr<uint32_t> buffer = bufferOf(value, call.getLoc());
    if (failed(buffer))
      return failure();
    instruction.buffers.push_back(*buffer);
    for (symbolic::Expr dim : ir::shapeOf(cast<RankedTensorType>(value.getType()))) {
      FailureOr<Slot> slot = slotOf(dim, call.getLoc());
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
    if (failed(assignStorage(call, call->getAttrOfType<ArrayAttr>("storage"), i)) ||
        failed(add(call->getResult(i))))
      return failure();
  result.code.push_back(std::move(instruction));
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
  if (!size || size.getExpr().isConstant(0))
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
