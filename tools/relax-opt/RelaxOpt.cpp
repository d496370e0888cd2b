//===- RelaxOpt.cpp - mlir-opt with the relax dialect and passes ------------------------------===//
//
// Runs any pass of Relax's or MLIR's on text:
//
//   relax-opt --relax-legalize --relax-fuse-kernels file.mlir
//   relax-opt --relax-pipeline=activations=float32 file.mlir      what the compiler runs
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Relax.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<relax::ir::RelaxDialect>();
  mlir::registerAllPasses();
  relax::transforms::registerTransformPasses();
  relax::kernels::registerProgramsPasses();
  relax::kernels::registerKernelPasses();
  relax::driver::registerPipeline();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Relax's optimiser driver\n", registry));
}
