// Random programs through the whole pipeline, compared with the interpreter.
//
//   fuzz_programs --count 1000 [--seed 1] [--ops 12] [--keep FOLDER]   programs seed, seed + 1, …
//   fuzz_programs --seed 17 --count 1 --print                          shows one
//   fuzz_programs --check-coverage                                     every op is in some program
//   fuzz_programs --corpus FOLDER                                      the programs of its .mlir
//   files
//
// A find is cut down to the fewest ops that still show it, printed, and kept in FOLDER. How a
// program is compiled (RunOptions) follows from the batch that it is in, so finds are looked at
// with the same --batch.

#include "compiler/driver/Dialects.h"
#include "tests/fuzz/programs/Coverage.h"
#include "tests/fuzz/programs/Generator.h"
#include "tests/fuzz/programs/Isolation.h"
#include "tests/fuzz/programs/Runner.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>

using namespace mlir;
using namespace relax;
using nlohmann::json;

namespace {

struct Settings {
  uint64_t seed = 1, count = 300;
  unsigned ops = 12;
  unsigned batch = 16;
  unsigned maxFinds = 1;
  bool print = false, here = false, coverage = false;
  std::string keep, corpus;
};

/// How the batch that has `seed` is compiled.
fuzz::RunOptions optionsFor(uint64_t seed, const Settings &settings) {
  return fuzz::RunOptions::random(seed / settings.batch);
}

class Session {
public:
  Session() : context(makeRegistry(), MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
  }
  MLIRContext context;

private:
  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    driver::registerCompilerDialects(registry);
    return registry;
  }
};

std::string textOf(ModuleOp module) {
  std::string text;
  llvm::raw_string_ostream(text) << module;
  return text;
}

/// A program as text. Its generator or the printer may be what crashes: then that is the text.
std::string programText(uint64_t seed, unsigned ops) {
  fuzz::Isolated outcome = fuzz::runIsolated(
      [&] {
        Session session;
        return textOf(*fuzz::Generator(&session.context, seed, ops, "").generate());
      },
      60);
  return outcome.death.empty() ? outcome.text : "// printing it: " + outcome.death;
}

/// Generates and runs programs, in this process. The result as JSON: a tally, and failures by seed.
json runHere(uint64_t first, uint64_t count, unsigned ops, const fuzz::RunOptions &options,
             bool print) {
  // A context of its own, so that types and names of earlier programs don't pile up.
  Session session;
  std::vector<fuzz::Program> programs(count);
  for (uint64_t i = 0; i != count; ++i) {
    fuzz::Program &program = programs[i];
    program.seed = first + i;
    std::string prefix = fmt::format("s{}_", program.seed);
    program.entry = prefix + "f";
    program.module =
        fuzz::Generator(&session.context, program.seed, ops, std::move(prefix)).generate();
    if (print)
      fmt::print("// seed {}\n{}\n", program.seed, textOf(*program.module));
  }
  fuzz::runPrograms(programs, options);
  json result = {{"calls", 0}, {"refused", 0}, {"tensors", 0}, {"unstable", 0}};
  auto addTo = [&](const char *name, unsigned number) {
    result[name] = result[name].get<uint64_t>() + number;
  };
  for (const fuzz::Program &program : programs) {
    addTo("calls", program.tally.calls);
    addTo("refused", program.tally.refused);
    addTo("tensors", program.tally.tensors);
    addTo("unstable", program.tally.unstable);
    if (!program.failure.empty())
      result["failures"][std::to_string(program.seed)] = program.failure;
  }
  return result;
}

class Campaign {
public:
  explicit Campaign(Settings settings) : settings(std::move(settings)) {}

  int run() {
    auto start = std::chrono::steady_clock::now();
    uint64_t end = settings.seed + settings.count, done = 0;
    for (uint64_t seed = settings.seed; seed < end && finds < settings.maxFinds;) {
      // Up to the end of its batch.
      uint64_t count = std::min<uint64_t>(settings.batch - seed % settings.batch, end - seed);
      runBatch(seed, count);
      seed += count;
      if (done / 1000 != (done + count) / 1000)
        fmt::print(stderr, "{} programs\n", done + count);
      done += count;
    }
    std::chrono::duration<double> spent = std::chrono::steady_clock::now() - start;
    fmt::print("{} programs in {:.0f} s: {} calls compared, {} refused by both sides, {} result "
               "tensors compared, {} of which rounding decides left out, {} finds\n",
               done, spent.count(), count("calls"), count("refused"), count("tensors"),
               count("unstable"), finds);
    return finds ? 1 : 0;
  }

private:
  [[nodiscard]] uint64_t count(const char *name) const { return total.at(name).get<uint64_t>(); }

  /// The failures of some programs by seed; "" for a death of the process that ran several.
  std::map<std::string, std::string> attempt(uint64_t first, uint64_t count, unsigned ops) {
    fuzz::RunOptions options = optionsFor(first, settings);
    fuzz::Isolated outcome;
    if (settings.here)
      outcome.text = runHere(first, count, ops, options, settings.print).dump();
    else
      outcome = fuzz::runIsolated(
          [&] { return runHere(first, count, ops, options, settings.print).dump(); },
          30 + 10 * static_cast<unsigned>(count));
    if (!outcome.death.empty())
      return {{count == 1 ? std::to_string(first) : "", outcome.death}};
    json result = json::parse(outcome.text, nullptr, /*allow_exceptions=*/false);
    if (result.is_discarded())
      return {{count == 1 ? std::to_string(first) : "", "its process gave no result"}};
    for (auto &[name, number] : total.items())
      number = number.get<uint64_t>() + result[name].get<uint64_t>();
    return result.contains("failures")
               ? result["failures"].get<std::map<std::string, std::string>>()
               : std::map<std::string, std::string>();
  }

