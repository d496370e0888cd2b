// What a .mlir file holds, as JSON: see relax_inspect in runtime/compiler_api.h.

#include "compiler/dialect/Relax.h"
#include "compiler/driver/CompileModel.h"
#include "compiler/driver/Dialects.h"
#include "compiler/driver/InspectGuards.h"
#include "compiler/driver/Locations.h"
#include "compiler/importers/text/ReadText.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/ScopedPrinter.h"

#include <nlohmann/json.hpp>

using namespace mlir;
using nlohmann::json;

namespace relax::driver {
namespace {

json describeFunction(func::FuncOp function) {
  json symbols = json::array();
  if (auto attribute = function->getAttrOfType<ir::SymbolsAttr>(ir::RelaxDialect::symbolsAttr))
    for (const ir::SymbolDeclaration &symbol : attribute.getDeclarations())
      symbols.push_back({{"name", symbol.name.str()},
                         {"lower", symbol.lo},
                         {"upper", symbol.hi ? json(*symbol.hi) : json(nullptr)},
                         {"divisor", symbol.divisor}});
  json parameters = json::array();
  for (unsigned i = 0; i < function.getNumArguments(); ++i) {
    auto name = function.getArgAttrOfType<StringAttr>(i, ir::RelaxDialect::nameAttr);
    parameters.push_back(
        {{"name", name ? name.str() : "arg" + std::to_string(i)},
         {"type", llvm::to_string(function.getArgumentTypes()[i])},
         {"donated", function.getArgAttr(i, ir::RelaxDialect::donatedAttr) != nullptr}});
  }
  json results = json::array();
  for (Type type : function.getResultTypes())
    results.push_back(llvm::to_string(type));
  int64_t operations = 0, calls = 0;
  function.walk([&](Operation *op) {
    ++operations;
    calls += isa<ir::CallKernelOp>(op);
  });
  return {{"name", function.getName().str()}, {"symbols", symbols},
          {"parameters", parameters},         {"results", results},
          {"operations", operations - 1},     {"calls", calls}};
}

bool isKernel(func::FuncOp function) {
  return function->hasAttr(ir::RelaxDialect::kernelAttr) ||
         function->hasAttr("relax.scheduled_kernel") || function->hasAttr("relax.kernel_part");
}

json describeModule(ModuleOp module) {
  json functions = json::array(), kernels = json::array(), constants = json::array();
  llvm::MapVector<StringRef, int64_t> calls;
  for (auto function : module.getOps<func::FuncOp>()) {
    if (isKernel(function))
      calls.insert({function.getName(), 0});
    else
      functions.push_back(describeFunction(function));
  }
  llvm::SmallPtrSet<void *, 16> seen;
  module.walk([&](Operation *op) {
    if (auto call = dyn_cast<ir::CallKernelOp>(op))
      ++calls[call.getCallee()];
    if (auto constant = dyn_cast<ir::ConstantOp>(op))
      if (seen.insert(const_cast<void *>(constant.getWeight().getAsOpaquePointer())).second)
        constants.push_back({{"name", constant.getWeight().getName().str()},
                             {"type", llvm::to_string(constant.getType())},
                             {"bytes", constant.getWeight().getSize()}});
  });
  for (auto &[name, count] : calls)
    kernels.push_back({{"name", name.str()}, {"calls", count}});
  auto target = module->getAttrOfType<ir::TargetAttr>(ir::RelaxDialect::targetAttr);
  return {{"format", "mlir"},
          {"target", target ? json(target.getName().str()) : json(nullptr)},
          {"metadata", json::object()},
          {"functions", functions},
          {"kernels", kernels},
          {"constants", constants}};
}

} // namespace

Expected<std::string> inspectModule(const std::string &path, bool guards) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // Its place says it, in the words of the file.
  if (guards)
    context.loadAllAvailableDialects();
  std::string errors;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    const std::string place = locationText(diagnostic.getLocation());
    errors += (errors.empty() ? "" : "\n") + place + (place.empty() ? "" : ": ") +
              llvm::to_string(diagnostic);
    return success();
  });
  OwningOpRef<ModuleOp> module = text::readText(path, &context);
  if (!module)
    return Status(StatusCode::InvalidFile, errors.empty() ? path + ": can't be read" : errors);
  json document = describeModule(*module);
  if (guards) {
    FailureOr<json> functions = inspectGuards(*module);
    if (failed(functions))
      return Status(StatusCode::InvalidFile, errors.empty() ? path + ": can't be lowered" : errors);
    document["guards"] = *functions;
  }
  return document.dump(2, ' ', false, json::error_handler_t::replace);
}

} // namespace relax::driver
