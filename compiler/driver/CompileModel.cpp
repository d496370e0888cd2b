#include "compiler/driver/CompileModel.h"

#include "compiler/dialect/BlockFormat.h"
#include "compiler/dialect/Relax.h"
#include "compiler/driver/Dialects.h"
#include "compiler/driver/EmitArtifact.h"
#include "compiler/driver/InspectGuards.h"
#include "compiler/driver/Locations.h"
#include "compiler/driver/PassPlugins.h"
#include "compiler/driver/PassTrace.h"
#include "compiler/driver/Pipeline.h"
#include "compiler/importers/gguf/File.h"
#include "compiler/importers/text/ReadText.h"
#include "compiler/kernels/Passes.h"
#include "compiler/targets/cpu/CompileKernels.h"
#include "compiler/targets/cpu/CpuTarget.h"
#include "models/LanguageModel.h"
#include "runtime/artifact/ContentHash.h"
#include "runtime/artifact/Serialize.h"
#include "runtime/support/CacheFolder.h"
#include "runtime/support/MappedFile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/SourceMgr.h"

#include <fmt/format.h>

#include <filesystem>

using namespace mlir;

namespace relax::driver {
namespace {

constexpr const char *version = "relax 0.1.0 (LLVM " LLVM_VERSION_STRING ")";

/// Collects MLIR's diagnostics as text for a Status; warnings go to the observer.
class DiagnosticCollector {
public:
  DiagnosticCollector(MLIRContext *context, const CompileObserver &observer)
      : handler(context, [this, &observer](Diagnostic &diagnostic) {
          if (diagnostic.getSeverity() == DiagnosticSeverity::Error)
            append(diagnostic);
          else if (observer.message)
            observer.message(textOf(diagnostic));
          return success();
        }) {}

  [[nodiscard]] bool hasError() const { return !text.empty(); }
  Status take(StatusCode code, const std::string &otherwise) {
    return Status(code, text.empty() ? otherwise : text);
  }

private:
  static std::string textOf(Diagnostic &diagnostic) {
    std::string line;
    llvm::raw_string_ostream stream(line);
    if (std::string place = locationText(diagnostic.getLocation()); !place.empty())
      stream << place << ": ";
    stream << diagnostic;
    return line;
  }
  void append(Diagnostic &diagnostic) {
    if (!text.empty())
      text += "\n";
    text += textOf(diagnostic);
    for (Diagnostic &note : diagnostic.getNotes())
      text += "\n  note: " + textOf(note);
  }

