// `relax bisect`: which application of which pass makes a result wrong, or the compiler crash.
//
// Every probe is an ordinary `relax run --pass-limit N` (or `relax compile`, for a model) in a
// process of its own, so that crashes and endless loops are survived, and so that what is found can
// be tried by hand. Passes that can be disabled are counted as they run; the search halves the
// range between a number that is good and one that is bad, then does the same with the steps inside
// the pass that it found.
#include "runtime/artifact/Artifact.h"
#include "tools/relax/ChildProcess.h"
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Lists.h"
#include "tools/relax/NpyFile.h"
#include "tools/relax/Numbers.h"
#include "tools/relax/Passes.h"
#include "tools/relax/TargetFlags.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace relax::tool {
namespace {

namespace fs = std::filesystem;

struct Options {
  CompileRequest request;
  std::string function;
  std::vector<std::string> inputs, symbols, expected;
  uint64_t seed = 0;
  int64_t seconds = 120;
  double tolerance = 1e-4;
  bool compare = false, crash = false;
};

/// A folder that goes away with its files.
class TemporaryFolder {
public:
  static Expected<TemporaryFolder> make() {
    std::string pattern = (fs::temp_directory_path() / "relax-bisect-XXXXXX").string();
    if (!::mkdtemp(pattern.data()))
      return Status(StatusCode::Io, pattern + ": can't be made");
    return TemporaryFolder(pattern);
  }
  TemporaryFolder(TemporaryFolder &&other) noexcept : path(std::exchange(other.path, {})) {}
  TemporaryFolder &operator=(TemporaryFolder &&) = delete;
  ~TemporaryFolder() {
    std::error_code error;
    if (!path.empty())
      fs::remove_all(path, error);
  }
  [[nodiscard]] std::string file(const std::string &name) const { return path + "/" + name; }

private:
  explicit TemporaryFolder(std::string path) : path(std::move(path)) {}
  std::string path;
};

/// Where the elements of two arrays differ by more than `tolerance` of the largest; empty if
/// nowhere.
std::string difference(const Array &found, const Array &expected, double tolerance) {
  if (found.dims != expected.dims)
    return fmt::format("[{}] instead of [{}]", fmt::join(found.dims, ", "),
                       fmt::join(expected.dims, ", "));
  double scale = 1;
  for (size_t i = 0; i < expected.count(); ++i)
    if (const double value = elementAt(expected, i); std::isfinite(value))
      scale = std::max(scale, std::fabs(value));
  for (size_t i = 0; i < expected.count(); ++i) {
    const double a = elementAt(found, i), b = elementAt(expected, i);
    const bool same = a == b || (std::isnan(a) && std::isnan(b)) ||
                      (isFloat(found.dtype) && std::fabs(a - b) <= tolerance * scale);
    if (!same)
      return fmt::format("element {} is {}, expected {}", i, elementText(found, i),
                         elementText(expected, i));
  }
  return {};
}

/// What one probe showed.
struct Probe {
  bool bad = false;
  std::string why;
  std::vector<std::string> log; ///< The lines of --pass-log.
  [[nodiscard]] int64_t count(std::string_view kind) const {
    return std::ranges::count_if(log,
                                 [&](const std::string &line) { return line.starts_with(kind); });
  }
};

class Bisection {
public:
  Bisection(const Options &options, TemporaryFolder &folder) : options(options), folder(folder) {}

  Status run();

private:
  Expected<Probe> probe(const std::string &limit);
  Expected<int64_t> search(int64_t good, int64_t bad, const std::string &prefix, Probe &found);
  Status findStep(int64_t pass, const std::string &name);
  /// The command of a probe, for people.
  [[nodiscard]] std::string command(const std::string &limit) const {
    return fmt::format("relax {}", fmt::join(arguments(limit), " "));
  }
  [[nodiscard]] std::vector<std::string> arguments(const std::string &limit) const;
  [[nodiscard]] bool runsProgram() const { return options.request.input.ends_with(".mlir"); }

