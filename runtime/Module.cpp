//===- Module.cpp - link an artifact into something that runs ---------------------------------===//
#include "runtime/Module.h"

#include "runtime/artifact/Load.h"
#include "runtime/libraries/Libraries.h"
#include "runtime/loader/CodeLibrary.h"
#include "runtime/loader/StateFile.h"
#include "runtime/loader/WeightsFile.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/Text.h"
#include "runtime/vm/Checks.h"
#include "runtime/vm/Environment.h"
#include "runtime/vm/Frame.h"
#include "runtime/vm/Interpreter.h"
#include "runtime/vm/ModuleLock.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <mutex>
#include <set>
#include <utility>

namespace relax::runtime {

/// What a module holds. The order is that of dependence: what comes later goes first.
struct LoadedModule {
  artifact::LoadedArtifact artifact;
  std::vector<MappedFile> weights;
  CodeLibrary code;
  std::deque<LibraryFunction> libraries; ///< Of external libraries.
  Environment environment;
  Arena states;
  uint64_t statesSize = 0; ///< In `states`.
  ModuleLock lock;

  [[nodiscard]] const artifact::Module &module() const { return artifact.module; }
};

namespace {

constexpr uint64_t alignUp(uint64_t value) {
  return (value + artifact::bufferAlignment - 1) / artifact::bufferAlignment *
         artifact::bufferAlignment;
}

uint64_t stateBytes(const artifact::State &state) {
  uint64_t bytes = artifact::byteSize(state.dtype);
  for (int64_t dim : state.dims)
    bytes *= static_cast<uint64_t>(dim);
  return bytes;
}

/// Maps the weights files, and finds every constant's address.
Status linkConstants(LoadedModule &loaded, const std::string &folder, const LoadOptions &options) {
  const artifact::Module &module = loaded.module();
  if (!options.weightsPath.empty() && module.files.size() > 1 &&
      !std::filesystem::is_directory(options.weightsPath))
    return Status(StatusCode::InvalidArgument,
                  text("the module has ", module.files.size(),
                       " weights files: give the folder that has them, not ",
                       inQuotes(options.weightsPath)));
  std::string cache = options.cacheFolder.value_or(cacheFolder());
  for (size_t i = 0; i != module.files.size(); ++i) {
    std::string path = weightsFilePath(module.files[i], folder, options.weightsPath);
    Expected<MappedFile> file = openWeightsFile(module, i, path, cache, *loaded.environment.pool);
    if (!file)
      return file.takeStatus();
    loaded.weights.push_back(std::move(*file));
  }
  for (const artifact::Constant &constant : module.constants) {
    std::span<const uint8_t> bytes =
        constant.file < 0 ? constant.data.span()
                          : loaded.weights[static_cast<size_t>(constant.file)].bytes().subspan(
                                constant.offset, constant.size);
    // Kernels only read constants; their interface has one type for all buffers.
    loaded.environment.constants.push_back({const_cast<uint8_t *>(bytes.data()), bytes.size()});
  }
  return {};
}

/// Says something once in the life of the process, unless the caller wants it himself.
void report(const LoadOptions &options, const std::string &name, const std::string &note) {
  if (options.report)
    return options.report(name + ": " + note);
  static std::mutex lock;
  static std::set<std::string> said;
  std::lock_guard<std::mutex> guard(lock);
  if (said.insert(note).second)
    std::fprintf(stderr, "relax: %s: %s\n", name.c_str(), note.c_str());
}

/// Finds the library functions: the host's own, else those of external libraries. One that is
/// missing stays null if everything that calls it has an alternative.
Status linkLibraries(LoadedModule &loaded, const std::string &name, const LoadOptions &options) {
  for (const artifact::Library &library : loaded.module().libraries) {
    if (const LibraryFunction *own =
            options.registry ? options.registry->find(library.name) : nullptr) {
      loaded.environment.libraries.push_back(own);
      continue;
    }
    Expected<LibraryFunction> function = externalFunction(library);
    if (function) {
      loaded.libraries.push_back(std::move(*function));
      loaded.environment.libraries.push_back(&loaded.libraries.back());
      continue;
    }
    if (!library.optional)
      return function.takeStatus();
    report(options, name, function.status().message() + "; kernels of the module do its work");
    loaded.environment.libraries.push_back(nullptr);
  }
  return {};
}

/// What depends on this machine becomes constant: the numbers from which on libraries are called,
/// and which code runs.
void resolveSlots(LoadedModule &loaded, const std::string &name, const LoadOptions &options) {
  artifact::Module &module = loaded.artifact.module;
  std::vector<int64_t> values;
  for (const artifact::Threshold &threshold : module.thresholds) {
    ThresholdChoice choice = chooseThreshold(module, threshold);
    bool missing = !loaded.environment.libraries[threshold.library];
    values.push_back(missing ? artifact::Threshold::never : choice.value);
    if (!missing && !choice.why.empty())
      report(options, name, choice.why);
  }
  for (artifact::Function &function : module.functions)
    for (artifact::SlotOp &op : function.slots) {
      const auto index = static_cast<size_t>(op.a);
      if (op.kind == artifact::SlotOp::Threshold)
        op = {artifact::SlotOp::Constant, values[index], 0};
      else if (op.kind == artifact::SlotOp::Level)
        op = {artifact::SlotOp::Constant, index == loaded.code.index() ? 1 : 0, 0};
    }
}

Status linkPacked(LoadedModule &loaded, const Registry *registry) {
  for (const artifact::PackedFunction &wanted : loaded.module().packed) {
    const Registry::Packed *found = registry ? registry->findPacked(wanted.name) : nullptr;
    if (!found)
      return Status(StatusCode::Unsupported,
                    text("calls the packed function ", inQuotes(wanted.name),
                         ", which this program does not have"));
    if (wanted.pure && !found->pure)
      return Status(StatusCode::Unsupported,
                    text("calls the packed function ", inQuotes(wanted.name),
                         " as a pure one, but it is registered with effects"));
    loaded.environment.packed.push_back(found->function);
  }
  return {};
}

Status allocateStates(LoadedModule &loaded) {
  uint64_t total = 0;
  for (const artifact::State &state : loaded.module().states)
    if (__builtin_add_overflow(total, alignUp(stateBytes(state)), &total))
      return Status(StatusCode::ResourceExhausted, "its states do not fit 64 bits");
  RELAX_RETURN_IF_ERROR(loaded.states.grow(total, loaded.environment.account, "the states"));
  loaded.statesSize = total;
  std::byte *next = loaded.states.data();
  for (const artifact::State &state : loaded.module().states) {
    uint64_t bytes = stateBytes(state);
    loaded.environment.states.push_back({next, bytes});
    if (next)
      next += alignUp(bytes);
  }
  return {};
}

/// Gives the memory of constants that "initialize" reads back to the system, each as far as it has
/// been read for the last time: the states take their place. Kernels that pack read from the
/// beginning to the end; whatever else is read once more, here or by other functions, comes from
/// the file again, page by page.
class ConstantRelease {
public:
  ConstantRelease(const LoadedModule &loaded, const artifact::Function &initialize)
      : loaded(loaded), lastReader(loaded.module().constants.size(), unread) {
    for (const artifact::Instruction &instruction : initialize.code) {
      isPlain &= instruction.op == artifact::Instruction::CallKernel ||
                 instruction.op == artifact::Instruction::Return;
      for (uint32_t buffer : instruction.buffers)
        if (initialize.buffers[buffer].kind == artifact::Buffer::Constant)
          lastReader[initialize.buffers[buffer].index] = launches;
      launches += instruction.op == artifact::Instruction::CallKernel;
    }
  }

