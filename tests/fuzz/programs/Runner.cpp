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
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/Regex.h"

#include <array>
#include <map>
#include <optional>
#include <random>

using namespace mlir;

namespace relax::fuzz {
namespace {

constexpr uint64_t memoryLimit = uint64_t(1) << 30;
/// One program in forty would take as long as all others: few have many steps.
constexpr uint64_t maxSteps = 300'000, maxStepsOfLargeCalls = 3'000'000;
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
  program.module->walk([&](Operation *op) {
    // What has an effect now, such as a guard in a branch, may be proved and go.
    program.mayDropOps |=
        isa<ir::ShapeOfOp, ir::TupleGetOp>(op) || (op->getNumResults() != 0 && op->use_empty());
  });
  program.hasOthers = llvm::count_if(program.module->getOps<func::FuncOp>(), [](auto function) {
                        return !function->hasAttr(ir::RelaxDialect::kernelAttr);
                      }) > 1;
  program.runs = true;
  return "";
}

bool hasAnyOf(StringRef message, std::initializer_list<const char *> texts) {
  return llvm::any_of(texts, [&](const char *text) { return message.contains(text); });
}

/// Errors of a program that the rules of single ops don't see: what the facts refute.
bool isRefuted(StringRef message) {
  return hasAnyOf(message, {"can never hold", "can never be", "never holds", " are never ",
                            " don't fit: ", " never divide ", "it would be -",
                            "is empty, so no element", "has no element"});
}

/// What a program would have to say for itself, the scale of attention or a divisor; and tensors of
/// more dimensions than compiled code has.
bool isUnsupported(StringRef message) {
  return hasAnyOf(
      message, {"needs the attribute scale", "provably a multiple", "dimensions can be compiled"});
}

/// Whether the interpreter may have refused in an op that compiled code doesn't run, as nothing
/// reads its results, or only their shape (docs/ir.md, Checks): then what the op needs of values
/// isn't checked, and in a call that isn't made nothing is.
bool mayBeDropped(const Program &program, StringRef message) {
  return program.mayDropOps &&
         (hasAnyOf(message, {"relax.check_values", "has no value here", "relax.reshape_to"}) ||
          (program.hasOthers &&
           hasAnyOf(message, {"relax.guard", "relax.prefix", "must have type", " cannot be "})));
}

/// Whether the interpreter has refused to divide no elements by none, for the dimension that a view
/// leaves open. Where compiled code knows the two sizes as one expression, it doesn't divide.
bool dividesNothing(StringRef message) {
  return message.contains("the element counts of") && message.contains("-1") &&
         llvm::Regex(": [^=]* = 0, [^=]* = 0$").match(message);
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

/// Both sides of a call with the same arguments. What is wrong; empty if nothing is.
class Call {
public:
  Call(Program &program, const RunOptions &run, std::vector<Reference> arguments)
      : program(program), arguments(std::move(arguments)) {
    options.maxSteps = run.largeCalls ? maxStepsOfLargeCalls : maxSteps;
    options.hostFunctions = interpretedHostFunctions();
  }

  std::string compare(const runtime::Function &function) {
    std::vector<Compiled> compiled;
    for (const Reference &value : arguments)
      compiled.push_back(toRuntime(value));
    Results exact = interpret();
    if (!exact && exact.status().message().find("gave up") != std::string::npos)
      return "";
    Expected<std::vector<Compiled>> found = function.invoke(compiled);
    if (!found && found.status().code() == StatusCode::ResourceExhausted && exact)
      return "";
    if (!exact || !found)
      return compareRefusals(exact, found);
    ++program.tally.calls;
    if (found->size() != exact->size())
      return "found " + std::to_string(found->size()) + " results";
    if (program.tally.hasProducts)
      return "";
    return compareResults(*exact, *found);
  }

  /// The same where the compiler says that no call can be right.
  std::string compareRefuted() {
    if (interpret())
      return "the interpreter ran";
    ++program.tally.refused;
    return "";
  }

private:
  using Results = Expected<std::vector<Reference>>;

  Results interpret() {
    return interpreter::interpretPrepared(*program.reference, program.entry, arguments, options);
  }

  /// The same with every result rounded, which says how much rounding matters. Only asked where the
  /// two sides differ.
  const Results &interpretRounded(interpreter::Rounding rounding) {
    std::optional<Results> &results = rounded[rounding];
    if (!results) {
      options.rounding = rounding;
      results = interpret();
      options.rounding = interpreter::Rounding::None;
    }
    return *results;
  }

  std::string compareRefusals(const Results &exact, const Expected<std::vector<Compiled>> &found) {
    // What rounding decides (the length of a selection) may decide whether it runs at all.
    auto roundingDecides = [&] {
      return llvm::any_of(roundings, [&](interpreter::Rounding rounding) {
        return bool(interpretRounded(rounding)) != bool(exact);
      });
    };
    if ((!exact && !found) || roundingDecides() ||
        (!exact && (mayBeDropped(program, exact.status().message()) ||
                    dividesNothing(exact.status().message())))) {
      ++program.tally.refused;
      return "";
    }
    return exact ? "compiled code refused, the interpreter ran: " +
                       std::string(found.status().message())
                 : "compiled code ran, the interpreter refused: " +
                       std::string(exact.status().message());
  }

  std::string compareResults(const std::vector<Reference> &exact,
                             const std::vector<Compiled> &found) {
    for (size_t i = 0; i != exact.size(); ++i) {
      Tally tally = program.tally;
      std::string wrong = fuzz::compare(found[i], exact[i], exact[i], tally);
      for (interpreter::Rounding rounding : roundings) {
        if (wrong.empty())
          break;
        tally = program.tally;
        const Results &rounded = interpretRounded(rounding);
        // Rounding decides whether it runs at all.
        if (!rounded)
          return "";
        wrong = fuzz::compare(found[i], exact[i], (*rounded)[i], tally);
      }
      program.tally = tally;
      if (!wrong.empty())
        return "result " + std::to_string(i) + ": " + wrong;
    }
    return "";
  }

  Program &program;
  std::vector<Reference> arguments;
  interpreter::Options options;
  static constexpr std::array roundings = {interpreter::Rounding::Nearest,
                                           interpreter::Rounding::Farther,
                                           interpreter::mix(0),
                                           interpreter::mix(1),
                                           interpreter::mix(2),
                                           interpreter::mix(3),
                                           interpreter::mix(4),
                                           interpreter::mix(5)};
  std::map<interpreter::Rounding, std::optional<Results>> rounded;
};

/// Compares each of some calls by `compare`. What is wrong; empty if nothing is.
std::string compareCalls(Program &program, const RunOptions &options,
                         llvm::function_ref<std::string(Call &)> compare) {
  Arguments arguments(program.seed);
  TypeRange types = program.module->lookupSymbol<func::FuncOp>(program.entry).getArgumentTypes();
  for (int number = 0; number != numCalls; ++number) {
    Call call(program, options, arguments.forCall(types, number));
    if (std::string failure = compare(call); !failure.empty())
      return "call " + std::to_string(number) + arguments.sizesText() + ": " + failure;
  }
  return "";
}

std::string compareLoaded(Program &program, const runtime::Module &loaded,
                          const RunOptions &options) {
  Expected<runtime::Function> function = loaded.function(program.entry);
  if (!function)
    return "no function: " + std::string(function.status().message());
  if (!program.reference)
    return "the interpreter can't prepare what compiles";
  std::string failure =
      compareCalls(program, options, [&](Call &call) { return call.compare(*function); });
  if (uint64_t tensors = loaded.memory().tensors; tensors != 0 && failure.empty())
    return std::to_string(tensors) + " bytes of tensors are left after the calls";
  return failure;
}

void runAlone(Program &program, const RunOptions &options) {
  Expected<runtime::Module> loaded = compileAndLoad(&program, options);
  if (loaded) {
    program.failure = compareLoaded(program, *loaded, options);
    return;
  }
  StringRef message = loaded.status().message();
  // A check of constants alone fails when the module is loaded, not when it is called.
  if (isUnsupported(message) || message.contains("initialize: "))
    return;
  if (!isRefuted(message))
    program.failure = message;
  // What is wrong in another function may never be: no call of it need be made.
  else if (program.reference && !program.hasOthers)
    if (program.failure =
            compareCalls(program, options, [](Call &call) { return call.compareRefuted(); });
        !program.failure.empty())
      program.failure += ", but: " + message.str();
}

void runTogether(ArrayRef<Program *> programs, const RunOptions &options) {
  if (programs.size() == 1)
    return runAlone(*programs.front(), options);
  if (Expected<runtime::Module> loaded = compileAndLoad(programs, options)) {
    for (Program *program : programs)
      program->failure = compareLoaded(*program, *loaded, options);
    return;
  }
  runTogether(programs.take_front(programs.size() / 2), options);
  runTogether(programs.drop_front(programs.size() / 2), options);
}

} // namespace

RunOptions RunOptions::random(uint64_t seed) {
  std::mt19937_64 random(seed);
  auto chance = [&](unsigned percent) { return random() % 100 < percent; };
  RunOptions options;
  options.quickCode = chance(80);
  options.verifyEach = chance(25);
  options.largeCalls = chance(6);
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
  if (largeCalls)
    text += ", large calls";
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
  if (!running.empty())
    runTogether(running, options);
}

} // namespace relax::fuzz
