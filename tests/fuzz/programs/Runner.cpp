#include "tests/fuzz/programs/Runner.h"

#include "compiler/dialect/Relax.h"
#include "compiler/dialect/ops/ReduceOps.h"
#include "compiler/dialect/ops/ShapeOps.h"
#include "compiler/dialect/ops/StructureOps.h"
#include "compiler/driver/CompileModel.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/transforms/Passes.h"
#include "tests/fuzz/programs/Arguments.h"
#include "tests/fuzz/programs/UserPrograms.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include <random>

using namespace mlir;

namespace relax::fuzz {
namespace {

constexpr uint64_t memoryLimit = uint64_t(1) << 30;
constexpr uint64_t maxSteps = 3'000'000;
constexpr int numCalls = 4;

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// Collects diagnostics as text.
class Messages {
public:
  explicit Messages(MLIRContext *context)
      : handler(context, [this](Diagnostic &diagnostic) {
          llvm::raw_string_ostream(text) << diagnostic << "\n";
          return success();
        }) {}
  std::string text;

private:
  ScopedDiagnosticHandler handler;
};

/// Checks one program by itself: it is well-formed, and its text says all of it. Sets `runs` if it
/// is one that can be compiled.
std::string check(Program &program) {
  MLIRContext *context = program.module->getContext();
  Messages messages(context);
  if (failed(verify(*program.module)))
    return "the verifier refuses it: " + messages.text;
  PassManager rules(context);
  rules.enableVerifier(false);
  rules.addPass(transforms::createVerifyPass());
  if (failed(rules.run(*program.module))) {
    // What each op accepts may be impossible under the facts of the function.
    return messages.text.find("[R18]") != std::string::npos
               ? ""
               : "the rules refuse it: " + messages.text;
  }
  std::string text = textOf(*program.module);
  OwningOpRef<ModuleOp> again = parseSourceString<ModuleOp>(text, context);
  if (!again)
    return "its text can't be read: " + messages.text;
  if (std::string back = textOf(*again); back != text)
    return "text is not what it was after reading and printing:\n" + back;
  // The interpreter's own copy is the one that was read.
  program.reference = std::move(again);
  if (Status status = interpreter::prepare(*program.reference); !status.ok())
    // Refused for the same reasons as by the compiler, which says why.
    program.reference = nullptr;
  program.module->walk([&](ir::ProdOp op) {
    program.tally.hasProducts |= isa<FloatType>(getElementTypeOrSelf(op.getX().getType()));
  });
  program.module->walk(
      [&](Operation *op) { program.mayDropChecks |= isa<ir::ShapeOfOp, ir::TupleGetOp>(op); });
  program.runs = true;
  return "";
}

/// Errors of a program that the rules of single ops don't see: what the facts refute, and a scale
/// that attention can't know.
bool isRefusal(std::string_view message) {
  for (const char *refusal : {"can never hold", " are never ", " never divide ",
                              "needs the attribute scale", "provably a multiple"})
    if (message.find(refusal) != std::string_view::npos)
      return true;
  return false;
}

/// Whether the interpreter refused because of a check, or of a size that has no value.
bool isCheck(std::string_view message) {
  for (const char *check : {"relax.guard", "relax.check_values", "has no value here"})
    if (message.find(check) != std::string_view::npos)
      return true;
  return false;
}

/// All programs in one module.
OwningOpRef<ModuleOp> together(ArrayRef<Program *> programs) {
  OwningOpRef<ModuleOp> all = ModuleOp::create(programs.front()->module->getLoc());
  for (Program *program : programs) {
    OwningOpRef<ModuleOp> copy = program->module->clone();
    all->getBody()->getOperations().splice(all->getBody()->end(), copy->getBody()->getOperations());
  }
  return all;
}

Expected<runtime::Module> compileAndLoad(ArrayRef<Program *> programs, const RunOptions &options) {
  driver::CompileOptions compile;
  compile.input = "programs";
  compile.quickCode = options.quickCode;
  compile.verifyEach = options.verifyEach;
  compile.disabled = options.disabled;
  compile.activations = "float32"; // The others round what is multiplied, by design.
  OwningOpRef<ModuleOp> module = together(programs);
  Expected<std::vector<uint8_t>> artifact = driver::compileModule(*module, compile, {});
  if (!artifact)
    return Status(StatusCode::Internal,
                  "not compiled: " + std::string(artifact.status().message()));
  runtime::LoadOptions load;
  load.memoryLimit = memoryLimit;
  load.registry = &hostFunctions();
  static std::map<unsigned, std::shared_ptr<runtime::ThreadPool>> pools;
  std::shared_ptr<runtime::ThreadPool> &pool = pools[options.threads];
  if (!pool)
    pool = std::make_shared<runtime::ThreadPool>(options.threads);
  load.pool = pool;
  Expected<runtime::Module> loaded = runtime::Module::loadBytes(*artifact, "programs", load);
  if (!loaded)
    return Status(StatusCode::Internal, "not loaded: " + std::string(loaded.status().message()));
  return loaded;
}

/// Calls both sides with the same arguments. What is wrong; empty if nothing is.
std::string compareCall(Program &program, const runtime::Function &function, Arguments &arguments,
                        int call) {
  auto signature = program.module->lookupSymbol<func::FuncOp>(program.entry);
  std::vector<Reference> values = arguments.forCall(signature.getArgumentTypes(), call);
  std::vector<Compiled> compiled;
  for (const Reference &value : values)
    compiled.push_back(toRuntime(value));
  interpreter::Options options;
  options.maxSteps = maxSteps;
  options.hostFunctions = interpretedHostFunctions();
  auto exact = interpreter::interpretPrepared(*program.reference, program.entry, values, options);
  options.roundResults = true;
  auto rounded = interpreter::interpretPrepared(*program.reference, program.entry, values, options);
  if (!exact && exact.status().message().find("gave up") != std::string::npos)
    return "";
  Expected<std::vector<Compiled>> found = function.invoke(compiled);
  std::string where = "call " + std::to_string(call) + arguments.sizesText() + ": ";
  if (!exact || !rounded) {
    // What rounding decides (the length of a selection) may decide whether it runs at all. And an
    // op of which only the shape is read, or another part of a tuple, isn't run: what it needs
    // isn't checked.
    if (!found || exact || rounded ||
        (program.mayDropChecks && isCheck(exact.status().message()))) {
      ++program.tally.refused;
      return "";
    }
    return where +
           "compiled code ran, the interpreter refused: " + std::string(exact.status().message());
  }
  if (!found) {
    if (found.status().code() == StatusCode::ResourceExhausted)
      return "";
    return where +
           "compiled code refused, the interpreter ran: " + std::string(found.status().message());
  }
  ++program.tally.calls;
  if (found->size() != exact->size())
    return where + "found " + std::to_string(found->size()) + " results";
  for (size_t i = 0; i != exact->size(); ++i)
    if (std::string wrong = compare((*found)[i], (*exact)[i], (*rounded)[i], program.tally);
        !wrong.empty() && !program.tally.hasProducts)
      return where + "result " + std::to_string(i) + ": " + wrong;
  return "";
}

std::string compareCalls(Program &program, const runtime::Module &loaded) {
  Expected<runtime::Function> function = loaded.function(program.entry);
  if (!function)
    return "no function: " + std::string(function.status().message());
  if (!program.reference)
    return "the interpreter can't prepare what compiles";
  Arguments arguments(program.seed);
  for (int call = 0; call != numCalls; ++call)
    if (std::string failure = compareCall(program, *function, arguments, call); !failure.empty())
      return failure;
  if (uint64_t tensors = loaded.memory().tensors)
    return std::to_string(tensors) + " bytes of tensors are left after the calls";
  return "";
}

void runAlone(Program &program, const RunOptions &options) {
  Expected<runtime::Module> loaded = compileAndLoad(&program, options);
  if (loaded) {
    program.failure = compareCalls(program, *loaded);
    return;
  }
  std::string message(loaded.status().message());
  // Without LLVM's simplifications a conversion may need a function of its library.
  if (options.quickCode && message.find("which no artifact provides") != std::string::npos) {
    RunOptions thorough = options;
    thorough.quickCode = false;
    runAlone(program, thorough);
    return;
  }
  // A check of constants alone fails when the module is loaded, not when it is called.
  if (!isRefusal(message) && message.find("initialize: ") == std::string::npos)
    program.failure = message;
}

} // namespace

RunOptions RunOptions::random(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  RunOptions options;
  options.quickCode = chance(80);
  options.verifyEach = chance(25);
  options.threads = chance(50) ? 1 : 2;
  if (chance(30))
    for (const driver::PipelineStep &step : driver::pipelineSteps({}))
      if (step.requiredBecause.empty() && chance(40) &&
          !llvm::is_contained(options.disabled, step.name))
        options.disabled.push_back(step.name);
  return options;
}

std::string RunOptions::text() const {
  std::string text = std::string(quickCode ? "quick code" : "full code") + ", " +
                     std::to_string(threads) + (threads == 1 ? " thread" : " threads");
  if (verifyEach)
    text += ", verified after each pass";
  for (size_t i = 0; i != disabled.size(); ++i)
    text += (i == 0 ? ", without " : " ") + disabled[i];
  return text;
}

void runPrograms(std::vector<Program> &programs, const RunOptions &options) {
  SmallVector<Program *> running;
  for (Program &program : programs) {
    program.failure = check(program);
    if (!program.runs)
      continue;
    // What the interpreter refuses, the compiler must refuse: alone, so that the others compile.
    if (program.reference)
      running.push_back(&program);
    else
      runAlone(program, options);
  }
  if (running.size() > 1) {
    if (Expected<runtime::Module> loaded = compileAndLoad(running, options)) {
      for (Program *program : running)
        program->failure = compareCalls(*program, *loaded);
      return;
    }
  }
  for (Program *program : running)
    runAlone(*program, options);
}

} // namespace relax::fuzz