  /// After `done` of all steps of launches (Environment::watchSteps).
  void after(size_t done, size_t all) {
    constexpr size_t steps = Environment::watchSteps;
    // Launches are the kernels of the code in order, unless it branches or one has nothing to do.
    if (!isPlain || all != launches * steps)
      return;
    const size_t launch = (done - 1) / steps;
    releaseWhere([&](size_t reader) { return reader == launch; }, done - launch * steps);
  }
  void afterAll() {
    releaseWhere([](size_t reader) { return reader != unread; }, Environment::watchSteps);
  }

private:
  static constexpr size_t unread = SIZE_MAX;

  /// So many steps of all that are read by certain launches.
  template <typename Condition> void releaseWhere(Condition condition, size_t steps) {
    for (size_t i = 0; i != lastReader.size(); ++i) {
      const artifact::Constant &constant = loaded.module().constants[i];
      if (constant.file < 0 || !condition(lastReader[i]))
        continue;
      const bool whole = steps == Environment::watchSteps;
      loaded.weights[static_cast<size_t>(constant.file)].dontNeed(
          constant.offset, whole ? constant.size : constant.size / Environment::watchSteps * steps);
      if (whole)
        lastReader[i] = unread;
    }
  }

  const LoadedModule &loaded;
  std::vector<size_t> lastReader; ///< Of each constant: the number of a launch.
  size_t launches = 0;
  bool isPlain = true;
};

Status runInitialize(LoadedModule &loaded, size_t function, const LoadOptions &options) {
  const artifact::Module &module = loaded.module();
  ConstantRelease release(loaded, module.functions[function]);
  const auto begin = std::chrono::steady_clock::now();
  const std::function<void(size_t, size_t)> watch = [&](size_t done, size_t all) {
    release.after(done, all);
    const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
    if (options.progress && spent.count() >= options.progressAfter)
      options.progress(static_cast<double>(done) / static_cast<double>(all));
  };
  struct Watching {
    Environment &environment;
    ~Watching() { environment.watch = nullptr; }
  } watching{loaded.environment};
  loaded.environment.watch = &watch;
  std::vector<TensorView> results;
  results.reserve(module.states.size());
  for (size_t j = 0; j != module.states.size(); ++j)
    results.push_back(
        {loaded.environment.states[j].data, module.states[j].dtype, module.states[j].dims});
  RELAX_RETURN_IF_ERROR(loaded.environment.frames[function]->call({}, results));
  release.afterAll();
  // Its arena is not needed again.
  loaded.environment.frames[function] =
      std::make_unique<Frame>(module.functions[function], loaded.environment);
  return {};
}

/// Fills the states: by "initialize", or from the cache where the user wants them kept there.
Status initialize(LoadedModule &loaded, const std::string &name, const LoadOptions &options) {
  const artifact::Module &module = loaded.module();
  auto function =
      std::ranges::find(module.functions, artifact::initializeName, &artifact::Function::name);
  if (function == module.functions.end())
    return {};
  const std::string folder = options.cacheFolder.value_or(cacheFolder());
  const std::span<std::byte> states(loaded.states.data(), loaded.statesSize);
  const bool kept = options.keepStates && !folder.empty() && !states.empty();
  const StateFile file(folder, loaded.artifact.checksum, loaded.code.target());
  if (!kept || !file.read(states, *loaded.environment.pool)) {
    RELAX_RETURN_IF_ERROR(
        runInitialize(loaded, static_cast<size_t>(function - module.functions.begin()), options));
    if (Status status = kept ? file.write(states, *loaded.environment.pool) : Status();
        !status.ok())
      report(options, name, "what was computed at load is not kept: " + status.message());
  }
  return {};
}

Status link(LoadedModule &loaded, const std::string &name, const std::string &folder,
            const LoadOptions &options) {
  Environment &environment = loaded.environment;
  const artifact::Module &module = loaded.module();
  environment.module = &module;
  Expected<CodeLibrary> code = CodeLibrary::load(module, options.target);
  if (!code)
    return code.takeStatus();
  loaded.code = std::move(*code);
  environment.kernels = loaded.code.kernels();
  RELAX_RETURN_IF_ERROR(linkLibraries(loaded, name, options));
  RELAX_RETURN_IF_ERROR(linkPacked(loaded, options.registry));
  resolveSlots(loaded, name, options);
  environment.pool = options.pool ? options.pool : std::make_shared<ThreadPool>(options.threads);
  environment.profiler = std::make_unique<Profiler>(module);
  RELAX_RETURN_IF_ERROR(linkConstants(loaded, folder, options));
  RELAX_RETURN_IF_ERROR(allocateStates(loaded));
  for (const artifact::Function &function : module.functions)
    environment.frames.push_back(function.general ? nullptr
                                                  : std::make_unique<Frame>(function, environment));
  environment.interpreter = std::make_unique<Interpreter>(environment);
  return initialize(loaded, name, options);
}

Expected<std::shared_ptr<LoadedModule>> finish(Expected<artifact::LoadedArtifact> artifact,
                                               const std::string &name, const std::string &folder,
                                               const LoadOptions &options) {
  if (!artifact)
    return artifact.takeStatus();
  auto loaded = std::make_shared<LoadedModule>();
  loaded->artifact = std::move(*artifact);
  if (!options.modelName.empty())
    loaded->artifact.module.metadata.setSource(options.modelName);
  loaded->environment.self = loaded;
  loaded->environment.account.setLimit(options.memoryLimit);
  if (options.callDepthLimit != 0)
    loaded->environment.callDepthLimit = options.callDepthLimit;
  if (Status status = link(*loaded, name, folder, options); !status.ok())
    return std::move(status).withContext(name);
  return loaded;
}

} // namespace

Expected<Module> Module::load(const std::string &path, const LoadOptions &options) {
  std::string folder = std::filesystem::path(path).parent_path().string();
  auto loaded = finish(artifact::loadFile(path), path, folder, options);
  return loaded ? Expected<Module>(Module(std::move(*loaded))) : loaded.takeStatus();
}

Expected<Module> Module::loadBytes(std::span<const uint8_t> bytes, const std::string &name,
                                   const LoadOptions &options) {
  auto loaded = finish(artifact::loadBytes(bytes, name), name, "", options);
  return loaded ? Expected<Module>(Module(std::move(*loaded))) : loaded.takeStatus();
}

Expected<Function> Module::function(const std::string &name) const {
  std::string names;
  for (size_t i = 0; i != contents().functions.size(); ++i) {
    const std::string &each = contents().functions[i].name;
    // The states are what it made of them once; nobody calls it again.
    if (each == artifact::initializeName)
      continue;
    if (each == name)
      return Function(loaded, i);
    names += (names.empty() ? "" : ", ") + inQuotes(each);
  }
  return Status(StatusCode::NotFound, text("no function ", inQuotes(name), "; the module has ",
                                           names.empty() ? "none" : names));
}

const artifact::Module &Module::contents() const { return loaded->module(); }

MemoryUse Module::memory() const {
  const MemoryAccount &account = loaded->environment.account;
  MemoryPool::Use use = loaded->environment.memory->use();
  return {account.current(), account.peak(), account.limit(), use.live, use.kept};
}

MemoryReservation::MemoryReservation(MemoryReservation &&other) noexcept
    : loaded(std::move(other.loaded)), bytes(std::exchange(other.bytes, 0)) {}

MemoryReservation &MemoryReservation::operator=(MemoryReservation &&other) noexcept {
  std::swap(loaded, other.loaded);
  std::swap(bytes, other.bytes);
  return *this;
}

MemoryReservation::~MemoryReservation() {
  if (loaded)
    loaded->environment.account.remove(bytes);
}

Expected<MemoryReservation> Module::reserveMemory(uint64_t bytes,
                                                  const std::string &purpose) const {
  RELAX_RETURN_IF_ERROR(loaded->environment.account.add(bytes, purpose));
  MemoryReservation reservation;
  reservation.loaded = loaded;
  reservation.bytes = bytes;
  return reservation;
}

void Module::trimMemory() const { loaded->environment.memory->trim(); }

const std::shared_ptr<ThreadPool> &Module::pool() const { return loaded->environment.pool; }

const std::string &Module::target() const { return loaded->code.target(); }

void Module::enableProfiling(bool on) const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  loaded->environment.profiler->enable(on);
}

