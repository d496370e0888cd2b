// `relax tune-dispatch`: from which sizes on libraries are faster than our kernels, on this
// machine.
#include "runtime/Module.h"
#include "runtime/libraries/Libraries.h"
#include "runtime/loader/CpuFeatures.h"
#include "runtime/support/AtomicFile.h"
#include "runtime/support/CacheFolder.h"
#include "tools/relax/Command.h"
#include "tools/relax/CompilerLibrary.h"
#include "tools/relax/Interrupt.h"
#include "tools/relax/Terminal.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace relax::tool {
namespace {

using Json = nlohmann::json;
using Clock = std::chrono::steady_clock;

struct Options {
  std::vector<std::string> libraries;
  std::string output;
  int64_t threads = 0;
  bool quick = false;
};

/// A function of a library, in one dtype.
struct Candidate {
  const char *library, *function, *dtype;
};
constexpr Candidate candidates[] = {{"openblas", "openblas.matmul", "f32"},
                                    {"openblas", "openblas.matmul", "f64"},
                                    {"onednn", "onednn.matmul", "f32"}};

/// One product, and how long both take; seconds.
struct Point {
  int64_t m, n, k;
  double ours = 0, library = 0;

  [[nodiscard]] int64_t rows() const { return std::min(m, n); }
  [[nodiscard]] int64_t work() const { return m * n * k; }
};

constexpr int64_t never = artifact::Threshold::never;

/// A file in the system's folder for such, gone at the end.
class ProgramFile {
public:
  explicit ProgramFile(const std::string &text)
      : path((std::filesystem::temp_directory_path() /
              fmt::format("relax-tune-{}.mlir", static_cast<int64_t>(getpid())))
                 .string()) {
    std::ofstream(path) << text;
  }
  ProgramFile(const ProgramFile &) = delete;
  ProgramFile &operator=(const ProgramFile &) = delete;
  ~ProgramFile() {
    std::error_code error;
    std::filesystem::remove(path, error);
  }
  const std::string path;
};

std::string programText(const std::string &dtype) {
  const auto type = [&](const char *shape) {
    return fmt::format("tensor<?x?x{}, #relax.shape<[{}]>>", dtype, shape);
  };
  const std::string a = type("m, k"), b = type("k, n"), y = type("m, n");
  return fmt::format("func.func @main(%a: {0}, %b: {1}) -> {2} attributes {{relax.symbols = "
                     "#relax.symbols<m = [0, ?], n = [0, ?], k = [0, ?]>}} {{\n"
                     "  %y = relax.matmul %a, %b : ({0}, {1}) -> {2}\n  return %y : {2}\n}}\n",
                     a, b, y);
}

/// The compiled product, by our kernel or by a library.
Expected<runtime::Function> compileProduct(const CompilerLibrary &compiler, const std::string &path,
                                           const std::string &library,
                                           const std::shared_ptr<runtime::ThreadPool> &pool) {
  CompileRequest request;
  request.input = path;
  request.libraries = {library.empty() ? "none" : library};
  request.libraryRequired = !library.empty();
  auto bytes = compiler.compile(request);
  if (!bytes)
    return bytes.takeStatus();
  runtime::LoadOptions options;
  options.pool = pool;
  auto module =
      runtime::Module::loadBytes(*bytes, library.empty() ? "our kernel" : library, options);
  if (!module)
    return module.takeStatus();
  return module->function("main");
}

/// Seconds of processor time of all threads.
double processorSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// A measurement is uncertain where other programs had the cores.
struct Time {
  double seconds = 0;
  bool busy = false;
};

/// The shortest of several calls; at least three, and for some milliseconds. Where calls take much
/// longer than their processor time, other programs run: then the processor time counts.
Expected<Time> measure(const runtime::Function &function, const Point &point, artifact::DType dtype,
                       double seconds, unsigned threads) {
  const size_t element = artifact::byteSize(dtype);
  const auto buffer = [&](int64_t rows, int64_t columns) {
    // Small integers as elements: nothing overflows or is subnormal.
    std::vector<std::byte> bytes(static_cast<size_t>(rows * columns) * element);
    for (size_t i = 0; i < bytes.size() / element; ++i) {
      const double value = static_cast<double>(i % 7) - 3;
      if (dtype == artifact::DType::F64)
        reinterpret_cast<double *>(bytes.data())[i] = value;
      else
        reinterpret_cast<float *>(bytes.data())[i] = static_cast<float>(value);
    }
    return bytes;
  };
  auto a = buffer(point.m, point.k), b = buffer(point.k, point.n), y = buffer(point.m, point.n);
  const int64_t dimsA[] = {point.m, point.k}, dimsB[] = {point.k, point.n},
                dimsY[] = {point.m, point.n};
  const runtime::TensorView inputs[] = {{a.data(), dtype, dimsA}, {b.data(), dtype, dimsB}};
  runtime::TensorView outputs[] = {{y.data(), dtype, dimsY}};
  RELAX_RETURN_IF_ERROR(function.call(inputs, outputs));
  double wall = 1e9, processor = 1e9;
  const auto begin = Clock::now();
  for (int calls = 0;; ++calls) {
    const auto start = Clock::now();
    const double before = processorSeconds();
    RELAX_RETURN_IF_ERROR(function.call(inputs, outputs));
    processor = std::min(processor, (processorSeconds() - before) / threads);
    const auto end = Clock::now();
    wall = std::min(wall, std::chrono::duration<double>(end - start).count());
    if (calls < 2 || std::chrono::duration<double>(end - begin).count() < seconds)
      continue;
    // Some thread works all the time, if it may.
    const bool busy = wall > 1.3 * threads * processor;
    return Time{busy ? processor : wall, busy};
  }
}

/// How much is lost if the library is called from `rows` and `work` on: the sum over all products
/// of the logarithm of the time over the best time; a library that is slower than we counts thrice.
double loss(const std::vector<Point> &points, int64_t rows, int64_t work) {
  double sum = 0;
  for (const Point &point : points) {
    const bool calls = point.rows() >= rows && point.work() >= work;
    // One wild measurement shall not decide.
    const double ratio = std::clamp(std::log(point.library / point.ours), -1.0, 1.0);
    sum += calls ? 3 * std::max(ratio, 0.0) : std::max(-ratio, 0.0);
  }
  return sum;
}

/// The pair with the least loss; of equals the one that calls the library least.
std::pair<int64_t, int64_t> chooseThresholds(const std::vector<Point> &points) {
  std::pair<int64_t, int64_t> best = {never, never};
  double least = loss(points, never, never);
  std::vector<int64_t> rows, works;
  for (const Point &point : points) {
    rows.push_back(point.rows());
    works.push_back(point.work());
  }
  for (std::vector<int64_t> *values : {&rows, &works}) {
    std::ranges::sort(*values, std::greater());
    values->erase(std::unique(values->begin(), values->end()), values->end());
  }
  for (const int64_t work : works)
    for (const int64_t row : rows)
      if (const double found = loss(points, row, work); found < least - 1e-6) {
        least = found;
        best = {row, work};
      }
  return best;
}

std::vector<Point> grid(bool quick) {
  std::vector<Point> points;
  const std::vector<std::pair<int64_t, int64_t>> weights =
      quick ? std::vector<std::pair<int64_t, int64_t>>{{64, 64}, {256, 256}}
            : std::vector<std::pair<int64_t, int64_t>>{
                  {64, 64}, {256, 256}, {1024, 1024}, {3072, 768}};
  for (const auto &[n, k] : weights)
    for (const int64_t m : {1, 2, 4, 8, 16, 32, 64, 128, 256, 512})
      if (!quick || m == 1 || m == 16 || m == 256)
        points.push_back({m, n, k});
  return points;
}

Expected<Json> tune(const CompilerLibrary &compiler, const Candidate &candidate,
                    const std::string &version, const Options &options) {
  const ProgramFile file(programText(candidate.dtype));
  const auto pool = std::make_shared<runtime::ThreadPool>(static_cast<unsigned>(options.threads));
  auto ours = compileProduct(compiler, file.path, "", pool);
  auto library = ours ? compileProduct(compiler, file.path, candidate.library, pool)
                      : Expected<runtime::Function>(Status(ours.status()));
  if (!library)
    return library.takeStatus();
  const artifact::DType dtype =
      candidate.dtype == std::string("f64") ? artifact::DType::F64 : artifact::DType::F32;
  fmt::print("\n{} {} {}, {} threads\n{:>6} {:>6} {:>6} {:>12} {:>12} {:>8}\n", candidate.function,
             candidate.dtype, version, pool->threads(), "m", "n", "k", "ours us", "library us",
             "ratio");
  size_t busy = 0;
  std::vector<Point> points = grid(options.quick);
  for (Point &point : points) {
    if (interrupted())
      return Status(StatusCode::Cancelled, "stopped; nothing was stored");
    const double seconds = options.quick ? 0.001 : 0.02;
    auto a = measure(*ours, point, dtype, seconds, pool->threads());
    auto b = a ? measure(*library, point, dtype, seconds, pool->threads())
               : Expected<Time>(Status(a.status()));
    if (!b)
      return b.takeStatus();
    point.ours = a->seconds;
    point.library = b->seconds;
    busy += a->busy || b->busy;
    fmt::print("{:>6} {:>6} {:>6} {:>12.1f} {:>12.1f} {:>8.2f}\n", point.m, point.n, point.k,
               1e6 * point.ours, 1e6 * point.library, point.ours / point.library);
  }
  if (busy != 0)
    reportNote(fmt::format("other programs ran during {} of {} measurements: they are uncertain",
                           busy, points.size()));
  const auto [rows, work] = chooseThresholds(points);
  if (rows == never)
    fmt::print("never called: our kernel isn't slower\n");
  else
    fmt::print("called from {} rows and columns and {} multiplications on\n", rows, work);
  return Json{{"function", candidate.function},
              {"dtype", candidate.dtype},
              {"version", version},
              {"cpu", runtime::cpuName()},
              {"rows", rows == never ? -1 : rows},
              {"work", work == never ? -1 : work}};
}

/// The file with these entries instead of those for the same functions on this CPU.
Json merged(const std::string &path, const Json &entries) {
  Json list = Json::array();
  std::ifstream file(path);
  const Json before = file ? Json::parse(file, nullptr, false) : Json();
  const auto same = [](const Json &a, const Json &b) {
    return a.value("function", "") == b.value("function", "") &&
           a.value("dtype", "") == b.value("dtype", "") && a.value("cpu", "") == b.value("cpu", "");
  };
  if (before.is_object() && before.contains("entries") && before["entries"].is_array())
    for (const Json &old : before["entries"])
      if (old.is_object() &&
          std::ranges::none_of(entries, [&](const Json &entry) { return same(entry, old); }))
        list.push_back(old);
  for (const Json &entry : entries)
    list.push_back(entry);
  return {{"entries", list}};
}

Status run(Options options) {
  if (options.output.empty()) {
    const std::string folder = cacheFolder();
    if (folder.empty() || !makeFolders(folder))
      return Status(StatusCode::Io, "there is no cache folder to write to; give --output");
    options.output = folder + "/dispatch.json";
  }
  auto compiler = CompilerLibrary::load();
  if (!compiler)
    return compiler.takeStatus();
  Json entries = Json::array();
  for (const Candidate &candidate : candidates) {
    const bool wanted =
        options.libraries.empty() ||
        std::ranges::find(options.libraries, candidate.library) != options.libraries.end();
    if (!wanted)
      continue;
    const Expected<std::string> &version =
        runtime::externalLibraryOf(candidate.function)->version();
    if (!version) {
      // Of all, those that are there; one that is asked for must be.
      if (!options.libraries.empty())
        return Status(version.status());
      reportNote(version.status().message());
      continue;
    }
    auto entry = tune(*compiler, candidate, *version, options);
    if (!entry)
      return entry.takeStatus();
    entries.push_back(std::move(*entry));
  }
  const std::string text = merged(options.output, entries).dump(2) + "\n";
  RELAX_RETURN_IF_ERROR(
      writeFileAtomically(options.output, std::vector<uint8_t>(text.begin(), text.end())));
  fmt::print("\n{}: {} measurements; `relax compile` and `relax run` use them from now on\n",
             options.output, entries.size());
  return {};
}

} // namespace

