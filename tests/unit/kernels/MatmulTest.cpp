// The strategy matmul against plain sums, at sizes around its tiles, with every layout of the
// operands and every element type; and the same bits whatever the tile, the batch and the split.

#include "tests/unit/kernels/KernelRunner.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace relax::test {
namespace {

/// Each operand with the order of its two dimensions; sizes are symbols s0 (m), s1 (n), s2 (k).
struct Layout {
  std::string left, right;
};
const std::vector<Layout> layouts = {{"mk", "kn"}, {"mk", "nk"}, {"km", "kn"}, {"km", "nk"}};

std::string symbolOf(char loop) { return loop == 'm' ? "s0" : loop == 'n' ? "s1" : "s2"; }

std::string typeOf(const std::string &loops, const std::string &element) {
  std::string dims, shape;
  for (char loop : loops) {
    dims += "?x";
    shape += (shape.empty() ? "" : ", ") + symbolOf(loop);
  }
  return "tensor<" + dims + element + ", #relax.shape<[" + shape + "]>>";
}

std::string mapOf(const std::string &loops) {
  std::string results;
  for (char loop : loops)
    results += (results.empty() ? "" : ", ") + std::string(1, loop);
  return "affine_map<(m, n, k) -> (" + results + ")>";
}

/// left times right, accumulated in `accumulator`, which is the result's element type.
std::string matmulProgram(const Layout &layout, const std::string &element,
                          const std::string &accumulator) {
  bool isFloat = accumulator[0] == 'f';
  std::string left = typeOf(layout.left, element), right = typeOf(layout.right, element),
              result = typeOf("mn", accumulator);
  std::string convert = element == accumulator ? "" : isFloat ? "arith.extf " : "arith.extsi ";
  std::string body, a = "%a", b = "%b";
  if (!convert.empty()) {
    for (const char *v : {"%a", "%b"})
      body += std::string(v) + "w = " + convert + v + " : " + element + " to " + accumulator + "\n";
    a = "%aw";
    b = "%bw";
  }
  std::string multiply = isFloat ? "arith.mulf" : "arith.muli",
              add = isFloat ? "arith.addf" : "arith.addi";
  return "func.func private @k(%x: " + left + ", %y: " + right + ") -> " + result +
         " attributes {relax.kernel, relax.kernel_symbols = [\"s0\", \"s1\", \"s2\"]} {\n" +
         "%m = relax.symbol_value #relax.expr<s0>\n%n = relax.symbol_value #relax.expr<s1>\n" +
         "%zero = arith.constant " + (isFloat ? "0.0" : "0") + " : " + accumulator + "\n" +
         "%e = tensor.empty(%m, %n) : " + result + "\n%i = linalg.fill ins(%zero : " + accumulator +
         ") outs(%e : " + result + ") -> " + result + "\n%r = linalg.generic {indexing_maps = [" +
         mapOf(layout.left) + ", " + mapOf(layout.right) + ", " + mapOf("mn") +
         "], iterator_types = [\"parallel\", \"parallel\", \"reduction\"]} ins(%x, %y : " + left +
         ", " + right + ") outs(%i : " + result + ") {\n^bb0(%a: " + element + ", %b: " + element +
         ", %c: " + accumulator + "):\n" + body + "%p = " + multiply + " " + a + ", " + b + " : " +
         accumulator + "\n%s = " + add + " %c, %p : " + accumulator +
         "\nlinalg.yield %s : " + accumulator + " } -> " + result + "\nreturn %r : " + result +
         "\n}\n";
}

template <typename T> std::vector<T> randomValues(size_t count, double scale) {
  static std::mt19937 generator(7);
  std::uniform_real_distribution<double> distribution(-scale, scale);
  std::vector<T> values(count);
  for (T &value : values)
    value = T(distribution(generator));
  return values;
}

struct Shape {
  int64_t m, n, k;
};
const std::vector<Shape> shapes = {{0, 3, 4},     {3, 0, 4},      {3, 4, 0},   {1, 1, 1},
                                   {2, 3, 5},     {5, 7, 9},      {6, 16, 96}, {7, 17, 97},
                                   {1, 33, 200},  {13, 31, 95},   {97, 33, 8}, {96, 32, 96},
                                   {127, 65, 37}, {101, 129, 193}};

template <typename T, typename A>
void check(const std::string &element, const std::string &accumulator, double scale, double units) {
  for (const char *target : {"native", "x86-64-v2"})
    for (const Layout &layout : layouts) {
      // The older target and the rarer layouts with float32 only.
      bool isRare = target[0] == 'x' || layout.left == "km";
      if (isRare && element != "f32")
        continue;
      Kernel kernel(matmulProgram(layout, element, accumulator), {target});
      ASSERT_TRUE(kernel.ok()) << kernel.error();
      EXPECT_EQ(kernel.strategy(), "matmul");
      for (auto [m, n, k] : shapes) {
        std::vector<T> x = randomValues<T>(m * k, scale), y = randomValues<T>(k * n, scale);
        std::vector<A> z(m * n, A(77));
        kernel.run({x.data(), y.data()}, {z.data()}, {m, n, k}, 1 + (m + n) % 3);
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            long double sum = 0, magnitude = 0;
            for (int64_t p = 0; p < k; ++p) {
              long double term =
                  static_cast<long double>(x[layout.left == "mk" ? i * k + p : p * m + i]) *
                  y[layout.right == "kn" ? p * n + j : j * k + p];
              sum += term;
              magnitude += std::abs(term);
            }
            ASSERT_LE(std::abs(z[i * n + j] - sum), units * magnitude)
                << element << " " << layout.left << " " << layout.right << " " << m << "x" << n
                << "x" << k << " at " << i << ", " << j << " on " << target;
          }
      }
    }
}

