// What each op of a general function becomes.
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/EmitGuards.h"
#include "compiler/driver/GeneralEmitter.h"
#include "compiler/driver/Locations.h"
#include "compiler/transforms/FunctionForm.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using relax::artifact::Buffer;
using relax::artifact::Instruction;
using relax::artifact::Slot;
using relax::artifact::SlotOp;
using relax::symbolic::Expr;

namespace relax::driver {

LogicalResult GeneralEmitter::emitOperation(Operation &op) {
  if (ConstantPool::isConstant(&op))
    return success(); // Loaded where it is read.
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ir::CallKernelOp call) { return emitKernelCall(call); })
      .Case([&](ir::CallLibraryOp call) { return emitLibraryCall(call); })
      .Case([&](ir::CallOp call) { return emitCall(call); })
      .Case([&](ir::CallIndirectOp call) { return emitCallIndirect(call); })
      .Case([&](ir::CallPackedOp call) { return emitCallPacked(call); })
      .Case([&](ir::IfOp branch) { return emitIf(branch); })
      .Case([&](ir::WhileOp loop) { return emitWhile(loop); })
      .Case([&](func::ReturnOp ret) { return emitReturn(ret); })
      .Case([&](ir::YieldOp yield) {
        // Both a branch and a loop move to the registers of the results.
        Registers targets;
        for (Value value : op.getParentOp()->getResults())
          targets.push_back(registers[value]);
        return moveTo(targets, yield.getOperands());
      })
      .Case([&](ir::ConditionOp condition) -> LogicalResult {
        FailureOr<Slot> slot = conditionSlot(condition.getCondition());
        if (succeeded(slot))
          loopCondition = *slot;
        return slot;
      })
      .Case([&](ir::EraseOp) { return success(); })
      .Case([&](ir::MatchCastOp cast) { return emitMatchCast(cast); })
      .Case([&](ir::GuardOp guard) -> LogicalResult {
        FailureOr<artifact::Guard> made =
            makeGuard(guard.getConstraint(), guard.getText(), op.getLoc(), slots,
                      [&](Expr expr, Location loc) { return slotOf(expr, loc); });
        if (succeeded(made))
          appendCheck(std::move(*made));
        return made;
      })
      .Case([&](ir::CheckValuesOp check) -> LogicalResult {
        FailureOr<Slot> lo = slotOf(check.getRange().getLower(), op.getLoc());
        FailureOr<Slot> hi = slotOf(check.getRange().getUpper(), op.getLoc());
        FailureOr<Register> from = registerOf(check.getX(), op.getLoc());
        if (failed(lo) || failed(hi) || failed(from))
          return failure();
        artifact::Guard guard = elementsGuard(check);
        guard.a = *lo;
        guard.b = *hi;
        result.guards.push_back(std::move(guard));
        append(Instruction::CheckValues, {*from}, {*lo, *hi},
               static_cast<uint32_t>(result.guards.size() - 1));
        return success();
      })
      .Default([&](Operation *) { return emitShapeOperation(op); });
}

/// Ops that only arrange values: views, shapes, tuples, functions, states.
LogicalResult GeneralEmitter::emitShapeOperation(Operation &op) {
  FailureOr<Registers> operands = registersOf(op.getOperands(), op.getLoc());
  if (failed(operands))
    return failure();
  auto make = [&](Instruction::Op kind, std::vector<Slot> used = {}, uint32_t target = 0) {
    Registers numbers = {define(op.getResult(0))};
    numbers.insert(numbers.end(), operands->begin(), operands->end());
    append(kind, std::move(numbers), std::move(used), target);
    return success();
  };
  auto slotsOf = [&](ArrayRef<Expr> dims) -> FailureOr<std::vector<Slot>> {
    std::vector<Slot> numbers;
    for (Expr dim : dims) {
      FailureOr<Slot> slot = slotOf(dim, op.getLoc());
      if (failed(slot))
        return failure();
      numbers.push_back(*slot);
    }
    return numbers;
  };
  return llvm::TypeSwitch<Operation *, LogicalResult>(&op)
      .Case([&](ir::ReshapeOp reshape) -> LogicalResult {
        auto dims = slotsOf(ir::shapeOf(cast<RankedTensorType>(reshape.getType())));
        if (failed(dims))
          return failure();
        return make(Instruction::View, std::move(*dims));
      })
      .Case([&](ir::ShapeOp shape) -> LogicalResult {
        auto dims = slotsOf(shape.getDims().getDims());
        if (failed(dims))
          return failure();
        return make(Instruction::MakeShape, std::move(*dims));
      })
      .Case([&](ir::ReshapeToOp reshape) { return emitReshapeTo(reshape); })
      .Case([&](ir::PrefixOp prefix) { return emitPrefix(prefix); })
      .Case([&](ir::TensorToShapeOp convert) { return emitTensorToShape(convert); })
      .Case([&](ir::ShapeOfOp) { return make(Instruction::ShapeOf); })
      .Case([&](ir::ShapeToTensorOp) { return make(Instruction::ShapeToTensor); })
      .Case([&](ir::TupleOp) { return make(Instruction::MakeTuple); })
      .Case([&](ir::TupleGetOp get) {
        return make(Instruction::TupleGet, {}, static_cast<uint32_t>(get.getIndex()));
      })
      .Case([&](ir::StateOp state) {
        return make(Instruction::LoadState, {}, static_cast<uint32_t>(state.getIndex()));
      })
      .Case([&](ir::FunctionOp reference) {
        func::FuncOp callee = tables.kernels.function(reference.getFunction());
        return make(Instruction::MakeFunction, {}, tables.functions.indexOf(callee));
      })
      .Default([&](Operation *) {
        return op.emitError("'") << op.getName()
                                 << "' is left after all lowering: nothing compiles it on its own";
      });
}

