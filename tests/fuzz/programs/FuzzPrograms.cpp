// Random programs through the whole pipeline, compared with the interpreter.
//
//   fuzz_programs --count 1000 [--seed 1] [--ops 12] [--keep FOLDER]   programs seed, seed + 1, …
//   fuzz_programs --seed 17 --count 1 --print                          shows one
//
// A find is cut down to the fewest ops that still show it, printed, and kept in FOLDER.

#include "compiler/driver/Dialects.h"
#include "tests/fuzz/programs/Generator.h"
#include "tests/fuzz/programs/Runner.h"

#include "mlir/IR/MLIRContext.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <unistd.h>

using namespace mlir;
using namespace relax;

namespace {

struct Settings {
  uint64_t seed = 1, count = 300;
  unsigned ops = 12;
  unsigned maxFinds = 1;
  bool print = false;
  std::string keep;
};

class Campaign {
public:
  explicit Campaign(Settings settings)
      : settings(std::move(settings)), file(std::filesystem::temp_directory_path() /
                                            fmt::format("relax-fuzz-{}.mlir", ::getpid())) {}
  ~Campaign() {
    std::error_code ignored;
    std::filesystem::remove(file, ignored);
  }

  int run() {
    auto start = std::chrono::steady_clock::now();
    for (uint64_t i = 0; i != settings.count; ++i) {
      uint64_t seed = settings.seed + i;
      fuzz::Outcome outcome = tryOne(seed, settings.ops);
      if (!outcome.failure.empty()) {
        report(seed);
        if (++finds >= settings.maxFinds)
          break;
      }
      total.calls += outcome.calls;
      total.refused += outcome.refused;
      total.tensors += outcome.tensors;
      total.unstable += outcome.unstable;
      if ((i + 1) % 1000 == 0)
        fmt::print(stderr, "{} programs\n", i + 1);
      std::fflush(stdout);
    }
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    fmt::print("{} programs in {:.0f} s: {} calls compared, {} refused by both sides, {} result "
               "tensors compared, {} of which rounding decides left out, {} finds\n",
               settings.count, spent.count(), total.calls, total.refused, total.tensors,
               total.unstable, finds);
    return finds ? 1 : 0;
  }

private:
  fuzz::Outcome tryOne(uint64_t seed, unsigned ops) {
    // A context of its own, so that types and names of earlier programs don't pile up.
    DialectRegistry registry;
    driver::registerCompilerDialects(registry);
    MLIRContext context(registry, MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    OwningOpRef<ModuleOp> module = fuzz::Generator(&context, seed, ops).generate();
    if (settings.print) {
      std::string text;
      llvm::raw_string_ostream(text) << *module;
      fmt::print("{}\n", text);
    }
    return fuzz::runProgram(*module, seed, file.string());
  }

  void report(uint64_t seed) {
    fuzz::Outcome smallest;
    unsigned ops = 1;
    for (; ops <= settings.ops; ++ops)
      if (smallest = tryOne(seed, ops); !smallest.failure.empty())
        break;
    std::ifstream text(file);
    fmt::print("seed {} with {} ops: {}\n{}\n", seed, ops, smallest.failure,
               std::string(std::istreambuf_iterator<char>(text), {}));
    if (!settings.keep.empty()) {
      std::error_code ignored;
      std::filesystem::create_directories(settings.keep, ignored);
      std::filesystem::copy_file(
          file, std::filesystem::path(settings.keep) / fmt::format("find-{}.mlir", seed),
          std::filesystem::copy_options::overwrite_existing, ignored);
    }
  }

  Settings settings;
  std::filesystem::path file;
  fuzz::Outcome total;
  unsigned finds = 0;
};

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  CLI::App app("Random programs, compiled and interpreted");
  app.add_option("--seed", settings.seed, "The first program");
  app.add_option("--count", settings.count, "How many programs");
  app.add_option("--ops", settings.ops, "Ops of a program at most");
  app.add_option("--max-finds", settings.maxFinds, "Stop after so many");
  app.add_option("--keep", settings.keep, "A folder for the texts of finds");
  app.add_flag("--print", settings.print, "Print each program first");
  CLI11_PARSE(app, argc, argv);
  return Campaign(settings).run();
}
