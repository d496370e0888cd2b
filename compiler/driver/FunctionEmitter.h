//===- FunctionEmitter.h - one planned function as the artifact's structs ---------------------===//
//
// Used by emitArtifact only. All sizes are slots that are evaluated at entry, and so are all
// checks.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/driver/SharedTables.h"
#include "compiler/driver/SlotTable.h"

namespace relax::driver {

class FunctionEmitter {
public:
  FunctionEmitter(mlir::func::FuncOp function, artifact::Function &result, SharedTables tables);
  mlir::LogicalResult emit();

private:
  mlir::LogicalResult emitSignature();
  mlir::LogicalResult emitSymbols();
  mlir::LogicalResult emitGuards();
  mlir::LogicalResult emitMatchCastGuards(ir::MatchCastOp op);
  mlir::LogicalResult emitCheckValues(ir::CheckValuesOp op);
  mlir::LogicalResult emitOperation(mlir::Operation &op);
  mlir::LogicalResult emitCall(ir::CallKernelOp call);
  mlir::LogicalResult emitLibraryCall(ir::CallLibraryOp call);
  mlir::LogicalResult emitAlternative(ir::CallLibraryOp call, artifact::Instruction library);
  mlir::LogicalResult emitFunctionCall(ir::CallOp call);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult emitArenaSize();

  mlir::FailureOr<artifact::Slot> slotOf(symbolic::Expr expr, mlir::Location loc);
  /// The size of a dimension, also of an argument whose type doesn't know it.
  mlir::FailureOr<artifact::Slot> dimSlot(mlir::Value value, unsigned axis, mlir::Location loc);
  [[nodiscard]] bool isSameDimension(artifact::Slot slot, mlir::BlockArgument argument,
                                     unsigned axis) const;
  mlir::FailureOr<artifact::TensorType> tensorType(mlir::Value value, mlir::Location loc);
  /// Gives result `index` of `op` the buffer that its storage attribute says.
  mlir::LogicalResult assignStorage(mlir::Operation *op, mlir::ArrayAttr storage, unsigned index);
  mlir::FailureOr<uint32_t> bufferOf(mlir::Value value, mlir::Location loc);
  uint32_t addBuffer(artifact::Buffer buffer);

  mlir::func::FuncOp function;
  artifact::Function &result;
  SharedTables tables;
  SlotTable slots;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;
  /// The buffers of whole parameters, results, constants and states: (kind, index) to number.
  std::map<std::pair<uint8_t, uint32_t>, uint32_t> wholeBuffers;
};

} // namespace relax::driver
