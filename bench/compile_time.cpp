//===- compile_time.cpp - the time of each step of a compilation
//-------------------------------===//
//
//   relax_compile_time_bench MODEL.gguf…
//
// Compiles each model, whole, and prints the table of `relax compile --timing`. Unlike that command
// it doesn't hash the weights: the files of compile_time.py have none, only their shapes.
//
//===------------------------------------------------------------------------------------------===//
#include "compiler/dialect/Relax.h"
#include "compiler/driver/CompileModel.h"
#include "compiler/driver/Dialects.h"
#include "compiler/importers/gguf/File.h"
#include "models/LanguageModel.h"

#include <fmt/format.h>

#include <chrono>

using namespace mlir;
using namespace relax;

namespace {

Status compile(const std::string &path) {
  DialectRegistry registry;
  driver::registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.loadAllAvailableDialects();
  const auto start = std::chrono::steady_clock::now();
  Expected<gguf::File> file = gguf::File::open(path);
  if (!file)
    return file.takeStatus();
  Expected<OwningOpRef<ModuleOp>> module = models::buildLanguageModel(&context, *file, {});
  if (!module)
    return module.takeStatus();
  // An artifact names the hash of each weight.
  (*module)->walk([&](ir::ConstantOp constant) {
    ir::WeightAttr weight = constant.getWeight();
    constant.setWeightAttr(ir::WeightAttr::get(&context, weight.getName(), weight.getFile(),
                                               weight.getOffset(), weight.getSize(), "00"));
  });
  fmt::print(
      "{}\nimport {:.1f} ms\n", path,
      std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count());
  driver::CompileOptions options;
  options.input = path;
  options.timing = true;
  driver::CompileObserver observer;
  observer.message = [](const std::string &line) { fmt::print("{}\n", line); };
  artifact::WeightsFile weights;
  weights.path = path;
  weights.size = file->size();
  driver::ImportedModel model{std::move(*module), {}, {weights}};
  Expected<std::vector<uint8_t>> bytes = driver::compileImported(model, options, observer);
  return bytes ? Status() : bytes.takeStatus();
}

} // namespace

int main(int argc, char **argv) {
  for (int i = 1; i < argc; ++i)
    if (Status status = compile(argv[i]); !status.ok()) {
      fmt::print(stderr, "{}\n", status.message());
      return 1;
    }
  return 0;
}