  const Options &options;
  TemporaryFolder &folder;
  int probes = 0;
};

std::vector<std::string> Bisection::arguments(const std::string &limit) const {
  const CompileRequest &request = options.request;
  std::vector<std::string> list = {runsProgram() ? "run" : "compile", request.input};
  const auto add = [&](const char *flag, const std::string &value) {
    list.insert(list.end(), {flag, value});
  };
  if (runsProgram()) {
    if (!options.function.empty())
      add("--function", options.function);
    for (const std::string &input : options.inputs)
      add("--input", input);
    for (const std::string &symbol : options.symbols)
      add("--symbol", symbol);
    add("--seed", std::to_string(options.seed));
    if (options.compare)
      list.emplace_back("--compare-reference");
  }
  for (const std::string &name : request.disabled)
    add("--disable-pass", name);
  for (const std::string &path : request.fusionPatterns)
    add("--fusion-patterns", path);
  for (const std::string &name : request.plugins)
    add("--pass-plugin", name);
  for (const std::string &name : request.inserted)
    add("--insert-pass", name);
  add("--activations", request.activations);
  add("--target", request.target);
  if (!limit.empty())
    add("--pass-limit", limit);
  return list;
}

/// Runs with the first passes, as many as `limit` says; all if it is empty.
Expected<Probe> Bisection::probe(const std::string &limit) {
  ++probes;
  std::vector<std::string> list = arguments(limit);
  const std::string log = folder.file("log");
  list.insert(list.end(), {"--pass-log", log});
  if (!runsProgram())
    list.insert(list.end(), {"--output", folder.file("model.rlx")});
  for (size_t i = 0; i < options.expected.size(); ++i) {
    const std::string &pair = options.expected[i];
    list.insert(list.end(), {"--output", pair.substr(0, pair.find('=')) + "=" +
                                             folder.file(fmt::format("{}.npy", i))});
  }
  std::error_code error;
  fs::remove(log, error);
  auto child = runRelax(list, std::chrono::seconds(options.seconds));
  if (!child)
    return child.takeStatus();
  Probe result;
  std::ifstream lines(log);
  for (std::string line; std::getline(lines, line);)
    result.log.push_back(line);
  result.bad = options.crash ? child->signal != 0 : child->failed();
  if (result.bad)
    result.why = child->text() + (child->errors.empty() ? "" : ": " + child->errors);
  if (child->exitCode == exitUsage)
    return Status(StatusCode::InvalidArgument, child->errors);
  for (size_t i = 0; i < options.expected.size() && !result.bad; ++i) {
    const std::string &pair = options.expected[i];
    auto found = readNpy(folder.file(fmt::format("{}.npy", i)));
    auto expected = readNpy(pair.substr(pair.find('=') + 1));
    if (!found || !expected)
      return found ? expected.takeStatus() : found.takeStatus();
    result.why = difference(*found, *expected, options.tolerance);
    result.bad = !result.why.empty();
  }
  fmt::print(stderr, "  {:10} {}\n", limit.empty() ? "all" : limit, result.bad ? "bad" : "good");
  return result;
}

/// The smallest number above `good` and up to `bad` that is bad; `found` is its probe.
Expected<int64_t> Bisection::search(int64_t good, int64_t bad, const std::string &prefix,
                                    Probe &found) {
  while (bad - good > 1) {
    const int64_t middle = good + (bad - good) / 2;
    auto result = probe(prefix + std::to_string(middle));
    if (!result)
      return result.takeStatus();
    (result->bad ? bad : good) = middle;
    if (result->bad)
      found = std::move(*result);
  }
  return bad;
}

std::string lastLine(const Probe &probe) {
  return probe.log.empty() ? "nothing" : probe.log.back();
}

/// Looks inside the pass for the step.
Status Bisection::findStep(int64_t pass, const std::string &name) {
  const std::string prefix = fmt::format("{}.", pass);
  auto whole = probe(std::to_string(pass));
  if (!whole)
    return whole.takeStatus();
  const int64_t steps = whole->count("step ");
  std::string text = fmt::format(
      "\nThe pass '{}' does it, number {} of those that can be disabled.\n", name, pass);
  std::string last = std::to_string(pass), before = std::to_string(pass - 1);
  if (steps > 0) {
    auto none = probe(prefix + "0");
    if (!none)
      return none.takeStatus();
    if (none->bad) {
      text += fmt::format("It does so before the first of its {} steps.\n", steps);
    } else {
      Probe found = std::move(*whole);
      auto step = search(0, steps, prefix, found);
      if (!step)
        return step.takeStatus();
      last = prefix + std::to_string(*step);
      before = prefix + std::to_string(*step - 1);
      const std::string start = fmt::format("step {} ", *step);
      for (const std::string &line : found.log)
        if (line.starts_with(start))
          text += fmt::format("Of its {} steps it is number {}: {}\n", steps, *step,
                              line.substr(start.size()));
    }
  }
  text +=
      fmt::format("{} probes.\n\nwrong:  {}\nright:  {}\nRead both programs with --dump-ir DIR; "
                  "compare with --disable-pass {}.\n",
                  probes, command(last), command(before), name);
  return writeOutput(text);
}

Status Bisection::run() {
  auto all = probe("");
  if (!all)
    return all.takeStatus();
  if (!all->bad)
    return Status(StatusCode::InvalidArgument,
                  "nothing to bisect: with every pass the result is right");
  fmt::print(stderr, "  {}\n", all->why);
  auto none = probe("0");
  if (!none)
    return none.takeStatus();
  if (none->bad)
    return writeOutput(fmt::format(
        "\nNo pass that can be disabled does it: without any of them the result is {}.\nThe last "
        "step that began: {}\n\nwrong:  {}\n",
        none->why, lastLine(*none), command("0")));
  // A crash ends the log early: the last pass in it is the guilty one, or one before it.
  Probe found = std::move(*all);
  auto pass = search(0, std::max<int64_t>(1, found.count("pass ")), "", found);
  if (!pass)
    return pass.takeStatus();
  std::string name = "?";
  const std::string start = fmt::format("pass {} ", *pass);
  for (const std::string &line : found.log)
    if (line.starts_with(start))
      name = line.substr(start.size());
  return findStep(*pass, name);
}

Status run(const Options &options) {
  const CompileRequest &request = options.request;
  const bool program = request.input.ends_with(".mlir");
  if (options.compare + options.crash + !options.expected.empty() != 1)
    return Status(StatusCode::InvalidArgument,
                  "say what is wrong: one of --expect, --compare-reference and --crash");
  if (!program && !options.crash)
    return Status(StatusCode::InvalidArgument,
                  request.input + ": results can be bisected of text IR (.mlir); of a model only "
                                  "whether the compiler crashes (--crash)");
  for (const std::string &pair : options.expected)
    if (pair.find('=') == std::string::npos || pair.starts_with('='))
      return Status(StatusCode::InvalidArgument,
                    fmt::format("--expect: found '{}', expected RESULT=FILE.npy", pair));
  auto folder = TemporaryFolder::make();
  if (!folder)
    return folder.takeStatus();
  return Bisection(options, *folder).run();
}

} // namespace

