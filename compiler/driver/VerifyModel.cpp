#include "compiler/driver/VerifyModel.h"

#include "compiler/dialect/Relax.h"
#include "compiler/driver/Dialects.h"
#include "compiler/driver/ElementTypes.h"
#include "compiler/driver/InterpreterBytes.h"
#include "compiler/driver/VerifyKernels.h"
#include "compiler/driver/VerifyReduce.h"
#include "compiler/driver/VerifyReproducer.h"
#include "compiler/transforms/FunctionForm.h"
#include "runtime/Module.h"
#include "runtime/support/MappedFile.h"

#include <fmt/format.h>

using namespace mlir;
using nlohmann::json;

namespace relax::driver {
namespace {

using Clock = std::chrono::steady_clock;

/// Arguments of a case have at most so many elements; of a model, whose caches are large, more.
constexpr int64_t maxElements = 1 << 16, maxModelElements = 1 << 22;
/// The share of the time in which a model's kernels are compared. What is left is for the model as
/// a whole, which takes the interpreter seconds a token.
constexpr double kernelShare = 0.6;
/// How many times what rounding changes a whole program may be off.
constexpr double wholeAmplification = 16;

/// How far the largest number of a result may be off, as a part of it, for what the function keeps
/// in memory of its caller, such as keys and values, in fewer bits than it computes with: the last
/// digit of float32 decides which neighbour is kept. A quarter of a step.
double stepOfKept(func::FuncOp function) {
  double step = 0;
  for (BlockArgument argument : function.getArguments()) {
    auto type = dyn_cast<RankedTensorType>(argument.getType());
    if (!type || !function.getArgAttr(argument.getArgNumber(), ir::RelaxDialect::donatedAttr))
      continue;
    Type element = type.getElementType();
    step = std::max(step, element.isInteger(8) ? 0x1p-9
                          : element.isF16()    ? 0x1p-13
                          : element.isBF16()   ? 0x1p-10
                                               : 0);
  }
  return step;
}

/// The verifier's course through a module.
class Verification {
public:
  Verification(const VerifyOptions &options, const CompileObserver &observer)
      : options(options), observer(observer), random(options.seed) {}

  Expected<json> run();

private:
  Status prepareAll();
  Status compileInFloat32();
  Status verifyFunction(func::FuncOp function);
  Status verifyCase(func::FuncOp function, const SymbolValues &symbols, json &entry);
  Status verifyWholeModel(func::FuncOp function, json &entry);
  using Values = std::vector<interpreter::Value>;
  Status verifyWhole(func::FuncOp function, const SymbolValues &symbols, const Values &arguments);
  Status verifyBits(func::FuncOp function, const SymbolValues &symbols, const Values &arguments);
  void programDiffers(Mismatch found, func::FuncOp function, const SymbolValues &symbols,
                      const Values &arguments);
  static Expected<runtime::Module> load(const std::vector<uint8_t> &bytes,
                                        const CompileOptions &options);
  Expected<Values> runCompiled(const runtime::Module &module, func::FuncOp function,
                               const Values &arguments);
  Expected<runtime::Value> toRuntime(const interpreter::Value &value, Type type);
  Expected<interpreter::Value> fromRuntime(const runtime::Value &value, Type type);
  Expected<json> report();
  /// The user's wish to stop ends everything; that time is up is only noted.
  Status ifCancelled(const Status &status) {
    if (status.code() != StatusCode::Cancelled || isCancelled())
      return status.code() == StatusCode::Cancelled ? status : Status();
    finished = false;
    return {};
  }
  Status say(const std::string &what) {
    if (observer.progress) {
      const double spent = std::chrono::duration<double>(Clock::now() - begin).count();
      observer.progress(what, std::clamp(spent / options.budget, 0.0, 1.0));
    }
    return isCancelled() ? Status(StatusCode::Cancelled, "stopped") : Status();
  }
  [[nodiscard]] bool isModel() const { return !options.compile.input.ends_with(".mlir"); }
  [[nodiscard]] bool isCancelled() const { return observer.cancelled && observer.cancelled(); }
  [[nodiscard]] bool outOfTime() const { return Clock::now() >= end; }