LogicalResult GeneralEmitter::emitMatchCast(ir::MatchCastOp op) {
  FailureOr<Register> from = registerOf(op.getValue(), op.getLoc());
  if (failed(from))
    return failure();
  return emitCast(*from, op.getType(), op.getLoc(), "match_cast", !op->hasAttr("relax.proved"));
}

LogicalResult GeneralEmitter::emitPrefix(ir::PrefixOp op) {
  Location loc = op.getLoc();
  FailureOr<Register> from = registerOf(op.getX(), loc), count = registerOf(op.getCount(), loc);
  FailureOr<Slot> bound = dimSlot(op.getX(), 0);
  if (failed(from) || failed(count) || failed(bound))
    return failure();
  std::string name = op.getSymbol().str();
  Slot slot = slots.append(SlotOp::Element, *count, 0);
  bindSymbol(name, slot, locationText(loc));
  artifact::Guard guard;
  guard.kind = artifact::Guard::LessEqual;
  guard.a = slot;
  guard.b = *bound;
  guard.expression = name + " is at most the rows that there are";
  guard.source = locationText(loc);
  appendCheck(std::move(guard));
  std::vector<Slot> dims = {slot};
  for (unsigned axis = 1; axis < cast<RankedTensorType>(op.getX().getType()).getRank(); ++axis) {
    FailureOr<Slot> dim = dimSlot(op.getX(), axis);
    if (failed(dim))
      return failure();
    dims.push_back(*dim);
  }
  Register to = define(op.getResult());
  append(Instruction::View, {to, *from}, std::move(dims));
  return success();
}

LogicalResult GeneralEmitter::emitReshapeTo(ir::ReshapeToOp op) {
  Location loc = op.getLoc();
  FailureOr<Register> from = registerOf(op.getX(), loc), shape = registerOf(op.getShape(), loc);
  if (failed(from) || failed(shape))
    return failure();
  Register to = define(op.getResult());
  append(Instruction::View, {to, *from, *shape}, {},
         1 + addText("reshape_to keeps the number of elements", loc));
  return success();
}

/// A guard that is the text of an instruction's failure.
uint32_t GeneralEmitter::addText(StringRef what, Location loc) {
  artifact::Guard guard;
  guard.kind = artifact::Guard::Elements;
  guard.expression = what.str();
  guard.source = locationText(loc);
  result.guards.push_back(std::move(guard));
  return static_cast<uint32_t>(result.guards.size() - 1);
}

LogicalResult GeneralEmitter::emitTensorToShape(ir::TensorToShapeOp op) {
  FailureOr<Register> from = registerOf(op.getX(), op.getLoc());
  if (failed(from))
    return failure();
  Register to = define(op.getResult());
  append(Instruction::TensorToShape, {to, *from}, {},
         1 + addText("tensor_to_shape gives no negative size", op.getLoc()));
  return emitCast(to, op.getType(), op.getLoc(), "tensor_to_shape", true);
}

