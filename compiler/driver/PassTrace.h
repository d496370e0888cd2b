//===- PassTrace.h - watches the passes: progress, time, dumps --------------------------------===//
//
// One instrumentation for all that a person may want to see of a compilation: which stage runs, how
// long each pass took and whether it changed anything, and the module's text after each.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "mlir/Pass/PassManager.h"

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace relax::driver {

struct PassRecord {
  std::string name;
  double seconds = 0;
  bool changed = true;
};

class PassTrace : public mlir::PassInstrumentation {
public:
  struct Options {
    bool timing = false;    ///< Record times, and compare the module before and after.
    std::string dumpFolder; ///< Empty: no dumps.
    std::function<void(const std::string &)> onStage; ///< Called when a pass begins.
    /// Called with a pass's name and the module around each pass.
    std::function<void(const std::string &, mlir::ModuleOp)> before, after;
  };
  /// Records go to `records`, which must outlive the pass manager.
  PassTrace(Options options, std::vector<PassRecord> &records);

  void runBeforePass(mlir::Pass *pass, mlir::Operation *op) override;
  void runAfterPass(mlir::Pass *pass, mlir::Operation *op) override;

private:
  Options options;
  std::vector<PassRecord> &records;
  std::chrono::steady_clock::time_point start;
  std::unique_ptr<mlir::OperationFingerPrint> before;
  int number = 0;
};

/// The records as a table, one line each, slowest share marked.
std::vector<std::string> timingTable(const std::vector<PassRecord> &records);

} // namespace relax::driver
