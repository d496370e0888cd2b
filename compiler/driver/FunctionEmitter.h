//===- FunctionEmitter.h - one planned function as the artifact's structs ---------------------===//
//
// Used by emitArtifact only. The tables are shared by all functions of a module.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "compiler/driver/SlotTable.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace relax::driver {

/// The artifact's element type for an MLIR one; a diagnostic at `loc` where there is none.
mlir::FailureOr<artifact::DType> dtypeOf(mlir::Type type, mlir::Location loc);

/// Constants, each once.
class ConstantPool {
public:
  explicit ConstantPool(std::vector<artifact::Constant> &constants) : constants(constants) {}
  mlir::FailureOr<uint32_t> weight(ir::WeightAttr weight, mlir::RankedTensorType type,
                                   mlir::Location loc);
  mlir::FailureOr<uint32_t> dense(mlir::DenseElementsAttr values, mlir::Location loc);

private:
  uint32_t add(artifact::Constant constant);
  std::vector<artifact::Constant> &constants;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, uint32_t> indices;
};

/// The kernels that are called, numbered in the order of their first call.
class KernelTable {
public:
  KernelTable(mlir::ModuleOp module, std::vector<artifact::Kernel> &kernels)
      : module(module), kernels(kernels) {}
  mlir::FailureOr<uint32_t> indexOf(mlir::StringRef name, mlir::Location loc);
  mlir::func::FuncOp function(mlir::StringRef name) {
    return module.lookupSymbol<mlir::func::FuncOp>(name);
  }

private:
  mlir::ModuleOp module;
  std::vector<artifact::Kernel> &kernels;
  llvm::StringMap<uint32_t> indices;
};

/// The host functions that are called by name.
class LibraryTable {
public:
  explicit LibraryTable(std::vector<std::string> &libraries) : libraries(libraries) {}
  mlir::FailureOr<uint32_t> indexOf(mlir::StringRef name);

private:
  std::vector<std::string> &libraries;
  llvm::StringMap<uint32_t> indices;
};

struct SharedTables {
  ConstantPool &constants;
  KernelTable &kernels;
  LibraryTable &libraries;
};

class FunctionEmitter {
public:
  FunctionEmitter(mlir::func::FuncOp function, artifact::Function &result, SharedTables tables);
  mlir::LogicalResult emit();

private:
  mlir::LogicalResult emitSignature();
  mlir::LogicalResult emitSymbols();
  mlir::LogicalResult emitGuards();
  mlir::LogicalResult emitMatchCastGuards(mlir::Operation *op);
  mlir::LogicalResult emitOperation(mlir::Operation &op);
  mlir::LogicalResult emitCall(ir::CallKernelOp call);
  mlir::LogicalResult emitLibraryCall(ir::CallLibraryOp call);
  mlir::LogicalResult emitReturn(mlir::func::ReturnOp op);
  mlir::LogicalResult emitArenaSize();

  mlir::FailureOr<artifact::Slot> slotOf(symbolic::Expr expr, mlir::Location loc);
  mlir::FailureOr<artifact::TensorType> tensorType(mlir::Type type, mlir::Location loc);
  /// Gives result `index` of `op` the buffer that its storage attribute says.
  mlir::LogicalResult assignStorage(mlir::Operation *op, mlir::ArrayAttr storage, unsigned index);
  mlir::FailureOr<uint32_t> bufferOf(mlir::Value value, mlir::Location loc);
  uint32_t addBuffer(artifact::Buffer buffer);
  std::string sourceOf(mlir::Location loc) const;

  mlir::func::FuncOp function;
  artifact::Function &result;
  SharedTables tables;
  SlotTable slots;
  llvm::DenseMap<mlir::Value, uint32_t> buffers;
  /// The buffers of whole parameters, results, constants and states: (kind, index) to number.
  std::map<std::pair<uint8_t, uint32_t>, uint32_t> wholeBuffers;
};

} // namespace relax::driver
