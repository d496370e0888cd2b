// The generic strategies against float64, at sizes around the vector's, and split in every way.

#include "tests/unit/kernels/KernelRunner.h"
#include "tests/unit/kernels/SchedulePrograms.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace relax::test {
namespace {

const std::vector<int64_t> sizes = {0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 31, 32, 33, 1000};

std::vector<float> randomFloats(size_t count, float low = -4, float high = 4) {
  static std::mt19937 generator(7);
  std::uniform_real_distribution<float> distribution(low, high);
  std::vector<float> values(count);
  for (float &value : values)
    value = distribution(generator);
  return values;
}

void expectClose(float found, double expected, double tolerance, const std::string &where) {
  if (std::isnan(expected)) {
    EXPECT_TRUE(std::isnan(found)) << where;
    return;
  }
  EXPECT_NEAR(found, expected, tolerance * std::max(1e-30, std::abs(expected))) << where;
}

bool sameBits(const std::vector<float> &a, const std::vector<float> &b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

TEST(Softmax, MatchesFloat64) {
  Kernel kernel(softmaxProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "row-reduction");
  for (int64_t rowCount : {0, 1, 3})
    for (int64_t n : sizes) {
      std::vector<float> x = randomFloats(rowCount * n, -20, 20), y(x.size(), -1);
      kernel.run({x.data()}, {y.data()}, {rowCount, n});
      for (int64_t i = 0; i < rowCount; ++i) {
        double largest = -INFINITY, sum = 0;
        for (int64_t j = 0; j < n; ++j)
          largest = std::max(largest, double(x[i * n + j]));
        for (int64_t j = 0; j < n; ++j)
          sum += std::exp(x[i * n + j] - largest);
        for (int64_t j = 0; j < n; ++j)
          expectClose(y[i * n + j], std::exp(x[i * n + j] - largest) / sum, 3e-6,
                      "n = " + std::to_string(n));
      }
    }
}

TEST(Softmax, PropagatesNanAndTakesInfinities) {
  Kernel kernel(softmaxProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  for (int64_t n : {1, 7, 8, 33}) {
    std::vector<float> x = randomFloats(2 * n), y(2 * n);
    x[n - 1] = NAN;
    x[n] = -INFINITY;
    kernel.run({x.data()}, {y.data()}, {2, n});
    for (int64_t j = 0; j < n; ++j)
      EXPECT_TRUE(std::isnan(y[j]));
    if (n > 1) {
      EXPECT_EQ(y[n], 0);
    }
  }
}

TEST(AddNorm, MatchesFloat64) {
  Kernel kernel(addNormProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "row-reduction");
  for (int64_t rowCount : {0, 1, 2, 5})
    for (int64_t n : sizes) {
      std::vector<float> x = randomFloats(rowCount * n), residual = randomFloats(rowCount * n);
      std::vector<float> w = randomFloats(n), y(x.size()), z(x.size());
      kernel.run({x.data(), residual.data(), w.data()}, {y.data(), z.data()}, {rowCount, n});
      for (int64_t i = 0; i < rowCount; ++i) {
        double sum = 0;
        for (int64_t j = 0; j < n; ++j) {
          float added = x[i * n + j] + residual[i * n + j];
          EXPECT_EQ(y[i * n + j], added);
          sum += double(added) * added;
        }
        for (int64_t j = 0; j < n; ++j)
          expectClose(z[i * n + j], y[i * n + j] / std::sqrt(sum / n + 1e-5) * w[j], 1e-6,
                      "n = " + std::to_string(n));
      }
    }
}

TEST(AddNorm, SameBitsHoweverSplitAndWhateverTheRowIsBeside) {
  Kernel kernel(addNormProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  constexpr int64_t rowCount = 13, n = 105;
  std::vector<float> x = randomFloats(rowCount * n), residual = randomFloats(rowCount * n);
  std::vector<float> w = randomFloats(n), y(x.size()), z(x.size());
  kernel.run({x.data(), residual.data(), w.data()}, {y.data(), z.data()}, {rowCount, n});
  std::vector<float> y2(x.size()), z2(x.size());
  kernel.run({x.data(), residual.data(), w.data()}, {y2.data(), z2.data()}, {rowCount, n}, 5);
  EXPECT_TRUE(sameBits(y, y2) && sameBits(z, z2));
  std::vector<float> y1(n), z1(n);
  for (int64_t i = 0; i < rowCount; ++i) {
    kernel.run({&x[i * n], &residual[i * n], w.data()}, {y1.data(), z1.data()}, {1, n});
    EXPECT_EQ(0, std::memcmp(z1.data(), &z[i * n], n * sizeof(float)));
  }
}

TEST(Elementwise, SwigluMatchesFloat64) {
  Kernel kernel(swigluProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "elementwise");
  // One row of all elements: 1024 a unit.
  EXPECT_EQ(kernel.extent({3, 1000}), 3);
  for (int64_t rowCount : {0, 1, 3})
    for (int64_t n : sizes) {
      std::vector<float> x = randomFloats(rowCount * n, -30, 30), y = randomFloats(rowCount * n);
      std::vector<float> z(x.size());
      kernel.run({x.data(), y.data()}, {z.data()}, {rowCount, n});
      for (size_t i = 0; i < z.size(); ++i)
        expectClose(z[i], double(x[i]) / (1 + std::exp(-double(x[i]))) * y[i], 1e-6,
                    "n = " + std::to_string(n));
    }
}

/// An element computed in the vector part of one call, and in the tail of another, has the same
/// bits.
TEST(Elementwise, VectorAndTailAgreeBitwise) {
  for (const char *target : {"native", "x86-64-v2"}) {
    Kernel kernel(swigluProgram(), {target});
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    constexpr int64_t n = 2048;
    std::vector<float> x = randomFloats(n, -90, 90), y = randomFloats(n, 1, 1), z(n);
    kernel.run({x.data(), y.data()}, {z.data()}, {1, n});
    for (int64_t i = 0; i < n; ++i) {
      float single = 0;
      kernel.run({&x[i], &y[i]}, {&single}, {1, 1});
      ASSERT_EQ(0, std::memcmp(&single, &z[i], sizeof(float))) << x[i];
    }
  }
}

TEST(Elementwise, SplitsAnywhere) {
  Kernel kernel(swigluProgram());
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  constexpr int64_t n = 5000;
  std::vector<float> x = randomFloats(n), y = randomFloats(n), z(n), z2(n);
  kernel.run({x.data(), y.data()}, {z.data()}, {1, n});
  for (int64_t pieces : {2, 3, 5, 9}) {
    std::fill(z2.begin(), z2.end(), 0.0f);
    kernel.run({x.data(), y.data()}, {z2.data()}, {1, n}, pieces);
    EXPECT_TRUE(sameBits(z, z2)) << pieces;
  }
}

/// out[j, i] = x[i, j]: reads that are not contiguous along the lanes.
TEST(Elementwise, Transposes) {
  std::string transposed = "tensor<?x?xf32, #relax.shape<[s1, s0]>>";
  Kernel kernel(
      program("%x: " + matrix, transposed,
              prologue + "%t = tensor.empty(%n1, %n0) : " + transposed + "\n%y = " +
                  generic("affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j, i)>", parallel2) +
                  "ins(%x : " + matrix + ") outs(%t : " + transposed + R"() {
      ^bb0(%a: f32, %o: f32):
        linalg.yield %a : f32 } -> )" +
                  transposed + "\nreturn %y : " + transposed + "\n"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "elementwise");
  for (int64_t m : {0, 1, 5, 8})
    for (int64_t n : sizes) {
      std::vector<float> x = randomFloats(m * n), y(m * n);
      kernel.run({x.data()}, {y.data()}, {m, n});
      for (int64_t i = 0; i < m; ++i)
        for (int64_t j = 0; j < n; ++j)
          ASSERT_EQ(y[j * m + i], x[i * n + j]);
    }
}

/// Rows of a Q8_0-like table, 34 bytes for 32 numbers, taken by index and decoded.
TEST(Elementwise, DecodesAndTakes) {
  Kernel kernel(
      R"(func.func private @k(%bytes: tensor<50x68xi8>, %rows: tensor<?xi32, #relax.shape<[s0]>>)
      -> tensor<?x64xf32, #relax.shape<[s0, 64]>> attributes {relax.kernel, relax.kernel_symbols = ["s0"]} {
    %n = relax.symbol_value #relax.expr<s0>
    %te = tensor.empty() : tensor<50x64xf32>
    %c32 = arith.constant 32 : index
    %c34 = arith.constant 34 : index
    %c1 = arith.constant 1 : index
    %c2 = arith.constant 2 : index
    %c8 = arith.constant 8 : i16
    %table = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
        outs(%te : tensor<50x64xf32>) {
      ^bb0(%o: f32):
        %i = linalg.index 0 : index
        %j = linalg.index 1 : index
        %block = arith.divui %j, %c32 : index
        %in = arith.remui %j, %c32 : index
        %base = arith.muli %block, %c34 : index
        %base1 = arith.addi %base, %c1 : index
        %lo = tensor.extract %bytes[%i, %base] : tensor<50x68xi8>
        %hi = tensor.extract %bytes[%i, %base1] : tensor<50x68xi8>
        %lo16 = arith.extui %lo : i8 to i16
        %hi16 = arith.extui %hi : i8 to i16
        %hs = arith.shli %hi16, %c8 : i16
        %bits = arith.ori %lo16, %hs : i16
        %d16 = arith.bitcast %bits : i16 to f16
        %d = arith.extf %d16 : f16 to f32
        %q0 = arith.addi %base, %c2 : index
        %q1 = arith.addi %q0, %in : index
        %q = tensor.extract %bytes[%i, %q1] : tensor<50x68xi8>
        %f = arith.sitofp %q : i8 to f32
        %v = arith.mulf %f, %d : f32
        linalg.yield %v : f32 } -> tensor<50x64xf32>
    %e = tensor.empty(%n) : tensor<?x64xf32, #relax.shape<[s0, 64]>>
    %y = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i)>, affine_map<(i, j) -> (i, j)>],
        iterator_types = ["parallel", "parallel"]} ins(%rows : tensor<?xi32, #relax.shape<[s0]>>)
        outs(%e : tensor<?x64xf32, #relax.shape<[s0, 64]>>) {
      ^bb0(%r: i32, %o: f32):
        %row = arith.index_cast %r : i32 to index
        %j = linalg.index 1 : index
        %v = tensor.extract %table[%row, %j] : tensor<50x64xf32>
        linalg.yield %v : f32 } -> tensor<?x64xf32, #relax.shape<[s0, 64]>>
    return %y : tensor<?x64xf32, #relax.shape<[s0, 64]>>
  })");
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "elementwise");
  std::mt19937 generator(3);
  std::vector<uint8_t> bytes(50 * 68);
  for (uint8_t &byte : bytes)
    byte = generator();
  for (int row = 0; row < 50; ++row)
    for (int block = 0; block < 2; ++block) {
      uint16_t d = toHalf(float(row + 1) / 64);
      std::memcpy(&bytes[row * 68 + block * 34], &d, 2);
    }
  for (int64_t n : {0, 1, 2, 9}) {
    std::vector<int32_t> index(n);
    for (int32_t &i : index)
      i = generator() % 50;
    std::vector<float> y(n * 64);
    kernel.run({bytes.data(), index.data()}, {y.data()}, {n});
    for (int64_t i = 0; i < n; ++i)
      for (int64_t j = 0; j < 64; ++j) {
        int8_t q = bytes[index[i] * 68 + j / 32 * 34 + 2 + j % 32];
        ASSERT_EQ(y[i * 64 + j], q * (float(index[i] + 1) / 64));
      }
  }
}

