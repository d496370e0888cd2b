#include "tools/relax/Model.h"

#include "compiler/importers/gguf/File.h"
#include "llm/Statistics.h"
#include "runtime/artifact/Load.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/MappedFile.h"
#include "tools/relax/CompileCache.h"
#include "tools/relax/MemorySize.h"
#include "tools/relax/Passes.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <filesystem>

namespace relax::tool {
namespace {

constexpr int64_t maxThreads = 1024;

/// What all loading has in common. `progress` shows it where it takes long.
runtime::LoadOptions loadOptions(const ModelFlags &flags, ProgressLine &progress) {
  runtime::LoadOptions options;
  options.threads = static_cast<unsigned>(flags.threads);
  options.memoryLimit = flags.memoryLimit;
  options.keepStates = flags.keepPacked;
  options.target = codeTarget(flags.target);
  options.progress = [&progress](double share) {
    progress.show(fmt::format("packing the weights: {:.0f} %", 100 * share));
  };
  return options;
}

/// Packed weights are as large as models: those of few are kept.
void prunePacked(const ModelFlags &flags) {
  constexpr size_t maxModels = 4;
  if (const std::string folder = cacheFolder(); flags.keepPacked && !folder.empty())
    pruneCache(folder + "/states", "", maxModels, UINT64_MAX);
}

Expected<runtime::Module> loadCompiled(const CompiledModel &compiled, const ModelFlags &flags,
                                       const std::string &weightsPath) {
  ProgressLine progress;
  runtime::LoadOptions options = loadOptions(flags, progress);
  options.weightsPath = weightsPath;
  options.modelName = flags.model;
  auto module =
      compiled.path.empty()
          ? runtime::Module::loadBytes(compiled.bytes, flags.model + " (compiled)", options)
          : runtime::Module::load(compiled.path, options);
  prunePacked(flags);
  return module;
}

/// The context to compile for; 0: the model's own, which serves every smaller one. A larger one
/// must be compiled in; so must one for which the model has other rotary factors (LongRope).
int64_t compiledContext(const Metadata &metadata, int64_t context) {
  const auto architecture = metadata.string("general.architecture", "");
  if (!architecture || context == 0)
    return 0; // What is wrong with it the compiler says.
  const auto trained = metadata.integer(*architecture + ".context_length", 0);
  const auto original =
      metadata.integer(*architecture + ".rope.scaling.original_context_length", 0);
  const bool own = trained && original && context <= *trained && context > *original;
  return own ? 0 : context;
}

/// Where the weights are, for the runtime: the file, or the folder of a model of several.
std::string weightsPath(const gguf::File &file) {
  if (file.parts().size() == 1)
    return file.path();
  const std::string folder = std::filesystem::path(file.path()).parent_path().string();
  return folder.empty() ? "." : folder;
}

/// A .gguf, through the cache. `seconds` becomes the time of the compilation.
Expected<runtime::Module> loadGguf(const ModelFlags &flags, double &seconds) {
  CompileRequest request;
  request.input = flags.model;
  request.activations = flags.activations;
  request.cacheType = flags.cacheType;
  request.target = flags.target;
  request.disabled = flags.disabled;
  auto file = gguf::File::open(flags.model);
  if (!file)
    return file.takeStatus();
  request.context = compiledContext(file->metadata(), flags.context);
  const std::string weights = weightsPath(*file);
  auto compiled = compiledModel(request, /*refresh=*/false);
  if (!compiled)
    return compiled.takeStatus();
  auto module = loadCompiled(*compiled, flags, weights);
  // A damaged cache, or another file of weights with the same header: what is compiled now fits.
  const bool retry = !module && compiled->fromCache &&
                     module.status().code() != StatusCode::ResourceExhausted &&
                     module.status().code() != StatusCode::Cancelled;
  if (retry) {
    reportNote(fmt::format("compiling again, because what the cache has does not fit: {}",
                           module.status().message()));
    compiled = compiledModel(request, /*refresh=*/true);
    if (!compiled)
      return compiled.takeStatus();
    module = loadCompiled(*compiled, flags, weights);
  }
  seconds = compiled->compileSeconds;
  return module;
}

Expected<runtime::Module> loadArtifact(const ModelFlags &flags) {
  if (flags.activationsGiven || flags.cacheTypeGiven || !flags.disabled.empty())
    return Status(StatusCode::InvalidArgument,
                  fmt::format("{}: --activations, --cache-type and --disable-pass are decided when "
                              "a model is compiled; this one is compiled already",
                              flags.model));
  ProgressLine progress;
  auto module = runtime::Module::load(flags.model, loadOptions(flags, progress));
  prunePacked(flags);
  return module;
}

/// Says what the user may not expect of the context.
void noteContext(const ModelFlags &flags, const llm::Engine &engine) {
  if (engine.context() > engine.trainedContext())
    reportNote(fmt::format("the context of {} tokens is longer than the {} that the model was "
                           "trained with: answers get worse beyond those",
                           engine.context(), engine.trainedContext()));
  if (flags.context == 0 && engine.context() < engine.compiledContext())
    reportNote(fmt::format("the context is {} tokens instead of {}, which the memory of this "
                           "machine has no room for",
                           engine.context(), engine.compiledContext()));
}

Status unknownKind(const std::string &path) {
  return Status(StatusCode::InvalidFile,
                fmt::format("{}: found neither a GGUF file nor a compiled model (.rlx)", path));
}

} // namespace

void ModelFlags::describe(CLI::App &command, bool running) {
  command.add_option("MODEL", model, "A .gguf file, or a .rlx that `relax compile` made")
      ->type_name("")
      ->required();
  if (!running)
    return;
  command
      .add_option_function<std::string>(
          "--activations",
          [this](const std::string &value) {
            activations = value;
            activationsGiven = true;
          },
          "How kernels see a layer's inputs: int8 (fast, the default), int16 (nearly exact at "
          "the same speed in decoding), float32 (exact)")
      ->check(isActivations())
      ->type_name("MODE");
  command
      .add_option_function<std::string>(
          "--cache-type",
          [this](const std::string &value) {
            cacheType = value;
            cacheTypeGiven = true;
          },
          "Elements of the cache of keys and values: f32, f16 or q8_0 (8 bits, half of f16's "
          "memory); "
          "the default is f16 with int8 activations, else f32")
      ->check(isCacheType())
      ->type_name("TYPE");
  addTarget(command, target,
            "The machine that a .gguf is compiled for; of a .rlx, which of its code runs");
  addDisablePass(command, disabled);
  command.add_option("--threads", threads, "Threads to compute with; 0, the default: all cores")
      ->check(CLI::Range(int64_t(0), maxThreads))
      ->type_name("N");
  command
      .add_option("--context", context,
                  "Tokens of a sequence at most; 0, the default: the model's own limit")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->type_name("N");
  addMemoryLimit(command, memoryLimit);
  command.add_flag("--keep-packed", keepPacked,
                   "Keep the packed weights in the cache folder, so that later starts needn't pack "
                   "them; they take as much room as the model");
}

Expected<FileKind> fileKind(const std::string &path) {
  auto file = MappedFile::open(path);
  // A folder, say: whatever it is, it is the file that is wrong and not the flags.
  if (!file && file.status().code() == StatusCode::InvalidArgument)
    return Status(StatusCode::InvalidFile, file.status().message());
  if (!file)
    return file.takeStatus();
  const auto bytes = file->bytes();
  if (artifact::isArtifact(bytes))
    return FileKind::Artifact;
  if (bytes.size() >= 4 &&
      std::string_view(reinterpret_cast<const char *>(bytes.data()), 4) == "GGUF")
    return FileKind::Gguf;
  return FileKind::Other;
}

Expected<Metadata> readMetadata(const std::string &path) {
  auto kind = fileKind(path);
  if (!kind)
    return kind.takeStatus();
  if (*kind == FileKind::Gguf) {
    auto file = gguf::File::open(path);
    if (!file)
      return file.takeStatus();
    return file->metadata();
  }
  if (*kind == FileKind::Artifact) {
    auto loaded = artifact::loadFile(path);
    if (!loaded)
      return loaded.takeStatus();
    return std::move(loaded->module.metadata);
  }
  return unknownKind(path);
}

Expected<LoadedModel> loadModel(const ModelFlags &flags, int64_t sequences) {
  auto kind = fileKind(flags.model);
  if (!kind)
    return kind.takeStatus();
  if (*kind == FileKind::Other)
    return unknownKind(flags.model);
  const llm::Stopwatch watch;
  double compileSeconds = 0;
  auto module = *kind == FileKind::Gguf ? loadGguf(flags, compileSeconds) : loadArtifact(flags);
  if (!module)
    return module.takeStatus();
  auto engine =
      llm::Engine::create(std::move(*module), {.context = flags.context, .sequences = sequences});
  if (!engine)
    return engine.takeStatus();
  noteContext(flags, *engine);
  return LoadedModel{std::move(*engine), compileSeconds, watch.seconds() - compileSeconds};
}

} // namespace relax::tool