void addBisect(CLI::App &app, int &exitCode) {
  CLI::App &command =
      *app.add_subcommand("bisect", "Find the pass that makes a result wrong, or crashes");
  auto options = std::make_shared<Options>();
  command.add_option("FILE", options->request.input, "Text IR (.mlir); for --crash also a .gguf")
      ->type_name("")
      ->required();
  command.add_option("--function", options->function, "Which function, as for `relax run`")
      ->type_name("NAME");
  command.add_option("-i,--input", options->inputs, "An input, as for `relax run`")
      ->allow_extra_args(false)
      ->type_name("NAME=VALUE");
  command.add_option("-s,--symbol", options->symbols, "The value of a symbol, as for `relax run`")
      ->allow_extra_args(false)
      ->type_name("NAME=N");
  command.add_option("--seed", options->seed, "Of inputs that aren't given")
      ->check(wholeNumber(0, UINT64_MAX))
      ->capture_default_str()
      ->type_name("N");
  command.add_option("--expect", options->expected, "What a result should be; may be given again")
      ->allow_extra_args(false)
      ->type_name("RESULT=FILE.npy");
  command
      .add_option("--tolerance", options->tolerance,
                  "Of --expect: how far an element may be off, in parts of the largest")
      ->capture_default_str()
      ->type_name("X");
  command.add_flag("--compare-reference", options->compare,
                   "The result should be the interpreter's, within rounding");
  command.add_flag("--crash", options->crash, "Compiling and running should not crash");
  command
      .add_option("--timeout", options->seconds,
                  "Seconds after which a probe is stopped; it counts as a crash")
      ->check(CLI::Range(int64_t(1), int64_t(86400)))
      ->capture_default_str()
      ->type_name("SECONDS");
  addTarget(command, options->request.target, "The machine to compile for");
  addActivations(command, options->request.activations, "As for `relax compile`");
  addDisablePass(command, options->request.disabled);
  addPluginFlags(command, options->request);
  command.footer("Examples:\n"
                 "  relax bisect program.mlir --symbol n=5 --compare-reference\n"
                 "  relax bisect program.mlir -i x=x.npy --expect result0=right.npy\n"
                 "  relax bisect model.gguf --crash\n"
                 "Each probe is a `relax run --pass-limit N` in a process of its own.");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
