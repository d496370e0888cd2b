//===- ViewData.h - what `relax view` shows, as JSON; for ViewModel.cpp only
//--------------------===//
#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OperationSupport.h"
#include "llvm/ADT/StringMap.h"

#include <nlohmann/json.hpp>

#include <map>
#include <string>
#include <vector>

namespace relax::driver {

/// Texts, each line and each text once.
class TextTable {
public:
  /// The number of the text of `op`.
  size_t add(mlir::Operation *op);
  [[nodiscard]] nlohmann::json lines() const { return allLines; }
  [[nodiscard]] nlohmann::json texts() const { return allTexts; }

private:
  /// The texts of functions as they were last seen.
  std::map<mlir::Operation *, std::pair<mlir::OperationFingerPrint, size_t>> seen;
  llvm::StringMap<size_t> lineNumbers;
  std::map<std::vector<size_t>, size_t> textNumbers;
  std::vector<std::string> allLines;
  std::vector<std::vector<size_t>> allTexts;
};

/// [[function name, text], …] of a module, in order.
nlohmann::json snapshot(mlir::ModuleOp module, TextTable &texts);

/// The graph functions as nodes and edges: [{"name", "nodes": [{"op", "label", "kind", "types",
/// "inputs": numbers of nodes, "place"}, …]}, …].
nlohmann::json graphs(mlir::ModuleOp module);

/// What is known of each kernel before it is scheduled: its program; and afterwards: its loops.
void addPrograms(mlir::ModuleOp module, TextTable &texts, nlohmann::json &kernels);
void addSchedules(mlir::ModuleOp module, TextTable &texts, nlohmann::json &kernels);

/// The planned functions' blocks: [{"name", "arena", "symbols", "steps", "blocks": [{"name",
/// "offset", "size", "from", "to"}, …]}, …]. Sizes are texts of expressions.
nlohmann::json memoryPlans(mlir::ModuleOp module);

} // namespace relax::driver