/// x [m, k] times w, given as [k, n] or as [n, k], plus a bias, rectified.
std::string matmulProgram(bool transposed) {
  std::string x = "tensor<?x?xf32, #relax.shape<[s0, s2]>>";
  std::string w = transposed ? "tensor<?x?xf32, #relax.shape<[s1, s2]>>"
                             : "tensor<?x?xf32, #relax.shape<[s2, s1]>>";
  std::string wMap =
      transposed ? "affine_map<(i, j, k) -> (j, k)>" : "affine_map<(i, j, k) -> (k, j)>";
  return program(
      "%x: " + x + ", %w: " + w + ", %bias: " + vectorS1, matrix,
      prologue + R"(
    %init = linalg.fill ins(%zero : f32) outs(%e : )" +
          matrix + ") -> " + matrix + R"(
    %p = )" +
          generic("affine_map<(i, j, k) -> (i, k)>, " + wMap + ", affine_map<(i, j, k) -> (i, j)>",
                  "\"parallel\", \"parallel\", \"reduction\"") +
          "ins(%x, %w : " + x + ", " + w + ") outs(%init : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %q = arith.mulf %a, %b : f32
        %v = arith.addf %acc, %q : f32
        linalg.yield %v : f32 } -> )" +
          matrix + R"(
    %y = )" +
          generic(row2 + ", " + columns + ", " + row2, parallel2) + "ins(%p, %bias : " + matrix +
          ", " + vectorS1 + ") outs(%e : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %s = arith.addf %a, %b : f32
        %v = arith.maximumf %s, %zero : f32
        linalg.yield %v : f32 } -> )" +
          matrix + "\nreturn %y : " + matrix + "\n",
      "\"s0\", \"s1\", \"s2\"");
}

