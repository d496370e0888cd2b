// Prints the speed of products with packed weights beside the limits of the machine:
// contraction_kernel_bench [FORMAT|int8|int16|float32 ...]. Asserts nothing; not a test.
//
// With one token it reads weights from memory, put out of the caches before each run, and counts
// their bytes; with more it counts two operations for each weight and token. Times are the thread's
// own (one thread), the best of several.

#include "tests/unit/kernels/contraction/Weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <functional>
#include <immintrin.h>
#include <memory>
#include <sys/mman.h>

namespace relax::test {
namespace {

constexpr int64_t columns = 2048;

double threadSeconds() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return double(time.tv_sec) + 1e-9 * double(time.tv_nsec);
}

double best(int repeats, const std::function<void()> &before, const std::function<void()> &work) {
  double least = 1e9;
  for (int i = 0; i < repeats; ++i) {
    before();
    double start = threadSeconds();
    work();
    least = std::min(least, threadSeconds() - start);
  }
  return least;
}

/// Memory in huge pages, as the runtime's arenas are; the bytes are small numbers in every format.
class Bytes {
public:
  explicit Bytes(size_t size) : size(size), memory(std::aligned_alloc(hugePage, round(size))) {
    madvise(memory.get(), round(size), MADV_HUGEPAGE);
    std::memset(memory.get(), 0x11, round(size));
  }
  template <typename T = char> T *data() const { return static_cast<T *>(memory.get()); }
  const size_t size;

private:
  static constexpr size_t hugePage = 2 << 20;
  static size_t round(size_t size) { return (size + hugePage - 1) / hugePage * hugePage; }
  struct Free {
    void operator()(void *p) const { std::free(p); }
  };
  std::unique_ptr<void, Free> memory;
};

/// Pushes everything else out of the caches.
void evict() {
  static Bytes other(96 << 20);
  for (size_t i = 0; i < other.size; i += 64)
    ++other.data()[i];
}

__attribute__((target("avx2"), noinline)) int readAll(const Bytes &memory) {
  __m256i sums[8] = {};
  const auto *at = memory.data<__m256i>();
  for (size_t i = 0; i < memory.size / sizeof(__m256i); i += 8)
    for (size_t j = 0; j < 8; ++j)
      sums[j] = _mm256_xor_si256(sums[j], _mm256_load_si256(at + i + j));
  for (size_t j = 1; j < 8; ++j)
    sums[0] = _mm256_xor_si256(sums[0], sums[j]);
  return _mm256_extract_epi32(sums[0], 0);
}

/// Bytes a second of reading memory in order.
double readLimit() {
  static Bytes memory(128 << 20);
  volatile int sink = 0;
  return double(memory.size) / best(6, evict, [&] { sink = readAll(memory); });
}

constexpr int64_t dotRounds = 500'000, dotChains = 12;

__attribute__((target("avx512f,avx512vnni"), noinline)) int dotAll() {
  __m512i sums[dotChains] = {}, ones = _mm512_set1_epi8(1);
  for (int64_t i = 0; i < dotRounds; ++i)
    for (__m512i &sum : sums) {
      sum = _mm512_dpbusd_epi32(sum, ones, ones);
      asm volatile("" : "+v"(sum));
    }
  for (int i = 1; i < dotChains; ++i)
    sums[0] = _mm512_add_epi32(sums[0], sums[i]);
  return _mm512_cvtsi512_si32(sums[0]);
}

__attribute__((target("avx2"), noinline)) int multiplyAddAll() {
  __m256i products[dotChains] = {}, ones = _mm256_set1_epi8(1);
  for (int64_t i = 0; i < dotRounds; ++i)
    for (__m256i &product : products) {
      product = _mm256_maddubs_epi16(ones, product); // Of itself, or it would be computed once.
      asm volatile("" : "+x"(product));
    }
  for (int i = 1; i < dotChains; ++i)
    products[0] = _mm256_add_epi16(products[0], products[i]);
  return _mm256_extract_epi32(products[0], 0);
}

/// What vpdpbusd does, on a CPU without it: products, sums of pairs in 16 bits, sums in 32 bits.
__attribute__((target("avx2"), noinline)) int dotInThreeAll() {
  __m256i sums[dotChains] = {}, bytes = _mm256_set1_epi8(1), halves = _mm256_set1_epi16(1);
  for (int64_t i = 0; i < dotRounds; ++i)
    for (__m256i &sum : sums) {
      __m256i products = _mm256_maddubs_epi16(bytes, bytes);
      asm volatile("" : "+x"(products)); // Or it would be computed once.
      sum = _mm256_add_epi32(sum, _mm256_madd_epi16(products, halves));
      asm volatile("" : "+x"(sum), "+x"(bytes));
    }
  for (int i = 1; i < dotChains; ++i)
    sums[0] = _mm256_add_epi32(sums[0], sums[i]);
  return _mm256_extract_epi32(sums[0], 0);
}

/// Operations a second of such a loop.
double dotLimit(int (*loop)(), double operations) {
  volatile int sink = 0;
  return operations * dotRounds * dotChains / best(12, [] {}, [&] { sink = loop(); });
}

/// The machine's limits, in words.
std::string limits(double bytesLimit) {
  std::string text = fmt::format("one core reads {:.1f} GB/s; ", 1e-9 * bytesLimit);
  if (__builtin_cpu_supports("avx512vnni"))
    return text + fmt::format("vpdpbusd does {:.0f} GOP/s", 1e-9 * dotLimit(dotAll, 128));
  return text + fmt::format("pmaddubsw does {:.0f} GOP/s, {:.0f} with sums in 32 bits (pmaddwd, "
                            "paddd)",
                            1e-9 * dotLimit(multiplyAddAll, 64),
                            1e-9 * dotLimit(dotInThreeAll, 64));
}

/// A kernel with operands for up to `most` tokens.
struct Problem {
  Problem(const StoredFormat &format, int64_t rows, int64_t planes, int64_t most)
      : planes(planes), kernel(program(format, rows, planes)),
        packed((rows + 15) / 16 * columns / format.blockSize() * format.packedBlockBytes()),
        quants(4 * most * columns), scales(most * columns), sums(most * columns),
        out(4 * most * rows) {}

