// `relax view`: a compilation as a page to look at.
#include "llm/Statistics.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/Text.h"
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
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
};

Status run(Options &options) {
  auto kind = fileKind(options.request.input);
  if (!kind)
    return kind.takeStatus();
  if (*kind != FileKind::Gguf && !options.request.input.ends_with(".mlir"))
    return Status(StatusCode::InvalidFile,
                  options.request.input + ": found neither a GGUF file nor text IR (.mlir)");
  if (options.output.empty())
    options.output = std::filesystem::path(options.request.input).stem().string() + ".html";
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  const llm::Stopwatch watch;
  auto page = compiler->view(options.request);
  if (!page)
    return page.takeStatus();
  RELAX_RETURN_IF_ERROR(writeFileAtomically(options.output, *page));
  fmt::print(stderr, "{}: {}, made in {:.2f} s; open it in a browser\n", options.output,
             byteText(page->size()), watch.seconds());
  return {};
}

} // namespace

void addView(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand("view", "Write a page that shows what the compiler does");
  auto options = std::make_shared<Options>();
  CompileRequest &request = options->request;
  command.add_option("FILE", request.input, "A .gguf file, or a program as text IR (.mlir)")
      ->type_name("")
      ->required();
  command
      .add_option("-o,--output", options->output, "The page; without it, the file's name as .html")
      ->type_name("PAGE.html");
  addTarget(command, request.target, "The machine that is compiled for");
  addActivations(command, request.activations, "As for `relax compile`");
  addCacheType(command, request.cacheType, "As for `relax compile`");
  addPassFlags(command, request);
  command.footer(
      "Examples:\n"
      "  relax view program.mlir\n"
      "  relax view model.gguf -o model.html --disable-pass group-kernels\n"
      "The page needs no network: the module after each pass, the graph, the kernels, the "
      "memory\nplan and the guards.");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