LogicalResult GeneralEmitter::allocate(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return emitError(value.getLoc(), "expected a ranked tensor; found ") << value.getType();
  FailureOr<artifact::DType> dtype = dtypeOf(type.getElementType(), value.getLoc());
  if (failed(dtype))
    return failure();
  std::vector<Slot> dims;
  for (Expr dim : ir::shapeOf(type)) {
    FailureOr<Slot> slot = slotOf(dim, value.getLoc());
    if (failed(slot))
      return failure();
    dims.push_back(*slot);
  }
  append(Instruction::Allocate, {define(value)}, std::move(dims), static_cast<uint32_t>(*dtype));
  return success();
}

FailureOr<GeneralEmitter::Register> GeneralEmitter::writable(OpOperand &operand) {
  Value root = transforms::unannotatedValue(operand.get());
  Operation *op = operand.getOwner();
  bool diesHere = false;
  if (auto it = dying.find(op); it != dying.end())
    diesHere = llvm::is_contained(it->second, root);
  auto argument = dyn_cast<BlockArgument>(root);
  bool mine = argument
                  ? isa<func::FuncOp>(argument.getOwner()->getParentOp()) &&
                        function.getArgAttr(argument.getArgNumber(), ir::RelaxDialect::donatedAttr)
                  : isa_and_nonnull<ir::CallKernelOp>(root.getDefiningOp());
  // A view, a tuple, a loop or what a call returned may share the memory; kernels keep nothing.
  mine &= llvm::all_of(root.getUses(), [&](OpOperand &use) {
    return use.getOwner() == op ? &use == &operand : isa<ir::CallKernelOp>(use.getOwner());
  });
  FailureOr<Register> from = registerOf(operand.get(), op->getLoc());
  if (failed(from) || (diesHere && mine))
    return from;
  Register copy = newRegister();
  append(Instruction::Copy, {copy, *from});
  temporaries.push_back(copy);
  return copy;
}

LogicalResult GeneralEmitter::emitKernelCall(ir::CallKernelOp call) {
  Location loc = call.getLoc();
  FailureOr<uint32_t> kernel = tables.kernels.indexOf(call.getCallee(), loc);
  if (failed(kernel))
    return failure();
  Instruction instruction;
  instruction.op = Instruction::CallKernel;
  instruction.target = *kernel;
  std::optional<ArrayRef<int64_t>> donates = call.getDonates();
  std::vector<uint32_t> outputs;
  DenseMap<unsigned, uint32_t> overwritten; // Operands, and the buffers that stand for them.
  for (OpResult value : call->getResults()) {
    int64_t donor = donates ? (*donates)[value.getResultNumber()] : -1;
    if (donor < 0) {
      if (failed(allocate(value)))
        return failure();
    } else {
      FailureOr<Register> from = writable(call.getInputsMutable()[donor]);
      if (failed(from))
        return failure();
      append(Instruction::Move, {define(value), *from});
    }
    outputs.push_back(addBuffer(Buffer::Register, registers[value]));
    if (donor >= 0)
      overwritten[static_cast<unsigned>(donor)] = outputs.back();
  }
  for (auto [i, input] : llvm::enumerate(call.getInputs())) {
    if (auto it = overwritten.find(i); it != overwritten.end()) {
      instruction.buffers.push_back(it->second);
      continue;
    }
    FailureOr<uint32_t> buffer = bufferOf(input, loc);
    if (failed(buffer))
      return failure();
    instruction.buffers.push_back(*buffer);
  }
  instruction.buffers.insert(instruction.buffers.end(), outputs.begin(), outputs.end());
  if (failed(describeKernelCall(call, call.getSymbolsAttr(),
                                tables.kernels.function(call.getCallee()), instruction, slots,
                                [&](Expr expr, Location where) { return slotOf(expr, where); })))
    return failure();
  flush();
  result.code.push_back(std::move(instruction));
  return success();
}

LogicalResult GeneralEmitter::emitLibraryCall(ir::CallLibraryOp call) {
  FailureOr<uint32_t> library = tables.libraries.indexOf(call);
  if (failed(library))
    return failure();
  Instruction instruction;
  instruction.op = Instruction::CallLibrary;
  instruction.target = *library;
  for (Value value : call->getResults())
    if (failed(allocate(value)))
      return failure();
  SmallVector<Value> values(call.getInputs());
  llvm::append_range(values, call->getResults());
  for (Value value : values) {
    FailureOr<uint32_t> buffer = bufferOf(value, call.getLoc());
    FailureOr<std::vector<Slot>> dims = dimSlots(value);
    if (failed(buffer) || failed(dims))
      return failure();
    instruction.buffers.push_back(*buffer);
    instruction.slots.insert(instruction.slots.end(), dims->begin(), dims->end());
  }
  for (int64_t option : tables.libraries.optionsOf(*library))
    instruction.slots.push_back(slots.constant(option));
  if (call.getOtherwise())
    return emitAlternative(call, std::move(instruction));
  flush();
  result.code.push_back(std::move(instruction));
  return success();
}

