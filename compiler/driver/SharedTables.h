//===- SharedTables.h - what all functions of an artifact share -------------------------------===//
//
// Constants, kernels, functions and names of the host's functions, each numbered in the order of
// its first use. Used by emitArtifact and the two emitters only.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "compiler/dialect/Relax.h"
#include "runtime/artifact/Artifact.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <map>

namespace relax::driver {

/// Constants, each once.
class ConstantPool {
public:
  explicit ConstantPool(std::vector<artifact::Constant> &constants) : constants(constants) {}
  mlir::FailureOr<uint32_t> weight(ir::WeightAttr weight, mlir::RankedTensorType type,
                                   mlir::Location loc);
  mlir::FailureOr<uint32_t> dense(mlir::DenseElementsAttr values, mlir::Location loc);
  /// The constant that `op` makes (relax.constant or a dense arith.constant).
  mlir::FailureOr<uint32_t> of(mlir::Operation *op);
  static bool isConstant(mlir::Operation *op);

private:
  uint32_t add(artifact::Constant constant);
  std::vector<artifact::Constant> &constants;
  llvm::DenseMap<std::pair<mlir::Attribute, mlir::Type>, uint32_t> indices;
};

/// The kernels that are called.
class KernelTable {
public:
  KernelTable(mlir::ModuleOp module, std::vector<artifact::Kernel> &kernels)
      : symbols(module), kernels(kernels) {}
  mlir::FailureOr<uint32_t> indexOf(mlir::StringRef name, mlir::Location loc);
  mlir::func::FuncOp function(mlir::StringRef name) {
    return symbols.lookup<mlir::func::FuncOp>(name);
  }

private:
  mlir::SymbolTable symbols;
  std::vector<artifact::Kernel> &kernels;
  llvm::StringMap<uint32_t> indices;
};

/// The graph functions that go into the artifact: the public ones, and those that they use.
class FunctionTable {
public:
  uint32_t indexOf(mlir::func::FuncOp function) {
    auto [it, inserted] = indices.try_emplace(function, static_cast<uint32_t>(functions.size()));
    if (inserted)
      functions.push_back(function);
    return it->second;
  }
  [[nodiscard]] size_t size() const { return functions.size(); }
  mlir::func::FuncOp operator[](size_t index) const { return functions[index]; }

private:
  std::vector<mlir::func::FuncOp> functions;
  llvm::DenseMap<mlir::Operation *, uint32_t> indices;
};

/// Functions that take memory, of the host or of external libraries: an entry for each name,
/// options and types.
class LibraryTable {
public:
  explicit LibraryTable(artifact::Module &artifact) : artifact(artifact) {}
  mlir::FailureOr<uint32_t> indexOf(ir::CallLibraryOp call);
  [[nodiscard]] std::vector<int64_t> optionsOf(uint32_t library) const {
    std::vector<int64_t> values;
    for (const artifact::Library::Option &option : artifact.libraries[library].options)
      values.push_back(option.value);
    return values;
  }
  /// The thresholds of a call that has an alternative: one for each expression of `when`, or one
  /// that only says whether the library is there.
  mlir::FailureOr<std::vector<uint32_t>> thresholdsOf(ir::CallLibraryOp call);

private:
  artifact::Module &artifact;
  std::map<std::string, uint32_t> indices;
};

/// The host's functions that take values, by name. One that is called as pure anywhere must be.
class PackedTable {
public:
  explicit PackedTable(std::vector<artifact::PackedFunction> &packed) : packed(packed) {}
  uint32_t indexOf(mlir::StringRef name, bool pure);

private:
  std::vector<artifact::PackedFunction> &packed;
  llvm::StringMap<uint32_t> indices;
};

struct SharedTables {
  ConstantPool &constants;
  KernelTable &kernels;
  FunctionTable &functions;
  LibraryTable &libraries;
  PackedTable &packed;
};

} // namespace relax::driver