TEST(Contraction, MultipliesMatrices) {
  for (bool transposed : {false, true}) {
    Kernel kernel(matmulProgram(transposed));
    ASSERT_TRUE(kernel.ok()) << kernel.error();
    EXPECT_EQ(kernel.strategy(), "matmul");
    for (int64_t m : {0, 1, 3})
      for (int64_t n : {0, 1, 7, 8, 17, 33})
        for (int64_t k : {0, 1, 2, 31, 64}) {
          std::vector<float> x = randomFloats(m * k), w = randomFloats(n * k),
                             bias = randomFloats(n), y(m * n);
          kernel.run({x.data(), w.data(), bias.data()}, {y.data()}, {m, n, k});
          for (int64_t i = 0; i < m; ++i)
            for (int64_t j = 0; j < n; ++j) {
              double sum = bias[j], magnitude = std::abs(bias[j]);
              for (int64_t l = 0; l < k; ++l) {
                double product = double(x[i * k + l]) * w[transposed ? j * k + l : l * n + j];
                sum += product;
                magnitude += std::abs(product);
              }
              ASSERT_NEAR(y[i * n + j], std::max(sum, 0.0), 1e-6 * magnitude);
            }
        }
  }
}

/// Normalised rows times a matrix: the row's sum of squares is computed before the product's loop,
/// not in it.
TEST(Fallback, NormalisesThenMultiplies) {
  std::string x = "tensor<?x?xf32, #relax.shape<[s0, s2]>>";
  std::string w = "tensor<?x?xf32, #relax.shape<[s2, s1]>>";
  Kernel kernel(
      program("%x: " + x + ", %w: " + w, matrix,
              prologue + R"(
    %n2 = relax.symbol_value #relax.expr<s2>
    %ex = tensor.empty(%n0, %n2) : )" +
                  x + R"(
    %si = linalg.fill ins(%zero : f32) outs(%r : )" +
                  vectorS0 + ") -> " + vectorS0 + R"(
    %s = )" + generic(row2 + ", " + rows, reduce2) +
                  "ins(%x : " + x + ") outs(%si : " + vectorS0 +
                  R"() {
      ^bb0(%a: f32, %acc: f32):
        %q = arith.mulf %a, %a : f32
        %v = arith.addf %acc, %q : f32
        linalg.yield %v : f32 } -> )" +
                  vectorS0 + R"(
    %h = )" + generic(row2 + ", " + rows + ", " + row2, parallel2) +
                  "ins(%x, %s : " + x + ", " + vectorS0 + ") outs(%ex : " + x + R"() {
      ^bb0(%a: f32, %b: f32, %o: f32):
        %c = arith.addf %b, %one : f32
        %v = arith.divf %a, %c : f32
        linalg.yield %v : f32 } -> )" +
                  x + R"(
    %init = linalg.fill ins(%zero : f32) outs(%e : )" +
                  matrix + ") -> " + matrix + R"(
    %p = )" +
                  generic("affine_map<(i, j, k) -> (i, k)>, affine_map<(i, j, k) -> (k, j)>, "
                          "affine_map<(i, j, k) -> (i, j)>",
                          "\"parallel\", \"parallel\", \"reduction\"") +
                  "ins(%h, %w : " + x + ", " + w + ") outs(%init : " + matrix + R"() {
      ^bb0(%a: f32, %b: f32, %acc: f32):
        %q = arith.mulf %a, %b : f32
        %v = arith.addf %acc, %q : f32
        linalg.yield %v : f32 } -> )" +
                  matrix + "\nreturn %p : " + matrix + "\n",
              "\"s0\", \"s1\", \"s2\""));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "fallback");
  for (int64_t m : {0, 1, 3})
    for (int64_t n : {0, 1, 8, 17})
      for (int64_t k : {0, 1, 31, 2000}) {
        std::vector<float> in = randomFloats(m * k), weight = randomFloats(k * n), y(m * n);
        kernel.run({in.data(), weight.data()}, {y.data()}, {m, n, k});
        for (int64_t i = 0; i < m; ++i)
          for (int64_t j = 0; j < n; ++j) {
            double squares = 0, sum = 0, magnitude = 0;
            for (int64_t l = 0; l < k; ++l) {
              squares += double(in[i * k + l]) * in[i * k + l];
              sum += double(in[i * k + l]) * weight[l * n + j];
              magnitude += std::abs(double(in[i * k + l]) * weight[l * n + j]);
            }
            ASSERT_NEAR(y[i * n + j], sum / (squares + 1), 1e-5 * magnitude / (squares + 1));
          }
      }
}