TEST(Matmul, Float32) { check<float, float>("f32", "f32", 1, 1e-5); }
TEST(Matmul, Float64) { check<double, double>("f64", "f64", 1, 1e-14); }
TEST(Matmul, Float16) { check<_Float16, float>("f16", "f32", 1, 1e-5); }
TEST(Matmul, Int8) { check<int8_t, int32_t>("i8", "i32", 127, 0); }
TEST(Matmul, Int32) { check<int32_t, int32_t>("i32", "i32", 1000, 0); }
TEST(Matmul, Int64) { check<int64_t, int64_t>("i64", "i64", 100000, 0); }

/// Row i of a product is the product of row i.
TEST(Matmul, SameBitsWhateverIsBesideIt) {
  for (const Layout &layout : layouts) {
    if (layout.left != "mk")
      continue;
    Kernel kernel(matmulProgram(layout, "f32", "f32"));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    constexpr int64_t m = 205, n = 83, k = 301;
    std::vector<float> x = randomValues<float>(m * k, 1), y = randomValues<float>(k * n, 1);
    std::vector<float> whole(m * n), split(m * n), row(n);
    kernel.run({x.data(), y.data()}, {whole.data()}, {m, n, k});
    kernel.run({x.data(), y.data()}, {split.data()}, {m, n, k}, 5);
    EXPECT_EQ(0, std::memcmp(whole.data(), split.data(), m * n * sizeof(float)));
    for (int64_t i = 0; i < m; i += 17) {
      kernel.run({&x[i * k], y.data()}, {row.data()}, {1, n, k});
      EXPECT_EQ(0, std::memcmp(row.data(), &whole[i * n], n * sizeof(float))) << i;
    }
  }
}

/// NaN and infinity go to their row and column and nowhere else.
TEST(Matmul, KeepsSpecialValuesInPlace) {
  for (const Layout &layout : layouts) {
    Kernel kernel(matmulProgram(layout, "f32", "f32"));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    constexpr int64_t m = 9, n = 21, k = 10;
    std::vector<float> x(m * k, 1), y(k * n, 1), z(m * n);
    x[layout.left == "mk" ? 8 * k + 3 : 3 * m + 8] = NAN;
    y[layout.right == "kn" ? 9 * n + 20 : 20 * k + 9] = INFINITY;
    kernel.run({x.data(), y.data()}, {z.data()}, {m, n, k});
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        float found = z[i * n + j];
        if (i == 8)
          EXPECT_TRUE(std::isnan(found));
        else
          EXPECT_EQ(found, j == 20 ? INFINITY : 10.0f);
      }
  }
}

} // namespace
} // namespace relax::test
