#include "compiler/driver/GeneralEmitter.h"

#include "compiler/driver/EmitGuards.h"
#include "compiler/driver/Locations.h"
#include "compiler/transforms/FunctionForm.h"

using namespace mlir;
using relax::artifact::Buffer;
using relax::artifact::Instruction;
using relax::artifact::noSlot;
using relax::artifact::Slot;
using relax::artifact::SlotOp;

namespace relax::driver {

GeneralEmitter::GeneralEmitter(func::FuncOp function, artifact::Function &result,
                               SharedTables tables)
    : function(function), result(result), tables(tables), slots(result.slots) {}

LogicalResult GeneralEmitter::emit() {
  result.name = function.getName().str();
  result.general = true;
  if (!function.getBody().hasOneBlock())
    return function.emitError("expected a function of one block");
  if (failed(emitSignature()) || failed(emitBlock(function.getBody().front())))
    return failure();
  return success();
}

//===- Registers
//-------------------------------------------------------------------------------===//

GeneralEmitter::Register GeneralEmitter::newRegister() {
  if (freeRegisters.empty())
    return result.numRegisters++;
  Register number = freeRegisters.back();
  freeRegisters.pop_back();
  return number;
}

FailureOr<GeneralEmitter::Register> GeneralEmitter::registerOf(Value value, Location loc) {
  Value root = transforms::unannotatedValue(value);
  if (auto it = registers.find(root); it != registers.end())
    return it->second;
  Operation *op = root.getDefiningOp();
  if (!op || !ConstantPool::isConstant(op))
    return emitError(loc, "internal error: a value has no register: ") << value;
  FailureOr<uint32_t> constant = tables.constants.of(op);
  if (failed(constant))
    return failure();
  temporaries.push_back(newRegister());
  append(Instruction::LoadConstant, {temporaries.back()}, {}, *constant);
  return temporaries.back();
}

FailureOr<GeneralEmitter::Registers> GeneralEmitter::registersOf(ValueRange values, Location loc) {
  Registers numbers;
  for (Value value : values) {
    FailureOr<Register> number = registerOf(value, loc);
    if (failed(number))
      return failure();
    numbers.push_back(*number);
  }
  return numbers;
}

uint32_t GeneralEmitter::addBuffer(Buffer::Kind kind, uint32_t index) {
  auto [it, inserted] =
      buffers.try_emplace({kind, index}, static_cast<uint32_t>(result.buffers.size()));
  if (inserted)
    result.buffers.push_back({kind, index});
  return it->second;
}

FailureOr<uint32_t> GeneralEmitter::bufferOf(Value value, Location loc) {
  Operation *op = transforms::unannotatedValue(value).getDefiningOp();
  if (op && ConstantPool::isConstant(op)) {
    FailureOr<uint32_t> constant = tables.constants.of(op);
    if (failed(constant))
      return failure();
    return addBuffer(Buffer::Constant, *constant);
  }
  FailureOr<Register> number = registerOf(value, loc);
  if (failed(number))
    return failure();
  return addBuffer(Buffer::Register, *number);
}

/// Gives back the registers of what `op` reads last, and of results that nothing reads.
void GeneralEmitter::releaseDying(Operation *op) {
  flush(); // What is read from a register is read before it goes.
  Registers released = std::move(temporaries);
  temporaries.clear();
  auto drop = [&](Value value) {
    // What a loop carries stays in its registers.
    if (isa<BlockArgument>(value) && !isa<func::FuncOp>(value.getParentBlock()->getParentOp()))
      return;
    if (auto it = registers.find(value); it != registers.end())
      released.push_back(it->second);
  };
  if (auto it = dying.find(op); it != dying.end())
    llvm::for_each(it->second, drop);
  if (!isa<ir::MatchCastOp, ir::EraseOp>(op))
    for (Value value : op->getResults())
      if (value.use_empty())
        drop(value);
  if (released.empty())
    return;
  freeRegisters.insert(freeRegisters.end(), released.begin(), released.end());
  append(Instruction::Release, std::move(released));
}

//===- Slots
//-----------------------------------------------------------------------------------===//

FailureOr<Slot> GeneralEmitter::slotOf(symbolic::Expr expr, Location loc) {
  if (!expr)
    return emitError(loc, "a dimension whose size isn't known can't be compiled; give it a symbol "
                          "by relax.match_cast");
  Slot slot = slots.slotOf(expr);
  if (slot == noSlot)
    return emitError(loc, "the size ")
           << expr.str() << " uses a symbol of @" << function.getName()
           << " that has no value here: an argument needs it as a dimension of its own (a shape "
              "argument will do), or a relax.match_cast must introduce it before";
  return slot;
}

FailureOr<Slot> GeneralEmitter::dimSlot(Value value, unsigned axis) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (symbolic::Expr dim = type ? ir::shapeOf(type)[axis] : symbolic::Expr())
    if (Slot slot = slots.slotOf(dim); slot != noSlot)
      return slot;
  FailureOr<Register> number = registerOf(value, value.getLoc());
  if (failed(number))
    return failure();
  return slots.append(SlotOp::RegisterDimension, *number, axis);
}

FailureOr<std::vector<Slot>> GeneralEmitter::dimSlots(Value value) {
  std::vector<Slot> dims;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type)
    return emitError(value.getLoc(), "expected a tensor of known rank; found ") << value.getType();
  for (unsigned axis = 0; axis < type.getRank(); ++axis) {
    FailureOr<Slot> slot = dimSlot(value, axis);
    if (failed(slot))
      return failure();
    dims.push_back(*slot);
  }
  return dims;
}