  void runBatch(uint64_t first, uint64_t count) {
    std::map<std::string, std::string> failures = attempt(first, count, settings.ops);
    // Which of them it was that ended the process.
    if (failures.contains("")) {
      std::string death = failures[""];
      failures.clear();
      for (uint64_t seed = first; seed != first + count; ++seed)
        failures.merge(attempt(seed, 1, settings.ops));
      if (failures.empty())
        reportBatch(first, count, death);
    }
    for (const auto &[seed, failure] : failures)
      report(std::stoull(seed), failure);
  }

  /// Something that no program shows alone.
  void reportBatch(uint64_t first, uint64_t count, const std::string &failure) {
    ++finds;
    fmt::print("seeds {} to {} together ({}): {}\n", first, first + count - 1,
               optionsFor(first, settings).text(), failure);
    std::fflush(stdout);
  }

  void report(uint64_t seed, const std::string &found) {
    ++finds;
    // The beginnings of a program are programs; all are compiled as it was.
    std::string failure = found;
    unsigned ops = settings.ops;
    json ignored = total;
    bool alone = false;
    for (unsigned fewer = 1; fewer <= settings.ops && !alone; ++fewer)
      if (auto failures = attempt(seed, 1, fewer); !failures.empty()) {
        failure = failures.begin()->second;
        ops = fewer;
        alone = true;
      }
    total = ignored;
    std::string text = programText(seed, ops);
    fmt::print("seed {} with {} ops ({}{}): {}\n{}\n", seed, ops, optionsFor(seed, settings).text(),
               alone ? "" : ", only in its batch", failure, text);
    std::fflush(stdout);
    if (settings.keep.empty())
      return;
    std::error_code ignoredError;
    std::filesystem::create_directories(settings.keep, ignoredError);
    for (size_t at = 0; (at = failure.find('\n', at)) != std::string::npos; at += 4)
      failure.replace(at, 1, "\n// ");
    std::ofstream(std::filesystem::path(settings.keep) / fmt::format("find-{}.mlir", seed))
        << "// " << failure << "\n// " << optionsFor(seed, settings).text() << "\n"
        << text;
  }

  Settings settings;
  json total = {{"calls", 0}, {"refused", 0}, {"tensors", 0}, {"unstable", 0}};
  unsigned finds = 0;
};

/// Runs the programs of a folder, with everything on that may find something: what was found once
/// stays found.
int runCorpus(const std::string &folder) {
  int failures = 0, programs = 0;
  for (const auto &entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() != ".mlir")
      continue;
    ++programs;
    fuzz::Isolated outcome = fuzz::runIsolated(
        [&]() -> std::string {
          Session session;
          std::vector<fuzz::Program> list(1);
          list[0].entry = "f";
          list[0].module = parseSourceFile<ModuleOp>(entry.path().string(), &session.context);
          if (!list[0].module)
            return "it can't be read";
          fuzz::RunOptions options;
          options.verifyEach = true;
          options.largeCalls = true;
          options.threads = 2;
          options.quickCode = false;
          fuzz::runPrograms(list, options);
          return list[0].failure;
        },
        60);
    std::string failure = outcome.death.empty() ? outcome.text : outcome.death;
    if (failure.empty())
      continue;
    ++failures;
    fmt::print("{}: {}\n", entry.path().string(), failure);
  }
  fmt::print("{} programs, {} failures\n", programs, failures);
  return programs == 0 || failures != 0 ? 1 : 0;
}

int checkCoverage() {
  Session session;
  std::vector<std::string> wrong = fuzz::missingOps(&session.context);
  for (const std::string &line : wrong)
    fmt::print("{}\n", line);
  return wrong.empty() ? 0 : 1;
}

} // namespace

int main(int argc, char **argv) {
  Settings settings;
  CLI::App app("Random programs, compiled and interpreted");
  app.add_option("--seed", settings.seed, "The first program");
  app.add_option("--count", settings.count, "How many programs");
  app.add_option("--ops", settings.ops, "Ops of a program at most");
  app.add_option("--batch", settings.batch, "Programs that are compiled together")
      ->check(CLI::Range(1, 256));
  app.add_option("--max-finds", settings.maxFinds, "Stop after so many");
  app.add_option("--keep", settings.keep, "A folder for the texts of finds");
  app.add_flag("--print", settings.print, "Print each program first");
  app.add_flag("--in-process", settings.here, "Without a process for each batch, for debuggers");
  app.add_option("--corpus", settings.corpus, "Run the programs of this folder instead")
      ->check(CLI::ExistingDirectory);
  app.add_flag("--check-coverage", settings.coverage, "Only check that every op can be made");
  CLI11_PARSE(app, argc, argv);
  if (!settings.corpus.empty())
    return runCorpus(settings.corpus);
  return settings.coverage ? checkCoverage() : Campaign(settings).run();
}