  std::string text;
  ScopedDiagnosticHandler handler;
};

/// Says which stage runs; the fractions are shares of a typical compilation's time.
struct Progress {
  const CompileObserver &observer;
  Status operator()(const std::string &stage, double fraction) const {
    if (observer.progress)
      observer.progress(stage, fraction);
    if (observer.cancelled && observer.cancelled())
      return Status(StatusCode::Cancelled, "the compilation was cancelled during " + stage);
    return {};
  }
};

using Input = ImportedModel;

Expected<Input> importGguf(MLIRContext *context, const CompileOptions &options,
                           DiagnosticCollector &diagnostics) {
  Expected<gguf::File> file = gguf::File::open(options.input);
  if (!file)
    return file.takeStatus();
  models::ModelOptions modelOptions;
  modelOptions.cacheType = options.cacheType;
  modelOptions.contextLimit = options.context;
  modelOptions.hashWeights = true;
  Expected<OwningOpRef<ModuleOp>> module = models::buildLanguageModel(context, *file, modelOptions);
  if (!module)
    return module.takeStatus();
  if (diagnostics.hasError())
    return diagnostics.take(StatusCode::InvalidFile, "");
  Input input;
  input.module = std::move(*module);
  Expected<Metadata> metadata = models::modelMetadata(*file, modelOptions);
  if (!metadata)
    return metadata.takeStatus();
  input.metadata = std::move(*metadata);
  for (const gguf::Part &part : file->parts()) {
    std::error_code error;
    std::filesystem::path absolute = std::filesystem::absolute(part.path, error);
    artifact::WeightsFile weights;
    weights.path = error ? part.path : absolute.string();
    weights.size = part.bytes.size();
    weights.headerHash = artifact::contentHash(
        part.bytes.first(std::min<size_t>(part.bytes.size(), artifact::headerHashBytes)));
    input.files.push_back(std::move(weights));
  }
  return input;
}

Expected<Input> importText(MLIRContext *context, const std::string &path,
                           DiagnosticCollector &diagnostics) {
  if (!std::filesystem::exists(path))
    return Status(StatusCode::NotFound, path + ": no such file");
  Input input;
  input.module = text::readText(path, context);
  if (!input.module)
    return diagnostics.take(StatusCode::InvalidFile, path + ": not readable as text IR");
  return input;
}

bool endsWith(const std::string &text, const char *suffix) {
  return llvm::StringRef(text).ends_with(suffix);
}

Expected<Input> import(MLIRContext *context, const CompileOptions &options,
                       DiagnosticCollector &diagnostics) {
  for (const std::string &path : options.blockFormats)
    if (failed(ir::addBlockFormatFile(context, path)))
      return diagnostics.take(StatusCode::InvalidFile, path + ": no weight format");
  // A model has its magic, whatever the file is called; the reader says what it found instead.
  return endsWith(options.input, ".mlir") ? importText(context, options.input, diagnostics)
                                          : importGguf(context, options, diagnostics);
}

/// The scheduled kernels that are called, in a module of their own.
OwningOpRef<ModuleOp> takeKernels(ModuleOp module, const artifact::Module &artifact) {
  OwningOpRef<ModuleOp> kernels = ModuleOp::create(module.getLoc());
  for (const artifact::Kernel &kernel : artifact.kernels)
    module.lookupSymbol<func::FuncOp>(kernel.name)
        ->moveBefore(kernels->getBody(), kernels->getBody()->end());
  // What they use: parts of them (kernels/Siblings.h), and tables.
  for (Operation &op : llvm::make_early_inc_range(*module.getBody()))
    if (op.hasAttr("relax.kernel_part") || isa<memref::GlobalOp>(op))
      op.moveBefore(kernels->getBody(), kernels->getBody()->end());
  return kernels;
}

/// The libraries that may be called, and where their measurements are.
libraries::ClaimOptions librariesOf(const CompileOptions &options) {
  libraries::ClaimOptions claims = options.libraries;
  if (claims.libraries.empty() && endsWith(options.input, ".mlir"))
    claims.libraries = {"auto"};
  if (llvm::is_contained(claims.libraries, "none"))
    claims.libraries.clear();
  std::string folder = claims.libraries.empty() ? "" : cacheFolder();
  if (claims.thresholds.empty() && !folder.empty())
    claims.thresholds = folder + "/dispatch.json";
  return claims;
}

Status runPasses(ModuleOp module, const CompileOptions &options, const CompileObserver &observer,
                 DiagnosticCollector &diagnostics, std::vector<PassRecord> &records) {
  if (!options.dumpFolder.empty()) {
    std::error_code error;
    std::filesystem::create_directories(options.dumpFolder, error);
    if (error)
      return Status(StatusCode::Io, options.dumpFolder + ": can't be created: " + error.message());
  }
  PassManager pm(module.getContext());
  PassTrace::Options trace;
  trace.timing = options.timing;
  trace.dumpFolder = options.dumpFolder;
  trace.before = observer.before;
  trace.after = observer.after;
  if (observer.progress)
    trace.onStage = [&, step = 0](const std::string &stage) mutable {
      observer.progress(stage, std::min(0.15 + 0.02 * step++, 0.4));
    };
  pm.addInstrumentation(std::make_unique<PassTrace>(std::move(trace), records));
  PipelineOptions pipeline;
  pipeline.activations = options.activations;
  pipeline.libraries = librariesOf(options);
  pipeline.disabled = options.disabled;
  pipeline.verifyEach |= options.verifyEach;
  pipeline.inserted = options.inserted;
  pipeline.fusionPatterns = options.fusionPatterns;
  RELAX_RETURN_IF_ERROR(limitApplications(*module.getContext(), options.limit, pipeline));
  if (observer.after)
    observer.after("import", module);
  buildPipeline(pm, pipeline);
  const LogicalResult ran = pm.run(module);
  // Code generation has passes of its own, which no limit is about.
  module.getContext()->registerActionHandler(nullptr);
  if (failed(ran))
    return diagnostics.take(StatusCode::InvalidFile, options.input + ": compilation failed");
  return {};
}

/// One way from a module to the bytes of an artifact, with the time of each step.
class Compilation {
public:
  Compilation(MLIRContext *context, const CompileOptions &options, const CompileObserver &observer,
              DiagnosticCollector &diagnostics)
      : context(context), options(options), observer(observer), diagnostics(diagnostics) {}

  /// Checks the options.
  Status begin() {
    if (options.activations != "int8" && options.activations != "int16" &&
        options.activations != "float32")
      return Status(StatusCode::InvalidArgument, "unknown activations '" + options.activations +
                                                     "'; expected int8, int16 or float32");
    RELAX_RETURN_IF_ERROR(checkDisabled(options.disabled));
    RELAX_RETURN_IF_ERROR(loadPassPlugins(options.plugins));
    RELAX_RETURN_IF_ERROR(checkInserted(options.inserted));
    std::string error;
    levels = targets::targetsByNames(context, options.target, error);
    if (levels.empty())
      return Status(StatusCode::InvalidArgument, error);
    return progress("import", 0);
  }