void GeneralEmitter::flush() {
  Slot first = firstPending, last = slots.size();
  firstPending = last;
  // Constants have their values from the beginning.
  while (first < last && result.slots[first].kind == SlotOp::Constant)
    ++first;
  if (first == last)
    return;
  Instruction instruction;
  instruction.op = Instruction::Evaluate;
  instruction.slots = {first, last};
  result.code.push_back(std::move(instruction));
}

Instruction &GeneralEmitter::append(Instruction::Op op, Registers registers, std::vector<Slot> used,
                                    uint32_t target) {
  if (!used.empty())
    flush();
  Instruction instruction;
  instruction.op = op;
  instruction.target = target;
  instruction.buffers = std::move(registers);
  instruction.slots = std::move(used);
  result.code.push_back(std::move(instruction));
  return result.code.back();
}

void GeneralEmitter::appendCheck(artifact::Guard guard) {
  flush();
  result.guards.push_back(std::move(guard));
  append(Instruction::Check, {}, {}, static_cast<uint32_t>(result.guards.size() - 1));
}

//===- Blocks
//----------------------------------------------------------------------------------===//

LogicalResult GeneralEmitter::emitBlock(Block &block) {
  // What is read where for the last time; a region's reads are those of the op that holds it.
  DenseMap<Value, Operation *> lastRead;
  SmallVector<Value> order;
  for (Operation &op : block)
    op.walk([&](Operation *inner) {
      for (Value operand : inner->getOperands()) {
        Value root = transforms::unannotatedValue(operand);
        if (root.getParentBlock() != &block)
          continue;
        if (lastRead.insert_or_assign(root, &op).second)
          order.push_back(root);
      }
    });
  for (Value value : order)
    dying[lastRead[value]].push_back(value);
  Registers unread;
  for (BlockArgument argument : block.getArguments())
    if (!lastRead.contains(argument) && isa<func::FuncOp>(block.getParentOp()))
      unread.push_back(registers[argument]);
  if (!unread.empty()) {
    freeRegisters.insert(freeRegisters.end(), unread.begin(), unread.end());
    append(Instruction::Release, std::move(unread));
  }
  for (Operation &op : block) {
    if (failed(emitOperation(op)))
      return failure();
    if (!isa<func::ReturnOp>(op))
      releaseDying(&op);
  }
  return success();
}

/// Moves values to registers that none of them is in, or that are moved as if all at once.
LogicalResult GeneralEmitter::moveTo(ArrayRef<Register> targets, ValueRange values) {
  DenseSet<Register> overwritten(targets.begin(), targets.end());
  SmallVector<std::pair<Register, Register>> moves;
  Registers spare;
  for (auto [target, value] : llvm::zip_equal(targets, values)) {
    FailureOr<Register> from = registerOf(value, value.getLoc());
    if (failed(from))
      return failure();
    if (*from == target)
      continue;
    if (overwritten.contains(*from)) {
      Register copy = newRegister();
      append(Instruction::Move, {copy, *from});
      spare.push_back(copy);
      from = copy;
    }
    moves.push_back({target, *from});
  }
  for (auto [target, from] : moves)
    append(Instruction::Move, {target, from});
  temporaries.insert(temporaries.end(), spare.begin(), spare.end());
  return success();
}

FailureOr<Slot> GeneralEmitter::conditionSlot(Value condition) {
  FailureOr<Register> number = registerOf(condition, condition.getLoc());
  if (failed(number))
    return failure();
  return slots.append(SlotOp::Element, *number, 0);
}

LogicalResult GeneralEmitter::emitIf(ir::IfOp op) {
  FailureOr<Slot> condition = conditionSlot(op.getCondition());
  if (failed(condition))
    return failure();
  append(Instruction::BranchIfZero, {}, {*condition});
  size_t branch = result.code.size() - 1;
  Registers targets;
  for (Value value : op.getResults())
    targets.push_back(define(value));
  size_t jump = 0;
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()}) {
    if (region == &op.getElseRegion()) {
      append(Instruction::Jump, {});
      jump = result.code.size() - 1;
      result.code[branch].target = static_cast<uint32_t>(result.code.size());
    }
    slots.pushScope();
    if (failed(emitBlock(region->front())))
      return failure();
    flush();
    slots.popScope();
  }
  result.code[jump].target = static_cast<uint32_t>(result.code.size());
  return success();
}

LogicalResult GeneralEmitter::emitWhile(ir::WhileOp op) {
  Registers carried;
  for (Value value : op.getResults())
    carried.push_back(define(value));
  if (failed(moveTo(carried, op.getInits())))
    return failure();
  flush();
  auto begin = static_cast<uint32_t>(result.code.size());
  size_t branch = 0;
  for (Region *region : {&op.getConditionRegion(), &op.getBody()}) {
    Block &block = region->front();
    for (auto [argument, number] : llvm::zip_equal(block.getArguments(), carried))
      registers[argument] = number;
    slots.pushScope();
    if (failed(emitBlock(block)))
      return failure();
    flush();
    slots.popScope();
    if (region == &op.getConditionRegion()) {
      append(Instruction::BranchIfZero, {}, {loopCondition});
      branch = result.code.size() - 1;
    }
  }
  append(Instruction::Jump, {}, {}, begin);
  result.code[branch].target = static_cast<uint32_t>(result.code.size());
  return success();
}

LogicalResult GeneralEmitter::emitReturn(func::ReturnOp op) {
  FailureOr<Registers> values = registersOf(op.getOperands(), op.getLoc());
  if (failed(values))
    return failure();
  append(Instruction::Return, std::move(*values));
  return success();
}

} // namespace relax::driver
