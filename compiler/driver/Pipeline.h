//===- Pipeline.h - the ordered list of passes ------------------------------------------------===//
//
// From a model's graph to scheduled kernels and planned functions. The order is fixed; Pipeline.cpp
// says why each step stands where it does. relax-opt --relax-pipeline runs the same list on text.
//
//===------------------------------------------------------------------------------------------===//
#pragma once

#include "mlir/Pass/PassManager.h"

#include <string>

namespace relax::driver {

struct PipelineOptions {
  /// How contractions with stored weights compute: "int8", "int16" or "float32".
  std::string activations = "int8";
  /// Check the numbered rules of docs/ir.md after each pass; on in debug builds.
#ifdef NDEBUG
  bool verifyEach = false;
#else
  bool verifyEach = true;
#endif
};

void buildPipeline(mlir::OpPassManager &pm, const PipelineOptions &options);

/// Registers the pipeline under the name "relax-pipeline".
void registerPipeline();

} // namespace relax::driver