  Expected<std::vector<uint8_t>> compile(ModuleOp module, Metadata metadata,
                                         std::vector<artifact::WeightsFile> files) {
    module->setAttr(ir::RelaxDialect::targetAttr, levels.front());
    if (levels.size() > 1)
      module->setAttr(
          kernels::moreTargetsAttr,
          ArrayAttr::get(context, llvm::to_vector_of<Attribute>(ArrayRef(levels).drop_front())));
    record("import");
    RELAX_RETURN_IF_ERROR(runPasses(module, options, observer, diagnostics, records));
    if (options.passesOnly)
      return std::vector<uint8_t>();
    start = std::chrono::steady_clock::now();
    artifact::Module artifact;
    artifact.compilerVersion = version;
    artifact.metadata = std::move(metadata);
    artifact.files = std::move(files);
    if (failed(emitArtifact(module, artifact)))
      return diagnostics.take(StatusCode::InvalidFile, options.input + ": compilation failed");
    if (std::vector<std::string> proved = provedGuards(module); !proved.empty())
      artifact.metadata.set(provedGuardsKey, std::move(proved));
    record("emit");
    RELAX_RETURN_IF_ERROR(progress("code", 0.4));
    if (!artifact.kernels.empty()) {
      RELAX_RETURN_IF_ERROR(addCode(module, levels.front(), artifact));
      for (auto [level, target] :
           llvm::zip_equal(module.getOps<ModuleOp>(), ArrayRef(levels).drop_front()))
        RELAX_RETURN_IF_ERROR(addCode(level, target, artifact));
    }
    record("code");
    Expected<std::vector<uint8_t>> bytes = artifact::serialize(artifact);
    record("package");
    if (options.timing && observer.message)
      for (const std::string &line : timingTable(records))
        observer.message(line);
    if (bytes)
      RELAX_RETURN_IF_ERROR(progress("done", 1));
    return bytes;
  }

private:
  Status addCode(ModuleOp module, ir::TargetAttr target, artifact::Module &artifact) {
    OwningOpRef<ModuleOp> kernels = takeKernels(module, artifact);
    FailureOr<std::string> image = targets::compileKernels(
        *kernels, target,
        options.quickCode ? targets::CodeEffort::Quick : targets::CodeEffort::Full);
    if (failed(image))
      return diagnostics.take(StatusCode::Internal, options.input + ": code generation failed");
    artifact::CodeObject object;
    object.target = targets::targetText(target);
    for (StringAttr feature : target.getFeatures())
      object.features.push_back(feature.str());
    object.image = artifact::Bytes(std::vector<uint8_t>(image->begin(), image->end()));
    artifact.objects.push_back(std::move(object));
    return {};
  }

  void record(const char *name) {
    auto now = std::chrono::steady_clock::now();
    records.push_back({name, std::chrono::duration<double>(now - start).count(), true});
    start = now;
  }

  MLIRContext *context;
  const CompileOptions &options;
  const CompileObserver &observer;
  DiagnosticCollector &diagnostics;
  Progress progress{observer};
  /// What is compiled for; the passes before schedule-kernels go by the first, the least.
  SmallVector<ir::TargetAttr> levels;
  std::chrono::steady_clock::time_point start = std::chrono::steady_clock::now();
  std::vector<PassRecord> records;
};

} // namespace

const char *compilerVersion() { return version; }

Expected<std::vector<uint8_t>> compileModel(const CompileOptions &options,
                                            const CompileObserver &observer) {
  DialectRegistry registry;
  registerCompilerDialects(registry);
  MLIRContext context(registry);
  context.printOpOnDiagnostic(false); // Its place says it, in the words of the file.
  context.loadAllAvailableDialects();
  DiagnosticCollector diagnostics(&context, observer);
  Compilation compilation(&context, options, observer, diagnostics);
  RELAX_RETURN_IF_ERROR(compilation.begin());
  Expected<Input> input = import(&context, options, diagnostics);
  if (!input)
    return input.takeStatus();
  return compilation.compile(*input->module, std::move(input->metadata), std::move(input->files));
}

Expected<ImportedModel> importModel(MLIRContext *context, const CompileOptions &options,
                                    const CompileObserver &observer) {
  DiagnosticCollector diagnostics(context, observer);
  return import(context, options, diagnostics);
}

Expected<std::vector<uint8_t>> compileImported(ImportedModel &model, const CompileOptions &options,
                                               const CompileObserver &observer) {
  DiagnosticCollector diagnostics(model.module->getContext(), observer);
  Compilation compilation(model.module->getContext(), options, observer, diagnostics);
  RELAX_RETURN_IF_ERROR(compilation.begin());
  return compilation.compile(*model.module, model.metadata, model.files);
}

Expected<std::vector<uint8_t>> compileModule(ModuleOp module, const CompileOptions &options,
                                             const CompileObserver &observer) {
  DiagnosticCollector diagnostics(module.getContext(), observer);
  Compilation compilation(module.getContext(), options, observer, diagnostics);
  RELAX_RETURN_IF_ERROR(compilation.begin());
  return compilation.compile(module, {}, {});
}

} // namespace relax::driver