  const VerifyOptions &options;
  const CompileObserver &observer;
  std::mt19937_64 random;
  Clock::time_point begin = Clock::now(), end = Clock::time_point::max();
  Clock::time_point stop = end; ///< Of what is being done.
  DialectRegistry registry;
  std::unique_ptr<MLIRContext> context;
  /// The programs as they are, and those in which kernels are compared.
  OwningOpRef<ModuleOp> programs, distinct;
  OwningOpRef<ModuleOp> scheduled, reference;
  std::optional<runtime::Module> compiled, inFloat32;
  std::unique_ptr<KernelChecker> checker;
  std::vector<MappedFile> weights; ///< Of a model, which may be split.
  interpreter::Options running;
  std::set<int64_t> thresholds;
  json functions = json::array();
  std::optional<Mismatch> mismatch;
  bool finished = true;
};

Expected<runtime::Module> Verification::load(const std::vector<uint8_t> &bytes,
                                             const CompileOptions &options) {
  return runtime::Module::loadBytes(bytes, options.input);
}

/// The same model with float32 activations: its artifact, and its programs as the reference.
Status Verification::compileInFloat32() {
  CompileOptions exact = options.compile;
  exact.activations = "float32";
  CompileObserver watching;
  watching.before = [&](const std::string &step, ModuleOp module) {
    if (step == "schedule-kernels")
      reference = module.clone();
  };
  Expected<ImportedModel> model = importModel(context.get(), exact, watching);
  if (!model)
    return model.takeStatus();
  Expected<std::vector<uint8_t>> bytes = compileImported(*model, exact, watching);
  if (!bytes)
    return bytes.takeStatus();
  inlineStates(*reference);
  Expected<runtime::Module> loaded = load(*bytes, exact);
  if (!loaded)
    return loaded.takeStatus();
  inFloat32 = std::move(*loaded);
  return {};
}

Status Verification::prepareAll() {
  registerCompilerDialects(registry);
  context = std::make_unique<MLIRContext>(registry);
  context->printOpOnDiagnostic(false);
  context->loadAllAvailableDialects();
  CompileObserver watching = observer;
  watching.before = [&](const std::string &step, ModuleOp module) {
    if (step == "schedule-kernels")
      programs = module.clone();
  };
  // The last look at the scheduled kernels, passes of others included.
  watching.after = [&](const std::string &step, ModuleOp module) {
    if (programs && step != "verify")
      scheduled = module.clone();
  };
  Expected<ImportedModel> model = importModel(context.get(), options.compile, watching);
  if (!model)
    return model.takeStatus();
  if (!isModel())
    reference = model->module->clone();
  Expected<std::vector<uint8_t>> bytes = compileImported(*model, options.compile, watching);
  if (!bytes)
    return bytes.takeStatus();
  Expected<runtime::Module> loaded = load(*bytes, options.compile);
  if (!loaded)
    return loaded.takeStatus();
  compiled = std::move(*loaded);
  thresholds = thresholdsOf(*scheduled);
  inlineStates(*programs);
  distinct = programs->clone();
  if (isModel()) {
    keepDistinctCalls(*distinct);
    for (const artifact::WeightsFile &part : model->files) {
      Expected<MappedFile> file = MappedFile::open(part.path);
      if (!file)
        return file.takeStatus();
      running.weights.push_back(file->bytes());
      weights.push_back(std::move(*file));
    }
    RELAX_RETURN_IF_ERROR(compileInFloat32());
  } else {
    RELAX_RETURN_IF_ERROR(interpreter::prepare(*reference));
  }
  running.maxSteps = uint64_t(1) << 40;
  running.stop = [this] { return isCancelled() || Clock::now() >= stop; };
  Expected<std::unique_ptr<KernelChecker>> made =
      KernelChecker::create(*distinct, *scheduled, compiled->contents());
  if (!made)
    return made.takeStatus();
  checker = std::move(*made);
  checker->only = options.kernel;
  if (!options.kernel.empty() && !programs->lookupSymbol<func::FuncOp>(options.kernel))
    return Status(StatusCode::InvalidArgument,
                  "there is no kernel '" + options.kernel + "'; `relax inspect` lists them");
  return {};
}

Expected<runtime::Value> Verification::toRuntime(const interpreter::Value &value, Type type) {
  if (value.isTensor()) {
    struct Owned {
      std::vector<int64_t> dims;
      std::vector<uint8_t> storage;
    };
    const interpreter::Tensor &tensor = *value.tensor();
    Type element = tensor.element;
    if (auto tensorType = dyn_cast<TensorType>(type))
      element = tensorType.getElementType();
    std::optional<artifact::DType> dtype = runtimeType(element);
    if (!dtype)
      return Status(StatusCode::Unsupported, "an argument's element type isn't the runtime's");
    auto owned = std::make_shared<Owned>();
    owned->dims = tensor.dims;
    owned->storage = bytesOf(tensor, element);
    return runtime::Value::tensor({owned->storage.data(), *dtype, owned->dims}, owned);
  }
  if (const auto *shape = std::get_if<interpreter::Shape>(&value.data))
    return runtime::Value::shape(shape->dims);
  if (const auto *tuple = std::get_if<interpreter::Tuple>(&value.data)) {
    std::vector<runtime::Value> fields;
    for (auto [i, field] : llvm::enumerate(*tuple->fields)) {
      Expected<runtime::Value> part = toRuntime(field, cast<TupleType>(type).getType(i));
      if (!part)
        return part;
      fields.push_back(std::move(*part));
    }
    return runtime::Value::tuple(std::move(fields));
  }
  return Status(StatusCode::Unsupported, "an argument of a kind that can't be made");
}

Expected<interpreter::Value> Verification::fromRuntime(const runtime::Value &value, Type type) {
  auto tensorType = dyn_cast<TensorType>(type);
  if (!value.isTensor() || !tensorType || !tensorType.getElementType().isIntOrFloat())
    return interpreter::Value(); // Only tensors are compared.
  const runtime::TensorView view = value.asTensor();
  const size_t size =
      static_cast<size_t>(runtime::elementCount(view.dims)) * artifact::byteSize(view.dtype);
  return interpreter::Value(tensorOf(tensorType.getElementType(),
                                     {view.dims.begin(), view.dims.end()},
                                     {static_cast<const uint8_t *>(view.data), size}));
}

Expected<Verification::Values> Verification::runCompiled(const runtime::Module &module,
                                                         func::FuncOp function,
                                                         const Values &arguments) {
  Expected<runtime::Function> callee = module.function(function.getName().str());
  if (!callee)
    return callee.takeStatus();
  std::vector<runtime::Value> inputs;
  for (auto [argument, type] : llvm::zip_equal(arguments, function.getArgumentTypes())) {
    Expected<runtime::Value> value = toRuntime(argument, type);
    if (!value)
      return value.takeStatus();
    inputs.push_back(std::move(*value));
  }
  Expected<std::vector<runtime::Value>> outputs = callee->invoke(inputs);
  if (!outputs)
    return outputs.takeStatus();
  std::vector<interpreter::Value> results;
  for (auto [output, type] : llvm::zip_equal(*outputs, function.getResultTypes())) {
    Expected<interpreter::Value> value = fromRuntime(output, type);
    if (!value)
      return value.takeStatus();
    results.push_back(std::move(*value));
  }
  return results;
}

void Verification::programDiffers(Mismatch found, func::FuncOp function,
                                  const SymbolValues &symbols, const Values &arguments) {
  mismatch = std::move(found);
  mismatch->what = "program";
  mismatch->name = mismatch->function = function.getName().str();
  mismatch->symbols = symbols;
  mismatch->inputs = arguments;
}

/// The artifact in the runtime, beside its own kernels, each of which has memory of its own: no bit
/// may differ. Twice, as a second call may take another way (vm/Replay.h).
Status Verification::verifyBits(func::FuncOp function, const SymbolValues &symbols,
                                const Values &arguments) {
  RELAX_RETURN_IF_ERROR(
      say("@" + function.getName().str() + " beside its kernels at " + symbolsText(symbols)));
  auto expected = checker->runOnly(*programs, function.getName(), arguments, running);
  if (!expected)
    return expected.takeStatus();
  for (const char *call : {"its first call", "its second call"}) {
    auto found = runCompiled(*compiled, function, arguments);
    if (!found)
      return found.takeStatus();
    if (auto difference = compareBits(*found, *expected, call)) {
      programDiffers(std::move(*difference), function, symbols, arguments);
      return {};
    }
  }
  return {};
}

Status Verification::verifyWhole(func::FuncOp function, const SymbolValues &symbols,
                                 const Values &arguments) {
  const std::string name = function.getName().str();
  RELAX_RETURN_IF_ERROR(say("@" + name + " as a whole at " + symbolsText(symbols)));
  auto exact = interpreter::interpretPrepared(*reference, name, arguments, running);
  if (!exact)
    return exact.takeStatus();
  auto found = runCompiled(inFloat32 ? *inFloat32 : *compiled, function, arguments);
  if (!found)
    return found.takeStatus();
  interpreter::Options rounding = running;
  rounding.rounding = interpreter::Rounding::Nearest;
  auto rounded = interpreter::interpretPrepared(*reference, name, arguments, rounding);
  if (!rounded)
    return rounded.takeStatus();
  std::vector<double> slack = differencesOf(*exact, *rounded);
  const double step = stepOfKept(function);
  for (auto [value, result] : llvm::zip_equal(slack, *exact))
    value =
        wholeAmplification * value + (result.isTensor() ? step * magnitudeOf(*result.tensor()) : 0);
  std::string because = fmt::format("{} times what rounding each step changes", wholeAmplification);
  if (step != 0)
    because += fmt::format(", and {:.2g} of the largest for what is kept in fewer bits", step);
  if (auto difference = compareResults(*found, *exact, slack, because))
    programDiffers(std::move(*difference), function, symbols, arguments);
  return {};
}

/// The model as a whole, at small sizes.
Status Verification::verifyWholeModel(func::FuncOp function, json &entry) {
  for (const SymbolValues &symbols : sweep(function, {}, maxModelElements)) {
    auto arguments = makeArguments(function, symbols, random);
    if (!arguments)
      continue;
    Status status = verifyBits(function, symbols, *arguments);
    if (status.ok() && !mismatch)
      status = verifyWhole(function, symbols, *arguments);
    if (status.ok())
      entry["whole"] = 1;
    else if (status.code() != StatusCode::Cancelled)
      entry["note"] = status.message();
    return ifCancelled(status);
  }
  return {};
}

Status Verification::verifyCase(func::FuncOp function, const SymbolValues &symbols, json &entry) {
  auto refuse = [&](const Status &status) {
    entry["refused"] = entry["refused"].get<int64_t>() + 1;
    if (status.code() != StatusCode::Unsupported || entry["cases"] == 0)
      entry["note"] = symbolsText(symbols) + ": " + status.message();
  };
  auto arguments = makeArguments(function, symbols, random);
  if (!arguments) {
    refuse(arguments.status());
    return {};
  }
  Status status = checker->run(function.getName(), *arguments, running);
  mismatch = checker->mismatch;
  if (mismatch)
    return {};
  if (status.code() == StatusCode::Cancelled)
    return ifCancelled(status);
  if (!status.ok()) {
    refuse(status);
    return {};
  }
  entry["cases"] = entry["cases"].get<int64_t>() + 1;
  if (!options.kernel.empty() || outOfTime() || isModel())
    return {};
  status = verifyWhole(function, symbols, *arguments);
  if (status.code() == StatusCode::Cancelled)
    return ifCancelled(status);
  if (!status.ok())
    refuse(status);
  else
    entry["whole"] = entry["whole"].get<int64_t>() + 1;
  return {};
}

Status Verification::verifyFunction(func::FuncOp function) {
  json entry = {
      {"name", function.getName().str()}, {"cases", 0}, {"refused", 0}, {"whole", 0}, {"note", ""}};
  checker->onKernel = [&](const std::string &kernel, const SymbolValues &symbols) {
    (void)say("@" + kernel + " at " + symbolsText(symbols));
  };
  const auto share = std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(kernelShare * options.budget));
  stop = isModel() && options.kernel.empty() ? begin + share : end;
  checker->end = stop;
  checker->secondsPerKernel = kernelShare * options.budget / 10;
  running.keptWeights = std::make_shared<decltype(running.keptWeights)::element_type>();
  // A model's kernels are met in a function that is shorter than its own.
  auto shorter = distinct->lookupSymbol<func::FuncOp>(function.getName());
  for (const SymbolValues &symbols :
       sweep(shorter, thresholds, isModel() ? maxModelElements : maxElements)) {
    if (Clock::now() >= stop) {
      finished = false;
      break;
    }
    RELAX_RETURN_IF_ERROR(say("@" + function.getName().str() + " at " + symbolsText(symbols)));
    RELAX_RETURN_IF_ERROR(verifyCase(shorter, symbols, entry));
    if (mismatch)
      break;
  }
  stop = end;
  running.keptWeights = nullptr; // The whole has too many.
  if (isModel() && !mismatch && options.kernel.empty() && !outOfTime())
    RELAX_RETURN_IF_ERROR(verifyWholeModel(function, entry));
  functions.push_back(std::move(entry));
  return {};
}

Expected<json> Verification::report() {
  json kernels = json::array();
  for (const artifact::Kernel &kernel : compiled->contents().kernels) {
    auto it = checker->compared.find(kernel.name);
    kernels.push_back({{"name", kernel.name},
                       {"strategy", kernel.strategy},
                       {"compared", it == checker->compared.end() ? 0 : it->second},
                       {"too_large", checker->tooLarge.lookup(kernel.name)}});
  }
  json result = {{"finished", finished && !outOfTime()},
                 {"seconds", std::chrono::duration<double>(Clock::now() - begin).count()},
                 {"functions", functions},
                 {"kernels", kernels},
                 {"difference", nullptr}};
  if (!mismatch)
    return result;
  json difference = {
      {"what", mismatch->what},
      {"name", mismatch->name},
      {"strategy", mismatch->strategy},
      {"function", mismatch->function},
      {"symbols", mismatch->symbols},
      {"element", mismatch->element},
      {"got", mismatch->got},
      {"expected", mismatch->expected},
      {"error", std::isfinite(mismatch->error) ? json(mismatch->error) : json("inf")},
      {"tolerance", mismatch->tolerance},
      {"because", mismatch->because}};
  if (!options.reproducer.empty()) {
    auto written = writeReproducer(options.reproducer, *programs, options.compile.input, *mismatch);
    if (!written)
      return written.takeStatus();
    difference["files"] = written->files;
    difference["command"] = written->command;
  }
  result["difference"] = difference;
  return result;
}

Expected<json> Verification::run() {
  RELAX_RETURN_IF_ERROR(prepareAll());
  // What it takes to compile isn't counted.
  begin = Clock::now();
  end = begin +
        std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.budget));
  for (auto function : programs->getOps<func::FuncOp>()) {
    if (!function.isPublic() || function.isDeclaration() ||
        !transforms::isGraphFunction(function) || function.getName() == artifact::initializeName)
      continue;
    if (!options.function.empty() && options.function != function.getName())
      continue;
    RELAX_RETURN_IF_ERROR(verifyFunction(function));
    if (mismatch)
      break;
  }
  if (functions.empty())
    return Status(StatusCode::InvalidArgument,
                  options.function.empty() ? "there is no function to verify"
                                           : "there is no function '" + options.function + "'");
  return report();
}

} // namespace

Expected<VerifyOptions> parseVerifyOptions(const json &object) {
  auto bad = [](const std::string &what) {
    return Status(StatusCode::InvalidArgument, "verify options: " + what);
  };
  if (!object.is_object())
    return bad("expected an object");
  VerifyOptions options;
  for (const auto &[key, value] : object.items()) {
    std::string *text = key == "kernel"       ? &options.kernel
                        : key == "function"   ? &options.function
                        : key == "reproducer" ? &options.reproducer
                                              : nullptr;
    if (text && value.is_string())
      *text = value.get<std::string>();
    else if (key == "seed" && value.is_number_integer())
      options.seed = value.get<uint64_t>();
    else if (key == "budget" && value.is_number() && value.get<double>() > 0)
      options.budget = value.get<double>();
    else
      return bad("'" + key + "' isn't known, or its value is of the wrong kind");
  }
  return options;
}

Expected<json> verifyModel(const VerifyOptions &options, const CompileObserver &observer) {
  return Verification(options, observer).run();
}

} // namespace relax::driver