  static std::string program(const StoredFormat &format, int64_t rows, int64_t planes) {
    StoredMatrix matrix(format, 0, columns);
    matrix.rows = rows;
    return planes ? quantizedMatmulProgram(matrix, planes) : packedMatmulProgram(matrix);
  }

  /// Seconds of a call with so many tokens.
  double run(int64_t tokens) {
    bool streams = tokens <= 2;
    return best(
        streams ? 8 : 5, [&] { streams ? evict() : void(); },
        [&] {
          if (planes)
            kernel.run({quants.data(), scales.data(), sums.data(), packed.data()}, {out.data()},
                       {tokens});
          else
            kernel.run({quants.data(), packed.data()}, {out.data()}, {tokens});
        });
  }

  int64_t planes;
  Kernel kernel;
  Bytes packed, quants, scales, sums, out;
};

int run(const std::vector<std::string> &names) {
  double bytesLimit = readLimit();
  fmt::print("{}\n", limits(bytesLimit));
  const char *ways[] = {"float32", "int8", "int16"};
  auto has = [&](const std::string &name) {
    return std::find(names.begin(), names.end(), name) != names.end();
  };
  bool allWays = std::none_of(std::begin(ways), std::end(ways), has);
  bool allFormats = std::all_of(names.begin(), names.end(), [&](const std::string &name) {
    return std::find(std::begin(ways), std::end(ways), name) != std::end(ways);
  });
  for (const StoredFormat &format : storedFormats()) {
    if (!allFormats && !has(format.name))
      continue;
    for (int64_t planes : {1, 2, 0}) {
      if ((planes && format.isFloat()) || !(allWays || has(ways[planes])))
        continue;
      Problem large(format, 16384, planes, 4), small(format, 1024, planes, 512);
      for (const Kernel *kernel : {&large.kernel, &small.kernel})
        if (!kernel->ok()) {
          fmt::print(stderr, "{}", kernel->error());
          return 1;
        }
      fmt::print("{:7} {:8}", format.name, ways[planes]);
      for (int64_t tokens : {1, 2, 4}) {
        double rate = double(large.packed.size) / large.run(tokens);
        fmt::print("  {}: {:5.1f} GB/s {:3.0f} %", tokens, 1e-9 * rate, 100 * rate / bytesLimit);
      }
      for (int64_t tokens : {4, 8, 16, 64, 512}) {
        double rate = 2.0 * double(tokens * columns * 1024) / small.run(tokens);
        fmt::print("  {}: {:3.0f}", tokens, 1e-9 * rate);
      }
      fmt::print(" GOP/s\n");
      std::fflush(stdout);
    }
  }
  return 0;
}

} // namespace
} // namespace relax::test

int main(int argc, char **argv) {
  return relax::test::run(std::vector<std::string>(argv + 1, argv + argc));
}
