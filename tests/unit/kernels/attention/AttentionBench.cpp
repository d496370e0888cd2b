// Prints the speed of paged attention: attention_kernel_bench. Asserts nothing; not a test.
//
// Prefill counts 4 * heads * head_dim operations for each pair of a query and a slot that it sees.
// Decode counts the bytes of the keys and values that it reads, which are put out of the caches
// before each run. Times are the thread's own (one thread), the best of several. The runtime keeps
// its cache in huge pages: run this with GLIBC_TUNABLES=glibc.malloc.hugetlb=1.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/attention/Programs.h"
#include "tests/unit/kernels/attention/RaggedProblem.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>

namespace relax::test {
namespace {

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

struct Measured {
  double seconds, operations, bytes;
};

Measured measure(const Kernel &kernel, const CacheShape &shape, int64_t cached, int64_t tokens) {
  RaggedProblem problem(shape, {cached + tokens}, 1);
  RaggedProblem::Step step = problem.step({{cached, tokens}});
  std::vector<char> keys = problem.filledPages(true, {cached + tokens});
  std::vector<char> values = problem.filledPages(false, {cached + tokens});
  std::vector<float> out(step.queries.size());
  std::vector<char> other(64 << 20);
  volatile char sink = 0;
  double best = 1e9;
  for (int repeat = 0; repeat < 10; ++repeat) {
    for (size_t i = 0; tokens == 1 && i < other.size(); i += 64)
      sink = sink + other[i];
    double start = threadSeconds();
    kernel.run({step.queries.data(), keys.data(), values.data(), step.starts.data(),
                problem.pageTable.data(), step.cached.data()},
               {out.data()}, {tokens, problem.numPages, 1, problem.pagesPerSequence});
    best = std::min(best, threadSeconds() - start);
  }
  double pairs = double(tokens) * (double(cached) + double(tokens + 1) / 2);
  double bytes = 2.0 * double((cached + tokens) * shape.kvHeads * shape.storedHeadDim()) *
                 double(problem.elementSize());
  return {best, 4 * pairs * double(shape.heads * shape.headDim), bytes};
}

int run() {
  const CacheShape shapes[] = {{.heads = 9, .kvHeads = 3},
                               {.heads = 9, .kvHeads = 3, .half = true},
                               {.heads = 9, .kvHeads = 3, .q8 = true},
                               {.heads = 14, .kvHeads = 2, .half = true},
                               {.heads = 14, .kvHeads = 2, .q8 = true},
                               {.heads = 4, .kvHeads = 1, .headDim = 256, .half = true},
                               {.heads = 4, .kvHeads = 1, .headDim = 256, .q8 = true},
                               {.heads = 8, .kvHeads = 8},
                               {.heads = 8, .kvHeads = 2, .headDim = 128}};
  for (const CacheShape &shape : shapes) {
    double start = threadSeconds();
    Kernel kernel(pagedAttentionProgram(shape, 1 / std::sqrt(double(shape.headDim))));
    if (!kernel.ok()) {
      fmt::print(stderr, "{}", kernel.error());
      return 1;
    }
    fmt::print("{} heads, {} key heads, dimension {}, {} cache: compiled in {:.0f} ms\n",
               shape.heads, shape.kvHeads, shape.headDim,
               shape.q8     ? "q8_0"
               : shape.half ? "f16"
                            : "f32",
               1e3 * (threadSeconds() - start));
    for (auto [cached, tokens] : {std::pair<int64_t, int64_t>{0, 512}, {448, 64}, {0, 2048}}) {
      Measured m = measure(kernel, shape, cached, tokens);
      fmt::print("  {:4} tokens after {:4}: {:8.3f} ms {:6.1f} GFLOP/s\n", tokens, cached,
                 1e3 * m.seconds, 1e-9 * m.operations / m.seconds);
    }
    for (int64_t depth : {512, 4096}) {
      Measured m = measure(kernel, shape, depth, 1);
      fmt::print("  decode at depth {:4}: {:8.3f} ms {:6.1f} GB/s\n", depth, 1e3 * m.seconds,
                 1e-9 * m.bytes / m.seconds);
    }
  }
  return 0;
}

} // namespace
} // namespace relax::test

int main() { return relax::test::run(); }
