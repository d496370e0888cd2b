#include "tests/unit/kernels/KernelRunner.h"

#include "compiler/dialect/Relax.h"
#include "compiler/kernels/Passes.h"
#include "compiler/targets/cpu/CompileKernels.h"
#include "compiler/targets/cpu/CpuTarget.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <dlfcn.h>
#include <filesystem>
#include <map>
#include <unistd.h>

using namespace mlir;

namespace relax::test {

struct Kernel::State {
  MLIRContext context;
  symbolic::Expr extent;
  std::vector<std::string> symbols;
  void *library = nullptr;
};

static DialectRegistry makeRegistry() {
  DialectRegistry registry;
  targets::registerCodegen(registry);
  registry.insert<arith::ArithDialect, func::FuncDialect, linalg::LinalgDialect, math::MathDialect,
                  scf::SCFDialect, tensor::TensorDialect, ir::RelaxDialect>();
  return registry;
}

Kernel::Kernel(const std::string &program, KernelOptions options) : state(new State) {
  state->context.appendDialectRegistry(makeRegistry());
  state->context.loadAllAvailableDialects();
  ScopedDiagnosticHandler handler(&state->context, [&](Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    for (Diagnostic &note : diagnostic.getNotes())
      message += "note: " + note.str() + "\n";
    return success();
  });
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(program, &state->context);
  if (!module)
    return;
  std::string error;
  ir::TargetAttr target = targets::targetByName(&state->context, options.target, error);
  if (!target) {
    message = error;
    return;
  }
  (*module)->setAttr("relax.target", target);
  PassManager pm(&state->context);
  pm.addPass(kernels::createScheduleKernelsPass());
  if (failed(pm.run(*module)))
    return;
  std::string name;
  for (auto kernel : module->getOps<func::FuncOp>()) {
    if (!kernel->hasAttr("relax.scheduled_kernel"))
      continue;
    name = kernel.getName().str();
    strategyName = kernel->getAttrOfType<StringAttr>("relax.strategy").str();
    state->extent = kernel->getAttrOfType<ir::ExprAttr>("relax.parallel_extent").getExpr();
    for (Attribute symbol : kernel->getAttrOfType<ArrayAttr>("relax.kernel_symbols"))
      state->symbols.push_back(cast<StringAttr>(symbol).str());
  }
  FailureOr<std::string> bytes = targets::compileKernels(*module, target);
  if (failed(bytes))
    return;
  // A file of its own: the loader tells libraries apart by path, which memfds would share.
  std::string path = (std::filesystem::temp_directory_path() / "relax-kernel-XXXXXX").string();
  int file = mkstemp(path.data());
  if (file < 0 || write(file, bytes->data(), bytes->size()) != ssize_t(bytes->size())) {
    message = "can't write the shared object";
    return;
  }
  close(file);
  state->library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  unlink(path.c_str());
  if (!state->library) {
    message = dlerror();
    return;
  }
  entry = reinterpret_cast<Entry>(dlsym(state->library, name.c_str()));
  if (!entry)
    message = "the shared object has no '" + name + "'";
}

Kernel::~Kernel() {
  // The loader tells libraries apart by inode, which a later memfd may reuse only once this is
  // gone.
  if (state->library)
    dlclose(state->library);
  delete state;
}

int64_t Kernel::extent(const std::vector<int64_t> &symbols) const {
  std::map<std::string, int64_t> values;
  for (size_t i = 0; i < state->symbols.size(); ++i)
    values[state->symbols[i]] = symbols.at(i);
  return symbolic::evaluate(state->extent, values).value();
}

void Kernel::run(std::vector<const void *> inputs, std::vector<void *> outputs,
                 std::vector<int64_t> symbols, int64_t pieces) const {
  std::vector<void *> buffers;
  for (const void *input : inputs)
    buffers.push_back(const_cast<void *>(input));
  buffers.insert(buffers.end(), outputs.begin(), outputs.end());
  int64_t units = extent(symbols);
  for (int64_t piece = pieces; piece-- > 0;)
    entry(buffers.data(), symbols.data(), units * piece / pieces, units * (piece + 1) / pieces);
}

uint16_t toHalf(float value) {
  _Float16 half = static_cast<_Float16>(value);
  uint16_t bits;
  __builtin_memcpy(&bits, &half, 2);
  return bits;
}

float fromHalf(uint16_t bits) {
  _Float16 half;
  __builtin_memcpy(&half, &bits, 2);
  return static_cast<float>(half);
}

} // namespace relax::test
