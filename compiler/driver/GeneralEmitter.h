//===- GeneralEmitter.h - one general function as the artifact's structs ----------------------===//
//
// A general function keeps its values in registers. Used by emitArtifact only.
//
//   registers  argument i is register i; each value that an op makes gets a register of its own,
//              which is released after the last op that reads it, and then used again. Annotations
//              that change (match_cast, erase) are the same value in the same register. Constants
//              are loaded where they are read.
//   slots      those that depend on arguments alone are evaluated at entry; others just before the
//              first instruction that reads one, so always after the values that they are read
//              from. What a region evaluates holds in that region only.
//   branches   both regions move what they yield to the registers of the results.
//   loops      the carried values have registers, which the start and each trip move into.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/SharedTables.h"
#include "compiler/driver/SlotTable.h"

namespace relax::driver {

class GeneralEmitter {
public:
  GeneralEmitter(mlir::func::FuncOp function, artifact::Function &result, SharedTables tables);
  mlir::LogicalResult emit();

private:
  using Register = uint32_t;
  using Registers = std::vector<uint32_t>;

  // Signature and types (GeneralEmitterTypes.cpp).
  mlir::LogicalResult emitSignature();
  /// The pattern of `type`; `dim` gives the slot of each dimension, or noSlot.
  using DimFunction = llvm::function_ref<artifact::Slot(symbolic::Expr, unsigned axis)>;
  mlir::FailureOr<artifact::TypePattern> patternOf(mlir::Type type, mlir::Location loc,
                                                   DimFunction dim);
  /// Adds the pattern, after those of its fields.
  mlir::FailureOr<uint32_t> addPattern(mlir::Type type, mlir::Location loc, DimFunction dim);
  /// Checks that the value in `from` has `type`, and binds those of its symbols that have no value.
  mlir::LogicalResult emitCast(Register from, mlir::Type type, mlir::Location loc,
                               const std::string &what, bool check);
  mlir::LogicalResult bindDims(Register from, mlir::Type type, mlir::Location loc,
                               std::vector<artifact::Slot> &dims);
  /// Gives a symbol its slot; its range is the declared one, or from `lo` on.
  void bindSymbol(const std::string &name, artifact::Slot slot, const std::string &origin,
                  int64_t lo = 0);

  // Blocks, registers, slots (GeneralEmitter.cpp).
  mlir::LogicalResult emitBlock(mlir::Block &block);
  mlir::LogicalResult emitIf(ir::IfOp op);
  mlir::LogicalResult emitWhile(ir::WhileOp op);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);
  mlir::FailureOr<artifact::Slot> conditionSlot(mlir::Value condition);
  mlir::LogicalResult moveTo(mlir::ArrayRef<Register> targets, mlir::ValueRange values);

  Register newRegister();
  Register define(mlir::Value value) { return registers[value] = newRegister(); }
  mlir::FailureOr<Register> registerOf(mlir::Value value, mlir::Location loc);
  mlir::FailureOr<Registers> registersOf(mlir::ValueRange values, mlir::Location loc);
  mlir::FailureOr<uint32_t> bufferOf(mlir::Value value, mlir::Location loc);
  uint32_t addBuffer(artifact::Buffer::Kind kind, uint32_t index);
  void releaseDying(mlir::Operation *op);

  mlir::FailureOr<artifact::Slot> slotOf(symbolic::Expr expr, mlir::Location loc);
  /// The size of a dimension of a value, also where its type doesn't know it.
  mlir::FailureOr<artifact::Slot> dimSlot(mlir::Value value, unsigned axis);
  mlir::FailureOr<std::vector<artifact::Slot>> dimSlots(mlir::Value value);
  /// Evaluates what isn't yet; before each instruction that reads slots, and before a region.
  void flush();
  /// Adds the instruction; one that reads slots evaluates them first.
  artifact::Instruction &append(artifact::Instruction::Op op, Registers buffers,
                                std::vector<artifact::Slot> slots = {}, uint32_t target = 0);
  void appendCheck(artifact::Guard guard);

  // Ops (GeneralEmitterOps.cpp).
  mlir::LogicalResult emitOperation(mlir::Operation &op);
  mlir::LogicalResult emitShapeOperation(mlir::Operation &op);
  mlir::LogicalResult emitMatchCast(ir::MatchCastOp op);
  mlir::LogicalResult emitPrefix(ir::PrefixOp op);
  mlir::LogicalResult emitReshapeTo(ir::ReshapeToOp op);
  uint32_t addText(mlir::StringRef what, mlir::Location loc);
  mlir::LogicalResult emitTensorToShape(ir::TensorToShapeOp op);
  mlir::LogicalResult emitKernelCall(ir::CallKernelOp call);
  mlir::LogicalResult emitLibraryCall(ir::CallLibraryOp call);
  mlir::LogicalResult emitAlternative(ir::CallLibraryOp call, artifact::Instruction library);
  mlir::LogicalResult emitCall(ir::CallOp call);
  mlir::LogicalResult emitCallIndirect(ir::CallIndirectOp call);
  mlir::LogicalResult emitCallPacked(ir::CallPackedOp call);
  mlir::LogicalResult allocate(mlir::Value value);
  mlir::LogicalResult checkResults(mlir::Operation *op, const std::string &what);
  /// A register with the operand's elements that may be overwritten: the operand's own if nothing
  /// else can see it, else a copy.
  mlir::FailureOr<Register> writable(mlir::OpOperand &operand);

  mlir::func::FuncOp function;
  artifact::Function &result;
  SharedTables tables;
  SlotTable slots;
  artifact::Slot firstPending = 0;
  artifact::Slot loopCondition = 0; ///< Of the relax.condition that was emitted last.
  llvm::DenseMap<mlir::Value, Register> registers;
  Registers freeRegisters;
  Registers temporaries; ///< Of the op at hand; free when it is done.
  std::map<std::pair<uint8_t, uint32_t>, uint32_t> buffers;
  /// What an op is the last to read.
  llvm::DenseMap<mlir::Operation *, mlir::SmallVector<mlir::Value, 2>> dying;
};

} // namespace relax::driver
