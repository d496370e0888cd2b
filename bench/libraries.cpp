// Products of matrices in f32 by our kernel, OpenBLAS and oneDNN, on 1 and 2 threads: one row for
// each shape, as GFLOP/s and as share of the FMA peak that the same run measures.
//
//   ninja -C build/release relax_libraries_bench && build/release/bin/relax_libraries_bench
//
// The three take turns; the best of all rounds counts. Time is processor time, divided by the
// threads: what else runs on the machine counts little.
#include "runtime/libraries/Libraries.h"
#include "compiler/driver/CompileModel.h"
#include "runtime/Module.h"
#include "runtime/loader/CpuFeatures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <immintrin.h>
#include <vector>

using namespace relax;

namespace {

/// Processor time of all threads together: another program that runs takes nothing from it.
double processorSeconds() {
  timespec now = {};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

/// The processor time of `work` for each of `threads`.
double secondsOf(unsigned threads, const std::function<void()> &work) {
  const double start = processorSeconds();
  work();
  return (processorSeconds() - start) / threads;
}

/// Twelve chains of fused multiply-adds: two a cycle with a latency of five and less. The numbers
/// come from outside, so that nothing can be computed beforehand.
__attribute__((target("avx2,fma"), noinline)) float runFma(int64_t rounds, float factorValue,
                                                           float termValue) {
  __m256 sums[12], factor = _mm256_set1_ps(factorValue), term = _mm256_set1_ps(termValue);
  for (int i = 0; i != 12; ++i)
    sums[i] = _mm256_set1_ps(static_cast<float>(i));
  for (int64_t i = 0; i != rounds; ++i)
#pragma GCC unroll 12
    for (int c = 0; c != 12; ++c)
      sums[c] = _mm256_fmadd_ps(sums[c], factor, term);
  __m256 total = sums[0];
  for (int i = 1; i != 12; ++i)
    total = _mm256_add_ps(total, sums[i]);
  return _mm256_cvtss_f32(total);
}

/// Of one core.
double peakGflops() {
  constexpr int64_t rounds = 2'000'000;
  volatile float factor = 0.999f, term = 0.001f, sink = 0;
  double best = 1e9;
  for (int repeat = 0; repeat != 5; ++repeat)
    best = std::min(best, secondsOf(1, [&] { sink = runFma(rounds, factor, term); }));
  (void)sink;
  return static_cast<double>(rounds) * 12 * 8 * 2 / best / 1e9;
}

[[noreturn]] void fail(const Status &status) {
  fmt::print(stderr, "{}\n", status.message());
  std::exit(1);
}

runtime::Module compile(const std::string &library, int64_t n, int64_t k, unsigned threads) {
  const std::string path =
      (std::filesystem::temp_directory_path() / "relax-libraries-bench.mlir").string();
  const std::string x = fmt::format("tensor<?x{0}xf32, #relax.shape<[m, {0}]>>", k),
                    w = fmt::format("tensor<{}x{}xf32>", k, n),
                    y = fmt::format("tensor<?x{0}xf32, #relax.shape<[m, {0}]>>", n);
  std::ofstream(path) << fmt::format(
      "func.func @main(%x: {0}, %w: {1}) -> {2} attributes {{relax.symbols = #relax.symbols<m = "
      "[0, "
      "?]>}} {{\n  %y = relax.matmul %x, %w : ({0}, {1}) -> {2}\n  return %y : {2}\n}}\n",
      x, w, y);
  driver::CompileOptions options;
  options.input = path;
  options.libraries.libraries = {library};
  options.libraries.required = library != "none";
  auto bytes = driver::compileModel(options, {});
  std::filesystem::remove(path);
  if (!bytes)
    fail(bytes.status());
  runtime::LoadOptions loading;
  loading.threads = threads;
  auto module = runtime::Module::loadBytes(*bytes, library, loading);
  if (!module)
    fail(module.status());
  return *module;
}

struct Shape {
  int64_t m, n, k;
};
constexpr Shape shapes[] = {{1, 1024, 1024},  {1, 4096, 4096},  {8, 1024, 1024},
                            {32, 1024, 1024}, {64, 64, 64},     {128, 128, 128},
                            {256, 256, 256},  {512, 512, 512},  {1024, 1024, 1024},
                            {128, 3072, 768}, {512, 768, 3072}, {33, 1000, 777}};

} // namespace

int main() {
  fmt::print("{}; OpenBLAS {}, oneDNN {}\n\n", runtime::cpuName(),
             runtime::externalLibraryOf("openblas.f")->version()
                 ? *runtime::externalLibraryOf("openblas.f")->version()
                 : "missing",
             runtime::externalLibraryOf("onednn.f")->version()
                 ? *runtime::externalLibraryOf("onednn.f")->version()
                 : "missing");
  for (const unsigned threads : {1u, 2u}) {
    const double peak = threads * peakGflops();
    fmt::print(
        "{} thread{}, FMA peak {:.1f} GFLOP/s\n\n| m x n x k | ours | OpenBLAS | oneDNN | ours "
        "/ OpenBLAS | ours / oneDNN | ours of peak |\n|---|---|---|---|---|---|---|\n",
        threads, threads == 1 ? "" : "s", peak);
    for (const Shape &s : shapes) {
      std::vector<float> x(static_cast<size_t>(s.m * s.k), 0.5f),
          w(static_cast<size_t>(s.k * s.n), 0.25f), y(static_cast<size_t>(s.m * s.n));
      const int64_t dimsX[] = {s.m, s.k}, dimsW[] = {s.k, s.n}, dimsY[] = {s.m, s.n};
      const runtime::TensorView inputs[] = {{x.data(), runtime::DType::F32, dimsX},
                                            {w.data(), runtime::DType::F32, dimsW}};
      runtime::TensorView outputs[] = {{y.data(), runtime::DType::F32, dimsY}};
      std::vector<runtime::Module> modules;
      for (const char *library : {"none", "openblas", "onednn"})
        modules.push_back(compile(library, s.n, s.k, threads));
      const double work = 2.0 * static_cast<double>(s.m) * s.n * s.k;
      const int calls = static_cast<int>(std::clamp(5e7 / work, 1.0, 200.0));
      double best[3] = {1e9, 1e9, 1e9};
      for (int round = 0; round != 8; ++round)
        for (size_t i = 0; i != 3; ++i) {
          auto main = modules[i].function("main");
          best[i] =
              std::min(best[i], secondsOf(threads, [&] {
                                  for (int call = 0; call != calls; ++call)
                                    if (Status status = main->call(inputs, outputs); !status.ok())
                                      fail(status);
                                }) / calls);
        }
      double rates[3];
      for (size_t i = 0; i != 3; ++i)
        rates[i] = work / best[i] / 1e9;
      fmt::print("| {} x {} x {} | {:.1f} | {:.1f} | {:.1f} | {:.2f} | {:.2f} | {:.0f} % |\n", s.m,
                 s.n, s.k, rates[0], rates[1], rates[2], rates[0] / rates[1], rates[0] / rates[2],
                 100 * rates[0] / peak);
      std::fflush(stdout);
    }
    fmt::print("\n");
  }
  return 0;
}