std::vector<Profiler::Row> Module::profile() const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  return loaded->environment.profiler->rows();
}

std::string Module::profileReport() const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  return loaded->environment.profiler->report();
}

void Module::resetProfile() const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  loaded->environment.profiler->reset();
}

const artifact::Function &Function::signature() const { return loaded->module().functions[index]; }

const artifact::Function &signatureOf(const Value::FunctionReference &reference) {
  return reference.module->module().functions[reference.index];
}

Status Function::call(std::span<const TensorView> inputs, std::span<TensorView> outputs) const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  if (Frame *frame = loaded->environment.frames[index].get())
    return frame->call(inputs, outputs);
  return callGeneral(inputs, outputs);
}

/// Takes the results to where the caller wants them, if they have the dtype and dims that it says.
Status Function::callGeneral(std::span<const TensorView> inputs,
                             std::span<TensorView> outputs) const {
  std::vector<Value> arguments;
  arguments.reserve(inputs.size());
  for (const TensorView &input : inputs)
    arguments.push_back(Value::borrow(input));
  if (outputs.size() != signature().results.size())
    return Status(StatusCode::InvalidArgument,
                  text(name(), ": found ", outputs.size(), " results, expected ",
                       signature().results.size()));
  Expected<std::vector<Value>> results = invoke(arguments);
  if (!results)
    return results.takeStatus();
  for (size_t j = 0; j != outputs.size(); ++j) {
    const Value &result = (*results)[j];
    Value wanted = Value::borrow(outputs[j]);
    auto fails = [&](const std::string &message) {
      return Status(StatusCode::InvalidArgument,
                    text(name(), ": ", resultText(signature(), j), ": ", message));
    };
    if (!result.isTensor() || result.text() != wanted.text())
      return fails(text("is ", result.text(), ", but the output is ", wanted.text()));
    if (Status status = wanted.check(); !status.ok())
      return fails(status.message());
    TensorView found = result.asTensor();
    // What is made in the place of a donated argument is there already.
    if (uint64_t bytes = *tensorBytes(found.dtype, found.dims);
        bytes != 0 && outputs[j].data != found.data)
      std::memmove(outputs[j].data, found.data, bytes);
  }
  return {};
}

Expected<std::vector<Value>> Function::invoke(std::span<const Value> arguments) const {
  for (size_t i = 0; i != arguments.size(); ++i)
    if (Status status = arguments[i].check(); !status.ok()) {
      std::string which =
          i < signature().parameters.size() ? argumentText(signature(), i) : text("argument ", i);
      return std::move(status).withContext(which).withContext(name());
    }
  std::vector<Value> results(signature().results.size());
  std::lock_guard<ModuleLock> guard(loaded->lock);
  RELAX_RETURN_IF_ERROR(loaded->environment.interpreter->invoke(index, arguments, results));
  return results;
}

Value Function::value() const { return Value::function(loaded, index); }

Expected<std::vector<std::vector<int64_t>>>
Function::resultDims(std::span<const TensorView> inputs) const {
  std::lock_guard<ModuleLock> guard(loaded->lock);
  if (Frame *frame = loaded->environment.frames[index].get())
    return frame->resultDims(inputs);
  return Status(StatusCode::Unsupported,
                text(name(), ": the sizes of its results are known only after a call: use invoke"));
}

} // namespace relax::runtime
