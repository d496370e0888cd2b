#include "llm/Statistics.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/Text.h"
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/LibraryFlags.h"
#include "tools/relax/Model.h"
#include "tools/relax/Passes.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>

#include <filesystem>

namespace relax::tool {
namespace {

struct Options {
  CompileRequest request;
  std::string output;
  bool listPasses = false;
};

/// Whether `path` is something to compile.
Status checkInput(const std::string &path) {
  auto kind = fileKind(path);
  if (!kind)
    return kind.takeStatus();
  if (*kind == FileKind::Artifact)
    return Status(StatusCode::InvalidFile, path + ": found a compiled model (.rlx), expected a "
                                                  "GGUF file or text IR (.mlir)");
  if (*kind == FileKind::Other && !path.ends_with(".mlir"))
    return Status(StatusCode::InvalidFile,
                  path + ": found neither a GGUF file nor text IR (.mlir)");
  return {};
}

/// Whether `output` can be written without harm: better said before the compilation than after it.
Status checkOutput(const std::string &output, const std::string &input) {
  std::error_code error;
  const auto refused = [&](const std::string &why) {
    return Status(StatusCode::Io, fmt::format("{}: can't be written: {}", output, why));
  };
  const std::filesystem::path folder = std::filesystem::path(output).parent_path();
  if (!folder.empty() && !std::filesystem::is_directory(folder, error))
    return refused("there is no folder " + folder.string());
  if (std::filesystem::is_directory(output, error))
    return refused("it is a folder");
  if (std::filesystem::equivalent(output, input, error))
    return refused("it is the model itself");
  return {};
}

Status run(const Options &options) {
  if (options.listPasses)
    return listPasses();
  if (options.request.input.empty() || options.output.empty())
    return Status(StatusCode::InvalidArgument,
                  options.request.input.empty() ? "MODEL is required" : "--output is required");
  RELAX_RETURN_IF_ERROR(checkInput(options.request.input));
  RELAX_RETURN_IF_ERROR(checkOutput(options.output, options.request.input));
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  const llm::Stopwatch watch;
  auto bytes = compiler->compile(options.request);
  if (!bytes)
    return bytes.takeStatus();
  RELAX_RETURN_IF_ERROR(writeFileAtomically(options.output, *bytes));
  fmt::print(stderr, "{}: {}, compiled in {:.2f} s\n", options.output, byteText(bytes->size()),
             watch.seconds());
  return {};
}

} // namespace

void addCompile(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("compile", "Compile a model, once for all its shapes");
  auto options = std::make_shared<Options>();
  CompileRequest &request = options->request;
  command.add_option("MODEL", request.input, "A .gguf file, or a program as text IR (.mlir)")
      ->type_name("");
  command.add_option("-o,--output", options->output, "The artifact to write")
      ->type_name("FILE.rlx");
  addTarget(command, request.target,
            "The machines that it shall run on; of several, each runs the best that it can",
            /*several=*/true);
  addActivations(command, request.activations,
                 "How kernels see a layer's inputs: int8 (fast), int16 (nearly exact), float32");
  addCacheType(command, request.cacheType,
               "Elements of the cache of keys and values: f32, f16 or q8_0 (8 bits, half of f16's "
               "memory); the default is f16 with int8 activations, else f32");
  command
      .add_option("--context", request.context,
                  "Tokens of a sequence at most; 0: the model's own limit")
      ->check(CLI::Range(int64_t(0), int64_t(INT32_MAX)))
      ->capture_default_str()
      ->type_name("N");
  addPassFlags(command, request);
  command.add_flag("--list-passes", options->listPasses, "Print the passes and leave");
  addLibraryFlags(command, request);
  command.add_flag("--timing", request.timing,
                   "Print the time of each pass, and which changed nothing");
  command
      .add_option("--dump-ir", request.dumpFolder,
                  "Write the program after each pass into this folder")
      ->type_name("DIR");
  command.footer("Examples:\n"
                 "  relax compile model.gguf -o model.rlx\n"
                 "  relax compile model.gguf -o model.rlx --target x86-64-v3 --timing\n"
                 "  relax compile model.gguf -o model.rlx --target "
                 "x86-64-v2,x86-64-v3,x86-64-v4+avx512vnni\n"
                 "  relax compile program.mlir -o program.rlx --dump-ir /tmp/passes\n"
                 "An artifact is native code: run only those whose origin you trust. It refers to "
                 "the\nmodel's file for the weights, so keep that where it is.");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