/// A branch to the library's call, or to that of the kernel or function that does the same.
LogicalResult GeneralEmitter::emitAlternative(ir::CallLibraryOp call, Instruction library) {
  auto slotFunction = [&](Expr expr, Location loc) { return slotOf(expr, loc); };
  func::FuncOp callee = tables.kernels.function(*call.getOtherwise());
  Instruction own;
  if (callee->hasAttr("relax.scheduled_kernel")) {
    own.op = Instruction::CallKernel;
    own.buffers = library.buffers;
    FailureOr<uint32_t> kernel = tables.kernels.indexOf(callee.getName(), call.getLoc());
    if (failed(kernel) ||
        failed(describeKernelCall(call, call.getOtherwiseSymbols().value_or(ArrayAttr()), callee,
                                  own, slots, slotFunction)))
      return failure();
    own.target = *kernel;
  } else {
    own.op = Instruction::Invoke;
    own.target = tables.functions.indexOf(callee);
    FailureOr<Registers> arguments = registersOf(call.getInputs(), call.getLoc());
    if (failed(arguments))
      return failure();
    own.buffers = std::move(*arguments);
    for (Value value : call->getResults())
      own.buffers.push_back(registers[value]);
  }
  FailureOr<std::vector<uint32_t>> thresholds = tables.libraries.thresholdsOf(call);
  if (failed(thresholds))
    return failure();
  FailureOr<Slot> condition = libraryCondition(call, *thresholds, slots, slotFunction);
  if (failed(condition))
    return failure();
  // Everything is evaluated before the branch, so that it holds behind it.
  flush();
  appendChoice(result.code, *condition, std::move(library), std::move(own));
  return success();
}

LogicalResult GeneralEmitter::emitCall(ir::CallOp call) {
  func::FuncOp callee = tables.kernels.function(call.getCallee());
  Registers numbers;
  for (OpOperand &operand : call.getInputsMutable()) {
    bool donated =
        callee.getArgAttr(operand.getOperandNumber(), ir::RelaxDialect::donatedAttr) != nullptr;
    FailureOr<Register> number =
        donated ? writable(operand) : registerOf(operand.get(), call.getLoc());
    if (failed(number))
      return failure();
    numbers.push_back(*number);
  }
  for (Value value : call->getResults())
    numbers.push_back(define(value));
  append(Instruction::Invoke, std::move(numbers), {}, tables.functions.indexOf(callee));
  return success();
}

LogicalResult GeneralEmitter::emitCallIndirect(ir::CallIndirectOp call) {
  FailureOr<Registers> numbers = registersOf(call->getOperands(), call.getLoc());
  if (failed(numbers))
    return failure();
  for (Value value : call->getResults())
    numbers->push_back(define(value));
  append(Instruction::InvokeValue, std::move(*numbers)).count =
      static_cast<uint32_t>(call.getInputs().size());
  return checkResults(call, "call_indirect");
}

LogicalResult GeneralEmitter::emitCallPacked(ir::CallPackedOp call) {
  FailureOr<Registers> numbers = registersOf(call.getInputs(), call.getLoc());
  if (failed(numbers))
    return failure();
  for (Value value : call->getResults())
    numbers->push_back(define(value));
  append(Instruction::InvokePacked, std::move(*numbers), {},
         tables.packed.indexOf(call.getFunction(), call.getPure()))
      .count = static_cast<uint32_t>(call.getInputs().size());
  return checkResults(call, "call_packed \"" + call.getFunction().str() + "\"");
}

/// What comes from code that this compilation doesn't see is compared with what its type says.
LogicalResult GeneralEmitter::checkResults(Operation *op, const std::string &what) {
  for (OpResult value : op->getResults())
    if (failed(emitCast(registers[value], value.getType(), op->getLoc(),
                        "result " + std::to_string(value.getResultNumber()) + " of " + what, true)))
      return failure();
  return success();
}

} // namespace relax::driver