/// Sum over the first dimension, and the largest element of all: reductions of other forms, which
/// don't depend on each other, so that each is a part of its own.
TEST(Fallback, ReducesOtherDimensions) {
  Kernel kernel(program("%x: " + matrix, "(" + vectorS1 + ", tensor<f32>)",
                        prologue + R"(
    %c = tensor.empty(%n1) : )" +
                            vectorS1 + R"(
    %si = linalg.fill ins(%zero : f32) outs(%c : )" +
                            vectorS1 + ") -> " + vectorS1 + R"(
    %s = )" + generic("affine_map<(j, i) -> (i, j)>, affine_map<(j, i) -> (j)>", reduce2) +
                            "ins(%x : " + matrix + ") outs(%si : " + vectorS1 + R"() {
      ^bb0(%a: f32, %acc: f32):
        %v = arith.addf %acc, %a : f32
        linalg.yield %v : f32 } -> )" +
                            vectorS1 + R"(
    %m0 = tensor.empty() : tensor<f32>
    %mi = linalg.fill ins(%lowest : f32) outs(%m0 : tensor<f32>) -> tensor<f32>
    %m = )" + generic(row2 + ", affine_map<(i, j) -> ()>", "\"reduction\", \"reduction\"") +
                            "ins(%x : " + matrix + R"() outs(%mi : tensor<f32>) {
      ^bb0(%a: f32, %acc: f32):
        %v = arith.maximumf %acc, %a : f32
        linalg.yield %v : f32 } -> tensor<f32>
    return %s, %m : )" + vectorS1 +
                            ", tensor<f32>\n"));
  ASSERT_TRUE(kernel.ok()) << kernel.error();
  EXPECT_EQ(kernel.strategy(), "siblings");
  for (int64_t m : {0, 1, 5})
    for (int64_t n : sizes) {
      std::vector<float> x = randomFloats(m * n), sums(n);
      float largest = 0;
      kernel.run({x.data()}, {sums.data(), &largest}, {m, n}, 2);
      float expectedLargest = -INFINITY;
      for (int64_t j = 0; j < n; ++j) {
        float sum = 0;
        for (int64_t i = 0; i < m; ++i) {
          sum += x[i * n + j];
          expectedLargest = std::max(expectedLargest, x[i * n + j]);
        }
        EXPECT_EQ(sums[j], sum);
      }
      EXPECT_EQ(largest, expectedLargest);
    }
}

TEST(Schedule, NamesWhatItCannotSchedule) {
  Kernel kernel(
      R"(func.func private @k(%x: tensor<4xf32>) -> tensor<8xf32> attributes {relax.kernel} {
    %y = tensor.concat dim(0) %x, %x : (tensor<4xf32>, tensor<4xf32>) -> tensor<8xf32>
    return %y : tensor<8xf32>
  })");
  EXPECT_FALSE(kernel.ok());
  EXPECT_NE(kernel.error().find("no schedule strategy takes this program"), std::string::npos);
  EXPECT_NE(kernel.error().find("'tensor.concat' is not understood here"), std::string::npos)
      << kernel.error();
}

} // namespace
} // namespace relax::test
