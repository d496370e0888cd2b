//===- RelaxOpt.cpp - mlir-opt with the relax dialect and passes ------------------------------===//
//
// Runs any pass of Relax's or MLIR's on text:
//
//   relax-opt --relax-legalize --relax-fuse-kernels file.mlir
//   relax-opt --relax-pipeline=activations=float32 file.mlir      what the compiler runs
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Relax.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/kernels/Passes.h"
#include "compiler/kernels/programs/Passes.h"
#include "compiler/libraries/Passes.h"
#include "compiler/transforms/Passes.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/InitAllDialects.h"
#include "mlir/InitAllExtensions.h"
#include "mlir/InitAllPasses.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"

#include <cstdlib>
#include <vector>

namespace {

/// Adds the formats of the command line to a context as soon as it has the dialect.
class FormatsExtension : public mlir::DialectExtension<FormatsExtension, relax::ir::RelaxDialect> {
public:
  explicit FormatsExtension(const std::vector<std::string> &paths) : paths(&paths) {}

  void apply(mlir::MLIRContext *context, relax::ir::RelaxDialect *) const override {
    for (const std::string &path : *paths)
      if (mlir::failed(relax::ir::addBlockFormatFile(context, path)))
        std::exit(EXIT_FAILURE);
  }

private:
  const std::vector<std::string> *paths;
};

} // namespace

int main(int argc, char **argv) {
  mlir::DialectRegistry registry;
  mlir::registerAllDialects(registry);
  mlir::registerAllExtensions(registry);
  registry.insert<relax::ir::RelaxDialect>();
  llvm::cl::list<std::string> formats(
      "block-format", llvm::cl::desc("A weight format of your own, a record named after its file"),
      llvm::cl::value_desc("file.mlir"));
  registry.addExtension(mlir::TypeID::get<FormatsExtension>(),
                        std::make_unique<FormatsExtension>(formats));
  mlir::registerAllPasses();
  relax::transforms::registerTransformPasses();
  relax::kernels::registerProgramsPasses();
  relax::kernels::registerKernelPasses();
  relax::libraries::registerLibraryPasses();
  relax::driver::registerPipeline();
  return mlir::asMainReturnCode(
      mlir::MlirOptMain(argc, argv, "Relax's optimiser driver\n", registry));
}
