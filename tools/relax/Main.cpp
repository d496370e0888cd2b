// The `relax` command.
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Terminal.h"

#include "runtime/artifact/Artifact.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <string_view>

namespace relax::tool {

ExitCode exitCodeFor(StatusCode code) {
  switch (code) {
  case StatusCode::Ok:
    return exitSuccess;
  case StatusCode::InvalidArgument:
    return exitUsage;
  case StatusCode::NotFound:
  case StatusCode::InvalidFile:
  case StatusCode::Unsupported:
    return exitBadFile;
  case StatusCode::Cancelled:
    return exitCancelled;
  case StatusCode::ResourceExhausted:
  case StatusCode::Io:
  case StatusCode::Internal:
    break;
  }
  return exitFailure;
}

void onCall(CLI::App &command, int &exitCode, std::function<Status()> body) {
  command.callback([&exitCode, body = std::move(body)] {
    const Status status = body();
    exitCode = exitCodeFor(status.code());
    if (!status.ok())
      reportError(status.message());
  });
}

namespace {

std::string versionText() {
  std::string text = fmt::format("relax {} (artifact format {}, kernel ABI {})", RELAX_VERSION,
                                 artifact::formatVersion, artifact::kernelAbiVersion);
  if (auto compiler = CompilerLibrary::load())
    text += "\ncompiler: " + compiler->version();
  return text;
}

bool isCommand(const CLI::App &app, std::string_view name) {
  for (const CLI::App *command : app.get_subcommands({}))
    if (command->get_name() == name)
      return true;
  return false;
}

int parseAndRun(int argc, char **argv) {
  int exitCode = exitSuccess;
  CLI::App app("Compiles language models once for all shapes, and runs them.");
  app.name("relax");
  app.require_subcommand(1);
  app.set_version_flag("--version", versionText, "Print the versions and leave");
  app.footer("Start here:\n"
             "  relax chat model.gguf                         talk; the first start compiles\n"
             "  relax generate model.gguf -p \"Once upon\"      continue a text\n"
             "  relax compile model.gguf -o model.rlx         compile ahead of time\n"
             "  relax run program.mlir --symbol n=5           run a program on the graph level\n"
             "  relax COMMAND --help                          flags and examples\n"
             "Exit codes: 0 success; 1 the model or the machine failed; 2 wrong usage; 3 a file "
             "that is\nmissing, damaged or of an unknown kind; 130 stopped by Ctrl-C.");
  addChat(app, exitCode);
  addGenerate(app, exitCode);
  addCompile(app, exitCode);
  addRun(app, exitCode);
  addEval(app, exitCode);
  addPerplexity(app, exitCode);
  addTokenize(app, exitCode);
  addDetokenize(app, exitCode);
  addInspect(app, exitCode);
  addBench(app, exitCode);
  addBisect(app, exitCode);
  addView(app, exitCode);
  addVerify(app, exitCode);
  addTuneDispatch(app, exitCode);
  // CLI11 would only say that some command is missing.
  if (argc > 1 && argv[1][0] != '-' && !isCommand(app, argv[1])) {
    reportError(fmt::format("there is no command '{}'; `relax --help` lists them", argv[1]));
    return exitUsage;
  }
  try {
    app.parse(argc, argv);
  } catch (const CLI::Success &success) {
    return app.exit(success); // --help and --version
  } catch (const CLI::ParseError &error) {
    reportError(error.what());
    fmt::print(stderr, "Run `relax --help` or `relax COMMAND --help`.\n");
    return exitUsage;
  }
  return exitCode;
}

} // namespace
} // namespace relax::tool

int main(int argc, char **argv) {
  relax::tool::watchInterrupts();
  // A reader that went away, or a file at its limit, makes writing fail, which is reported.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);
  try {
    return relax::tool::parseAndRun(argc, argv);
  } catch (const std::bad_alloc &) {
    relax::tool::reportError("out of memory");
  } catch (const std::exception &error) {
    relax::tool::reportError(fmt::format("internal error: {}", error.what()));
  }
  return relax::tool::exitFailure;
}