void addTuneDispatch(CLI::App &app, int &exitCode) {
  CLI::App &command = *app.add_subcommand(
      "tune-dispatch", "Measure from which sizes on libraries are faster than our kernels");
  auto options = std::make_shared<Options>();
  command.add_option("--libraries", options->libraries, "Which: openblas, onednn; all by default")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"openblas", "onednn"}))
      ->type_name("NAME[,NAME...]");
  command
      .add_option("-o,--output", options->output,
                  "Where to write them; dispatch.json in the cache folder by default")
      ->type_name("FILE.json");
  command
      .add_option("--threads", options->threads, "Threads to compute with; 0: one for each core")
      ->check(CLI::Range(int64_t(0), int64_t(1024)))
      ->capture_default_str()
      ->type_name("N");
  command.add_flag("--quick", options->quick, "A few sizes only, to try it");
  command.footer(
      "Programs (.mlir) that are compiled afterwards call a library where it was faster. "
      "Its results may\ndiffer in the last bits from ours, and with the batch: "
      "`--libraries none` turns it off, and it\nis off for language models. The artifact "
      "remembers the library's version and the CPU; on\nanother machine it says so and "
      "uses safe defaults. docs/libraries.md tells more.");
  onCall(command, exitCode, [options] { return run(*options); });
}

} // namespace relax::tool
